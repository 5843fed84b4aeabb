// level_distortion.h — the squared error of each texel at each level between two end points.
#pragma once

#include "compact/partition_pixels.h"

namespace texcast::compact {

// The squared differences of bytes. Only the sum of all lanes has a meaning.
inline I32x4 lanes_of_squares(U8x16 a, U8x16 b) {
  const U8x16 differences = larger(a, b) - smaller(a, b);
  const auto low = reinterpret_cast<I16x8>(mix_low(differences, U8x16{})),
             high = reinterpret_cast<I16x8>(mix_high(differences, U8x16{}));
  return multiply_pairs(low, low) + multiply_pairs(high, high);
}
inline int sum_of_lanes(I32x4 lanes) {
  lanes += __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1);
  return lanes[0] + lanes[1];
}
// The sum of squared differences of 16 texels.
inline int squares_of(U8x16 a, U8x16 b) { return sum_of_lanes(lanes_of_squares(a, b)); }
inline int squared_error_of(const BlockTexels<ChannelSubBlock>& a, const BlockTexels<ChannelSubBlock>& b) {
  return squares_of(a.texels, b.texels);
}
inline int squared_error_of(const BlockTexels<ColorSubBlock>& a, const BlockTexels<ColorSubBlock>& b) {
  I32x4 sums{};
  for (int j = 0; j < 4; ++j)
    sums += lanes_of_squares(reinterpret_cast<U8x16>(a.rows[j]), reinterpret_cast<U8x16>(b.rows[j]));
  return sum_of_lanes(sums);
}

inline int sum_of(const BlockTexels<ChannelSubBlock>& of) {
  const U64x2 sums = sums_of_differences(of.texels, U8x16{});
  return static_cast<int>(sums[0] + sums[1]);
}
// The mean of each channel, rounded.
inline std::array<int, 1> means_of(const BlockTexels<ChannelSubBlock>& of) { return {(sum_of(of) + 8) >> 4}; }
inline std::array<int, 3> means_of(const BlockTexels<ColorSubBlock>& of) {
  std::array<int, 3> means{};
  for (size_t c = 0; c < 3; ++c) {
    const int shift = static_cast<int>(8 * c);
    U32x4 sums{};
    for (const U32x4 row : of.rows) sums += row >> shift & 0xFF;
    means[c] = (sum_of_lanes(reinterpret_cast<I32x4>(sums)) + 8) >> 4;
  }
  return means;
}

// measure() computes `least`. All other members may be used after find_nearest(), which only end points worth trying
// need.
template <typename SubBlock>
class LevelDistortion;

template <>
class LevelDistortion<ChannelSubBlock> {
 public:
  alignas(16) std::array<uint8_t, 16> nearest;  // levels
  int least = 0;                                // the distortion with the nearest levels

