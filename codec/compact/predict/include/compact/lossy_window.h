// lossy_window.h — what prediction.h says of half-blocks of lossy units, fast: those that are fitted to their texels,
// and levels that carry on what was not as predicted.
#pragma once

#include "compact/window.h"

namespace texcast::compact {

// Each level's index, of those on the line.
template <typename SubBlock>
U8x16 indices_of_levels(U8x16 levels, int steps) {
  // The last one is index 1, those between the end points follow.
  const auto last = reinterpret_cast<U8x16>(levels == filled(steps));
  const auto first = reinterpret_cast<U8x16>(levels == 0);
  return ((levels + 1 + first) & ~last) | (last & 1);
}

// Sixteen indices together, the first one lowest.
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

// The nearest level of each texel on the line between end points.
inline U8x16 nearest_levels(const Window<ChannelSubBlock>& window, SubBlockKind, uint32_t ends) {
  const auto at = window.eighths<false>(ends);
  const U8x16 levels = low_bytes((at.low + 3) >> 3, (at.high + 3) >> 3);
  return smaller(levels, filled(ChannelSubBlock::steps(ChannelSubBlock::full(SubBlockKind::channel, ends))));
}
inline U8x16 nearest_levels(const Window<ColorSubBlock>& window, SubBlockKind kind, uint32_t ends) {
  const auto line = window.along(kind, ends);
  I32x4 levels[4];
  for (int j = 0; j < 4; ++j) levels[j] = -(line.of[j] > line.length);
  for (int step = 1; step < line.steps; ++step)
    for (int j = 0; j < 4; ++j) levels[j] -= line.of[j] > (2 * step + 1) * line.length;
  return Window<ColorSubBlock>::bytes_of(levels);
}

template <typename SubBlock>
uint64_t indices_of_nearest(const Window<SubBlock>& window, SubBlockKind kind, uint32_t ends) {
  return packed<SubBlock>(
      indices_of_levels<SubBlock>(nearest_levels(window, kind, ends), SubBlock::steps(SubBlock::full(kind, ends))));
}
// As fitted_sub_block() in prediction.h.
template <typename SubBlock>
uint64_t fitted_sub_block(const Window<SubBlock>& window, SubBlockKind kind) {
  const uint32_t ends = window.fitted();
  if constexpr (SubBlock::kChannels == 1)
    if ((ends & 255) == ends >> 8) return ends;  // of one shade, as much of a desktop is
  return indices_of_nearest(window, kind, ends) << SubBlock::kEndPointBits | ends;
}

// Of each texel its place on the line in eighths of a level, rounded up: whole eighths are all that thresholds and what
// is carried to them lie at. Held to where nothing changes any more, whatever is carried. And of each 3 × the level
// predicted.
struct CarriedPlaces {
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
    // (at + 3) / 8, of what lies before the line 0.
    const auto before = reinterpret_cast<U8x16>(at < 0);
    return smaller(((reinterpret_cast<U8x16>(at) + 3) & ~before) >> 3, filled(steps));
  }
};
inline CarriedPlaces carried_places(const Window<ChannelSubBlock>& window, SubBlockKind, uint32_t ends) {
  const auto at = window.eighths<true>(ends);
  const int steps = ChannelSubBlock::steps(ChannelSubBlock::full(SubBlockKind::channel, ends));
  CarriedPlaces places;
  places.predict(reinterpret_cast<I8x16>(low_bytes(at.low, at.high) - filled(at.before(steps))), steps);
  return places;
}
inline CarriedPlaces carried_places(const Window<ColorSubBlock>& window, SubBlockKind kind, uint32_t ends) {
  // 3 · 6 is the most that is carried, 24 the last level.
  constexpr float kLeast = -19, kMost = 44;
  const auto line = window.along(kind, ends);
  CarriedPlaces places;
  if (line.length == 0) {
    places.predict(I8x16{} + static_cast<int8_t>(kLeast), line.steps);
    return places;
  }
  // Exact on every machine: both are whole and below 2^24, and quotients that are not whole but below 64 lie at least
  // 1 / 195075 from the next one that is, which is more than they are rounded by.
  const F32x4 length = F32x4{} + static_cast<float>(line.length);
  I32x4 at[4];
  for (int j = 0; j < 4; ++j) {
    F32x4 exact = __builtin_convertvector(line.of[j] * 4, F32x4) / length;
    exact = exact < kLeast ? F32x4{} + kLeast : exact;
    exact = exact > kMost ? F32x4{} + kMost : exact;
    at[j] = __builtin_convertvector(exact, I32x4);  // towards zero
    at[j] -= __builtin_convertvector(at[j], F32x4) < exact;
  }
  const auto low = [](I32x4 a, I32x4 b) { return reinterpret_cast<U16x8>(low_words(a, b)) & 0xFF; };
  places.predict(reinterpret_cast<I8x16>(low_bytes(low(at[0], at[1]), low(at[2], at[3]))), line.steps);
  return places;
}

// By a place in eighths with what is carried, and a rank: the index, and above its bits 3 × the level, which counts as
// the last one on the line where it lies beside it.
template <typename SubBlock>
struct CarriedTable {
  static constexpr int kLast = 8 * (SubBlock::kLevels - 1);
  static constexpr int kCarried = 3 * 2 * (SubBlock::kLevels - 1);
  // Positions of channels are held to one line's length before and two behind the first end point.
  static constexpr int kLeast = -kLast - kCarried, kMost = 2 * kLast + kCarried;
  uint8_t at[2][kMost - kLeast + 1][SubBlock::kLevels];
  constexpr CarriedTable() : at{} {
    for (int full = 0; full < 2; ++full) {
      const int steps = SubBlock::steps(full != 0);
      for (int place = kLeast; place <= kMost; ++place) {
        const int nearest = std::clamp((place + 3) >> 3, 0, steps);
        for (int rank = 0; rank < SubBlock::kLevels; ++rank) {
          const int level = kRankTable<SubBlock>.level[full][nearest][place > 8 * nearest][rank];
          at[full][place - kLeast][rank] = static_cast<uint8_t>(SubBlock::kIndexOfLevel[full][level] |
                                                                3 * std::min(level, steps) << SubBlock::kIndexBits);
        }
      }
    }
  }
};
template <typename SubBlock>
inline constexpr CarriedTable<SubBlock> kCarriedTable{};

// The indices of texels with such ranks.
template <typename SubBlock>
inline __attribute__((always_inline)) uint64_t carried_indices(const CarriedPlaces& places, const uint8_t* ranks,
                                                               bool full) {
  const auto* table = kCarriedTable<SubBlock>.at[full] - kCarriedTable<SubBlock>.kLeast;
  uint64_t indices = 0;
  int above[4] = {};
#pragma GCC unroll 4
  for (int y = 0; y < 4; ++y) {
    int left = 0;
#pragma GCC unroll 4
    for (int x = 0; x < 4; ++x) {
      const int i = 4 * y + x;
      const uint32_t entry = table[places.eighths[i] + left + above[x]][ranks[i]];
      indices |= static_cast<uint64_t>(entry & (SubBlock::kLevels - 1)) << i * SubBlock::kIndexBits;
      left = above[x] = static_cast<int>(entry >> SubBlock::kIndexBits) - places.predicted[i];
    }
  }
  return indices;
}

}  // namespace texcast::compact
