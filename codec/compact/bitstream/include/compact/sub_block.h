// sub_block.h — the fields of a sub-block (8 bytes): its end points, and its indices as levels, which are numbered in
// order from the first end point to the second.
//
// The layouts are those of BC1 and BC4 (docs/format.md), loaded little-endian. Decoded values are used for prediction
// only: a GPU that displays the texture may round in another way.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "compact/tile_grid.h"

namespace texcast::compact {

// The channels of 16 texels, row by row. Sub-blocks of the kind `channel` use only the first.
struct Texels {
  uint8_t at[4][16];
};

using Levels = std::array<uint8_t, 16>;

inline uint64_t load_sub_block(const std::byte* bytes) {
  uint64_t value;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
inline void store_sub_block(std::byte* bytes, uint64_t value) { std::memcpy(bytes, &value, sizeof value); }

// Levels 0 to `steps` lie between the end points. The others (black; 0 and 255) have the numbers after these.
struct ColorSubBlock {
  static constexpr int kValues = 6;  // of both end points
  static constexpr int kLevels = 4;
  static constexpr int kIndexBits = 2;
  static constexpr int kEndPointBits = 32;
  static constexpr int kChannels = 3;

  static std::array<int, kValues> values(uint32_t ends) {
    return {static_cast<int>(ends >> 11 & 31), static_cast<int>(ends >> 5 & 63),  static_cast<int>(ends & 31),
            static_cast<int>(ends >> 27 & 31), static_cast<int>(ends >> 21 & 63), static_cast<int>(ends >> 16 & 31)};
  }
  static uint32_t ends(const std::array<int, kValues>& v) {  // values beyond their range wrap
    return (static_cast<uint32_t>(v[0]) & 31) << 11 | (static_cast<uint32_t>(v[1]) & 63) << 5 |
           (static_cast<uint32_t>(v[2]) & 31) | (static_cast<uint32_t>(v[3]) & 31) << 27 |
           (static_cast<uint32_t>(v[4]) & 63) << 21 | (static_cast<uint32_t>(v[5]) & 31) << 16;
  }
  static bool full(SubBlockKind kind, uint32_t ends) {  // all levels lie between the end points
    return kind == SubBlockKind::four_color || (ends & 0xFFFF) > ends >> 16;
  }
  static constexpr int steps(bool full) { return full ? 3 : 2; }
  static std::array<std::array<int, 3>, 2> colors(uint32_t ends) {
    const auto v = values(ends);
    const auto five = [](int x) { return x << 3 | x >> 2; };
    const auto six = [](int x) { return x << 2 | x >> 4; };
    return {{{five(v[0]), six(v[1]), five(v[2])}, {five(v[3]), six(v[4]), five(v[5])}}};
  }
  static constexpr uint8_t kLevelOfIndex[2][4] = {{0, 2, 1, 3}, {0, 3, 1, 2}};  // [full][index]
  static constexpr uint8_t kIndexOfLevel[2][4] = {{0, 2, 1, 3}, {0, 2, 3, 1}};
};

struct ChannelSubBlock {
  static constexpr int kValues = 2;
  static constexpr int kLevels = 8;
  static constexpr int kIndexBits = 3;
  static constexpr int kEndPointBits = 16;
  static constexpr int kChannels = 1;

  static std::array<int, kValues> values(uint32_t ends) {
    return {static_cast<int>(ends & 255), static_cast<int>(ends >> 8 & 255)};
  }
  static uint32_t ends(const std::array<int, kValues>& v) {
    return (static_cast<uint32_t>(v[0]) & 255) | (static_cast<uint32_t>(v[1]) & 255) << 8;
  }
  static bool full(SubBlockKind, uint32_t ends) { return (ends & 255) > (ends >> 8 & 255); }
  static constexpr int steps(bool full) { return full ? 7 : 5; }
  static std::array<std::array<int, 1>, 2> colors(uint32_t ends) {
    return {{{static_cast<int>(ends & 255)}, {static_cast<int>(ends >> 8 & 255)}}};
  }
  static constexpr uint8_t kLevelOfIndex[2][8] = {{0, 5, 1, 2, 3, 4, 6, 7}, {0, 7, 1, 2, 3, 4, 5, 6}};
  static constexpr uint8_t kIndexOfLevel[2][8] = {{0, 2, 3, 4, 5, 1, 6, 7}, {0, 2, 3, 4, 5, 6, 7, 1}};
};

template <typename SubBlock>
uint32_t ends_of(uint64_t sub_block) {
  return static_cast<uint32_t>(sub_block & ((uint64_t{1} << SubBlock::kEndPointBits) - 1));
}
template <typename SubBlock>
uint64_t indices_of(uint64_t sub_block) {
  return sub_block >> SubBlock::kEndPointBits;
}

template <typename SubBlock>
Levels levels_of(uint64_t sub_block, bool full) {
  Levels levels;
  uint64_t rest = indices_of<SubBlock>(sub_block);
  for (auto& level : levels) {
    level = SubBlock::kLevelOfIndex[full][rest & (SubBlock::kLevels - 1)];
    rest >>= SubBlock::kIndexBits;
  }
  return levels;
}
template <typename SubBlock>
uint64_t with_levels(uint32_t ends, const Levels& levels, bool full) {
  uint64_t indices = 0;
  for (int i = 15; i >= 0; --i) indices = indices << SubBlock::kIndexBits | SubBlock::kIndexOfLevel[full][levels[i]];
  return indices << SubBlock::kEndPointBits | ends;
}

// Channel indices whose levels are counted from the other end point; all levels must lie between the two. Index i
// becomes (1 - i) mod 8.
inline uint64_t mirrored_indices(uint64_t indices) {
  constexpr uint64_t kTwo = 0x4924'9249'2492;      // bit 1 of each index
  const uint64_t n = ~indices & 0xFFFF'FFFF'FFFF;  // 7 - i; 2 is added below
  return n ^ kTwo ^ (n & kTwo) << 1;
}

// The value of each level in each channel.
template <typename SubBlock>
void palette_of(SubBlockKind kind, uint32_t ends, uint8_t (&palette)[SubBlock::kChannels][SubBlock::kLevels]) {
  const bool full = SubBlock::full(kind, ends);
  const int steps = SubBlock::steps(full);
  const auto colors = SubBlock::colors(ends);
  for (int c = 0; c < SubBlock::kChannels; ++c) {
    for (int level = 0; level <= steps; ++level)
      palette[c][level] = static_cast<uint8_t>((colors[0][c] * (steps - level) + colors[1][c] * level) / steps);
    for (int level = steps + 1; level < SubBlock::kLevels; ++level)
      palette[c][level] = level == SubBlock::kLevels - 1 && SubBlock::kChannels == 1 ? 255 : 0;
  }
}

}  // namespace texcast::compact
