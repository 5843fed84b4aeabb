// prediction.h — what the frame before says of a half-block that is coded: its pixels at a vector, end points fitted to
// them, and for every texel the levels in the order of how near they are. Integers alone: the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "compact/contexts.h"
#include "compact/motion_vector.h"
#include "compact/sub_block.h"

namespace texcast::compact {

// Sub-blocks of the frame before.
class ReferenceComponent {
 public:
  ReferenceComponent(const std::byte* texture, const Component& component) : texture_(texture), component_(component) {}
  const std::byte* at(int x, int y) const { return texture_ + component_.at(x, y); }
  uint64_t half(int x, int y) const { return load_sub_block(at(x, y)); }
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
inline int round_div8(int v) { return v >= 0 ? (v + 4) / 8 : -((4 - v) / 8); }

// The texels at (x, y), which may lie anywhere; beyond the border are those of the border.
template <typename SubBlock>
void reference_pixels(const ReferenceComponent& before, int x, int y, Texels& out) {
  uint8_t palette[SubBlock::kChannels][SubBlock::kLevels];
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
            const uint32_t ends = ends_of<SubBlock>(known);
            palette_of<SubBlock>(component.kind, ends, palette);
            levels = levels_of<SubBlock>(known, SubBlock::full(component.kind, ends));
          }
          const int level = levels[(ty & 3) * 4 + (tx & 3)];
          for (int c = 0; c < SubBlock::kChannels; ++c) out.at[c][j * 4 + i] = palette[c][level];
        }
      }
    }
  }
}

// The same at (x, y) in halves of a texel: between texels their mean, of two rounded up, of four to the nearest.
template <typename SubBlock>
void pixels_at_halves(const ReferenceComponent& before, int x, int y, Texels& out) {
  reference_pixels<SubBlock>(before, x >> 1, y >> 1, out);
  const int right = x & 1, down = y & 1;
  if (right + down == 0) return;
  Texels beside, below, across;
  reference_pixels<SubBlock>(before, (x >> 1) + right, (y >> 1) + down, across);
  if (right + down == 2) {
    reference_pixels<SubBlock>(before, (x >> 1) + 1, y >> 1, beside);
    reference_pixels<SubBlock>(before, x >> 1, (y >> 1) + 1, below);
  }
  for (int c = 0; c < SubBlock::kChannels; ++c) {
    for (int i = 0; i < 16; ++i) {
      const int both = out.at[c][i] + across.at[c][i];
      out.at[c][i] = static_cast<uint8_t>(right + down == 2 ? (both + beside.at[c][i] + below.at[c][i] + 2) >> 2
                                                            : (both + 1) >> 1);
    }
  }
}

// End points that hold these texels: the corners of their bounding box, on the diagonal along which the channels vary.
template <typename SubBlock>
uint32_t fitted_ends(const Texels& texels) {
  int low[3], high[3], sum[3];
  for (int c = 0; c < SubBlock::kChannels; ++c) {
    low[c] = 255;
    high[c] = sum[c] = 0;
    for (int i = 0; i < 16; ++i) {
      low[c] = std::min<int>(low[c], texels.at[c][i]);
      high[c] = std::max<int>(high[c], texels.at[c][i]);
      sum[c] += texels.at[c][i];
    }
  }
  if constexpr (SubBlock::kChannels == 1) {
    return SubBlock::ends({high[0], low[0]});
  } else {
    for (const int c : {0, 2}) {
      int covariance = 0;
      for (int i = 0; i < 16; ++i) covariance += (16 * texels.at[1][i] - sum[1]) * (16 * texels.at[c][i] - sum[c]);
      if (covariance < 0) std::swap(low[c], high[c]);
    }
    const auto five = [](int v) { return (v * 31 + 127) / 255; };
    const auto six = [](int v) { return (v * 63 + 127) / 255; };
    const uint32_t ends =
        SubBlock::ends({five(high[0]), six(high[1]), five(high[2]), five(low[0]), six(low[1]), five(low[2])});
    return (ends & 0xFFFF) < ends >> 16 ? ends << 16 | ends >> 16 : ends;
  }
}

