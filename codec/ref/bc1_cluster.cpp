#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "bc1_likely_splits.h"
#include "bc1_line.h"

namespace texcast::ref {
namespace {

constexpr size_t kGroups = 16;  // a lane each in the kernel

// Prefix sums over the texels in the order of their places on the axis; texels at one place keep their order.
struct SortedSums {
  std::array<Float3, 17> value{};      // R, G, B of the first p
  std::array<float, 17> below_mean{};  // of (mean place - place); none in all of them
};

SortedSums sorted_sums(const LineBlock& block, const Float3& axis) {
  const Float16 at = along(block, axis);
  std::array<size_t, 16> order{};
  float sum = 0;
  for (size_t i = 0; i < 16; ++i) {
    order[i] = i;
    sum += at[i];
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return at[x] < at[y]; });
  const float mean = sum / 16;
  SortedSums sums;
  for (size_t p = 0; p < 16; ++p) {
    for (size_t c = 0; c < 3; ++c) sums.value[p + 1][c] = sums.value[p][c] + block.value[c][order[p]];
    sums.below_mean[p + 1] = sums.below_mean[p] + (mean - at[order[p]]);
  }
  sums.below_mean[16] = 0;
  return sums;
}

// How much of the texels' spread along the axis a split takes away is (sum of w * place)^2 / determinant for places
// centred on their mean. The sums at the cuts are all of one sign, so the square root orders splits as well. Its low
// bits give way to the split's row: the largest number then names its split.
constexpr int32_t kRowMask = 63;

int32_t gain_on_axis(const SortedSums& sums, const Split& s, size_t row) {
  const auto below = [&](int cut) { return sums.below_mean[static_cast<size_t>(cut)]; };
  const float gain = ((below(s.i) + below(s.j)) + below(s.k)) *
                     static_cast<float>(1.0 / std::sqrt(static_cast<double>(s.determinant())));
  return (std::bit_cast<int32_t>(gain) & ~kRowMask) | static_cast<int32_t>(row);
}

struct SplitCandidate {
  LineEnds ends;
  float error = 0;
};

// The split's least-squares end points and their error.
SplitCandidate fit_split(const LineBlock& block, const SortedSums& sorted, const Split& split) {
  const auto w = static_cast<float>(split.sum_w());
  const float share = w / 16, inverse = static_cast<float>(1.0 / (255.0 * split.determinant()));
  LineSums sums{w, static_cast<float>(split.sum_ww()), {}};
  Float3 a{}, b{};
  for (size_t c = 0; c < 3; ++c) {
    const auto upto = [&](int cut) { return sorted.value[static_cast<size_t>(cut)][c]; };
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
  const SortedSums sorted = sorted_sums(block, axis);

  // Split n belongs to group n % 16, in row n / 16.
  std::array<int32_t, kGroups> gains{};
  for (size_t n = 0; n < kLikelySplits.size(); ++n)
    gains[n % kGroups] = std::max(gains[n % kGroups], gain_on_axis(sorted, kLikelySplits[n], n / kGroups));
  SplitCandidate split{best.ends, best.error};
  for (size_t group = 0; group < kGroups; ++group) {
    const auto row = static_cast<size_t>(gains[group] & kRowMask);
    const SplitCandidate candidate = fit_split(block, sorted, kLikelySplits[kGroups * row + group]);
    if (candidate.error < split.error) split = candidate;
  }
  // The texels' own choice of weights, and one more fit from there.
  best = {};
  sums = try_line_ends(block, split.ends, best);
  polish_line(block, sums, best);
  return pack_line(best.ends, best.weights);
}

}  // namespace texcast::ref
