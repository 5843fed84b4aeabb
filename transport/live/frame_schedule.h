// frame_schedule.h — how much of one frame may have left at a time. Pure: time is an argument.
//
// Packets leave spread over the time that the pacer has for the frame. Where the encoder is slower than that, the
// schedule waits with it: packets never leave faster than they would have if the frame had been whole. How much a frame
// will be may not be known before its end: until then it counts as what was expected, or what is known if that is more.
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

  // So much has left or is known to follow; `whole`: and no more will.
  void know(size_t bytes, bool whole) { all_bytes_ = whole ? bytes : std::max(all_bytes_, bytes); }
  // For so long all that was ready had left.
  void starved(nanoseconds time) { begin_ += time; }
  void sent(size_t bytes) { sent_bytes_ += bytes; }

  size_t sent_bytes() const { return sent_bytes_; }
  // The next packet may leave where less has been sent.
  size_t bytes_due(SteadyTime now) const { return pacer_.bytes_due(all_bytes_, now - begin_); }
  // When more may leave.
  SteadyTime next_tick(SteadyTime now) const { return begin_ + ((now - begin_) / pacer_.tick() + 1) * pacer_.tick(); }
  // Where a rate is not to be exceeded: when the next frame may begin.
  SteadyTime line_free() const { return begin_ + pacer_.line_time(sent_bytes_); }

 private:
  const transport::Pacer& pacer_;
  size_t all_bytes_;
  SteadyTime begin_;
  size_t sent_bytes_ = 0;
};

}  // namespace texcast::stream
