// recording_time.h — the time of each frame in its file, from the stream's time stamps. Those are not trusted: times in
// a file must rise, and must not run away from the arrival of the frames, as a recording is split by time. No clock.
#pragma once

#include <algorithm>

#include "texcast/frame_times.h"

namespace texcast::stream {

class RecordingTime {
 public:
  // How far time stamps may be ahead of the frames' arrival: more than any network's jitter. They may be behind, and
  // catch up, by kMostBehind: a stalled network delivers everything that it held back at once.
  static constexpr nanoseconds kMostAhead = std::chrono::seconds(2), kMostBehind = std::chrono::seconds(10);
  // A difference decays in about this time: clocks drift apart more slowly.
  static constexpr nanoseconds kForgets = std::chrono::seconds(100);
  static constexpr nanoseconds kLeastStep = std::chrono::milliseconds(1);

  // A frame begins the file.
  void begin(nanoseconds pts, SteadyTime arrived) {
    *this = {};
    pts_ = pts;
    arrived_ = arrived;
  }
  // The time of the next one. `arrived`: zero if unknown.
  nanoseconds next(nanoseconds pts, SteadyTime arrived, nanoseconds frame_time) {
    const nanoseconds step = pts > pts_ ? pts - pts_ : frame_time;
    time_ += arrived == SteadyTime{} ? step : limited(step, std::max(arrived - arrived_, nanoseconds{}));
    pts_ = pts;
    arrived_ = arrived;
    return time_;
  }
  // The time stamp at which the file begins, by the latest frame.
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
  nanoseconds ahead_{};  // time stamps minus arrivals
};

}  // namespace texcast::stream
