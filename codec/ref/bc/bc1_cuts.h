// bc1_cuts.h — texels sorted along an axis, and the likely ways to cut them into four clusters.
#pragma once

#include "bc1_line.h"
#include "bc1_splits.h"

namespace texcast::ref {

// Texels that are left out of the fit, because they take black.
using BlackTexels = std::array<bool, 16>;

// Prefix sums of the texels sorted along an axis. Black ones come first and count as nothing; texels at one place keep
// their order.
struct SortedTexels {
  std::array<Float3, 17> colors{};  // [p]: R, G, B of the first p
  std::array<float, 17> below{};    // [p]: how far the first p lie below the mean place, times the number not black
};
SortedTexels sort_along(const LineBlock& block, const Float3& axis, const BlackTexels& black);

// The likely splits are in 16 groups: of each the one that takes most of the spread along the axis away.
std::array<Split, 16> likeliest_splits(const SortedTexels& sorted);

}  // namespace texcast::ref
