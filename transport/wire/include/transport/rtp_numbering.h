// rtp_numbering.h — the numbers that a sender counts on from packet to packet and frame to frame.
#pragma once

#include <cstdint>
#include <optional>

#include "base/frame_times.h"

namespace texcast::transport {

class RtpNumbering {
 public:
  struct Settings {
    uint32_t ssrc = 0;
    uint16_t first_sequence = 0;
    uint32_t first_buffer_id = 0;   // 22 bits
    uint32_t timestamp_offset = 0;  // added to 90 kHz time
    double fps = 0;                 // 0 = unknown
  };
  explicit RtpNumbering(const Settings& settings);

  // Buffer id and time stamp of the frame that begins, the same in all of its packets. Where `pts` stands still or
  // jumps back (a clip that starts over), the time stamp still goes on by a frame time: UltraGrid's receiver throws
  // away what lies before a time stamp that it has seen, and takes equal ones for one frame.
  void begin_frame(nanoseconds pts);
  uint16_t next_sequence() { return sequence_++; }
  uint32_t ssrc() const { return settings_.ssrc; }
  uint32_t buffer_id() const { return buffer_id_; }
  uint32_t timestamp() const { return timestamp_.value_or(0); }

 private:
  Settings settings_;
  uint16_t sequence_;
  uint32_t buffer_id_ = 0;
  std::optional<uint32_t> timestamp_;
};

}  // namespace texcast::transport
