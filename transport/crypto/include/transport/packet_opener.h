// packet_opener.h — decryption in a receiver, or the reason why a datagram is refused.
//
//   datagram ─► open() ─► RTP ─► open_media() ─► media header and piece, decrypted
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/crypto_choice.h"
#include "transport/packet.h"
#include "transport/stream.h"
#include "transport/wire_keys.h"

namespace texcast {
class WorkAhead;
}

namespace texcast::transport {

// With keys, accepts only what is encrypted with them and the chosen cipher; without, only what is not encrypted. Not
// thread-safe; allocates only when constructed.
class PacketOpener {
 public:
  // `keys` may be null. Only texcast's cipher and UltraGrid's GCM authenticate: packets of the others may be forged.
  // `max_age`, `helpers`: see Opener (sealing.h).
  explicit PacketOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher = CryptoChoice::texcast,
                        nanoseconds max_age = {}, WorkAhead* helpers = nullptr);
  ~PacketOpener();

  // See Opener::expect().
  void expect(std::span<const Bytes> datagrams);
  // The datagram itself, or its sealed content (valid until the next call of either). Nothing: it was refused.
  // Unencrypted datagrams that open_media() will check are accepted.
  std::optional<Bytes> open(Bytes datagram, WallTime now);
  // False: refused. A packet with UltraGrid's encryption is decrypted in place, to its original payload type; the
  // payload is valid until the next call. For packets with a PayloadType that open() returned last.
  bool open_media(RtpPacket& rtp);
  // A payload with UltraGrid's encryption, which begins with a media header of `header_bytes`: the header and the
  // decrypted data, valid until the next call. Nothing: it was refused.
  std::optional<Bytes> open_payload(Bytes encrypted, size_t header_bytes);

  // The session of the datagram that open() returned last; nothing if that was not sealed.
  struct Session {
    uint64_t id = 0;
    uint32_t began = 0;    // seconds since 1970
    uint64_t counter = 0;  // of that datagram
  };
  const std::optional<Session>& session() const { return session_; }

  // Why the latest refused datagram was refused.
  const Refused& last_refusal() const { return last_refusal_; }

 private:
  struct Keyed;

  std::nullopt_t refuse(const Refused& why) {
    last_refusal_ = why;
    return std::nullopt;
  }

  std::unique_ptr<Keyed> keyed_;  // null without keys
  CryptoChoice cipher_;
  std::optional<Session> session_;
  Refused last_refusal_;
};

}  // namespace texcast::transport
