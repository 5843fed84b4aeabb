#include "repeating_packetizer.h"

#include <algorithm>

#include "base/ensure.h"
#include "transport/packet.h"

namespace texcast::transport {

RepeatingPacketizer::RepeatingPacketizer(std::unique_ptr<FramePacketizer> inner, int copies)
    : inner_(std::move(inner)), copies_(copies) {
  ENSURE(copies >= 2 && copies <= 10);
}

void RepeatingPacketizer::begin(Bytes frame, const FrameTimes& times) {
  memory_.reset();
  once_.clear();
  frame_bytes_ = frame.size();
  done_ = false;
  inner_->begin(frame, times);
}

OutgoingPacket RepeatingPacketizer::numbered(const OutgoingPacket& packet, bool marker) {
  ENSURE(packet.header.size() >= kRtpHeaderBytes);
  if (!counting_) sequence_ = load_be16(packet.header, 2);
  counting_ = true;
  const MutableBytes header = memory_.take(packet.header.size());
  std::ranges::copy(packet.header, header.begin());
  constexpr auto kMarker = std::byte{0x80};
  header[1] = marker ? header[1] | kMarker : header[1] & ~kMarker;
  store_be16(header, 2, sequence_++);
  return {header, packet.payload};
}

std::span<const OutgoingPacket> RepeatingPacketizer::advance(size_t ready_bytes) {
  if (done_) return {};
  std::vector<OutgoingPacket>& list = memory_.next_list();
  done_ = ready_bytes == frame_bytes_;
  for (const OutgoingPacket& packet : inner_->advance(ready_bytes)) {
    once_.push_back(packet);
    list.push_back(numbered(packet, false));
  }
  if (!done_) return list;
  for (int copy = 2; copy <= copies_; ++copy)
    for (const OutgoingPacket& packet : once_)
      list.push_back(numbered(packet, copy == copies_ && &packet == &once_.back()));
  return list;
}

}  // namespace texcast::transport
