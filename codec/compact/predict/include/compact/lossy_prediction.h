// lossy_prediction.h — fast versions of prediction.h for lossy slices: sub-blocks fitted to prediction blocks, and
// predicted levels with residual carry. The results are the same.
#pragma once

#include "compact/prediction_block.h"

namespace texcast::compact {

// The index of each level; all levels must lie between the end points.
template <typename SubBlock>
U8x16 indices_of_levels(U8x16 levels, int steps) {
  // The level of the second end point has index 1, and those between the end points have the indices after it.
  const auto last = reinterpret_cast<U8x16>(levels == filled(steps));
  const auto first = reinterpret_cast<U8x16>(levels == 0);
  return ((levels + 1 + first) & ~last) | (last & 1);
}

// Packs sixteen indices, the first one lowest.
template <typename SubBlock>
uint64_t packed(U8x16 indices) {
  constexpr int kBits = SubBlock::kIndexBits;
  const auto all = [](int count) { return (1u << count * kBits) - 1; };
  auto twos = reinterpret_cast<U16x8>(indices);
  twos = (twos | twos >> (8 - kBits)) & static_cast<uint16_t>(all(2));
  auto fours = reinterpret_cast<U32x4>(twos);
  fours = (fours | fours >> (16 - 2 * kBits)) & all(4);
  auto eights = reinterpret_cast<U64x2>(fours);
  eights = (eights | eights >> (32 - 4 * kBits)) & all(8);
  return eights[0] | eights[1] << 8 * kBits;
}

// The level between the end points that is nearest to each texel.
inline U8x16 nearest_levels(const PredictionBlock<ChannelSubBlock>& block, SubBlockKind, uint32_t ends) {
  const auto at = block.eighths<false>(ends);
  const U8x16 levels = low_bytes((at.low + 3) >> 3, (at.high + 3) >> 3);
  return smaller(levels, filled(ChannelSubBlock::steps(ChannelSubBlock::full(SubBlockKind::channel, ends))));
}
inline U8x16 nearest_levels(const PredictionBlock<ColorSubBlock>& block, SubBlockKind kind, uint32_t ends) {
  const auto line = block.project(kind, ends);
  I32x4 levels[4];
  for (int j = 0; j < 4; ++j) levels[j] = -(line.position[j] > line.length);
  for (int step = 1; step < line.steps; ++step)
    for (int j = 0; j < 4; ++j) levels[j] -= line.position[j] > (2 * step + 1) * line.length;
  return PredictionBlock<ColorSubBlock>::bytes_of(levels);
}

template <typename SubBlock>
uint64_t indices_of_nearest(const PredictionBlock<SubBlock>& block, SubBlockKind kind, uint32_t ends) {
  return packed<SubBlock>(
      indices_of_levels<SubBlock>(nearest_levels(block, kind, ends), SubBlock::steps(SubBlock::full(kind, ends))));
}
// Equals fitted_sub_block() in prediction.h.
template <typename SubBlock>
uint64_t fitted_sub_block(const PredictionBlock<SubBlock>& block, SubBlockKind kind) {
  const uint32_t ends = block.fitted();
  if constexpr (SubBlock::kChannels == 1)
    if ((ends & 255) == ends >> 8) return ends;  // uniform, as much of a desktop is
  return indices_of_nearest(block, kind, ends) << SubBlock::kEndPointBits | ends;
}

// The position of each texel between the end points in eighths of a level, rounded up, and 3 · its predicted level.
// Eighths are exact, as the thresholds and the carry are whole eighths. Positions are clamped where no carry can change
// the level.
struct CarryPositions {
  alignas(16) std::array<int8_t, 16> eighths;
  alignas(16) std::array<uint8_t, 16> predicted;
  void predict(I8x16 at, int steps) {
    store_vector(eighths.data(), at);
    const U8x16 levels = levels_of_places(at, steps);
    store_vector(predicted.data(), levels + levels + levels);
  }
  U8x16 levels(int steps) const { return levels_of_places(load_vector<I8x16>(eighths.data()), steps); }

