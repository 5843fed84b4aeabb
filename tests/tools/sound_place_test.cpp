// The position of audio in a recording if the sender gives no time stamps.
#include "live/sound_place.h"

#include <doctest/doctest.h>

#include <vector>

using namespace texcast;
using namespace texcast::stream;
using std::chrono::milliseconds;

namespace {

constexpr AudioFormat kFormat{.rate = 48000, .channels = 2};
constexpr nanoseconds kLength = milliseconds(10);
constexpr int kSamples = 480 * 2;
const SteadyTime kBegin{std::chrono::hours(1)};

SoundBlock block(SteadyTime arrived, const std::vector<float>& samples) {
  return {.format = kFormat, .samples = samples, .arrived = arrived};
}

// How often and by how much in total audio is moved in `blocks` blocks; block i arrives `late(i)` after its samples are
// due.
struct Moves {
  int count = 0;
  nanoseconds sum{};
};
template <typename Late>
Moves moves_of(int blocks, const Late& late) {
  const std::vector<float> samples(kSamples);
  SoundPlace place;
  place.on_frame(nanoseconds(0), WallTime{}, kBegin, true);
  Moves moves;
  nanoseconds next{};
  for (int i = 0; i < blocks; ++i) {
    const auto at = place.of(block(kBegin + (i + 1) * kLength + late(i), samples));
    REQUIRE(at);
    if (i > 0 && *at != next) {
      ++moves.count;
      moves.sum += *at - next;
    }
    next = *at + kLength;
  }
  return moves;
}

}  // namespace

TEST_CASE("jitter does not move audio: a gap would be audible") {
  CHECK(moves_of(6000, [](int i) { return milliseconds(i == 0 ? 0 : 35); }).count == 0);  // the first was the fastest
  CHECK(moves_of(6000, [](int i) { return milliseconds(i == 0 ? 35 : 0); }).count == 0);
  CHECK(moves_of(6000, [](int i) { return milliseconds(i % 7 * 10); }).count == 0);
}

TEST_CASE("clock drift is followed before it is noticeable in the picture") {
  const Moves moves = moves_of(60000, [](int i) { return std::chrono::microseconds(2 * i); });  // 200 ppm, ten minutes
  CHECK(moves.count == 2);
  CHECK(moves.sum > milliseconds(75));
  CHECK(moves.sum < milliseconds(130));
}

TEST_CASE("audio after a stall continues at its arrival time") {
  const Moves moves = moves_of(100, [](int i) { return milliseconds(i < 50 ? 0 : 500); });
  CHECK(moves.count == 1);
  CHECK(moves.sum == milliseconds(500));
}
