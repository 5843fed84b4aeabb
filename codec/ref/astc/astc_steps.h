// astc_steps.h — the steps in which weights are stored. Those of the lower half, 0 to 32, are a progression except for
// rounding, and the upper half mirrors it. The step nearest to a position is not always that of the nearest number.
#pragma once

#include <algorithm>

#include "astc_tables_view.h"

namespace texcast::ref::astc {

constexpr float kPlaces = TEXCAST_ASTC_PLACES;

// Rounds to nearest, ties to even. |value| < 2^22.
inline float rounded(float value) {
  constexpr float kRound = 12582912.0F;
  return (value + kRound) - kRound;
}

struct Step {
  bool is_upper = false;
  float number = 0;  // from the nearer end
  float weight = 0;  // of the standard, from there
};

// The step nearest to a position, a whole number 0..kPlaces. All sums and products are exact except where they are
// rounded.
inline Step nearest_step(const Layout& layout, float place) {
  const bool is_upper = place > kPlaces / 2;
  const float from_end = is_upper ? kPlaces - place : place;
  const float number = std::min(rounded(from_end * layout.near), layout.most);
  return {is_upper, number, rounded(number * layout.rise + layout.first)};
}

// The distance to the nearest step, in positions.
inline float off_step(const Layout& layout, float place) {
  const Step step = nearest_step(layout, place);
  return std::min(place, kPlaces - place) - (kPlaces / 64) * step.weight;
}

}  // namespace texcast::ref::astc
