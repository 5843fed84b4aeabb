// ranks.h — the levels and ranks of a sub-block and the symbols of their pairs, 16 texels at a time, for the encoder.
// The results are those of the functions for single texels in sub_block.h, prediction.h and slice_syntax.h.
#pragma once

#include "compact/prediction_block.h"
#include "compact/simd.h"
#include "compact/slice_syntax.h"

namespace texcast::compact {

template <typename SubBlock>
U8x16 level_vector(uint64_t sub_block, bool full);

template <>
inline U8x16 level_vector<ColorSubBlock>(uint64_t sub_block, bool full) {
  // Repeats each byte of the indices four times, and turns the two bits of each texel into masks.
  const auto indices =
      reinterpret_cast<U8x16>(U32x4{static_cast<uint32_t>(indices_of<ColorSubBlock>(sub_block)), 0, 0, 0});
  const U8x16 twice = mix_low(indices, indices), bytes = mix_low(twice, twice);
  constexpr U8x16 kLow{1, 4, 16, 64, 1, 4, 16, 64, 1, 4, 16, 64, 1, 4, 16, 64};
  const auto low = reinterpret_cast<U8x16>((bytes & kLow) == kLow);
  const auto high = reinterpret_cast<U8x16>((bytes & kLow << 1) == kLow << 1);
  // Indices 0 1 2 3 are levels 0 3 1 2, or 0 2 1 3 with three colours.
  return (low & filled(full ? 3 : 2)) ^ (high & filled(1));
}

template <>
inline U8x16 level_vector<ChannelSubBlock>(uint64_t sub_block, bool full) {
  // Spreads the bits of either half of the 48 bits: into groups of twelve, then six, then three bits.
  const uint64_t bits = indices_of<ChannelSubBlock>(sub_block);
  U64x2 apart{bits & 0xFFFFFF, bits >> 24};
  apart = (apart | apart << 20) & 0x00000FFF00000FFF;
  apart = (apart | apart << 10) & 0x003F003F003F003F;
  const auto indices = reinterpret_cast<U8x16>((apart | apart << 5) & 0x0707070707070707);
  // Index 1 is the level of the second end point. Indices from 2 on are one level lower, but 6 and 7 stay if these
  // levels do not lie between the end points.
  const U8x16 levels = (indices + reinterpret_cast<U8x16>(indices != 0)) |
                       (reinterpret_cast<U8x16>(indices == 1) & filled(ChannelSubBlock::steps(full)));
  return full ? levels : levels - reinterpret_cast<U8x16>(indices > 5);
}

// The rank of each level: how many levels are nearer to the texel's position. `codes` are PositionCodes.
template <typename SubBlock>
U8x16 rank_vector(U8x16 codes, U8x16 levels, bool full) {
  // In quarters of the distance between levels a position is 2 · code - 1. 1 is added to it and to the levels.
  const U8x16 positions = codes << 1;
  const auto distance = [&](U8x16 at) {
    return reinterpret_cast<I8x16>(larger(at + 1, positions) - smaller(at + 1, positions));
  };
  const I8x16 own = distance(levels << 2);
  const int steps = SubBlock::steps(full);
  U8x16 ranks{};
  for (int level = 0; level <= steps; ++level) ranks -= reinterpret_cast<U8x16>(distance(filled(4 * level)) < own);
  if (steps + 1 == SubBlock::kLevels) return ranks;
  // Levels that do not lie between the end points come last.
  const auto is_outside = reinterpret_cast<U8x16>(levels > filled(steps));
  return (ranks & ~is_outside) | (levels & is_outside);
}

// predicted_intra_level() of each texel.
inline U8x16 predicted_intra_levels(U8x16 levels, int steps) {
  const auto on_line = reinterpret_cast<U32x4>(smaller(levels, filled(steps)));
  // Without a left texel the upper one is used twice, and the other way round.
  U32x4 left = on_line << 8, above = __builtin_shufflevector(on_line, left, 4, 0, 1, 2);
  above[0] |= static_cast<uint32_t>(steps / 2);
  left |= above & 0xFF;
  return average(reinterpret_cast<U8x16>(left), reinterpret_cast<U8x16>(above));
}

// The symbols of pairs of texels, and their contexts relative to the first one of the group.
struct Pairs {
  std::array<uint16_t, 8> symbol, context;
};

// `values` (at most `base`) make up the symbols, `known` (less than `base`) the contexts. A missing neighbour counts as
// base · base above and as base on the left.
inline Pairs pair_up(U8x16 values, U8x16 known, uint16_t base) {
  const auto first = [](U8x16 v) { return reinterpret_cast<U16x8>(v) & 0xFF; };
  const auto second = [](U8x16 v) { return reinterpret_cast<U16x8>(v) >> 8; };
  const auto none_above = static_cast<uint16_t>(base * base);
  const auto both = reinterpret_cast<U32x4>(first(known) * base + second(known));
  const auto above =
      reinterpret_cast<U16x8>(__builtin_shufflevector(both, reinterpret_cast<U32x4>(U16x8{} + none_above), 4, 0, 1, 2));
  const auto left = reinterpret_cast<U16x8>(reinterpret_cast<U32x4>(second(known)) << 16 | base);
  Pairs pairs;
  store_vector(pairs.symbol.data(), first(values) << 2 | second(values));
  store_vector(pairs.context.data(), above * static_cast<uint16_t>(base + 1) + left);
  return pairs;
}
inline Pairs pairs_of_ranks(U8x16 ranks) {
  return pair_up(smaller(ranks, filled(kPairLimit)), smaller(ranks, filled(2)), 3);
}
// Colours only, which have four levels.
inline Pairs pairs_of_levels(U8x16 levels) { return pair_up(levels, levels, 4); }

}  // namespace texcast::compact
