// prediction.h — what the frame before says of a half-block that is coded: its pixels at a vector, end points fitted to
// them, and for every texel the levels in the order of how near they are. Integers alone: the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "compact/vector.h"
#include "half_block.h"

namespace texcast::compact {

// Half-blocks of the frame before.
class Before {
 public:
  Before(const std::byte* texture, const Component& component) : texture_(texture), component_(component) {}
  uint64_t half(int x, int y) const { return load_half(texture_ + component_.at(x, y)); }
  bool has(int x, int y) const { return x >= 0 && y >= 0 && x < component_.blocks_x && y < component_.blocks_y; }
  // The nearest to a place, in blocks, that there is.
  uint64_t nearest(int x, int y) const {
    return half(std::clamp(x, 0, component_.blocks_x - 1), std::clamp(y, 0, component_.blocks_y - 1));
  }
  const Component& component() const { return component_; }

 private:
  const std::byte* texture_;
  const Component& component_;
};

inline int floor_div4(int v) { return v >> 2; }
inline int round_div4(int v) { return v >= 0 ? (v + 2) / 4 : -((2 - v) / 4); }

// The texels at (x, y), which may lie anywhere; beyond the border are those of the border.
template <typename Half>
void pixels_before(const Before& before, int x, int y, Texels& out) {
  uint8_t palette[Half::kChannels][Half::kLevels];
  const Component& component = before.component();
  const int last_x = component.blocks_x * 4 - 1, last_y = component.blocks_y * 4 - 1;
  uint64_t known = 0;
  int known_x = -1, known_y = -1;
  Levels levels{};
  // Block by block, not texel by texel.
  for (int by = 0; by < 2; ++by) {
    const int row0 = by == 0 ? 0 : 4 - (y & 3);
    const int row1 = by == 0 ? 4 - (y & 3) : 4;
    for (int bx = 0; bx < 2; ++bx) {
      const int column0 = bx == 0 ? 0 : 4 - (x & 3);
      const int column1 = bx == 0 ? 4 - (x & 3) : 4;
      for (int j = row0; j < row1; ++j) {
        const int ty = std::clamp(y + j, 0, last_y);
        for (int i = column0; i < column1; ++i) {
          const int tx = std::clamp(x + i, 0, last_x);
          if (tx / 4 != known_x || ty / 4 != known_y) {
            known_x = tx / 4;
            known_y = ty / 4;
            known = before.half(known_x, known_y);
            const uint32_t ends = ends_of<Half>(known);
            palette_of<Half>(component.kind, ends, palette);
            levels = levels_of<Half>(known, Half::full(component.kind, ends));
          }
          const int level = levels[(ty & 3) * 4 + (tx & 3)];
          for (int c = 0; c < Half::kChannels; ++c) out.at[c][j * 4 + i] = palette[c][level];
        }
      }
    }
  }
}

// End points that hold these texels: the corners of their bounding box, on the diagonal along which the channels vary.
template <typename Half>
uint32_t fitted_ends(const Texels& texels) {
  int low[3], high[3], sum[3];
  for (int c = 0; c < Half::kChannels; ++c) {
    low[c] = 255;
    high[c] = sum[c] = 0;
    for (int i = 0; i < 16; ++i) {
      low[c] = std::min<int>(low[c], texels.at[c][i]);
      high[c] = std::max<int>(high[c], texels.at[c][i]);
      sum[c] += texels.at[c][i];
    }
  }
  if constexpr (Half::kChannels == 1) {
    return Half::ends({high[0], low[0]});
  } else {
    for (const int c : {0, 2}) {
      int covariance = 0;
      for (int i = 0; i < 16; ++i) covariance += (16 * texels.at[1][i] - sum[1]) * (16 * texels.at[c][i] - sum[c]);
      if (covariance < 0) std::swap(low[c], high[c]);
    }
    const auto five = [](int v) { return (v * 31 + 127) / 255; };
    const auto six = [](int v) { return (v * 63 + 127) / 255; };
    const uint32_t ends =
        Half::ends({five(high[0]), six(high[1]), five(high[2]), five(low[0]), six(low[1]), five(low[2])});
    return (ends & 0xFFFF) < ends >> 16 ? ends << 16 | ends >> 16 : ends;
  }
}

// Levels by their distance from a place between two of them, the nearest first: [full][nearest level][whether the place
// lies beyond it][rank]. Those that are not on the line come last.
template <typename Half>
struct RankTable {
  uint8_t level[2][Half::kLevels][2][Half::kLevels];
  uint8_t rank[2][Half::kLevels][2][Half::kLevels];  // […][level]
  constexpr RankTable() : level{}, rank{} {
    for (int full = 0; full < 2; ++full) {
      const int steps = Half::steps(full != 0);
      for (int nearest = 0; nearest < Half::kLevels; ++nearest) {
        for (int beyond = 0; beyond < 2; ++beyond) {
          int count = 0;
          const int side = beyond != 0 ? 1 : -1;
          const int from = nearest <= steps ? nearest : steps;
          level[full][nearest][beyond][count++] = static_cast<uint8_t>(from);
          for (int distance = 1; distance <= steps; ++distance) {
            for (const int sign : {side, -side}) {
              const int l = from + sign * distance;
              if (l >= 0 && l <= steps) level[full][nearest][beyond][count++] = static_cast<uint8_t>(l);
            }
          }
          for (int l = steps + 1; l < Half::kLevels; ++l)
            level[full][nearest][beyond][count++] = static_cast<uint8_t>(l);
          for (int r = 0; r < Half::kLevels; ++r)
            rank[full][nearest][beyond][level[full][nearest][beyond][r]] = static_cast<uint8_t>(r);
        }
      }
    }
  }
};
template <typename Half>
inline constexpr RankTable<Half> kRankTable{};

// Of each texel: the nearest level, and whether it lies beyond it.
struct Places {
  uint8_t nearest[16];
  uint8_t beyond[16];
};
template <typename Half>
void places_of(HalfBlock kind, uint32_t ends, const Texels& texels, Places& out) {
  const auto colors = Half::colors(ends);
  const int steps = Half::steps(Half::full(kind, ends));
  int axis[Half::kChannels], length = 0, origin = 0;
  for (int c = 0; c < Half::kChannels; ++c) {
    axis[c] = colors[1][c] - colors[0][c];
    length += axis[c] * axis[c];
    origin += axis[c] * colors[0][c];
  }
  for (int i = 0; i < 16; ++i) {
    int along = -origin;
    for (int c = 0; c < Half::kChannels; ++c) along += axis[c] * texels.at[c][i];
    along *= 2 * steps;
    int nearest = 0;
    for (int step = 0; step < 7; ++step) nearest += step < steps && along > (2 * step + 1) * length;
    out.nearest[i] = static_cast<uint8_t>(nearest);
    out.beyond[i] = along > 2 * nearest * length;
  }
}

}  // namespace texcast::compact
