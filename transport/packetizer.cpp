#include "transport/packetizer.h"

#include <algorithm>
#include <bit>

#include "base/ensure.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr int kUdpHeaderBytes = 8;
constexpr size_t kExtensionEvery = 16;  // packets; the last of a frame has one too
constexpr size_t kLongestHeader = kRtpHeaderBytes + kExtensionBytes + kVideoHeaderBytes;

uint16_t round_up_to_4(int size) { return static_cast<uint16_t>((size + 3) & ~3); }

// 90 kHz, to the nearest tick.
uint32_t rtp_ticks(nanoseconds pts) { return static_cast<uint32_t>((pts.count() * 9 + 50'000) / 100'000); }

}  // namespace

Packetizer::Packetizer(const PacketizerSettings& settings)
    : settings_(settings), sequence_(settings.first_sequence), buffer_id_(settings.first_buffer_id & kBufferIdMask) {
  ENSURE(settings.mtu >= 576 && settings.mtu <= 9000);
  // A packet with the extension carries 32 bytes less, which must be whole blocks for both payload lengths to be so.
  ENSURE(settings.block_bytes >= 1 && std::has_single_bit(static_cast<unsigned>(settings.block_bytes)) &&
         static_cast<size_t>(settings.block_bytes) <= kExtensionBytes);
  ENSURE(settings.stream.width >= 1 && settings.stream.width <= 65532);
  ENSURE(settings.stream.height >= 1 && settings.stream.height <= 65532);
}

int Packetizer::max_payload() const {
  const int ip_header = settings_.ipv6 ? 40 : 20;
  const int room = settings_.mtu - ip_header - kUdpHeaderBytes - static_cast<int>(kRtpHeaderBytes + kVideoHeaderBytes);
  return room - room % settings_.block_bytes;
}

// UltraGrid's receiver throws away what lies before a time stamp that it has seen, and takes equal ones for one frame.
// So where pts stands still or jumps back (a clip that starts over), the offset grows by what is missing.
uint32_t Packetizer::next_timestamp(nanoseconds pts) {
  uint32_t timestamp = rtp_ticks(pts) + settings_.timestamp_offset;
  if (last_timestamp_ && static_cast<int32_t>(timestamp - *last_timestamp_) <= 0) {
    const double fps = settings_.stream.fps > 0 ? settings_.stream.fps : 60;
    const auto frame_ticks = static_cast<uint32_t>(std::clamp(90'000 / fps, 1.0, 9e6));
    settings_.timestamp_offset += *last_timestamp_ + frame_ticks - timestamp;
    timestamp = *last_timestamp_ + frame_ticks;
  }
  last_timestamp_ = timestamp;
  return timestamp;
}

std::span<const OutgoingPacket> Packetizer::packetize(Bytes frame, const FrameTimes& times) {
  ENSURE(!frame.empty() && frame.size() <= INT32_MAX);
  const StreamDesc& stream = settings_.stream;
  const auto plain_payload = static_cast<size_t>(max_payload());
  const size_t extended_payload = settings_.extension ? plain_payload - kExtensionBytes : plain_payload;

  // Reserved for the most packets that this size can make, so that spans into `headers_` stay good and the next frame
  // of the size allocates nothing.
  const size_t most_packets = frame.size() / extended_payload + 2;
  if (headers_.size() < most_packets * kLongestHeader) headers_.resize(most_packets * kLongestHeader);
  packets_.clear();
  packets_.reserve(most_packets);

  RtpPacket rtp{.payload_type = static_cast<uint8_t>(PayloadType::video),
                .timestamp = next_timestamp(times.pts),
                .ssrc = settings_.ssrc};
  VideoHeader video{.buffer_id = buffer_id_,
                    .length = static_cast<uint32_t>(frame.size()),
                    .width = round_up_to_4(stream.width),
                    .height = round_up_to_4(stream.height),
                    .fourcc = stream.fourcc,
                    .fps = stream.fps};
  const StreamExtension extension{.texture_format = stream.texture_format,
                                  .matrix = stream.matrix,
                                  .range = stream.range,
                                  .primaries = stream.primaries,
                                  .transfer = stream.transfer,
                                  .width = static_cast<uint16_t>(stream.width),
                                  .height = static_cast<uint16_t>(stream.height),
                                  .available = times.available,
                                  .encoded = times.encoded,
                                  .sent = times.sent};

  const MutableBytes memory(headers_);
  size_t used = 0;
  size_t offset = 0;
  while (offset < frame.size()) {
    const size_t left = frame.size() - offset;
    // The last packet has the extension. One that would be the last without it, but has no room for it, gets it too
    // and leaves the rest to one more packet.
    const bool extended = settings_.extension && (packets_.size() % kExtensionEvery == 0 || left <= plain_payload);
    const size_t take = std::min(left, extended ? extended_payload : plain_payload);
    const size_t begin = used;
    rtp.sequence = sequence_++;
    rtp.marker = take == left;
    video.offset = static_cast<uint32_t>(offset);
    used += write_rtp_header(memory.subspan(used), rtp, extended);
    if (extended) used += write_stream_extension(memory.subspan(used), extension);
    used += write_video_header(memory.subspan(used), video);
    packets_.push_back({memory.subspan(begin, used - begin), frame.subspan(offset, take)});
    offset += take;
  }
  buffer_id_ = (buffer_id_ + 1) & kBufferIdMask;
  return packets_;
}

}  // namespace texcast::transport
