// packet_opener.h — a receiver's side of encryption: datagrams into readable ones, or why not.
//
//   datagram ─► open() ─► RTP ─► open_media() ─► media header and piece in the clear
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
#include "transport/sealing.h"
#include "transport/stream.h"
#include "transport/ultragrid_cipher.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

// With keys: what is encrypted under them in the one cipher that was chosen passes, and nothing else. Without: what is
// in the clear passes. Not thread-safe; allocates only when made.
class PacketOpener {
 public:
  // `keys` may be null. Of the ciphers texcast's own and UltraGrid's GCM authenticate: what others open may be forged.
  // `max_age`, `helpers`: as Opener has them.
  explicit PacketOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher = CryptoChoice::texcast,
                        nanoseconds max_age = {}, WorkAhead* helpers = nullptr);
  ~PacketOpener();

  // As Opener::expect().
  void expect(std::span<const Bytes> datagrams);
  // The datagram itself, or what was sealed in it (valid until the next call of either). Nothing where it is refused.
  // Of datagrams in the clear, those that open_media() judges pass.
  std::optional<Bytes> open(Bytes datagram, WallTime now);
  // False: refused. A packet that UltraGrid has encrypted turns into the plain one that it was; its payload is valid
  // until the next call. For packets of one of PayloadType's, which open() passed last.
  bool open_media(RtpPacket& rtp);

  // The session of the datagram that open() passed last; nothing where that was not sealed.
  struct Session {
    uint64_t id = 0;
    uint32_t began = 0;  // seconds since 1970
  };
  const std::optional<Session>& session() const { return session_; }

  // Why the latest was refused that was.
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
