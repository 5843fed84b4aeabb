// coded_symbols.h — reads the residuals, ranks and levels of a coded sub-block.
//
// Residuals are differences of end point values. The rank of a texel counts its level among all levels in the order of
// their distance from a prediction: rank 0 is the predicted level.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "compact/prediction.h"
#include "compact/slice_syntax.h"
#include "compact/sub_block.h"
#include "lookup_reader.h"

namespace texcast::compact {

// As magnitude_class().
TEXCAST_INLINE int class_of_folded(uint32_t folded) {
  constexpr uint32_t kClasses = 0b11'10'10'10'10'01'01'00;  // of 0, 1, 2 … 7 and above
  return static_cast<int>(kClasses >> 2 * std::min(folded, 7u) & 3);
}
TEXCAST_INLINE int is_positive(uint32_t folded) { return static_cast<int>(folded & 1); }

// Adds a residual to the end points. `mode`: 0 for EndPoints::near_reference, and so on. `neighbours`: the larger
// magnitude class of the two neighbours. Returns the largest class of the residual's values.
template <typename SubBlock, typename Reader>
TEXCAST_INLINE int read_residual(Reader& reader, int mode, int neighbours, uint32_t& ends) {
  const int first = context::kDifference.first + mode * 204;
  auto values = SubBlock::values(ends);
  int largest = 0;
  if constexpr (SubBlock::kValues == 2) {
    const uint32_t d0 = reader.difference(first + neighbours);
    const int class0 = class_of_folded(d0);
    const uint32_t d1 = reader.difference(first + 4 + neighbours * 8 + class0 * 2 + is_positive(d0));
    values[0] += unfold(d0);
    values[1] += unfold(d1);
    largest = std::max(class0, class_of_folded(d1));
  } else {
    // The contexts are those of color_difference_context().
    const uint32_t g0 = reader.difference(first + neighbours);
    const int g0_class = class_of_folded(g0), g0_up = is_positive(g0);
    const uint32_t r0 = reader.difference(first + 4 + g0_class * 2 + g0_up);
    const int r0_class = class_of_folded(r0), r0_up = is_positive(r0);
    const uint32_t b0 = reader.difference(first + 12 + g0_class * 8 + r0_class * 2 + r0_up);
    const int b0_class = class_of_folded(b0), b0_up = is_positive(b0);
    const uint32_t g1 = reader.difference(first + 44 + g0_class * 8 + r0_class * 2 + g0_up);
    const int g1_class = class_of_folded(g1), g1_up = is_positive(g1);
    const uint32_t r1 = reader.difference(first + 76 + g1_class * 16 + r0_class * 4 + g1_up * 2 + r0_up);
    const int r1_class = class_of_folded(r1), r1_up = is_positive(r1);
    const uint32_t b1 = reader.difference(first + 140 + r1_class * 16 + b0_class * 4 + r1_up * 2 + b0_up);
    values[0] += unfold(r0);
    values[1] += unfold(g0);
    values[2] += unfold(b0);
    values[3] += unfold(r1);
    values[4] += unfold(g1);
    values[5] += unfold(b1);
    largest = std::max({g0_class, r0_class, b0_class, g1_class, r1_class, class_of_folded(b1)});
  }
  ends = SubBlock::ends(values);
  return largest;
}

// The ranks of two texels, from the symbol of their pair; ranks of kPairLimit and above have a symbol of their own.
template <typename SubBlock, typename Reader>
TEXCAST_INLINE void read_rank_pair(Reader& reader, int group, int symbol, uint8_t* ranks) {
  ranks[0] = static_cast<uint8_t>(symbol >> 2);
  ranks[1] = static_cast<uint8_t>(symbol & 3);
  if constexpr (SubBlock::kLevels > 4) {
    for (const int i : {0, 1})
      if (ranks[i] == kPairLimit)
        ranks[i] = static_cast<uint8_t>(kPairLimit + std::min(reader.get(context::kFarRank.first + group), 4));
  }
}
template <typename SubBlock, typename Reader>
TEXCAST_INLINE void read_ranks(Reader& reader, int group, uint8_t* ranks) {
  // The parts of rank_context() by the symbols of the pairs above and on the left.
  static constexpr uint8_t kAbove[16] = {0, 4, 8, 8, 12, 16, 20, 20, 24, 28, 32, 32, 24, 28, 32, 32};
  static constexpr uint8_t kLeft[16] = {0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 2};
  const int first = context::kRanks.first + group * 40;
  int above[2] = {36, 36};
#pragma GCC unroll 4
  for (int row = 0; row < 4; ++row) {
    const int one = reader.get(first + above[0] + 3);
    read_rank_pair<SubBlock>(reader, group, one, ranks + 4 * row);
    const int two = reader.get(first + above[1] + kLeft[one]);
    read_rank_pair<SubBlock>(reader, group, two, ranks + 4 * row + 2);
    above[0] = kAbove[one];
    above[1] = kAbove[two];
  }
}

// Indices that need no reference frame.
template <typename SubBlock, typename Reader>
TEXCAST_INLINE uint64_t read_intra_indices(Reader& reader, bool full) {
  Levels levels{};
  if constexpr (SubBlock::kLevels == 4) {
    for (int pair = 0; pair < 8; ++pair) {
      const int symbol = reader.get(level_context(pair, levels.data()));
      levels[2 * pair] = static_cast<uint8_t>(symbol >> 2);
      levels[2 * pair + 1] = static_cast<uint8_t>(symbol & 3);
    }
  } else {
    uint8_t ranks[16] = {};
    read_ranks<SubBlock>(reader, kRankGroupIntra, ranks);
    for (int i = 0; i < 16; ++i)
      levels[i] = kRankTable<SubBlock>.level[full][guessed_level(levels.data(), i, SubBlock::steps(full))][1][ranks[i]];
  }
  return indices_of<SubBlock>(with_levels<SubBlock>(0, levels, full));
}

// The index of a rank: [full][code of the texel's position (Window::places)][rank].
template <typename SubBlock>
struct IndexTable {
  uint8_t at[2][2 * SubBlock::kLevels][SubBlock::kLevels];
  constexpr IndexTable() : at{} {
    for (int full = 0; full < 2; ++full)
      for (int code = 0; code < 2 * SubBlock::kLevels; ++code)
        for (int rank = 0; rank < SubBlock::kLevels; ++rank)
          at[full][code][rank] =
              SubBlock::kIndexOfLevel[full][kRankTable<SubBlock>.level[full][code >> 1][code & 1][rank]];
  }
};
template <typename SubBlock>
inline constexpr IndexTable<SubBlock> kIndexTable{};

}  // namespace texcast::compact
