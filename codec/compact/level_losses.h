// level_losses.h — what each level of a choice of end points would lose of each texel.
#pragma once

#include <limits>

#include "half_block.h"
#include "vectors.h"

namespace texcast::compact {

// The sum of squared differences of 16 texels.
inline int squares_of(U8x16 a, U8x16 b) {
  const U8x16 differences = larger(a, b) - smaller(a, b);
  const auto low = reinterpret_cast<I16x8>(mix_low(differences, U8x16{})),
             high = reinterpret_cast<I16x8>(mix_high(differences, U8x16{}));
  const I32x4 sums = multiply_pairs(low, low) + multiply_pairs(high, high);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

template <typename Half>
class Losses;

template <>
class Losses<ChannelHalf> {
 public:
  std::array<uint8_t, 16> nearest;  // levels
  int least = 0;                    // theirs, together

  void measure(HalfBlock kind, uint32_t ends, const Texels& source) {
    palette_of<ChannelHalf>(kind, ends, palette_);
    source_ = source.at[0];
    const auto texels = load_vector<U8x16>(source_);
    U8x16 best = filled(255), levels{};
    for (int level = 0; level < ChannelHalf::kLevels; ++level) {
      const U8x16 value = filled(palette_[0][level]);
      const U8x16 off = larger(texels, value) - smaller(texels, value);
      const auto is_nearer = reinterpret_cast<U8x16>(off < best);
      best = smaller(off, best);
      levels = (levels & ~is_nearer) | (filled(level) & is_nearer);
    }
    store_vector(nearest.data(), levels);
    least = squares_of(best, U8x16{});
  }
  int at(int i, int level) const {
    const int off = palette_[0][level] - source_[i];
    return off * off;
  }
  int sum(const Levels& levels) const {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += at(i, levels[i]);
    return sum;
  }
  // Where all texels have it.
  int sum_of_all(int level) const { return squares_of(load_vector<U8x16>(source_), filled(palette_[0][level])); }

 private:
  uint8_t palette_[1][ChannelHalf::kLevels];
  const uint8_t* source_ = nullptr;
};

template <>
class Losses<ColorHalf> {
 public:
  std::array<uint8_t, 16> nearest;
  int least = 0;

  void measure(HalfBlock kind, uint32_t ends, const Texels& source) {
    uint8_t palette[ColorHalf::kChannels][ColorHalf::kLevels];
    palette_of<ColorHalf>(kind, ends, palette);
    least = 0;
    for (int i = 0; i < 16; ++i) {
      int of_nearest = std::numeric_limits<int>::max();
      for (int level = 0; level < ColorHalf::kLevels; ++level) {
        int loss = 0;
        for (int c = 0; c < ColorHalf::kChannels; ++c) {
          const int off = palette[c][level] - source.at[c][i];
          loss += off * off;
        }
        of_[i][level] = loss;
        if (loss >= of_nearest) continue;
        of_nearest = loss;
        nearest[i] = static_cast<uint8_t>(level);
      }
      least += of_nearest;
    }
  }
  int at(int i, int level) const { return of_[i][level]; }
  int sum(const Levels& levels) const {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += of_[i][levels[i]];
    return sum;
  }
  int sum_of_all(int level) const {
    int sum = 0;
    for (const auto& of_texel : of_) sum += of_texel[level];
    return sum;
  }

 private:
  int of_[16][ColorHalf::kLevels];
};

}  // namespace texcast::compact
