#include "bc1_fit.h"

namespace texcast::ref {
namespace {

// Up to this range a block is nearly flat, and the exact colour is worth more than the slope.
constexpr int kFlatRange = 6;

}  // namespace

Bc1Candidate refine_bc1(const RgbBlock& texels) {
  const auto [high, low] = range_ends(texels);
  Bc1Candidate best{{high, low}, 1 << 30};
  FitSums sums = fit_sums(texels, project_weights(texels, best.ends));
  for (int pass = 0; pass < 2 && sums.determinant() != 0; ++pass) {
    const Ends565 ends = fit_ends(sums);
    sums = fit_sums(texels, project_weights(texels, ends));
    const int error = fit_error(sums, ends);
    if (error < best.error) best = {ends, error};
  }
  if (best.error == 1 << 30 || best.ends.equal() || widest_range(texels) <= kFlatRange) {
    const Ends565 flat = flat_ends(texels);
    const int error = fit_error(fit_sums(texels, project_weights(texels, flat)), flat);
    if (error < best.error) best = {flat, error};
  }
  return best;
}

}  // namespace texcast::ref
