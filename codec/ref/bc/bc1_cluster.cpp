#include "bc1_cuts.h"

namespace texcast::ref {
namespace {

struct SplitCandidate {
  LineEnds ends;
  float error = 0;
};

// The split's least-squares end points and their error.
SplitCandidate fit_split(const LineBlock& block, const SortedTexels& sorted, const Split& split) {
  const auto w = static_cast<float>(split.sum_w());
  const float share = w / 16, inverse = static_cast<float>(1.0 / (255.0 * split.determinant()));
  LineSums sums{w, static_cast<float>(split.sum_ww()), {}};
  Float3 a{}, b{};
  for (size_t c = 0; c < 3; ++c) {
    const auto upto = [&](int cut) { return sorted.colors[static_cast<size_t>(cut)][c]; };
    const float below = (upto(split.i) + upto(split.j)) + upto(split.k);
    sums.wv[c] = 3 * block.sum[c] - below;
    const float step = ((48 - w) * block.sum[c] - 16 * below) * inverse;  // a third of the line
    const float middle = block.sum[c] * (1.0f / 4080);
    a[c] = middle + (3 - share) * step;
    b[c] = middle - share * step;
  }
  const LineEnds ends = line_ends(to_codes(a), to_codes(b));
  return {ends, line_error(block.sum, sums, ends)};
}

}  // namespace

Bc1Block encode_bc1_cluster(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  const Float3 axis = line_axis(block);
  LineSums sums;
  LineCandidate best = start_line(block, axis, sums);
  const SortedTexels sorted = sort_along(block, axis, {});
  SplitCandidate split{best.ends, best.error};
  for (const Split& likely : likeliest_splits(sorted)) {
    const SplitCandidate candidate = fit_split(block, sorted, likely);
    if (candidate.error < split.error) split = candidate;
  }
  // The weights that the texels choose themselves, and one more fit to these.
  best = {};
  sums = try_line_ends(block, split.ends, best);
  polish_line(block, sums, best);
  return pack_line(best.ends, best.weights);
}

}  // namespace texcast::ref
