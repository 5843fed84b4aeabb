// prediction_block.h — fast versions of prediction.h, which compute 16 texels at a time. The results are the same.
// Prediction blocks that reach beyond the edge of the picture are read by prediction.h.
#pragma once

#include "compact/prediction.h"
#include "compact/simd.h"

namespace texcast::compact {

// 2 · the nearest level of each texel, plus 1 if the texel lies beyond it. If levels lie at the multiples of 2, this is
// the number of thresholds 0, 1, 2 … that the texel's position exceeds.
using PositionCodes = std::array<uint8_t, 16>;

// Whether a prediction block at (x, y) reads no texel outside the picture.
inline bool lies_within(const Component& component, int x, int y) {
  return x >= 0 && y >= 0 && x + 4 <= component.blocks_x * 4 && y + 4 <= component.blocks_y * 4;
}

// Replaces a division by the range between a channel's end points by a multiplication. Number and range are first
// multiplied by `factor`, so that the range lies between 128 and 256. A range of 0 gives 0. prediction_block_test.cpp
// tries all numbers.
struct ChannelScale {
  uint16_t factor = 0, reciprocal = 0;
};
inline constexpr int kChannelScaleBits = 23;
inline constexpr auto kChannelScales = [] {
  std::array<ChannelScale, 256> of{};
  for (uint32_t range = 1; range < 256; ++range) {
    uint32_t factor = 1;
    while (range * factor <= 128) factor *= 2;
    const uint32_t divisor = range * factor;
    of[range] = {static_cast<uint16_t>(factor),
                 static_cast<uint16_t>(((1u << kChannelScaleBits) + divisor - 1) / divisor)};
  }
  return of;
}();

// The sub-blocks that a prediction block in whole texels covers, up to two by two, and its indices, row by row.
template <typename SubBlock>
struct CoveredBlocks {
  uint64_t sub_blocks[4];
  int count;  // 4, or 1 if the prediction block is a sub-block
  uint32_t row[4];
  CoveredBlocks(const ReferenceComponent& reference, int x, int y) {
    constexpr int kRowBits = 4 * SubBlock::kIndexBits;
    constexpr uint64_t kRow = (1u << kRowBits) - 1;
    const int bx = x >> 2, by = y >> 2, across = x & 3, down = y & 3;
    sub_blocks[0] = reference.sub_block(bx, by);
    if ((across | down) == 0) {
      count = 1;
      const uint64_t indices = indices_of<SubBlock>(sub_blocks[0]);
      for (int j = 0; j < 4; ++j) row[j] = static_cast<uint32_t>(indices >> j * kRowBits & kRow);
      return;
    }
    count = 4;
    sub_blocks[1] = across != 0 ? reference.sub_block(bx + 1, by) : sub_blocks[0];
    sub_blocks[2] = down != 0 ? reference.sub_block(bx, by + 1) : sub_blocks[0];
    sub_blocks[3] = across != 0 && down != 0 ? reference.sub_block(bx + 1, by + 1)
                    : across != 0            ? sub_blocks[1]
                                             : sub_blocks[2];
    const auto joined = [&](uint64_t upper, uint64_t lower) {
      // The rows of the upper block begin with row `down`; those of the lower block follow.
      const uint64_t high = indices_of<SubBlock>(upper) >> down * kRowBits;
      return down == 0 ? high : high | indices_of<SubBlock>(lower) << (4 - down) * kRowBits;
    };
    const uint64_t left = joined(sub_blocks[0], sub_blocks[2]), right = joined(sub_blocks[1], sub_blocks[3]);
    for (int j = 0; j < 4; ++j) {
      const uint64_t both = (left >> j * kRowBits & kRow) | (right >> j * kRowBits & kRow) << kRowBits;
      row[j] = static_cast<uint32_t>(both >> across * SubBlock::kIndexBits & kRow);
    }
  }
};

template <typename SubBlock>
class PredictionBlock;

// Each vector has four texels: red, green, blue and 0.
template <>
class PredictionBlock<ColorSubBlock> {
 public:
  static constexpr int kTexelBytes = 4;
  void take(const Texels& texels) {
    alignas(16) uint8_t bytes[64];
    for (int i = 0; i < 16; ++i) {
      for (int c = 0; c < 3; ++c) bytes[i * 4 + c] = texels.at[c][i];
      bytes[i * 4 + 3] = 0;
    }
    take(bytes);
  }
  // `texels` are row by row.
  void take(const uint8_t* texels) {
    for (int j = 0; j < 4; ++j) row_[j] = load_vector<U32x4>(texels + j * 16);
  }
  void load(const ReferenceComponent& reference, int x, int y) {
    if (!lies_within(reference.component(), x, y)) {
      Texels texels;
      reference_pixels<ColorSubBlock>(reference, x, y, texels);
      take(texels);
      return;
    }
    const CoveredBlocks<ColorSubBlock> blocks(reference, x, y);
    alignas(16) uint32_t colors[4][4];
    palettes(reference.component().kind, blocks, colors);
    if (blocks.count == 1) {
      for (int j = 0; j < 4; ++j) {
        const uint32_t row = blocks.row[j];
        row_[j] = U32x4{colors[0][row & 3], colors[0][row >> 2 & 3], colors[0][row >> 4 & 3], colors[0][row >> 6]};
      }
      return;
    }
    const int across = x & 3, down = y & 3;
    for (int j = 0; j < 4; ++j) {
      const uint32_t row = blocks.row[j];
      const auto* of_row = colors[down + j >= 4 ? 2 : 0];
      // The colours of the right sub-block follow those of the left one.
      row_[j] = U32x4{of_row[row & 3], of_row[(across + 1) / 4 * 4 + (row >> 2 & 3)],
                      of_row[(across + 2) / 4 * 4 + (row >> 4 & 3)], of_row[(across + 3) / 4 * 4 + (row >> 6)]};
    }
  }

