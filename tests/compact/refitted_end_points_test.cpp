#include "refitted_end_points.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace texcast::compact;

namespace {

// The distortion of levels between end points, in real numbers.
double loss_of(double first, double second, const Levels& levels, const std::array<uint8_t, 16>& texels, int steps) {
  double loss = 0;
  for (size_t i = 0; i < 16; ++i) {
    if (levels[i] > steps) continue;
    const double off = first + (second - first) * levels[i] / steps - texels[i];
    loss += off * off;
  }
  return loss;
}

}  // namespace

TEST_CASE("refitted end points have the least distortion for given levels") {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int fitted = 0;
  for (int round = 0; round < 400; ++round) {
    const bool full = round % 2 == 0;
    const int steps = full ? 7 : 5, low = 70 + below(40), range = 8 + below(70);
    Levels levels;
    std::array<uint8_t, 16> texels;
    for (size_t i = 0; i < 16; ++i) {
      texels[i] = static_cast<uint8_t>(low + below(range));
      // Near the line between the ends of the range; with six levels also levels outside of it.
      const int along = (texels[i] - low) * steps / range + below(2);
      levels[i] = static_cast<uint8_t>(full ? steps - std::min(along, steps) : below(9) == 0 ? 6 + below(2) : along);
    }
    const auto ends = refitted_ends(levels, texels.data(), full);
    if (!ends) continue;
    ++fitted;
    const auto [first, second] = *ends;
    REQUIRE(first >= 0);
    REQUIRE(second <= 255);
    CHECK((first > second) == full);
    // Both are rounded by 1/2 at most. No other pair of integers is better by more than the effect of this rounding.
    const double loss = loss_of(first, second, levels, texels, steps);
    for (int a = std::max(first - 3, 0); a <= std::min(first + 3, 255); ++a)
      for (int b = std::max(second - 3, 0); b <= std::min(second + 3, 255); ++b)
        CHECK(loss <= loss_of(a, b, levels, texels, steps) + 16 * 0.25);
  }
  CHECK(fitted > 300);
}

TEST_CASE("refitted end points reproduce levels that lie on a line") {
  for (const bool full : {true, false}) {
    const int first = full ? 210 : 35, second = full ? 70 : 135, steps = full ? 7 : 5;
    Levels levels;
    std::array<uint8_t, 16> texels;
    for (size_t i = 0; i < 16; ++i) {
      levels[i] = static_cast<uint8_t>(i % static_cast<size_t>(steps + 1));
      texels[i] = static_cast<uint8_t>(first + (second - first) * levels[i] / steps);
    }
    const auto ends = refitted_ends(levels, texels.data(), full);
    REQUIRE(ends);
    CHECK(*ends == std::array<int, 2>{first, second});
  }
}

TEST_CASE("there are no refitted end points if all levels are equal, or if they would have the other order") {
  Levels levels{};
  std::array<uint8_t, 16> texels{};
  for (size_t i = 0; i < 16; ++i) texels[i] = static_cast<uint8_t>(16 * i);
  CHECK_FALSE(refitted_ends(levels, texels.data(), true));
  // Brighter texels are nearer to the second end point, which would be the larger one.
  for (size_t i = 0; i < 16; ++i) levels[i] = static_cast<uint8_t>(i / 2);
  CHECK_FALSE(refitted_ends(levels, texels.data(), true));
  // No level lies between the end points.
  levels.fill(6);
  CHECK_FALSE(refitted_ends(levels, texels.data(), false));
}
