// astc_steps.h — the steps that weights are stored in. Those of the lower half, 0 to 32, are a progression but for
// rounding, and the upper half mirrors it; the one that is nearest to a place is not always the one of the nearest
// number.
#pragma once

#include <algorithm>

#include "astc_tables_view.h"

namespace texcast::ref::astc {

constexpr float kPlaces = TEXCAST_ASTC_PLACES;

// To the nearest whole number, halves to even ones. |value| < 2^22.
inline float rounded(float value) {
  constexpr float kRound = 12582912.0F;
  return (value + kRound) - kRound;
}

struct Step {
  bool is_upper = false;
  float number = 0;  // from the nearer end
  float weight = 0;  // of the standard, from there
};

// The nearest to a place, a whole number 0..kPlaces. All sums and products are exact but for what is rounded.
inline Step nearest_step(const Layout& layout, float place) {
  const bool is_upper = place > kPlaces / 2;
  const float from_end = is_upper ? kPlaces - place : place;
  const float number = std::min(rounded(from_end * layout.near), layout.most);
  return {is_upper, number, rounded(number * layout.rise + layout.first)};
}

// By how much it is off, in places.
inline float off_step(const Layout& layout, float place) {
  const Step step = nearest_step(layout, place);
  return std::min(place, kPlaces - place) - (kPlaces / 64) * step.weight;
}

}  // namespace texcast::ref::astc
