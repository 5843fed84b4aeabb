// packet_opener.h — a receiver's side of encryption: datagrams into readable ones, or why not.
//
//   datagram ─► open() ─► RTP ─► open_media() ─► media header and piece in the clear
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "transport/packet.h"
#include "transport/sealing.h"
#include "transport/stream.h"
#include "transport/ultragrid_cipher.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

// With keys: what is sealed or encrypted under them passes, and nothing else. Without: what is in the clear passes.
// Not thread-safe; allocates only when made.
class PacketOpener {
 public:
  explicit PacketOpener(std::shared_ptr<const WireKeys> keys);  // may be null
  ~PacketOpener();

  // The datagram itself, or what was sealed in it (valid until the next call). Nothing where it is refused. Of
  // datagrams in the clear, those that open_media() judges pass.
  std::optional<Bytes> open(Bytes datagram);
  // False: refused. A packet that UltraGrid has encrypted turns into the plain one that it was; its payload is valid
  // until the next call. For packets of one of PayloadType's, which open() passed last.
  bool open_media(RtpPacket& rtp);

  // Why the latest was refused that was.
  Refusal last_refusal() const { return last_refusal_; }

 private:
  struct Keyed;

  std::nullopt_t refuse(Refusal why) {
    last_refusal_ = why;
    return std::nullopt;
  }

  std::unique_ptr<Keyed> keyed_;  // null without keys
  bool was_sealed_ = false;
  Refusal last_refusal_ = Refusal::none;
};

}  // namespace texcast::transport
