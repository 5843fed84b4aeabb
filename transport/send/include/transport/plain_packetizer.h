// plain_packetizer.h — one frame of bytes into RTP datagrams with UltraGrid's video header.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transport/packetizer.h"

namespace texcast::transport {

// Payload type 20 and no parity: what UltraGrid sends without FEC, with texcast's extension in some of the packets.
class PlainPacketizer final : public FramePacketizer {
 public:
  explicit PlainPacketizer(const PacketizerSettings& settings);
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  int max_payload() const;  // bytes of a frame in a packet without the extension

 private:
  PacketizerSettings settings_;
  RtpNumbering numbering_;
  Bytes frame_{};
  size_t offset_ = 0;  // of what has not left yet
  size_t header_bytes_ = 0;
  VideoHeader video_{};
  StreamExtension extension_{};
  std::vector<std::byte> headers_;
  std::vector<OutgoingPacket> packets_;
};

}  // namespace texcast::transport