  uint32_t fitted() const {
    const auto bytes = [](auto v) { return reinterpret_cast<U8x16>(v); };
    // The largest value of each channel, and the smallest as the largest complement.
    const U8x16 high4 = larger(larger(bytes(row_[0]), bytes(row_[1])), larger(bytes(row_[2]), bytes(row_[3])));
    const U8x16 low4 = ~smaller(smaller(bytes(row_[0]), bytes(row_[1])), smaller(bytes(row_[2]), bytes(row_[3])));
    const auto high2 = reinterpret_cast<U64x2>(high4), low2 = reinterpret_cast<U64x2>(low4);
    const auto pair = reinterpret_cast<U32x4>(
        larger(bytes(__builtin_shufflevector(high2, low2, 0, 2)), bytes(__builtin_shufflevector(high2, low2, 1, 3))));
    const auto both =
        reinterpret_cast<U32x4>(larger(bytes(pair), bytes(__builtin_shufflevector(pair, pair, 1, 0, 3, 2))));
    const uint32_t high_color = both[0], low_color = ~both[2];
    // Sums of red and blue and of green, in lanes of 16 bits, and of products with green, in lanes of 32 bits.
    const U32x4 kEven{0x00FF00FF, 0x00FF00FF, 0x00FF00FF, 0x00FF00FF};
    U16x8 sum_rb{}, sum_g{};
    U32x4 product_r{}, product_b{};
    for (const U32x4 row : row_) {
      const auto rb = reinterpret_cast<U16x8>(row & kEven);
      const U32x4 g32 = row >> 8 & kEven;
      const auto g = reinterpret_cast<U16x8>(g32 | g32 << 16);
      sum_rb += rb;
      sum_g += g;
      const auto product = reinterpret_cast<U32x4>(rb * g);
      product_r += product & 0xFFFF;
      product_b += product >> 16;
    }
    // The sums of the lanes of four vectors.
    const auto rb32 = reinterpret_cast<U32x4>(sum_rb);
    const U32x4 r_and_b = interleaved_sum(rb32 & 0xFFFF, rb32 >> 16), products = interleaved_sum(product_r, product_b);
    const auto sums = reinterpret_cast<I32x4>(__builtin_shufflevector(r_and_b, products, 0, 1, 4, 5) +
                                              __builtin_shufflevector(r_and_b, products, 2, 3, 6, 7));
    const int sum_r = sums[0], sum_b = sums[1];
    const U32x4 g32 = reinterpret_cast<U32x4>(sum_g) & 0xFFFF;
    const auto sum_green = static_cast<int>(g32[0] + g32[1] + g32[2] + g32[3]);
    const bool is_opposite_r = 16 * sums[2] < sum_green * sum_r;
    const bool is_opposite_b = 16 * sums[3] < sum_green * sum_b;
    const auto channel = [](uint32_t color, int c) { return static_cast<int>(color >> 8 * c & 255); };
    const auto five = [](int v) { return (v * 31 + 127) / 255; };
    const auto six = [](int v) { return (v * 63 + 127) / 255; };
    int r0 = five(channel(high_color, 0)), r1 = five(channel(low_color, 0));
    int b0 = five(channel(high_color, 2)), b1 = five(channel(low_color, 2));
    if (is_opposite_r) std::swap(r0, r1);
    if (is_opposite_b) std::swap(b0, b1);
    const uint32_t ends =
        ColorSubBlock::ends({r0, six(channel(high_color, 1)), b0, r1, six(channel(low_color, 1)), b1});
    return (ends & 0xFFFF) < ends >> 16 ? ends << 16 | ends >> 16 : ends;
  }

