// partition_pixels.h — half-pel motion compensation for many adjacent sub-blocks. The results are those of
// pixels_at_halves() (prediction.h), but each block of the reference frame is decoded only once.
#pragma once

#include "compact/prediction_block.h"
#include "compact/ranks.h"

namespace texcast::compact {

// The texels of a block, row by row. Channels have all texels in one vector, colours have a vector for each row.
template <typename SubBlock>
struct BlockTexels;

template <>
struct BlockTexels<ChannelSubBlock> {
  U8x16 texels{};
  BlockTexels() = default;
  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(&texels); }
  void load(const uint8_t* from) { texels = load_vector<U8x16>(from); }
  BlockTexels(SubBlockKind, uint64_t sub_block) {
    const auto first = static_cast<uint16_t>(sub_block & 255), second = static_cast<uint16_t>(sub_block >> 8 & 255);
    if (sub_block >> 16 == 0 && first == second) {
      texels = filled(first);
      return;
    }
    take(level_vector<ChannelSubBlock>(sub_block, first > second), first, second);
  }
  // From levels, including those that do not lie between the end points.
  BlockTexels(U8x16 levels, uint32_t ends) {
    take(levels, static_cast<uint16_t>(ends & 255), static_cast<uint16_t>(ends >> 8 & 255));
  }
  void spread_column(int x) {
    auto rows = reinterpret_cast<U32x4>(texels) >> 8 * x & 0xFF;
    rows |= rows << 8;
    texels = reinterpret_cast<U8x16>(rows | rows << 16);
  }
  void spread_row(int y) { texels = reinterpret_cast<U8x16>(U32x4{} + reinterpret_cast<U32x4>(texels)[y]); }
  void store(uint8_t* at, size_t stride) const {
    for (int j = 0; j < 4; ++j) {
      const uint32_t row = reinterpret_cast<U32x4>(texels)[j];
      std::memcpy(at + j * stride, &row, 4);
    }
  }

 private:
  void take(U8x16 levels, uint16_t first, uint16_t second) {
    const bool full = first > second;
    const auto steps = static_cast<uint16_t>(full ? 7 : 5), reciprocal = static_cast<uint16_t>(full ? 9363 : 13108);
    const auto each = [&](U8x16 wide) {
      const U16x8 mixed = reinterpret_cast<U16x8>(wide) * static_cast<uint16_t>(second - first);
      return multiply_high(mixed + static_cast<uint16_t>(first * steps), U16x8{} + reciprocal);
    };
    texels = low_bytes(each(mix_low(levels, U8x16{})), each(mix_high(levels, U8x16{})));
    if (full) return;
    // Level 6 has the value 0, level 7 the value 255.
    texels = (texels & ~reinterpret_cast<U8x16>(levels == 6)) | reinterpret_cast<U8x16>(levels == 7);
  }
};

// The colours by index.
inline U32x4 colors_of(SubBlockKind kind, uint32_t ends) {
  // Red, green and blue of both end points: scaled up to 16 bits, and down to 8 bits with their upper bits repeated.
  constexpr U16x8 kField{0xF800, 0x07E0, 0x001F, 0, 0xF800, 0x07E0, 0x001F, 0};
  constexpr U16x8 kUp{1, 1, 2048, 0, 1, 1, 2048, 0}, kDown{264, 8320, 264, 0, 264, 8320, 264, 0};
  const U16x8 packed =
      __builtin_shufflevector(reinterpret_cast<U16x8>(U32x4{ends, 0, 0, 0}), U16x8{}, 0, 0, 0, 0, 1, 1, 1, 1);
  const U16x8 both = multiply_high((packed & kField) * kUp, kDown);
  const auto swapped = reinterpret_cast<U16x8>(
      __builtin_shufflevector(reinterpret_cast<U64x2>(both), reinterpret_cast<U64x2>(both), 1, 0));
  const U16x8 between = ColorSubBlock::full(kind, ends)
                            ? multiply_high(both + both + swapped, U16x8{} + 21846)
                            : reinterpret_cast<U16x8>(reinterpret_cast<U64x2>((both + swapped) >> 1) & U64x2{~0ull, 0});
  return reinterpret_cast<U32x4>(low_bytes(both, between));
}

template <>
struct BlockTexels<ColorSubBlock> {
  U32x4 rows[4]{};
  BlockTexels() = default;
  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(rows); }
  void load(const uint8_t* from) {
    for (int j = 0; j < 4; ++j) rows[j] = load_vector<U32x4>(from + j * 16);
  }
  BlockTexels(SubBlockKind kind, uint64_t sub_block) {
    const U32x4 colors = colors_of(kind, ends_of<ColorSubBlock>(sub_block));
    const U32x4 of_0 = U32x4{} + colors[0], of_1 = of_0 ^ colors[1], of_2 = of_0 ^ colors[2];
    const U32x4 of_both = of_1 ^ (colors[2] ^ colors[3]);
    const U32x4 indices = U32x4{} + static_cast<uint32_t>(indices_of<ColorSubBlock>(sub_block));
    U32x4 low{1, 4, 16, 64};
    for (U32x4& row : rows) {
      const auto is_low = reinterpret_cast<U32x4>((indices & low) == low);
      const auto is_high = reinterpret_cast<U32x4>((indices & low << 1) == low << 1);
      row = of_0 ^ (is_low & of_1) ^ (is_high & (of_2 ^ (is_low & of_both)));
      low <<= 8;
    }
  }
  void spread_column(int x) {
    for (U32x4& row : rows) row = U32x4{} + row[x];
  }
  void spread_row(int y) {
    const U32x4 row = rows[y];
    for (U32x4& other : rows) other = row;
  }
  void store(uint8_t* at, size_t stride) const {
    for (int j = 0; j < 4; ++j) store_vector(at + j * stride, rows[j]);
  }
};

