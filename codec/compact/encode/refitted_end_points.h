// refitted_end_points.h — least-squares end points for given levels and texels. After levels are chosen, these end
// points, or ones next to them, often have less distortion than the original ones.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "compact/sub_block.h"

namespace texcast::compact {

// The first and the second end point of a channel sub-block with 16 texels. Levels that are not between the end points
// are ignored. nullopt: all levels are equal, or the end points would have the other order, which would change the
// meaning of the levels.
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
  const int divisor = count * spread, at_first = sum * spread - rise * level_sum;
  const auto rounded = [&](int number) { return number <= 0 ? 0 : std::min((number + divisor / 2) / divisor, 255); };
  const std::array<int, 2> ends{rounded(at_first), rounded(at_first + steps * count * rise)};
  if ((ends[0] > ends[1]) != full) return std::nullopt;
  return ends;
}

// The offsets from the refitted end points that are tried, the most promising first.
inline constexpr int kMostRefits = 8;
inline constexpr int kRefits[kMostRefits][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}, {2, -2}};

}  // namespace texcast::compact
