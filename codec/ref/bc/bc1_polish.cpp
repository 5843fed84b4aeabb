#include "bc1_line.h"

namespace texcast::ref {
namespace {

// As in bc1_refine.cpp, where what comes after may still find the slope.
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

}  // namespace texcast::ref