// The prediction blocks of a slice's component. Large, and not initialised: blocks that were not loaded are undefined.
template <typename SubBlock>
class PartitionPixels {
 public:
  // Loads the prediction blocks of all sub-blocks in `blocks`. The first one has this column and row in the slice. `v`
  // is in half texels.
  void load(const ReferenceComponent& reference, const BlockRect& blocks, int column, int row, const MotionVector& v) {
    const int x = v.x >> 1, y = v.y >> 1;  // whole texels
    const bool right = (v.x & 1) != 0, down = (v.y & 1) != 0;
    const BlockRect from{.x0 = blocks.x0 + (x >> 2),
                         .y0 = blocks.y0 + (y >> 2),
                         .x1 = blocks.x1 + ((x + 3 + right) >> 2),
                         .y1 = blocks.y1 + ((y + 3 + down) >> 2)};
    decode(reference, from);
    const uint8_t* at = rows_ + (y & 3) * kStride + (x & 3) * kTexelBytes;
    if (right && down)
      mean<true, true>(at, blocks, column, row);
    else if (right)
      mean<true, false>(at, blocks, column, row);
    else if (down)
      mean<false, true>(at, blocks, column, row);
    else
      mean<false, false>(at, blocks, column, row);
  }
  // One prediction block, row by row.
  const uint8_t* at(int column, int row) const { return blocks_[row * kMostSliceColumns + column]; }

 private:
  static constexpr int kTexelBytes = PredictionBlock<SubBlock>::kTexelBytes, kBlockBytes = 16 * kTexelBytes;
  // Room for the texels of the widest slice, those on their right, and another 16 bytes, as 16 bytes are read at a
  // time.
  static constexpr size_t kStride = size_t{(kMostSliceColumns + 1) * 4 * kTexelBytes + 16 + 15} / 16 * 16;

  void decode(const ReferenceComponent& reference, const BlockRect& from) {
    const int last_x = reference.component().blocks_x - 1, last_y = reference.component().blocks_y - 1;
    const bool within = from.x0 >= 0 && from.y0 >= 0 && from.x1 - 1 <= last_x && from.y1 - 1 <= last_y;
    for (int y = from.y0; y < from.y1; ++y) {
      uint8_t* at = rows_ + (y - from.y0) * 4 * kStride;
      for (int x = from.x0; x < from.x1; ++x, at += 4 * kTexelBytes) {
        BlockTexels<SubBlock> texels(reference.component().kind,
                                     within ? reference.sub_block(x, y) : reference.nearest(x, y));
        if (!within) {  // the texels at the edge are repeated outside
          if (x < 0 || x > last_x) texels.spread_column(x < 0 ? 0 : 3);
          if (y < 0 || y > last_y) texels.spread_row(y < 0 ? 0 : 3);
        }
        texels.store(at, kStride);
      }
    }
  }

  template <bool right, bool down>
  void mean(const uint8_t* at, const BlockRect& blocks, int column, int row) {
    constexpr int kAtOnce =
        16 / (4 * kTexelBytes) > 0 ? 16 / (4 * kTexelBytes) : 1;  // sub-blocks for which a vector has a row
    for (int y = 0; y < blocks.height(); ++y, at += 4 * kStride) {
      uint8_t* out = blocks_[(row + y) * kMostSliceColumns + column];
      for (int x = 0; x < blocks.width(); x += kAtOnce) {
        U32x4 rows[4];
        rows_at<right, down>(at + x * 4 * kTexelBytes, rows);
        if constexpr (kAtOnce == 4) transpose(rows);
        const int count = std::min(4, (blocks.width() - x) * 4 / kAtOnce);
        for (int i = 0; i < count; ++i, out += 16) store_vector(out, rows[i]);
      }
    }
  }

  // Four rows of 16 bytes, each byte interpolated from the texels there, on the right and below.
  template <bool right, bool down>
  static void rows_at(const uint8_t* at, U32x4 (&rows)[4]) {
    U8x16 mean[5], odd[5];  // of two horizontal neighbours; bit 0 is set if their sum was odd
    for (int j = 0; j < 4 + down; ++j) {
      mean[j] = load_vector<U8x16>(at + j * kStride);
      if constexpr (right) {
        const auto right_texels = load_vector<U8x16>(at + j * kStride + kTexelBytes);
        odd[j] = mean[j] ^ right_texels;
        mean[j] = average(mean[j], right_texels);
      }
    }
    for (int j = 0; j < 4; ++j) {
      if constexpr (!down) {
        rows[j] = reinterpret_cast<U32x4>(mean[j]);
        continue;
      }
      U8x16 both = average(mean[j], mean[j + 1]);
      // Rounding up twice gives one too much if the second sum is odd only because the first one was rounded up.
      if constexpr (right) both -= (odd[j] | odd[j + 1]) & (mean[j] ^ mean[j + 1]) & 1;
      rows[j] = reinterpret_cast<U32x4>(both);
    }
  }

  // Converts rows of four sub-blocks to four sub-blocks.
  static void transpose(U32x4 (&rows)[4]) {
    const U32x4 a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const U32x4 b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const U32x4 c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const U32x4 d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
  }

  alignas(16) uint8_t rows_[(kMostSliceRows + 1) * 4 * kStride];  // texels of the reference frame
  alignas(16) uint8_t blocks_[kMostSliceRows * kMostSliceColumns][kBlockBytes];
};

}  // namespace texcast::compact
