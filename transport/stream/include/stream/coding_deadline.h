// coding_deadline.h — until when the tiles of a frame in a lossy coded stream may be coded, so that the next frame
// begins in time. The remaining tiles are deferred to the next frame. This class has no clock: the caller measures.
#pragma once

#include <algorithm>

#include "texcast/frame_times.h"

namespace texcast::stream {

class CodingDeadline {
 public:
  explicit CodingDeadline(nanoseconds frame_time) : frame_time_(frame_time) {}

  // After the tiles of a frame were coded, it took so long until the next frame could begin.
  void learn_ending(nanoseconds time) { ending_ += (time - ending_) / kAveraged; }
  // `begun`: when coding the frame began; `analysed`: when its first tile could be coded.
  SteadyTime of(SteadyTime begun, SteadyTime analysed) const {
    return std::max(begun + part(kAll) - std::min(ending_, part(kMostEnding)), analysed + part(kLeast));
  }

  // Parts of the frame time: for all of coding; for tiles at least, when the motion search has taken longer than usual;
  // and what is kept at most for the time after the tiles.
  static constexpr double kAll = 0.9, kLeast = 0.5, kMostEnding = 0.3;

 private:
  static constexpr int kAveraged = 4;  // frames
  nanoseconds part(double part) const { return from_seconds(part * in_seconds(frame_time_)); }

  const nanoseconds frame_time_;
  nanoseconds ending_{};  // moving average
};

}  // namespace texcast::stream
