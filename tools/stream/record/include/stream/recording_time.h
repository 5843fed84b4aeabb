// recording_time.h — when each frame is in its file, by its time stamps. Those come from outside: the file's have to
// rise, and may not run away from the time in which the frames come, as a recording is split by time. Pure.
#pragma once

#include <algorithm>

#include "texcast/frame_times.h"

namespace texcast::stream {

class RecordingTime {
 public:
  // So far time stamps may be ahead of the frames' arrival: more than any network's jitter. As far as they may be
  // behind, they may catch up: what a stalled network held back comes at once.
  static constexpr nanoseconds kMostAhead = std::chrono::seconds(2), kMostBehind = std::chrono::seconds(10);
  // A difference is forgotten in about so long: clocks drift apart by less.
  static constexpr nanoseconds kForgets = std::chrono::seconds(100);
  static constexpr nanoseconds kLeastStep = std::chrono::milliseconds(1);

  // A frame begins the file.
  void begin(nanoseconds pts, SteadyTime arrived) {
    *this = {};
    pts_ = pts;
    arrived_ = arrived;
  }
  // The time of the next one. `arrived` zero: not known.
  nanoseconds next(nanoseconds pts, SteadyTime arrived, nanoseconds frame_time) {
    const nanoseconds step = pts > pts_ ? pts - pts_ : frame_time;
    time_ += arrived == SteadyTime{} ? step : limited(step, std::max(arrived - arrived_, nanoseconds{}));
    pts_ = pts;
    arrived_ = arrived;
    return time_;
  }
  // The time stamp at which the file begins, seen from the frame that came last.
  nanoseconds zero() const { return pts_ - time_; }

 private:
  nanoseconds limited(nanoseconds step, nanoseconds passed) {
    const double kept = 1 - in_seconds(std::min(passed, kForgets)) / in_seconds(kForgets);
    ahead_ = from_seconds(in_seconds(ahead_) * kept) + step - passed;
    const nanoseconds too_far = std::max(ahead_ - kMostAhead, nanoseconds{});
    const nanoseconds cut = std::min(too_far, std::max(step - kLeastStep, nanoseconds{}));
    ahead_ = std::max(ahead_ - cut, -kMostBehind);
    return step - cut;
  }

  nanoseconds pts_{}, time_{};
  SteadyTime arrived_{};
  nanoseconds ahead_{};  // of the arrivals
};

}  // namespace texcast::stream
