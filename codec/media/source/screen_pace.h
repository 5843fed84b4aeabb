// screen_pace.h — when a screen source returns its next frame: never more often than its rate on average, with a change
// as soon as that allows, and from time to time without a change. No threads, no clock.
//
// Captures keep to the same rate by themselves (screen/update_pace.h). So frames follow the updates of the capture: if
// they did not, every picture would wait for up to a period between the two.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::media {

// Not thread-safe. Times of the steady clock come in as arguments.
class ScreenPace {
 public:
  explicit ScreenPace(double fps) : period_(frame_period(fps)) {}

  // From then on a frame with a change is returned. A little before it is due, as captures wake up at slightly
  // different times.
  SteadyTime earliest() const { return next_ - period_ / kTolerance; }
  // Then a frame is returned even if nothing has changed.
  SteadyTime latest() const { return last_ + (repeats_ > 0 ? period_ * 4 / 3 : std::max(kKeepAlive, period_)); }

  // A frame was returned. `updated`: when the capture reported the latest change that only this frame shows; unset: it
  // shows none.
  void returned(SteadyTime now, std::optional<SteadyTime> updated) {
    const bool after_a_pause = now - next_ >= period_ / 2;
    if (after_a_pause) ahead_ = {};
    next_ = (after_a_pause ? now : next_) + period_;
    last_ = now;
    repeats_ = updated ? kRepeats : std::max(0, repeats_ - 1);
    if (updated) follow(*updated, now);
  }

 private:
  // The next update of the capture comes a period after this one, so the next frame is due then. Between two pauses
  // frames become due earlier by a period altogether, which is one frame more than the rate.
  void follow(SteadyTime updated, SteadyTime now) {
    const nanoseconds earlier = next_ - std::max(updated + period_, now);
    if (earlier <= nanoseconds{} || ahead_ + earlier > period_) return;
    ahead_ += earlier;
    next_ -= earlier;
  }

  static constexpr int kTolerance = 8;
  // While nothing changes the picture is returned at this interval, or at that of the rate if it is longer, so that
  // receivers see that the stream is alive.
  static constexpr nanoseconds kKeepAlive = std::chrono::milliseconds(200);
  // Right after the last change it is returned a few more times, which replaces what was lost of it. They come a third
  // of a period late, so that they do not take the place of a change.
  static constexpr int kRepeats = 3;

  nanoseconds period_;
  SteadyTime next_{};    // when the next frame is due
  SteadyTime last_{};    // when the last one was returned
  nanoseconds ahead_{};  // by how much frames are due earlier than by the rate, since the last pause
  int repeats_ = 0;      // still to come
};

}  // namespace texcast::media