  void measure(SubBlockKind, uint32_t ends, const BlockTexels<ChannelSubBlock>& source) {
    source_ = source.texels;
    ends_ = ends;
    constexpr U8x16 kLevels{0, 1, 2, 3, 4, 5, 6, 7};
    const BlockTexels<ChannelSubBlock> palette(kLevels, ends);
    store_vector(palette_, palette.texels);
    const auto twice = reinterpret_cast<U16x8>(mix_low(palette.texels, palette.texels));
    U8x16 best = difference(__builtin_shufflevector(twice, twice, 0, 0, 0, 0, 0, 0, 0, 0));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 1, 1, 1, 1, 1, 1, 1, 1)));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 2, 2, 2, 2, 2, 2, 2, 2)));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 3, 3, 3, 3, 3, 3, 3, 3)));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 4, 4, 4, 4, 4, 4, 4, 4)));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 5, 5, 5, 5, 5, 5, 5, 5)));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 6, 6, 6, 6, 6, 6, 6, 6)));
    best = smaller(best, difference(__builtin_shufflevector(twice, twice, 7, 7, 7, 7, 7, 7, 7, 7)));
    least_difference_ = best;
    least = squares_of(best, U8x16{});
  }
  // It takes the lowest of equally near levels.
  void find_nearest() {
    U8x16 levels{};
    for (int level = ChannelSubBlock::kLevels - 1; level >= 0; --level) {
      const auto is_nearest = reinterpret_cast<U8x16>(difference(filled(palette_[level])) == least_difference_);
      levels = (levels & ~is_nearest) | (filled(level) & is_nearest);
    }
    store_vector(nearest.data(), levels);
    store_vector(least_differences_, least_difference_);
    store_vector(source_texels_, source_);
  }
  int of_nearest(int i) const { return least_differences_[i] * least_differences_[i]; }
  int at(int i, int level) const {
    const int difference = palette_[level] - source_texels_[i];
    return difference * difference;
  }
  int sum(U8x16 levels) const { return squares_of(BlockTexels<ChannelSubBlock>(levels, ends_).texels, source_); }
  // If all texels have this level.
  int sum_of_all(int level) const { return squares_of(source_, filled(palette_[level])); }

 private:
  U8x16 difference(U8x16 value) const { return larger(source_, value) - smaller(source_, value); }
  template <typename Value>
  U8x16 difference(Value value) const {
    return difference(reinterpret_cast<U8x16>(value));
  }

  U8x16 source_, least_difference_;  // of each texel from its nearest level
  alignas(16) uint8_t palette_[16], least_differences_[16], source_texels_[16];
  uint32_t ends_ = 0;
};

template <>
class LevelDistortion<ColorSubBlock> {
 public:
  alignas(16) std::array<uint8_t, 16> nearest;
  int least = 0;

  void measure(SubBlockKind kind, uint32_t ends, const BlockTexels<ColorSubBlock>& source) {
    const U32x4 colors = colors_of(kind, ends);
    const auto& index = ColorSubBlock::kIndexOfLevel[ColorSubBlock::full(kind, ends)];
    I32x4 sums{};
    for (int j = 0; j < 4; ++j) {
      for (int level = 0; level < ColorSubBlock::kLevels; ++level) {
        const auto color = reinterpret_cast<U8x16>(U32x4{} + colors[index[level]]);
        const auto texels = reinterpret_cast<U8x16>(source.rows[j]);
        const U8x16 difference = larger(texels, color) - smaller(texels, color);
        const auto low = reinterpret_cast<I16x8>(mix_low(difference, U8x16{})),
                   high = reinterpret_cast<I16x8>(mix_high(difference, U8x16{}));
        const I32x4 first = multiply_pairs(low, low), second = multiply_pairs(high, high);
        of_[level][j] =
            __builtin_shufflevector(first, second, 0, 2, 4, 6) + __builtin_shufflevector(first, second, 1, 3, 5, 7);
      }
      const auto nearer = [](I32x4 a, I32x4 b) { return a < b ? a : b; };
      least_[j] = nearer(nearer(of_[0][j], of_[1][j]), nearer(of_[2][j], of_[3][j]));
      sums += least_[j];
    }
    least = sum_of_lanes(sums);
  }
  void find_nearest() {
    I32x4 levels[4]{};
    for (int level = ColorSubBlock::kLevels - 1; level >= 0; --level)
      for (int j = 0; j < 4; ++j) levels[j] = of_[level][j] == least_[j] ? I32x4{} + level : levels[j];
    store_vector(nearest.data(), PredictionBlock<ColorSubBlock>::bytes_of(levels));
  }
  int of_nearest(int i) const { return least_[i / 4][i % 4]; }
  int at(int i, int level) const { return of_[level][i / 4][i % 4]; }
  int sum(U8x16 levels) const {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += at(i, levels[i]);
    return sum;
  }
  int sum_of_all(int level) const {
    return sum_of_lanes(of_[level][0] + of_[level][1] + of_[level][2] + of_[level][3]);
  }

 private:
  I32x4 of_[ColorSubBlock::kLevels][4], least_[4];
};

}  // namespace texcast::compact
