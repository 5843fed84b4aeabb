// timeline.h — when the frames of a file are due, so that it runs in real time. No threads, no clock.
//
// Every frame is due at a fixed offset from the first, so that rounding and waiting never add up to a drift. A source
// that is slower than real time (a decoder that cannot keep up) shifts the whole timeline: the stream runs slow instead
// of losing every frame. A program that did not run for a while shifts it too, which is counted apart.
#pragma once

#include <algorithm>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

class Timeline {
 public:
  explicit Timeline(nanoseconds frame_time) : frame_time_(frame_time) {}

  // `ready`: when the frame was decoded; it rises with pts. `standstills`: the total time for which the program did not
  // run.
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
  // When a frame that could not be submitted is dropped, because the next one is due.
  SteadyTime drop_at(SteadyTime due) const { return due + frame_time_; }
  // By how much the stream runs late because of its decoder, and because of standstills.
  nanoseconds slipped() const { return slipped_; }
  nanoseconds stood_still() const { return stood_still_; }
  nanoseconds frame_time() const { return frame_time_; }

 private:
  nanoseconds frame_time_;
  std::optional<SteadyTime> base_;
  nanoseconds slipped_{}, stood_still_{};
};

}  // namespace texcast::stream
