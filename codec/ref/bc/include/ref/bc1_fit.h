// bc1_fit.h — least squares between a block and the line between two end points, for the refining methods.
//
// A texel's weight w is its place in thirds from end point b (0) to end point a (3). All sums are integers.
#pragma once

#include <array>

#include "ref/bc1_palette.h"

namespace texcast::ref {

using Weights = std::array<int, 16>;  // 0..3

struct Ends565 {
  Color565 a{}, b{};
  bool equal() const { return a == b; }
};

struct FitSums {
  int w = 0, ww = 0;                                   // sum of w, of w * w
  std::array<int, 3> v{}, wv{};                        // by channel: sum of v, of w * v
  int determinant() const { return 16 * ww - w * w; }  // 0 if all weights are the same, at most 576
};

// The weights that pack_bc1() will choose for these end points.
Weights project_weights(const RgbBlock& texels, const Ends565& ends);

FitSums fit_sums(const RgbBlock& texels, const Weights& weights);

// End points that minimise the squared error for the sums' weights, rounded to 5-6-5. The determinant must not be 0. In
// single precision with a defined order of operations (see reciprocal.h), so that every device rounds alike.
Ends565 fit_ends(const FitSums& sums);

// End points whose 2/3 point is the nearest to each channel's mean, for flat and nearly flat blocks.
Ends565 flat_ends(const RgbBlock& texels);

struct Bc1Candidate {
  Ends565 ends;
  int error = 0;  // nearest_error()
};

// The vector from end point b to end point a, in 8-bit steps.
std::array<int, 3> line_of(const Ends565& ends);

// The largest range of the three channels.
int widest_range(const RgbBlock& texels);

}  // namespace texcast::ref
