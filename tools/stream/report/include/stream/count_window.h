// count_window.h — how much counts have risen in the last second: what happens now, of counts of a whole session.
#pragma once

#include <deque>

#include "stream/stream_counts.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe. Times of the steady clock come in as arguments.
class CountWindow {
 public:
  // Each count less what it was a second ago (a fifth more at most); zeros at first, and where nobody asked for two
  // seconds. Those whose name ends in "_now" are no sums, and stay as they are.
  Counts last_second(const Counts& so_far, SteadyTime now);

 private:
  struct Look {
    SteadyTime at{};
    Counts counts;
  };
  std::deque<Look> looks_;  // a fifth of a second apart or more; the first is a second old where there is one
};

}  // namespace texcast::stream