 private:
  static U8x16 levels_of_places(I8x16 at, int steps) {
    // (at + 3) / 8, and 0 before the first end point.
    const auto is_before = reinterpret_cast<U8x16>(at < 0);
    return smaller(((reinterpret_cast<U8x16>(at) + 3) & ~is_before) >> 3, filled(steps));
  }
};
inline CarryPositions carry_positions(const PredictionBlock<ChannelSubBlock>& block, SubBlockKind, uint32_t ends) {
  const auto at = block.eighths<true>(ends);
  const int steps = ChannelSubBlock::steps(ChannelSubBlock::full(SubBlockKind::channel, ends));
  CarryPositions positions;
  positions.predict(reinterpret_cast<I8x16>(low_bytes(at.low, at.high) - filled(at.offset(steps))), steps);
  return positions;
}
inline CarryPositions carry_positions(const PredictionBlock<ColorSubBlock>& block, SubBlockKind kind, uint32_t ends) {
  // The carry is at most 3 · 6 eighths, and the last level lies at 24.
  constexpr float kLeast = -19, kMost = 44;
  const auto line = block.project(kind, ends);
  CarryPositions positions;
  if (line.length == 0) {
    positions.predict(I8x16{} + static_cast<int8_t>(kLeast), line.steps);
    return positions;
  }
  // Exact on every machine: both numbers are integers below 2^24, and quotients below 64 that are not integers are at
  // least 1 / 195075 away from the next integer, which is more than the rounding error.
  const F32x4 length = F32x4{} + static_cast<float>(line.length);
  I32x4 at[4];
  for (int j = 0; j < 4; ++j) {
    F32x4 exact = __builtin_convertvector(line.position[j] * 4, F32x4) / length;
    exact = exact < kLeast ? F32x4{} + kLeast : exact;
    exact = exact > kMost ? F32x4{} + kMost : exact;
    at[j] = __builtin_convertvector(exact, I32x4);  // towards zero
    at[j] -= __builtin_convertvector(at[j], F32x4) < exact;
  }
  const auto low = [](I32x4 a, I32x4 b) { return reinterpret_cast<U16x8>(low_words(a, b)) & 0xFF; };
  positions.predict(reinterpret_cast<I8x16>(low_bytes(low(at[0], at[1]), low(at[2], at[3]))), line.steps);
  return positions;
}

// The index for a position with carry, in eighths, and a rank. The bits above the index have 3 · the level, which is
// limited to that of the second end point.
template <typename SubBlock>
struct CarryTable {
  static constexpr int kLast = 8 * (SubBlock::kLevels - 1);
  static constexpr int kMostCarry = 3 * 2 * (SubBlock::kLevels - 1);
  // Positions in channels are clamped to the range from -kLast to 2 · kLast.
  static constexpr int kLeast = -kLast - kMostCarry, kMost = 2 * kLast + kMostCarry;
  uint8_t at[2][kMost - kLeast + 1][SubBlock::kLevels];
  constexpr CarryTable() : at{} {
    for (int full = 0; full < 2; ++full) {
      const int steps = SubBlock::steps(full != 0);
      for (int position = kLeast; position <= kMost; ++position) {
        const int nearest = std::clamp((position + 3) >> 3, 0, steps);
        for (int rank = 0; rank < SubBlock::kLevels; ++rank) {
          const int level = kRankTable<SubBlock>.level[full][nearest][position > 8 * nearest][rank];
          at[full][position - kLeast][rank] = static_cast<uint8_t>(SubBlock::kIndexOfLevel[full][level] |
                                                                   3 * std::min(level, steps) << SubBlock::kIndexBits);
        }
      }
    }
  }
};
template <typename SubBlock>
inline constexpr CarryTable<SubBlock> kCarryTable{};

// The indices of a sub-block with these ranks.
template <typename SubBlock>
inline __attribute__((always_inline)) uint64_t indices_with_carry(const CarryPositions& positions, const uint8_t* ranks,
                                                                  bool full) {
  const auto* table = kCarryTable<SubBlock>.at[full] - kCarryTable<SubBlock>.kLeast;
  uint64_t indices = 0;
  int above[4] = {};
#pragma GCC unroll 4
  for (int y = 0; y < 4; ++y) {
    int left = 0;
#pragma GCC unroll 4
    for (int x = 0; x < 4; ++x) {
      const int i = 4 * y + x;
      const uint32_t entry = table[positions.eighths[i] + left + above[x]][ranks[i]];
      indices |= static_cast<uint64_t>(entry & (SubBlock::kLevels - 1)) << i * SubBlock::kIndexBits;
      left = above[x] = static_cast<int>(entry >> SubBlock::kIndexBits) - positions.predicted[i];
    }
  }
  return indices;
}

}  // namespace texcast::compact
