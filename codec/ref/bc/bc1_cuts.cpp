#include "bc1_cuts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/likely_splits.h"

namespace texcast::ref {
namespace {

constexpr std::array<Split, TEXCAST_LIKELY_SPLIT_COUNT> kLikelySplits = [] {
  constexpr std::array<uint16_t, TEXCAST_LIKELY_SPLIT_COUNT> packed = {TEXCAST_LIKELY_SPLITS};
  std::array<Split, TEXCAST_LIKELY_SPLIT_COUNT> splits{};
  for (size_t n = 0; n < packed.size(); ++n) splits[n] = {packed[n] & 31, packed[n] >> 5 & 31, packed[n] >> 10};
  return splits;
}();

constexpr size_t kGroups = 16;  // one lane each in the kernels
constexpr int32_t kRowMask = 63;

// The part of the texels' variance along the axis that a split explains is (sum of w * place)^2 / determinant, for
// places relative to their mean. The sums at the cuts all have the same sign, so the square root orders splits as well.
// Its low bits are replaced by the split's row, so that the largest number names its split.
int32_t gain_on_axis(const SortedTexels& sorted, const Split& s, size_t row) {
  const auto below = [&](int cut) { return sorted.below[static_cast<size_t>(cut)]; };
  const float gain = ((below(s.i) + below(s.j)) + below(s.k)) *
                     static_cast<float>(1.0 / std::sqrt(static_cast<double>(s.determinant())));
  return (std::bit_cast<int32_t>(gain) & ~kRowMask) | static_cast<int32_t>(row);
}

}  // namespace

SortedTexels sort_along(const LineBlock& block, const Float3& axis, const BlackTexels& black) {
  const Float16 at = along(block, axis);
  float total = 0, count = 0;
  std::array<size_t, 16> order{};
  for (size_t i = 0; i < 16; ++i) {
    order[i] = i;
    if (black[i]) continue;
    total += at[i];
    ++count;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return black[x] != black[y] ? black[x] : !black[x] && at[x] < at[y]; });
  SortedTexels sorted;
  for (size_t p = 0; p < 16; ++p) {
    const size_t i = order[p];
    sorted.colors[p + 1] = sorted.colors[p];
    sorted.below[p + 1] = sorted.below[p];
    if (black[i]) continue;
    for (size_t c = 0; c < 3; ++c) sorted.colors[p + 1][c] += block.value[c][i];
    sorted.below[p + 1] += total - count * at[i];
  }
  sorted.below[16] = 0;
  return sorted;
}

std::array<Split, 16> likeliest_splits(const SortedTexels& sorted) {
  // Split n belongs to group n % 16, in row n / 16.
  std::array<int32_t, kGroups> gains{};
  for (size_t n = 0; n < kLikelySplits.size(); ++n)
    gains[n % kGroups] = std::max(gains[n % kGroups], gain_on_axis(sorted, kLikelySplits[n], n / kGroups));
  std::array<Split, 16> splits{};
  for (size_t group = 0; group < kGroups; ++group)
    splits[group] = kLikelySplits[kGroups * static_cast<size_t>(gains[group] & kRowMask) + group];
  return splits;
}

}  // namespace texcast::ref
