// bc7_modes.h — BC7's modes and partitions, for the reference encoder and decoder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/bc7_tables.h"

namespace texcast::ref {

enum class PBits { none, per_end, per_subset };

struct Bc7Mode {
  int subsets, partition_bits, rotation_bits, selector_bits, color_bits, alpha_bits;
  PBits p_bits;
  int index_bits, second_index_bits;  // second: 0, or of the channel that is coded separately
};

#define TEXCAST_BC7_MODE(subsets, partition, rotation, selector, color, alpha, p, index, second) \
  Bc7Mode{subsets, partition, rotation, selector, color, alpha, static_cast<PBits>(p), index, second},
constexpr std::array<Bc7Mode, 8> kBc7Modes = {BC7_FOR_EACH_MODE(TEXCAST_BC7_MODE)};
#undef TEXCAST_BC7_MODE

constexpr std::array<uint32_t, 64> kBc7PartitionsOf2 = {BC7_PARTITIONS_OF_2};
constexpr std::array<uint32_t, 64> kBc7PartitionsOf3 = {BC7_PARTITIONS_OF_3};
constexpr std::array<int, 64> kBc7AnchorsOf2 = {BC7_ANCHORS_OF_2};
constexpr std::array<int, 64> kBc7SecondAnchorsOf3 = {BC7_ANCHORS_2_OF_3};
constexpr std::array<int, 64> kBc7ThirdAnchorsOf3 = {BC7_ANCHORS_3_OF_3};

inline int bc7_subset(int subsets, int partition, size_t texel) {
  const auto p = static_cast<size_t>(partition);
  if (subsets == 2) return static_cast<int>(kBc7PartitionsOf2[p] >> texel & 1);
  return subsets == 3 ? static_cast<int>(kBc7PartitionsOf3[p] >> (2 * texel) & 3) : 0;
}

// The texel of a subset whose index is in the lower half, so that its top bit is not stored.
inline size_t bc7_anchor(int subsets, int partition, int subset) {
  const auto p = static_cast<size_t>(partition);
  if (subset == 0) return 0;
  if (subsets == 2) return static_cast<size_t>(kBc7AnchorsOf2[p]);
  return static_cast<size_t>(subset == 1 ? kBc7SecondAnchorsOf3[p] : kBc7ThirdAnchorsOf3[p]);
}

// Expands an end point's channel of 4 to 8 bits to 8, by repeating its top bits.
inline int bc7_expand(int code, int bits) { return code << (8 - bits) | code >> (2 * bits - 8); }

// The weight of `high` against `low` for an index of so many bits, in 64ths.
inline int bc7_weight(int index, int bits) {
  const int last = (1 << bits) - 1;
  return (64 * index + last / 2) / last;
}
inline int bc7_blend(int low, int high, int weight) { return ((64 - weight) * low + weight * high + 32) >> 6; }

}  // namespace texcast::ref