  // As in LineProjection, but all texels at once.
  struct Projection {
    I32x4 position[4];  // 2 · length is the distance between two levels
    int length, steps;
  };
  Projection project(SubBlockKind kind, uint32_t ends) const {
    const auto colors = ColorSubBlock::colors(ends);
    Projection out{.position = {}, .length = 0, .steps = ColorSubBlock::steps(ColorSubBlock::full(kind, ends))};
    int axis[3], origin = 0;
    for (int c = 0; c < 3; ++c) {
      axis[c] = colors[1][c] - colors[0][c];
      out.length += axis[c] * axis[c];
      origin += axis[c] * colors[0][c];
      axis[c] *= 2 * out.steps;
    }
    origin *= 2 * out.steps;
    const auto a = [&](int c) { return static_cast<int16_t>(axis[c]); };
    const I16x8 axis_rb{a(0), a(2), a(0), a(2), a(0), a(2), a(0), a(2)};
    const I16x8 axis_g{a(1), 0, a(1), 0, a(1), 0, a(1), 0};
    const U32x4 kEven{0x00FF00FF, 0x00FF00FF, 0x00FF00FF, 0x00FF00FF};
    for (int j = 0; j < 4; ++j)
      out.position[j] = multiply_pairs(reinterpret_cast<I16x8>(row_[j] & kEven), axis_rb) +
                        multiply_pairs(reinterpret_cast<I16x8>(row_[j] >> 8 & kEven), axis_g) - origin;
    return out;
  }

  PositionCodes position_codes(SubBlockKind kind, uint32_t ends) const {
    const Projection line = project(kind, ends);
    I32x4 code[4];
    for (int j = 0; j < 4; ++j) code[j] = -(line.position[j] > 0);
    for (int step = 1; step <= 2 * line.steps; ++step)
      for (int j = 0; j < 4; ++j) code[j] -= line.position[j] > step * line.length;
    PositionCodes out;
    store_vector(out.data(), bytes_of(code));
    return out;
  }

  // Lanes are between 0 and 255.
  static U8x16 bytes_of(const I32x4 (&lanes)[4]) {
    return low_bytes(reinterpret_cast<U16x8>(low_words(lanes[0], lanes[1])),
                     reinterpret_cast<U16x8>(low_words(lanes[2], lanes[3])));
  }

 private:
  // The sums of lanes 0 and 2 and of lanes 1 and 3 of both, interleaved.
  static U32x4 interleaved_sum(U32x4 a, U32x4 b) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  }

