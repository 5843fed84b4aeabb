// update_pace.h — when a capture hands out its next update: a period after the one before at the soonest, so that what
// changes in between comes together; what changes after a pause, at once.
#pragma once

#include "texcast/frame_times.h"

namespace texcast::screen {

class UpdatePace {
 public:
  explicit UpdatePace(double most_fps) : period_(frame_period(most_fps)) {}  // 0: each as it comes
  SteadyTime next() const { return next_; }                                  // no sooner
  // There was one. Who wakes a little late does not fall behind.
  void updated(SteadyTime now) { next_ = (now - next_ < period_ / 8 ? next_ : now) + period_; }
  void delay_until(SteadyTime time) { next_ = time; }

 private:
  nanoseconds period_;
  SteadyTime next_{};
};

}  // namespace texcast::screen
