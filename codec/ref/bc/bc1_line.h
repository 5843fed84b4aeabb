// bc1_line.h — the colours of a block and the least-squares line through them, for the refining methods.
//
// Single precision, operation for operation as in cl_kernels/bc1/line_fit.cl: sums are whole numbers below 2^24, so
// that any order gives the same result; everything else has the order written here. A texel's weight w is its place in
// thirds from end point b (0) to end point a (3).
#pragma once

#include <array>
#include <limits>

#include "ref/bc1.h"

namespace texcast::ref {

using Float3 = std::array<float, 3>;
using Float16 = std::array<float, 16>;

inline constexpr float kSlope = 64;  // the unit of an axis

struct LineBlock {
  std::array<Float16, 3> value{};  // R, G, B: 0..255
  Float3 sum{};
};

struct LineEnds {
  Float3 code_a{}, code_b{};  // 0..31, 0..63, 0..31
  Float3 a{}, b{};            // expanded to 8 bits
  bool equal() const { return code_a == code_b; }
};

struct LineSums {
  float w = 0, ww = 0;                                   // sum of the weights, of their squares
  Float3 wv{};                                           // sum of weight times value
  float determinant() const { return 16 * ww - w * w; }  // 0 if all weights are the same, at most 576
};

LineBlock line_block(const RgbBlock& texels);

// Rounds to nearest, ties to even, by adding a number so large that no fraction is left: |x| < 2^22.
inline float whole(float x) { return (x + 12582912.0f) - 12582912.0f; }

// The axis in whole numbers, the largest component from kSlope to 2 kSlope; zero if all are below 1.
Float3 unit_axis(const Float3& v);

// Principal axis by two steps of the power method, whole numbers, the largest component from kSlope to 2 kSlope; zero
// for a flat block.
Float3 line_axis(const LineBlock& block);

// A cheaper axis: the covariance of the channels with 2 R + 4 G + B, which few lines of colours are orthogonal to. In
// effect one step of the power method from there.
Float3 leaning_axis(const LineBlock& block);

// Each texel's place along `axis`.
Float16 along(const LineBlock& block, const Float3& axis);

LineSums line_sums(const LineBlock& block, const Float16& weights);

// End points that minimise the squared error for the sums' weights, rounded to 5-6-5. Undefined if the determinant is
// 0.
LineEnds line_fit(const Float3& sum, const LineSums& sums);

// The same, but each channel of a is rounded down and up, the best b for each is found, and the better pair is kept.
// Rounding end points independently misses the best pair of codes, as an error in one can compensate that of the other.
LineEnds line_fit_closely(const Float3& sum, const LineSums& sums);

// Rounds colours from 0 (0) to 1 (255) to 5-6-5; line_ends() expands them again.
Float3 to_codes(const Float3& unit);
LineEnds line_ends(const Float3& code_a, const Float3& code_b);

// The weights that the texels get between these end points.
Float16 line_weights(const LineBlock& block, const LineEnds& ends);

// 9 times the squared error for these end points and the sums' weights, minus 9 times the sum of squares of the texels.
float line_error(const Float3& sum, const LineSums& sums, const LineEnds& ends);

// End points whose 2/3 point is the nearest to each channel's mean, for flat and nearly flat blocks.
LineEnds line_flat(const Float3& sum);

// Weights of the texels' places along an axis, from the lowest to the highest.
struct FirstWeights {
  Float16 w{};
  float range = 0;  // along the axis, in the axis' own unit
};
FirstWeights first_weights(const LineBlock& block, const Float3& axis);

struct LineCandidate {
  LineEnds ends;
  Float16 weights{};
  float error = std::numeric_limits<float>::infinity();  // line_error()
};

// Keeps the end points, with the weights that texels get between them, if they are better. Returns the sums of these
// weights.
LineSums try_line_ends(const LineBlock& block, const LineEnds& ends, LineCandidate& best);

// The least-squares end points for the weights along the axis, or line_flat() for a nearly flat block. `sums` returns
// those of its weights.
LineCandidate start_line(const LineBlock& block, const Float3& axis, LineSums& sums);

// One more fit, to the weights of the best candidate so far.
void polish_line(const LineBlock& block, const LineSums& sums, LineCandidate& best);

// The finished block; with equal end points all indices are 0.
Bc1Block pack_line(const LineEnds& ends, const Float16& weights);

}  // namespace texcast::ref
