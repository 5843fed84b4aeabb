// plain_packetizer.h — turns a frame of bytes into RTP datagrams with UltraGrid's video header.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "transport/datagram_memory.h"
#include "transport/packetizer.h"

namespace texcast::transport {

// Payload type 20 without parity: UltraGrid's format without FEC, with texcast's extension in some of the packets.
class PlainPacketizer final : public FramePacketizer {
 public:
  explicit PlainPacketizer(const PacketizerSettings& settings);
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  int max_payload() const;  // bytes of the frame in a packet without the extension

 private:
  PacketizerSettings settings_;
  std::shared_ptr<RtpNumbering> numbering_;
  Bytes frame_{};
  size_t offset_ = 0;  // of the bytes that have not been sent yet
  size_t header_bytes_ = 0;
  VideoHeader video_{};
  StreamExtension extension_{};
  std::vector<std::byte> headers_;
  std::vector<OutgoingPacket> packets_;
};

// Sends each frame several times: the first copy as the inner packetizer returns its packets, the others after the
// whole frame. Sequence numbers increase over all copies. Only the last packet of the last copy has the marker. RTP
// datagrams only.
class RepeatingPacketizer final : public FramePacketizer {
 public:
  RepeatingPacketizer(std::unique_ptr<FramePacketizer> inner, int copies);  // 2..10
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;

 private:
  OutgoingPacket numbered(const OutgoingPacket& packet, bool marker);

  std::unique_ptr<FramePacketizer> inner_;
  int copies_;
  size_t frame_bytes_ = 0;
  bool done_ = false, counting_ = false;
  uint16_t sequence_ = 0;
  std::vector<OutgoingPacket> once_;  // the frame's packets as the inner packetizer made them
  DatagramMemory memory_;
};

}  // namespace texcast::transport
