// refitted_end_points.h — the end points with which given levels come nearest to texels: the line of least squares
// through them. What a choice of end points and levels has lost is often got back by others next to these.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "compact/sub_block.h"

namespace texcast::compact {

// Of a channel, whose 16 texels are given: the first and the second end point. Levels beyond `steps` say nothing of
// them. None where all levels are the same, or where the line has the end points in the other order, which would give
// levels another meaning.
inline std::optional<std::array<int, 2>> refitted_ends(const Levels& levels, const uint8_t* texels, bool full) {
  const int steps = ChannelSubBlock::steps(full);
  int count = 0, level_sum = 0, level_squares = 0, sum = 0, products = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int level = levels[i], texel = texels[i];
    if (level > steps) continue;
    ++count;
    level_sum += level;
    level_squares += level * level;
    sum += texel;
    products += level * texel;
  }
  const int spread = count * level_squares - level_sum * level_sum, rise = count * products - level_sum * sum;
  if (spread == 0) return std::nullopt;
  const int by = count * spread, at_first = sum * spread - rise * level_sum;
  const auto rounded = [&](int number) { return number <= 0 ? 0 : std::min((number + by / 2) / by, 255); };
  const std::array<int, 2> ends{rounded(at_first), rounded(at_first + steps * count * rise)};
  if ((ends[0] > ends[1]) != full) return std::nullopt;
  return ends;
}

// What is tried: those themselves, then others next to them, the likeliest first.
inline constexpr int kMostRefits = 8;
inline constexpr int kRefits[kMostRefits][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}, {2, -2}};

}  // namespace texcast::compact