  // The colours of each sub-block by index.
  static void palettes(SubBlockKind kind, const CoveredBlocks<ColorSubBlock>& blocks, uint32_t (&colors)[4][4]) {
    const auto end = [&](int b) { return static_cast<uint32_t>(blocks.sub_blocks[b]); };
    const U32x4 ends = blocks.count == 1 ? U32x4{end(0), 0, 0, 0} : U32x4{end(0), end(1), end(2), end(3)};
    const auto ends16 = reinterpret_cast<U16x8>(ends);  // first, second, first, second …
    const U16x8 r5 = ends16 >> 11, g6 = ends16 >> 5 & 63, b5 = ends16 & 31;
    const U16x8 channel[3] = {r5 << 3 | r5 >> 2, g6 << 2 | g6 >> 4, b5 << 3 | b5 >> 2};
    const U32x4 three_colors =
        kind == SubBlockKind::four_color ? U32x4{} : reinterpret_cast<U32x4>((ends & 0xFFFF) <= ends >> 16);
    U16x8 first[3], between[3];
    for (int c = 0; c < 3; ++c) {
      const U16x8 ends_8 = channel[c];
      const auto ends_32 = reinterpret_cast<U32x4>(ends_8);
      const auto swapped = reinterpret_cast<U16x8>(ends_32 << 16 | ends_32 >> 16);
      const U16x8 thirds = multiply_high(ends_8 + ends_8 + swapped, U16x8{} + 21846);
      const auto middle = reinterpret_cast<U32x4>((ends_8 + swapped) >> 1) & 0xFFFF;  // with black
      first[c] = ends_8;
      between[c] = reinterpret_cast<U16x8>((three_colors & middle) | (~three_colors & reinterpret_cast<U32x4>(thirds)));
    }
    const auto store = [&](const U16x8(&of)[3], int at) {
      const auto rg = of[0] | of[1] << 8;
      const auto lo = __builtin_shufflevector(rg, of[2], 0, 8, 1, 9, 2, 10, 3, 11);
      const auto hi = __builtin_shufflevector(rg, of[2], 4, 12, 5, 13, 6, 14, 7, 15);
      const auto pair = [](U16x8 v, int which) { return reinterpret_cast<U64x2>(v)[which]; };
      const uint64_t pairs[4] = {pair(lo, 0), pair(lo, 1), pair(hi, 0), pair(hi, 1)};
      for (int b = 0; b < 4; ++b) std::memcpy(&colors[b][at], &pairs[b], 8);
    };
    store(first, 0);
    store(between, 2);
  }

  U32x4 row_[4]{};
};

// Sixteen texels of one byte.
template <>
class PredictionBlock<ChannelSubBlock> {
 public:
  static constexpr int kTexelBytes = 1;
  void take(const Texels& texels) { take(texels.at[0]); }
  void take(const uint8_t* texels) { texels_ = load_vector<U8x16>(texels); }
  void load(const ReferenceComponent& reference, int x, int y) {
    if (!lies_within(reference.component(), x, y)) {
      Texels texels;
      reference_pixels<ChannelSubBlock>(reference, x, y, texels);
      take(texels.at[0]);
      return;
    }
    const CoveredBlocks<ChannelSubBlock> blocks(reference, x, y);
    alignas(16) uint8_t values[4][8];
    for (int b = 0; b < blocks.count; ++b) palette(static_cast<uint32_t>(blocks.sub_blocks[b]) & 0xFFFF, values[b]);
    const int across = x & 3, down = y & 3;
    uint32_t rows[4];
    for (int j = 0; j < 4; ++j) {
      const uint32_t row = blocks.row[j];
      const auto* of_row = values[blocks.count == 4 && down + j >= 4 ? 2 : 0];
      rows[j] = of_row[row & 7] | static_cast<uint32_t>(of_row[(across + 1) / 4 * 8 + (row >> 3 & 7)]) << 8 |
                static_cast<uint32_t>(of_row[(across + 2) / 4 * 8 + (row >> 6 & 7)]) << 16 |
                static_cast<uint32_t>(of_row[(across + 3) / 4 * 8 + (row >> 9)]) << 24;
    }
    texels_ = reinterpret_cast<U8x16>(U32x4{rows[0], rows[1], rows[2], rows[3]});
  }

