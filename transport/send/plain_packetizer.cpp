#include "transport/plain_packetizer.h"

#include <algorithm>

#include "base/ensure.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr size_t kExtensionEvery = 16;  // packets; the last one of a frame has the extension too
constexpr size_t kLongestHeader = kRtpHeaderBytes + kExtensionBytes + kVideoHeaderBytes;

}  // namespace

PlainPacketizer::PlainPacketizer(const PacketizerSettings& settings)
    : settings_(settings), numbering_(numbering_of(settings)) {
  ensure_valid(settings);
}

int PlainPacketizer::max_payload() const {
  const int room = payload_room(settings_, kRtpHeaderBytes + kVideoHeaderBytes);
  return room - room % settings_.block_bytes;
}

void PlainPacketizer::begin(Bytes frame, const FrameTimes& times) {
  ENSURE(!frame.empty() && frame.size() <= INT32_MAX);
  frame_ = frame;
  offset_ = 0;
  header_bytes_ = 0;
  numbering_->begin_frame(times.pts);
  video_ = video_header_of(settings_, numbering_->buffer_id(), frame.size());
  extension_ = extension_of(settings_.stream, times);

  // Reserved for the largest number of packets of this frame size, so that spans into `headers_` stay valid and the
  // next frame of the size does not allocate.
  const auto least_payload = static_cast<size_t>(max_payload()) - (settings_.extension ? kExtensionBytes : 0);
  const size_t most_packets = frame.size() / least_payload + 2;
  if (headers_.size() < most_packets * kLongestHeader) headers_.resize(most_packets * kLongestHeader);
  packets_.clear();
  packets_.reserve(most_packets);
}

std::span<const OutgoingPacket> PlainPacketizer::advance(size_t ready_bytes) {
  ENSURE(ready_bytes >= offset_ && ready_bytes <= frame_.size());
  const auto plain_payload = static_cast<size_t>(max_payload());
  const size_t extended_payload = settings_.extension ? plain_payload - kExtensionBytes : plain_payload;
  const MutableBytes memory(headers_);
  const size_t first = packets_.size();
  RtpPacket rtp{.payload_type = static_cast<uint8_t>(PayloadType::video),
                .timestamp = numbering_->timestamp(),
                .ssrc = numbering_->ssrc()};
  while (offset_ < frame_.size()) {
    const size_t left = frame_.size() - offset_;
    // The last packet has the extension. If a packet would be the last one without it, but has no room for it, it gets
    // the extension too, and the rest is sent in one more packet.
    const bool extended = settings_.extension && (packets_.size() % kExtensionEvery == 0 || left <= plain_payload);
    const size_t take = std::min(left, extended ? extended_payload : plain_payload);
    if (offset_ + take > ready_bytes) break;
    const size_t begin = header_bytes_;
    rtp.sequence = numbering_->next_sequence();
    rtp.marker = take == left;
    video_.offset = static_cast<uint32_t>(offset_);
    header_bytes_ += write_rtp_header(memory.subspan(header_bytes_), rtp, extended);
    if (extended) header_bytes_ += write_stream_extension(memory.subspan(header_bytes_), extension_);
    header_bytes_ += write_video_header(memory.subspan(header_bytes_), video_);
    packets_.push_back({memory.subspan(begin, header_bytes_ - begin), frame_.subspan(offset_, take)});
    offset_ += take;
  }
  return std::span<const OutgoingPacket>(packets_).subspan(first);
}

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
