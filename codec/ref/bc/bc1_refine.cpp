#include "bc1_line.h"

namespace texcast::ref {
namespace {

// Up to this range along the axis (in the axis' unit) a block is nearly flat, and its exact colour matters more than
// its slope.
constexpr float kFlatForOneFit = 14 * kSlope;
// For methods with more fits, which may still find the slope.
constexpr float kFlat = 24 * kSlope;

}  // namespace

LineSums try_line_ends(const LineBlock& block, const LineEnds& ends, LineCandidate& best) {
  const Float16 weights = line_weights(block, ends);
  const LineSums sums = line_sums(block, weights);
  const float error = line_error(block.sum, sums, ends);
  if (error < best.error) best = {ends, weights, error};
  return sums;
}

LineCandidate start_line(const LineBlock& block, const Float3& axis, LineSums& sums) {
  const FirstWeights first = first_weights(block, axis);
  const LineSums first_sums = line_sums(block, first.w);
  LineEnds ends = line_fit(block.sum, first_sums);
  if (first.range <= kFlat || first_sums.determinant() == 0 || ends.equal()) ends = line_flat(block.sum);
  LineCandidate best;
  sums = try_line_ends(block, ends, best);
  return best;
}

void polish_line(const LineBlock& block, const LineSums& sums, LineCandidate& best) {
  if (sums.determinant() != 0) try_line_ends(block, line_fit_closely(block.sum, sums), best);
}

Bc1Block encode_bc1_refined_once(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  const FirstWeights first = first_weights(block, leaning_axis(block));
  const LineSums sums = line_sums(block, first.w);
  LineEnds ends = line_fit(block.sum, sums);
  if (first.range <= kFlatForOneFit || sums.determinant() == 0 || ends.equal()) ends = line_flat(block.sum);
  return pack_line(ends, line_weights(block, ends));
}

Bc1Block encode_bc1_refined(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  LineSums sums;
  LineCandidate best = start_line(block, line_axis(block), sums);
  polish_line(block, sums, best);
  return pack_line(best.ends, best.weights);
}

}  // namespace texcast::ref
