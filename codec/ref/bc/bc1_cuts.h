// bc1_cuts.h — texels sorted along an axis, and the likely ways to split them into four clusters.
#pragma once

#include "bc1_line.h"

namespace texcast::ref {

// A split of 16 sorted texels into four clusters of weights 0, 1, 2, 3. Sorted texels [0, i) have weight 0, [i, j) 1,
// [j, k) 2, [k, 16) 3.
struct Split {
  int i, j, k;
  int sum_w() const { return 48 - i - j - k; }
  int sum_ww() const { return (j - i) + 4 * (k - j) + 9 * (16 - k); }
  int determinant() const { return 16 * sum_ww() - sum_w() * sum_w(); }
};

// Texels that are excluded from the fit, because they become black.
using BlackTexels = std::array<bool, 16>;

// Prefix sums of the texels sorted along an axis. Black ones come first and count as nothing; the sort is stable.
struct SortedTexels {
  std::array<Float3, 17> colors{};  // [p]: R, G, B of the first p
  // [p]: how far the first p are below the mean place, times the number of texels that are not black.
  std::array<float, 17> below{};
};
SortedTexels sort_along(const LineBlock& block, const Float3& axis, const BlackTexels& black);

// The likely splits are in 16 groups. Returns the one of each group that explains most of the variance along the axis.
std::array<Split, 16> likeliest_splits(const SortedTexels& sorted);

}  // namespace texcast::ref
