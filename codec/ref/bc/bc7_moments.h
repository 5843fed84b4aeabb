// bc7_moments.h — the moments of a subset's texels, and their principal axis.
#pragma once

#include "bc7_block.h"

namespace texcast::ref::bc7 {

struct Moments {
  int count = 0;
  Channels sum{};
  std::array<Channels, 4> products{};

  Moments(const Texels16& texels, const Subsets& subsets, int subset);
};

// The covariance scaled to a trace of 1, and its principal axis by `steps` steps of the power method.
struct Axis {
  float trace = 0;  // count^2 times the sum of the variances
  std::array<Vector, 4> matrix{};
  Vector direction{};

  Axis(const Moments& m, int steps);
  Vector times(const Vector& v) const {
    return {dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v), dot(matrix[3], v)};
  }
};

}  // namespace texcast::ref::bc7
