// bc1_splits.h — the ways to cut 16 sorted texels into four clusters of weights 0, 1, 2, 3.
#pragma once

namespace texcast::ref {

// Sorted texels [0, i) have weight 0, [i, j) 1, [j, k) 2, [k, 16) 3.
struct Split {
  int i, j, k;
  int sum_w() const { return 48 - i - j - k; }
  int sum_ww() const { return (j - i) + 4 * (k - j) + 9 * (16 - k); }
  int determinant() const { return 16 * sum_ww() - sum_w() * sum_w(); }
};

}  // namespace texcast::ref
