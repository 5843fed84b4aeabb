// audio_opener.h — decrypts audio datagrams, sealed or with UltraGrid's encryption, and refuses those that are not
// acceptable.
#pragma once

#include <memory>
#include <optional>

#include "transport/packet.h"
#include "transport/packet_opener.h"

namespace texcast::transport {

// Not thread-safe; allocates only when constructed.
class AudioOpener {
 public:
  AudioOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher, nanoseconds max_age);
  // See PacketOpener::open().
  std::optional<Bytes> open(Bytes datagram, WallTime now) { return opener_.open(datagram, now); }
  // False: refused. A packet of payload type 25 gets the payload of type 21, valid until the next call.
  bool open_media(RtpPacket& rtp);

 private:
  PacketOpener opener_;
  const bool keyed_;
};

}  // namespace texcast::transport
