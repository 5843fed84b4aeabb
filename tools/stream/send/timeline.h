// timeline.h — when the frames of a file are due, so that it runs in real time. Pure arithmetic.
//
// Every frame is due at a fixed offset from the first, so that rounding and waiting never add up to a drift. A
// source that is slower than real time (a decoder that cannot keep up) moves the whole timeline: the stream then
// runs slow rather than losing every frame.
#pragma once

#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

class Timeline {
 public:
  explicit Timeline(nanoseconds frame_time) : frame_time_(frame_time) {}

  // `ready`: when the frame had left its decoder. Rises with pts.
  SteadyTime due(nanoseconds pts, SteadyTime ready) {
    if (!base_) base_ = ready - pts;
    const nanoseconds late = ready - (*base_ + pts);
    if (late > frame_time_) {
      *base_ += late;
      slipped_ += late;
    }
    return *base_ + pts;
  }
  // A frame that could not be encoded by then is dropped: its successor is due.
  SteadyTime drop_at(SteadyTime due) const { return due + frame_time_; }
  nanoseconds slipped() const { return slipped_; }  // how much later than real time the stream runs
  nanoseconds frame_time() const { return frame_time_; }

 private:
  nanoseconds frame_time_;
  std::optional<SteadyTime> base_;
  nanoseconds slipped_{};
};

}  // namespace texcast::stream
