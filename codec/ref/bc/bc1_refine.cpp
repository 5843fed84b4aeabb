#include "bc1_line.h"

namespace texcast::ref {
namespace {

// Up to this range along the axis (in the axis' unit) a block is nearly flat, and its exact colour is worth
// more than its slope.
constexpr float kFlat = 14 * kSlope;

}  // namespace

Bc1Block encode_bc1_refined_once(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  const FirstWeights first = first_weights(block, leaning_axis(block));
  const LineSums sums = line_sums(block, first.w);
  LineEnds ends = line_fit(block.sum, sums);
  if (first.range <= kFlat || sums.determinant() == 0 || ends.equal()) ends = line_flat(block.sum);
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
