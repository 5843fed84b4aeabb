// update_pace.h — when a capture returns its next update: at least a period after the previous one, so that changes in
// between are combined; at once for changes after a pause.
#pragma once

#include "texcast/frame_times.h"

namespace texcast::screen {

class UpdatePace {
 public:
  explicit UpdatePace(double most_fps) : period_(frame_period(most_fps)) {}  // 0: each change
  SteadyTime next() const { return next_; }                                  // not before that time
  // An update was returned. A slightly late wake-up does not delay the following ones.
  void updated(SteadyTime now) { next_ = (now - next_ < period_ / 8 ? next_ : now) + period_; }
  void delay_until(SteadyTime time) { next_ = time; }

 private:
  nanoseconds period_;
  SteadyTime next_{};
};

}  // namespace texcast::screen