  uint32_t fitted() const {
    // The largest value and the largest complement, in the two halves of a vector.
    const auto texels = reinterpret_cast<U64x2>(texels_);
    const auto bytes = [](U64x2 v) { return reinterpret_cast<U8x16>(v); };
    auto both = reinterpret_cast<U64x2>(larger(bytes(__builtin_shufflevector(texels, ~texels, 0, 2)),
                                               bytes(__builtin_shufflevector(texels, ~texels, 1, 3))));
    for (const int shift : {32, 16, 8}) both = reinterpret_cast<U64x2>(larger(bytes(both), bytes(both >> shift)));
    return static_cast<uint32_t>(both[0] & 255) | static_cast<uint32_t>(~both[1] & 255) << 8;
  }
  U8x16 texels() const { return texels_; }

  // The distance of each texel from the first end point in eighths of a level, rounded up, plus offset(steps). It is
  // exact between the end points. Outside it is clamped, but remains below 0 or above 8 · steps; with `far`, also after
  // 3 · 14 is added or subtracted.
  template <bool far>
  struct Eighths {
    U16x8 low, high;
    static constexpr int offset(int steps) { return far ? 8 * steps : 0; }
  };
  template <bool far>
  Eighths<far> eighths(uint32_t ends) const {
    const int first = static_cast<int>(ends & 255), axis = static_cast<int>(ends >> 8 & 255) - first;
    const int steps = ChannelSubBlock::steps(axis < 0), range = std::abs(axis);
    // Clamps texels that are further away than matters.
    const int more = far ? 2 * range : range + 1, less = far ? range : 0;
    const int least = axis > 0 ? first - less : first - more, most = axis > 0 ? first + more : first + less;
    const U8x16 texels = smaller(larger(texels_, filled(std::max(least, 0))), filled(std::min(most, 255)));
    const ChannelScale scale = kChannelScales[range];
    const int step = (axis > 0 ? 8 : -8) * steps * scale.factor;
    const int origin = (range + range * Eighths<far>::offset(steps) - 1) * scale.factor - first * step;
    const auto each = [&](U8x16 wide) {
      const U16x8 number = reinterpret_cast<U16x8>(wide) * static_cast<uint16_t>(step) + static_cast<uint16_t>(origin);
      U16x8 quotient = multiply_high(number, U16x8{} + scale.reciprocal) >> (kChannelScaleBits - 16);
      if constexpr (far) {  // large numbers give one too much
        const U16x8 rest = number - quotient * static_cast<uint16_t>(range * scale.factor);
        quotient += reinterpret_cast<U16x8>(reinterpret_cast<I16x8>(rest) >> 15);
      }
      return quotient;
    };
    return {each(mix_low(texels, U8x16{})), each(mix_high(texels, U8x16{}))};
  }

  PositionCodes position_codes(SubBlockKind, uint32_t ends) const {
    const auto at = eighths<false>(ends);
    const int last = 2 * ChannelSubBlock::steps(ChannelSubBlock::full(SubBlockKind::channel, ends)) + 1;
    PositionCodes out;
    store_vector(out.data(), smaller(low_bytes((at.low + 3) >> 2, (at.high + 3) >> 2), filled(last)));
    return out;
  }

 private:
  static void palette(uint32_t ends, uint8_t (&values)[8]) {
    const auto first = static_cast<uint16_t>(ends & 255), second = static_cast<uint16_t>(ends >> 8);
    U16x8 mixed;
    if (first > second) {
      mixed =
          multiply_high(first * U16x8{7, 0, 6, 5, 4, 3, 2, 1} + second * U16x8{0, 7, 1, 2, 3, 4, 5, 6}, U16x8{} + 9363);
    } else {
      mixed = multiply_high(first * U16x8{5, 0, 4, 3, 2, 1, 0, 0} + second * U16x8{0, 5, 1, 2, 3, 4, 0, 0},
                            U16x8{} + 13108) |
              U16x8{0, 0, 0, 0, 0, 0, 0, 255};
    }
    const U8x16 bytes = low_bytes(mixed, mixed);
    std::memcpy(values, &bytes, 8);
  }

  U8x16 texels_{};
};

}  // namespace texcast::compact
