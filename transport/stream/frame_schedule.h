// frame_schedule.h — how much of one frame may have left at a given time, which is an argument.
//
// The packets of a frame are paced over a part of the frame time. If the encoder is slower than this pace, the schedule
// is delayed with it: packets never leave faster than those of a frame that was complete at its start. The size of a
// frame may be unknown until its end. Until then the schedule uses the expected size, or the known one if it is larger.
#pragma once

#include <algorithm>
#include <cstddef>

#include "texcast/frame_times.h"
#include "transport/pacer.h"

namespace texcast::stream {

// All bytes are bytes of the line (Pacer). The pacer must outlive this, and keep its settings meanwhile.
class FrameSchedule {
 public:
  FrameSchedule(const transport::Pacer& pacer, size_t expected_bytes, SteadyTime begin)
      : pacer_(pacer), all_bytes_(expected_bytes), begin_(begin) {}

  // `bytes` of the frame are known, including those sent. `whole`: it has no more.
  void know(size_t bytes, bool whole) { all_bytes_ = whole ? bytes : std::max(all_bytes_, bytes); }
  // The sender had nothing to send for this time.
  void starved(nanoseconds time) { begin_ += time; }
  void sent(size_t bytes) { sent_bytes_ += bytes; }

  size_t sent_bytes() const { return sent_bytes_; }
  // The next packet may leave if fewer bytes have been sent.
  size_t bytes_due(SteadyTime now) const { return pacer_.bytes_due(all_bytes_, now - begin_); }
  // When more may leave.
  SteadyTime next_tick(SteadyTime now) const { return begin_ + ((now - begin_) / pacer_.tick() + 1) * pacer_.tick(); }
  // When the next frame may start, in a stream with a bit rate limit.
  SteadyTime line_free() const { return begin_ + pacer_.line_time(sent_bytes_); }

 private:
  const transport::Pacer& pacer_;
  size_t all_bytes_;
  SteadyTime begin_;
  size_t sent_bytes_ = 0;
};

}  // namespace texcast::stream
