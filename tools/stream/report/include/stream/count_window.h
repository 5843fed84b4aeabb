// count_window.h — how much the counts of a session have risen in the last second.
#pragma once

#include <deque>

#include "stream/stream_counts.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe. Times of the steady clock come in as arguments.
class CountWindow {
 public:
  // Each count minus its value a second ago (up to 1.2 s); zeros in the first call, and after two seconds without a
  // call. Counts whose name ends in "_now" are not sums and stay as they are.
  Counts last_second(const Counts& so_far, SteadyTime now);

 private:
  struct Look {
    SteadyTime at{};
    Counts counts;
  };
  std::deque<Look> looks_;  // at least 0.2 s apart; the first is a second old, if there is one that old
};

}  // namespace texcast::stream
