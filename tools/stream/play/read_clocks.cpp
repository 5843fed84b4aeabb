#include "stream/read_clocks.h"

namespace texcast::stream {
namespace {

constexpr int kReadings = 5;
constexpr nanoseconds kCloseTogether = std::chrono::microseconds(5);

}  // namespace

ClockReading read_clocks(const Clock& clock) {
  ClockReading best;
  nanoseconds narrowest = nanoseconds::max();
  for (int i = 0; i < kReadings && narrowest > kCloseTogether; ++i) {
    const SteadyTime before = clock.now();
    const WallTime wall = clock.wall();
    const nanoseconds width = clock.now() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    best = {before + width / 2, wall};
  }
  return best;
}

}  // namespace texcast::stream
