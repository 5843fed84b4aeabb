// swap_grid.h — when a picture that is drawn now will be seen: at the display's next refresh. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/frame_times.h"

namespace texcast::player {

class SwapGrid {
 public:
  SwapGrid() = default;  // pictures are seen when they are drawn
  // A swap returned at `swapped`, at a refresh; others follow every `period` (0: as above).
  SwapGrid(SteadyTime swapped, nanoseconds period) : swapped_(swapped), period_(period) {}

  SteadyTime seen_at(SteadyTime now) const {
    return knows(now) ? swapped_ + ((now - swapped_) / period_ + 1) * period_ : now;
  }
  // From when on seen_at() is at or after `due`: then a picture for `due` is drawn, and no sooner.
  SteadyTime draw_from(SteadyTime due) const {
    return knows(due) ? swapped_ + std::max<int64_t>(0, (due - swapped_ - nanoseconds(1)) / period_) * period_ : due;
  }

 private:
  // Displays' rates are told in whole Hertz, so that far from the last swap nothing is known.
  bool knows(SteadyTime time) const {
    return period_ > nanoseconds::zero() && time >= swapped_ && time - swapped_ < std::chrono::milliseconds(500);
  }
  SteadyTime swapped_{};
  nanoseconds period_{};
};

}  // namespace texcast::player
