#include "transport/packetizer.h"

#include <algorithm>
#include <bit>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

uint16_t round_up_to_4(int size) { return static_cast<uint16_t>((size + 3) & ~3); }

// 90 kHz, to the nearest tick.
uint32_t rtp_ticks(nanoseconds pts) { return static_cast<uint32_t>((pts.count() * 9 + 50'000) / 100'000); }

}  // namespace

RtpNumbering::RtpNumbering(const Settings& settings)
    : settings_(settings), sequence_(settings.first_sequence), buffer_id_(settings.first_buffer_id - 1) {}

void RtpNumbering::begin_frame(nanoseconds pts) {
  buffer_id_ = next_buffer_id();
  uint32_t timestamp = rtp_ticks(pts) + settings_.timestamp_offset;
  if (timestamp_ && static_cast<int32_t>(timestamp - *timestamp_) <= 0) {
    const double fps = settings_.fps > 0 ? settings_.fps : 60;
    const uint32_t next = *timestamp_ + static_cast<uint32_t>(std::clamp(90'000 / fps, 1.0, 9e6));
    settings_.timestamp_offset += next - timestamp;
    timestamp = next;
  }
  timestamp_ = timestamp;
}

void ensure_valid(const PacketizerSettings& settings) {
  ENSURE(settings.mtu >= 576 && settings.mtu <= kMostMtu);
  // A packet with the extension carries 32 bytes less. These must be whole blocks, so that both payload lengths are.
  ENSURE(settings.block_bytes >= 1 && std::has_single_bit(static_cast<unsigned>(settings.block_bytes)) &&
         static_cast<size_t>(settings.block_bytes) <= kExtensionBytes);
  ENSURE(settings.stream.width >= 1 && settings.stream.width <= 65532);
  ENSURE(settings.stream.height >= 1 && settings.stream.height <= 65532);
  ENSURE(settings.reserved_bytes >= 0 && settings.reserved_bytes <= 128);
}

uint32_t RtpNumbering::next_buffer_id() const { return (buffer_id_ + 1) & kBufferIdMask; }

std::shared_ptr<RtpNumbering> numbering_of(const PacketizerSettings& settings) {
  if (settings.numbers) {
    settings.numbers->set_fps(settings.stream.fps);
    return settings.numbers;
  }
  return std::make_shared<RtpNumbering>(RtpNumbering::Settings{.ssrc = settings.ssrc,
                                                               .first_sequence = settings.first_sequence,
                                                               .first_buffer_id = settings.first_buffer_id,
                                                               .timestamp_offset = settings.timestamp_offset,
                                                               .fps = settings.stream.fps});
}

int payload_room(const PacketizerSettings& settings, size_t header_bytes) {
  return settings.mtu - ip_udp_header_bytes(settings.ipv6) - settings.reserved_bytes - static_cast<int>(header_bytes);
}

VideoHeader video_header_of(const PacketizerSettings& settings, uint32_t buffer_id, size_t frame_bytes) {
  const StreamDesc& stream = settings.stream;
  return {.buffer_id = buffer_id,
          .length = static_cast<uint32_t>(frame_bytes),
          .width = round_up_to_4(stream.width),
          .height = round_up_to_4(stream.height),
          .fourcc = stream.fourcc,
          .fps = stream.fps};
}

StreamExtension extension_of(const StreamDesc& stream, const FrameTimes& times) {
  return {.texture_format = stream.texture_format,
          .matrix = stream.matrix,
          .range = stream.range,
          .primaries = stream.primaries,
          .transfer = stream.transfer,
          .pixel_aspect = stream.pixel_aspect,
          .width = static_cast<uint16_t>(stream.width),
          .height = static_cast<uint16_t>(stream.height),
          .available = times.available,
          .encoded = times.encoded,
          .sent = times.sent};
}

}  // namespace texcast::transport
