// timeline.h — when the frames of a file are due, so that it runs in real time. Pure arithmetic.
//
// Every frame is due at a fixed offset from the first, so that rounding and waiting never add up to a drift. A
// source that is slower than real time (a decoder that cannot keep up) moves the whole timeline: the stream then
// runs slow rather than losing every frame. So does a program that did not run for a while, which is no fault of the
// decoder's.
#pragma once

#include <algorithm>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

class Timeline {
 public:
  explicit Timeline(nanoseconds frame_time) : frame_time_(frame_time) {}

  // `ready`: when the frame had left its decoder. Rises with pts. `standstills`: for how long the program has not run,
  // in all.
  SteadyTime due(nanoseconds pts, SteadyTime ready, nanoseconds standstills = {}) {
    if (!base_) base_ = ready - pts;
    const nanoseconds late = ready - (*base_ + pts);
    if (late > frame_time_) {
      const nanoseconds stood_still = std::clamp<nanoseconds>(standstills - stood_still_, nanoseconds{}, late);
      *base_ += late;
      stood_still_ += stood_still;
      slipped_ += late - stood_still;
    }
    return *base_ + pts;
  }
  // A frame that could not be encoded by then is dropped: its successor is due.
  SteadyTime drop_at(SteadyTime due) const { return due + frame_time_; }
  // How much later than real time the stream runs: because of its decoder, and because of standstills.
  nanoseconds slipped() const { return slipped_; }
  nanoseconds stood_still() const { return stood_still_; }
  nanoseconds frame_time() const { return frame_time_; }

 private:
  nanoseconds frame_time_;
  std::optional<SteadyTime> base_;
  nanoseconds slipped_{}, stood_still_{};
};

}  // namespace texcast::stream
