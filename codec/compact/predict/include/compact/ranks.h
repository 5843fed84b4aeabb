// ranks.h — the indices of a half-block as levels, ranks and pairs of them, 16 texels at a time: for the encoder, the
// same numbers as sub_block.h, prediction.h and slice_syntax.h have one by one.
#pragma once

#include "compact/simd.h"
#include "compact/slice_syntax.h"
#include "compact/window.h"

namespace texcast::compact {

template <typename SubBlock>
U8x16 level_vector(uint64_t half, bool full);

template <>
inline U8x16 level_vector<ColorSubBlock>(uint64_t half, bool full) {
  // Each byte of the indices four times, and of these the two bits of each texel as masks.
  const auto indices = reinterpret_cast<U8x16>(U32x4{static_cast<uint32_t>(indices_of<ColorSubBlock>(half)), 0, 0, 0});
  const U8x16 twice = mix_low(indices, indices), bytes = mix_low(twice, twice);
  constexpr U8x16 kLow{1, 4, 16, 64, 1, 4, 16, 64, 1, 4, 16, 64, 1, 4, 16, 64};
  const auto low = reinterpret_cast<U8x16>((bytes & kLow) == kLow);
  const auto high = reinterpret_cast<U8x16>((bytes & kLow << 1) == kLow << 1);
  // Indices 0 1 2 3 are levels 0 3 1 2, and 0 2 1 3 where there are three colours.
  return (low & filled(full ? 3 : 2)) ^ (high & filled(1));
}

template <>
inline U8x16 level_vector<ChannelSubBlock>(uint64_t half, bool full) {
  // Of each half of the 48 bits twelve, then six, then three bits apart.
  const uint64_t bits = indices_of<ChannelSubBlock>(half);
  U64x2 apart{bits & 0xFFFFFF, bits >> 24};
  apart = (apart | apart << 20) & 0x00000FFF00000FFF;
  apart = (apart | apart << 10) & 0x003F003F003F003F;
  const auto indices = reinterpret_cast<U8x16>((apart | apart << 5) & 0x0707070707070707);
  // Index 1 is the last level on the line, those from 2 on are 1 less; beside the line 6 and 7 are what they are.
  const U8x16 levels = (indices + reinterpret_cast<U8x16>(indices != 0)) |
                       (reinterpret_cast<U8x16>(indices == 1) & filled(ChannelSubBlock::steps(full)));
  return full ? levels : levels - reinterpret_cast<U8x16>(indices > 5);
}

// How many levels are nearer to the texel's place than its own. LevelPositions are as in PositionCodes.
template <typename SubBlock>
U8x16 rank_vector(U8x16 codes, U8x16 levels, bool full) {
  // In quarters of the way between levels a place lies at 2 · code - 1; 1 is added to it and to the levels.
  const U8x16 places = codes << 1;
  const auto distance = [&](U8x16 at) {
    return reinterpret_cast<I8x16>(larger(at + 1, places) - smaller(at + 1, places));
  };
  const I8x16 own = distance(levels << 2);
  const int steps = SubBlock::steps(full);
  U8x16 ranks{};
  for (int level = 0; level <= steps; ++level) ranks -= reinterpret_cast<U8x16>(distance(filled(4 * level)) < own);
  if (steps + 1 == SubBlock::kLevels) return ranks;
  // Levels beside the line come last.
  const auto beside = reinterpret_cast<U8x16>(levels > filled(steps));
  return (ranks & ~beside) | (levels & beside);
}

// What guessed_level() says of each texel.
inline U8x16 guess_vector(U8x16 levels, int steps) {
  const auto on_line = reinterpret_cast<U32x4>(smaller(levels, filled(steps)));
  // Where there is no left one, the one above is taken twice, and the other way round.
  U32x4 left = on_line << 8, above = __builtin_shufflevector(on_line, left, 4, 0, 1, 2);
  above[0] |= static_cast<uint32_t>(steps / 2);
  left |= above & 0xFF;
  return average(reinterpret_cast<U8x16>(left), reinterpret_cast<U8x16>(above));
}

// Symbols of pairs of texels, and their contexts but for the group's first.
struct Pairs {
  std::array<uint16_t, 8> symbol, context;
};

// `each`: below `base` + 1, as symbols have them; `known`: below `base`, as contexts do. Where there is no neighbour,
// contexts have base · base above and base at the left.
inline Pairs pair_up(U8x16 each, U8x16 known, uint16_t base) {
  const auto first = [](U8x16 v) { return reinterpret_cast<U16x8>(v) & 0xFF; };
  const auto second = [](U8x16 v) { return reinterpret_cast<U16x8>(v) >> 8; };
  const auto none_above = static_cast<uint16_t>(base * base);
  const auto both = reinterpret_cast<U32x4>(first(known) * base + second(known));
  const auto above =
      reinterpret_cast<U16x8>(__builtin_shufflevector(both, reinterpret_cast<U32x4>(U16x8{} + none_above), 4, 0, 1, 2));
  const auto left = reinterpret_cast<U16x8>(reinterpret_cast<U32x4>(second(known)) << 16 | base);
  Pairs pairs;
  store_vector(pairs.symbol.data(), first(each) << 2 | second(each));
  store_vector(pairs.context.data(), above * static_cast<uint16_t>(base + 1) + left);
  return pairs;
}
inline Pairs pairs_of_ranks(U8x16 ranks) {
  return pair_up(smaller(ranks, filled(kPairLimit)), smaller(ranks, filled(2)), 3);
}
// Of colours, which have four levels.
inline Pairs pairs_of_levels(U8x16 levels) { return pair_up(levels, levels, 4); }

}  // namespace texcast::compact
