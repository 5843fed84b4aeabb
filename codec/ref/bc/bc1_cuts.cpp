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
constexpr size_t kRows = kLikelySplits.size() / kGroups;
constexpr int32_t kRowMask = 63;
static_assert(kLikelySplits.size() % kGroups == 0);

// 1 / the square root of each split's determinant.
const std::array<float, kLikelySplits.size()>& inverse_roots() {
  static const auto roots = [] {
    std::array<float, kLikelySplits.size()> all{};
    for (size_t n = 0; n < all.size(); ++n)
      all[n] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(kLikelySplits[n].determinant())));
    return all;
  }();
  return roots;
}

}  // namespace

SortedTexels sort_along(const LineBlock& block, const Float3& axis, const BlackTexels& black) {
  const Float16 at = along(block, axis);
  float total = 0, count = 0;
  // Places are whole numbers of 17 bits. A texel's number in the low bits makes the order stable.
  std::array<int32_t, 16> keys{};
  for (size_t i = 0; i < 16; ++i) {
    keys[i] = (black[i] ? -(1 << 20) : static_cast<int32_t>(at[i])) * 16 + static_cast<int32_t>(i);
    if (black[i]) continue;
    total += at[i];
    ++count;
  }
  std::array<size_t, 16> order{};
  for (size_t i = 0; i < 16; ++i) {
    int32_t rank = 0;
    for (size_t other = 0; other < 16; ++other) rank += static_cast<int32_t>(keys[other] < keys[i]);
    order[static_cast<size_t>(rank)] = i;
  }
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
  // The part of the texels' variance along the axis that a split explains is (sum of w * place)^2 / determinant, for
  // places relative to their mean. The sums at the cuts all have the same sign, so the square root orders splits as
  // well. Its low bits are replaced by the split's row, so that the largest number names its split.
  // Split n belongs to group n % 16, in row n / 16.
  const auto& roots = inverse_roots();
  const auto below = [&](int cut) { return sorted.below[static_cast<size_t>(cut)]; };
  std::array<int32_t, kGroups> gains{};
  for (size_t row = 0; row < kRows; ++row) {
    std::array<float, kGroups> sums{};
    for (size_t group = 0; group < kGroups; ++group) {
      const Split& s = kLikelySplits[row * kGroups + group];
      sums[group] = (below(s.i) + below(s.j)) + below(s.k);
    }
    for (size_t group = 0; group < kGroups; ++group) {
      const float gain = sums[group] * roots[row * kGroups + group];
      const int32_t named = (std::bit_cast<int32_t>(gain) & ~kRowMask) | static_cast<int32_t>(row);
      gains[group] = std::max(gains[group], named);
    }
  }
  std::array<Split, 16> splits{};
  for (size_t group = 0; group < kGroups; ++group)
    splits[group] = kLikelySplits[kGroups * static_cast<size_t>(gains[group] & kRowMask) + group];
  return splits;
}

}  // namespace texcast::ref
