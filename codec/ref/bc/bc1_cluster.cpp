#include <algorithm>
#include <array>

#include "bc1_cuts.h"

namespace texcast::ref {
namespace {

constexpr size_t kSplits = 16;

// End points of 16 splits, and their errors.
struct SplitFits {
  std::array<Float16, 3> code_a{}, code_b{};
  Float16 error{};
};

// 1 / (255 times a determinant), which is a whole number up to 576.
const std::array<float, 577>& inverses() {
  static const auto all = [] {
    std::array<float, 577> table{};
    for (size_t n = 1; n < table.size(); ++n) table[n] = static_cast<float>(1.0 / (255.0 * static_cast<double>(n)));
    return table;
  }();
  return all;
}

// A channel's codes for values from 0 to 1, and the values that they expand to (to_codes() and line_ends() in lanes).
void to_ends(const Float16& unit, size_t channel, Float16& code, Float16& expanded) {
  const float largest = channel == 1 ? 63.0f : 31.0f, step = channel == 1 ? 4.0f : 8.0f;
  const int shift = channel == 1 ? 4 : 2;
  for (size_t n = 0; n < kSplits; ++n) {
    const float held = std::min(std::max(unit[n], 0.0f), 1.0f);
    code[n] = whole(held * largest);
    expanded[n] = step * code[n] + static_cast<float>(static_cast<int>(code[n]) >> shift);
  }
}

// Each split's least-squares end points and their error, split by split in the lanes of vectors.
SplitFits fit_splits(const LineBlock& block, const SortedTexels& sorted, const std::array<Split, kSplits>& splits) {
  Float16 w{}, ww{}, inverse{};
  for (size_t n = 0; n < kSplits; ++n) {
    w[n] = static_cast<float>(splits[n].sum_w());
    ww[n] = static_cast<float>(splits[n].sum_ww());
    inverse[n] = inverses()[static_cast<size_t>(splits[n].determinant())];
  }
  SplitFits fits;
  std::array<Float16, 3> errors{};
  for (size_t c = 0; c < 3; ++c) {
    Float16 below{}, a{}, b{};
    const auto upto = [&](int cut) { return sorted.colors[static_cast<size_t>(cut)][c]; };
    for (size_t n = 0; n < kSplits; ++n) below[n] = (upto(splits[n].i) + upto(splits[n].j)) + upto(splits[n].k);
    const float sum = block.sum[c], middle = sum * (1.0f / 4080);
    for (size_t n = 0; n < kSplits; ++n) {
      const float share = w[n] / 16, step = ((48 - w[n]) * sum - 16 * below[n]) * inverse[n];  // a third of the line
      a[n] = middle + (3 - share) * step;
      b[n] = middle - share * step;
    }
    Float16 end_a{}, end_b{};
    to_ends(a, c, fits.code_a[c], end_a);
    to_ends(b, c, fits.code_b[c], end_b);
    // line_error() in lanes.
    for (size_t n = 0; n < kSplits; ++n) {
      const float wv = 3 * sum - below[n], d = end_a[n] - end_b[n];
      errors[c][n] = (3 * end_b[n]) * (48 * end_b[n] + (2 * w[n] * d - 6 * sum)) + d * (ww[n] * d - 6 * wv);
    }
  }
  for (size_t n = 0; n < kSplits; ++n) fits.error[n] = (errors[0][n] + errors[1][n]) + errors[2][n];
  return fits;
}

}  // namespace

Bc1Block encode_bc1_cluster(const RgbBlock& texels) {
  const LineBlock block = line_block(texels);
  const Float3 axis = line_axis(block);
  LineSums sums;
  LineCandidate best = start_line(block, axis, sums);
  const SortedTexels sorted = sort_along(block, axis, {});
  const SplitFits fits = fit_splits(block, sorted, likeliest_splits(sorted));
  LineEnds ends = best.ends;
  size_t least = kSplits;
  for (size_t n = 0; n < kSplits; ++n)
    if (fits.error[n] < (least == kSplits ? best.error : fits.error[least])) least = n;
  if (least < kSplits) {
    const auto at_least = [&](const std::array<Float16, 3>& code) {
      return Float3{code[0][least], code[1][least], code[2][least]};
    };
    ends = line_ends(at_least(fits.code_a), at_least(fits.code_b));
  }
  // The weights that the texels choose themselves, and one more fit to these.
  best = {};
  sums = try_line_ends(block, ends, best);
  polish_line(block, sums, best);
  return pack_line(best.ends, best.weights);
}

}  // namespace texcast::ref
