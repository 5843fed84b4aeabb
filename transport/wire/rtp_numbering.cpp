#include "transport/rtp_numbering.h"

#include <algorithm>

#include "transport/packet.h"

namespace texcast::transport {
namespace {

// 90 kHz, to the nearest tick.
uint32_t rtp_ticks(nanoseconds pts) { return static_cast<uint32_t>((pts.count() * 9 + 50'000) / 100'000); }

}  // namespace

RtpNumbering::RtpNumbering(const Settings& settings)
    : settings_(settings), sequence_(settings.first_sequence), buffer_id_(settings.first_buffer_id - 1) {}

void RtpNumbering::begin_frame(nanoseconds pts) {
  buffer_id_ = (buffer_id_ + 1) & kBufferIdMask;
  uint32_t timestamp = rtp_ticks(pts) + settings_.timestamp_offset;
  if (timestamp_ && static_cast<int32_t>(timestamp - *timestamp_) <= 0) {
    const double fps = settings_.fps > 0 ? settings_.fps : 60;
    const uint32_t next = *timestamp_ + static_cast<uint32_t>(std::clamp(90'000 / fps, 1.0, 9e6));
    settings_.timestamp_offset += next - timestamp;
    timestamp = next;
  }
  timestamp_ = timestamp;
}

}  // namespace texcast::transport
