// The time for coding the tiles of a lossy frame.

#include "stream/coding_deadline.h"

#include <doctest/doctest.h>

namespace texcast::stream {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime kBegun{1h};

CodingDeadline after(int frames, nanoseconds ending) {
  CodingDeadline deadline(10ms);
  for (int i = 0; i < frames; ++i) deadline.learn_ending(ending);
  return deadline;
}

}  // namespace

TEST_CASE("coding gets nine tenths of the frame time") {
  CHECK(after(0, 0ms).of(kBegun, kBegun) == kBegun + 9ms);
  CHECK(after(0, 0ms).of(kBegun, kBegun + 4ms) == kBegun + 9ms);
}

TEST_CASE("coding ends sooner by what follows after the tiles, of which the latest frames count") {
  CHECK(after(1, 2ms).of(kBegun, kBegun) == kBegun + 8500us);
  CHECK(after(50, 2ms).of(kBegun, kBegun) - kBegun - 7ms < 1us);
}

TEST_CASE("tiles get half of a frame time, however long the rest takes") {
  CHECK(after(0, 0ms).of(kBegun, kBegun + 6ms) == kBegun + 11ms);
  CHECK(after(50, 2ms).of(kBegun, kBegun + 3ms) == kBegun + 8ms);
  CHECK(after(50, 1h).of(kBegun, kBegun) == kBegun + 6ms);
}

}  // namespace texcast::stream
