#include <limits>

#include "bc1_line.h"

namespace texcast::ref {
namespace {

// Up to these ranges along the principal axis (components from 512 to 1024) a block is nearly flat, and its exact
// colour is worth more than its slope.
constexpr float kFlatOnce = 14 * 512;
constexpr float kFlat = 8 * 512;
constexpr float kNearlyFlat = 3 * kFlat;

bool usable(const LineSums& sums, const LineEnds& ends) { return sums.determinant() != 0 && !ends.equal(); }

}  // namespace

Bc1Block encode_bc1_refined_once(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  const FirstWeights first = first_weights(block, leaning_axis(block));
  const LineSums sums = line_sums(block, first.w);
  LineEnds ends = line_fit(block.sum, sums);
  if (first.range <= kFlatOnce || !usable(sums, ends)) ends = line_flat(block.sum);
  return pack_line(ends, line_weights(block, ends));
}

LineCandidate refine_line(const LineBlock& block, const Float3& axis) {
  const FirstWeights first = first_weights(block, axis);
  LineSums sums = line_sums(block, first.w);
  LineEnds ends = line_fit(block.sum, sums);
  LineCandidate best;
  best.error = std::numeric_limits<float>::infinity();
  const auto try_ends = [&](const LineEnds& candidate) {
    const Float16 weights = line_weights(block, candidate);
    sums = line_sums(block, weights);
    const float error = line_error(block.sum, sums, candidate);
    if (error < best.error) best = {candidate, weights, error};
  };
  if (first.range <= kFlat || !usable(sums, ends)) {
    try_ends(line_flat(block.sum));
    return best;
  }
  try_ends(ends);
  if (sums.determinant() != 0) try_ends(line_fit(block.sum, sums));
  if (first.range <= kNearlyFlat) try_ends(line_flat(block.sum));
  return best;
}

Bc1Block encode_bc1_refined(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  const LineCandidate best = refine_line(block, line_axis(block));
  return pack_line(best.ends, best.weights);
}

}  // namespace texcast::ref
