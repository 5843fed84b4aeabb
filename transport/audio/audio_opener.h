// audio_opener.h — datagrams of sound into readable ones: sealed ones opened, UltraGrid's deciphered, others judged.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "transport/packet.h"
#include "transport/packet_opener.h"

namespace texcast::transport {

// Not thread-safe; allocates only when made.
class AudioOpener {
 public:
  AudioOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher, nanoseconds max_age);
  // As PacketOpener::open().
  std::optional<Bytes> open(Bytes datagram, WallTime now) { return opener_.open(datagram, now); }
  // False: refused. Of payload type 25 the payload becomes that of 21, valid until the next call.
  bool open_media(RtpPacket& rtp);

 private:
  PacketOpener opener_;
  const bool keyed_;
  const CryptoChoice choice_;
  std::optional<UltraGridCipher> cipher_;
  std::vector<std::byte> payload_;
};

}  // namespace texcast::transport
