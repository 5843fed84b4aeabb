// bc7_moments.h — where the texels of a subset lie: their moments, and the principal axis.
#pragma once

#include "bc7_block.h"

namespace texcast::ref::bc7 {

struct Moments {
  int count = 0;
  Channels sum{};
  std::array<Channels, 4> products{};

  Moments(const Texels16& texels, const Subsets& subsets, int subset);
};

// The covariance with a trace of 1, and its principal axis by `steps` powers.
struct Axis {
  float trace = 0;  // count^2 times the variances' sum
  std::array<Vector, 4> matrix{};
  Vector direction{};

  Axis(const Moments& m, int steps);
  Vector times(const Vector& v) const {
    return {dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v), dot(matrix[3], v)};
  }
};

}  // namespace texcast::ref::bc7
