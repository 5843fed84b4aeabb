// etc_colors.h — shared by the modes of ETC: colours, and texels painted with a palette of four.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kernels/effort.h"
#include "kernels/etc_tables.h"
#include "ref/blocks.h"

namespace texcast::ref::etc {

using Rgb = std::array<int, 3>;

#define TEXCAST_ETC_PAIR(small, large) {small, large},
inline constexpr std::array<std::pair<int, int>, ETC_TABLE_COUNT> kTables = {{FOR_EACH_ETC_TABLE(TEXCAST_ETC_PAIR)}};
#undef TEXCAST_ETC_PAIR
#define TEXCAST_ETC_ONE(distance) distance,
inline constexpr std::array<int, ETC_DISTANCE_COUNT> kDistances = {FOR_EACH_ETC_DISTANCE(TEXCAST_ETC_ONE)};
#undef TEXCAST_ETC_ONE

inline Rgb texel(const RgbBlock& block, size_t i) { return {block.r[i], block.g[i], block.b[i]}; }

// Adds the same to all channels, clamped to 0..255.
inline Rgb moved(const Rgb& color, int by) {
  Rgb to{};
  for (size_t c = 0; c < 3; ++c) to[c] = std::clamp(color[c] + by, 0, 255);
  return to;
}

inline int squared_distance(const Rgb& a, const Rgb& b) {
  int sum = 0;
  for (size_t c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

// Repeats the bits of a channel to eight.
inline int expanded(int code, int bits) { return bits == 4 ? code * 17 : code << 3 | code >> 2; }
inline Rgb expanded(const Rgb& code, int bits) {
  return {expanded(code[0], bits), expanded(code[1], bits), expanded(code[2], bits)};
}

using Paints = std::array<Rgb, 4>;
inline Paints half_paints(const Rgb& base, size_t table) {
  const auto [small, large] = kTables[table];
  return {moved(base, small), moved(base, large), moved(base, -small), moved(base, -large)};
}

// The nearest palette colour, the first of equally near ones.
inline size_t nearest_paint(const Rgb& color, const Paints& paints) {
  size_t nearest = 0;
  for (size_t i = 1; i < 4; ++i)
    if (squared_distance(color, paints[i]) < squared_distance(color, paints[nearest])) nearest = i;
  return nearest;
}

inline int painted_error(std::span<const Rgb> texels, const Paints& paints) {
  int error = 0;
  for (const Rgb& color : texels) error += squared_distance(color, paints[nearest_paint(color, paints)]);
  return error;
}

}  // namespace texcast::ref::etc