// What lies between a channel's end points, at least so much of it: as much more on both sides, within 0 to 255.
template <typename SubBlock>
uint32_t widened_ends(uint32_t ends, int least_range) {
  if constexpr (SubBlock::kValues == 2) {
    const auto v = SubBlock::values(ends);
    const int more = std::max(0, least_range - (v[0] - v[1]));
    return SubBlock::ends({std::min(v[0] + more / 2, 255), std::max(v[1] - (more - more / 2), 0)});
  } else {
    return ends;
  }
}
// Of a component by a unit's quantiser: chroma of fewer texels matters more, texel by texel.
inline int least_range_of(const Component& component, int quantiser) {
  const int range = kLeastRange[quantiser];
  return component.across * component.down > 1 ? range * 3 / 4 : range;
}

// Levels by their distance from a place between two of them, the nearest first: [full][nearest level][whether the place
// lies beyond it][rank]. Those that are not on the line come last.
template <typename SubBlock>
struct RankTable {
  uint8_t level[2][SubBlock::kLevels][2][SubBlock::kLevels];
  uint8_t rank[2][SubBlock::kLevels][2][SubBlock::kLevels];  // […][level]
  constexpr RankTable() : level{}, rank{} {
    for (int full = 0; full < 2; ++full) {
      const int steps = SubBlock::steps(full != 0);
      for (int nearest = 0; nearest < SubBlock::kLevels; ++nearest) {
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
          for (int l = steps + 1; l < SubBlock::kLevels; ++l)
            level[full][nearest][beyond][count++] = static_cast<uint8_t>(l);
          for (int r = 0; r < SubBlock::kLevels; ++r)
            rank[full][nearest][beyond][level[full][nearest][beyond][r]] = static_cast<uint8_t>(r);
        }
      }
    }
  }
};
template <typename SubBlock>
inline constexpr RankTable<SubBlock> kRankTable{};

// Of each texel: the nearest level, and whether it lies beyond it.
struct LevelPositions {
  uint8_t nearest[16];
  uint8_t beyond[16];
};

// Where texels lie along the line from one end point to the other.
struct AlongLine {
  int along[16];  // 2 · length is a level
  int length, steps;
  // The nearest level of texel i moved by 3/8 of `carried` levels; and whether it lies beyond.
  int nearest(int i, int carried, bool& beyond) const {
    const int at = 4 * along[i] + 3 * carried * length;
    int level = 0;
    for (int step = 0; step < 7; ++step) level += step < steps && at > 4 * (2 * step + 1) * length;
    beyond = at > 8 * level * length;
    return level;
  }
};
template <typename SubBlock>
AlongLine along_line(SubBlockKind kind, uint32_t ends, const Texels& texels) {
  const auto colors = SubBlock::colors(ends);
  AlongLine line{.along = {}, .length = 0, .steps = SubBlock::steps(SubBlock::full(kind, ends))};
  int axis[SubBlock::kChannels], origin = 0;
  for (int c = 0; c < SubBlock::kChannels; ++c) {
    axis[c] = colors[1][c] - colors[0][c];
    line.length += axis[c] * axis[c];
    origin += axis[c] * colors[0][c];
  }
  for (int i = 0; i < 16; ++i) {
    int along = -origin;
    for (int c = 0; c < SubBlock::kChannels; ++c) along += axis[c] * texels.at[c][i];
    line.along[i] = along * 2 * line.steps;
  }
  return line;
}
template <typename SubBlock>
void places_of(SubBlockKind kind, uint32_t ends, const Texels& texels, LevelPositions& out) {
  const AlongLine line = along_line<SubBlock>(kind, ends, texels);
  for (int i = 0; i < 16; ++i) {
    bool beyond = false;
    out.nearest[i] = static_cast<uint8_t>(line.nearest(i, 0, beyond));
    out.beyond[i] = beyond;
  }
}

// What comes nearest to texels, by their fitted end points.
template <typename SubBlock>
uint64_t fitted_sub_block(SubBlockKind kind, const Texels& texels) {
  const uint32_t ends = fitted_ends<SubBlock>(texels);
  LevelPositions places;
  places_of<SubBlock>(kind, ends, texels, places);
  Levels levels;
  std::copy_n(places.nearest, 16, levels.begin());
  return with_levels<SubBlock>(ends, levels, SubBlock::full(kind, ends));
}

// In lossy units: by how many levels the left and the upper texel together are not what was predicted of them alone,
// which texel i probably is not either.
inline int carried_levels(const AlongLine& line, const LevelPositions& places, const uint8_t* levels, int i) {
  const auto of = [&](int k) { return std::min<int>(levels[k], line.steps) - places.nearest[k]; };
  return (i % 4 != 0 ? of(i - 1) : 0) + (i >= 4 ? of(i - 4) : 0);
}

}  // namespace texcast::compact
