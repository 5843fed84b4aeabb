// prediction.h — prediction of a sub-block from the reference frame: the prediction block at a motion vector, end
// points fitted to it, and for each texel the predicted level and the ranks of all levels. It uses integers only, so
// that all machines get the same results. prediction_block.h and lossy_prediction.h have faster versions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "compact/contexts.h"
#include "compact/motion_vector.h"
#include "compact/sub_block.h"

namespace texcast::compact {

// The sub-blocks of the reference frame in one component. The texture and the component must outlive this.
class ReferenceComponent {
 public:
  ReferenceComponent(const std::byte* texture, const Component& component) : texture_(texture), component_(component) {}
  const std::byte* at(int x, int y) const { return texture_ + component_.at(x, y); }
  uint64_t sub_block(int x, int y) const { return load_sub_block(at(x, y)); }
  bool has(int x, int y) const { return x >= 0 && y >= 0 && x < component_.blocks_x && y < component_.blocks_y; }
  // The sub-block nearest to a position, which may lie outside. In blocks.
  uint64_t nearest(int x, int y) const {
    return sub_block(std::clamp(x, 0, component_.blocks_x - 1), std::clamp(y, 0, component_.blocks_y - 1));
  }
  const Component& component() const { return component_; }

 private:
  const std::byte* texture_;
  const Component& component_;
};

inline int floor_div4(int v) { return v >> 2; }
inline int round_div4(int v) { return v >= 0 ? (v + 2) / 4 : -((2 - v) / 4); }
inline int round_div8(int v) { return v >= 0 ? (v + 4) / 8 : -((4 - v) / 8); }

// The 4 x 4 texels at (x, y), which may lie anywhere: the texels at the edge are repeated outside.
template <typename SubBlock>
void reference_pixels(const ReferenceComponent& reference, int x, int y, Texels& out) {
  uint8_t palette[SubBlock::kChannels][SubBlock::kLevels];
  const Component& component = reference.component();
  const int last_x = component.blocks_x * 4 - 1, last_y = component.blocks_y * 4 - 1;
  uint64_t known = 0;
  int known_x = -1, known_y = -1;
  Levels levels{};
  // Goes through the blocks one by one, so that each is decoded once.
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
            known = reference.sub_block(known_x, known_y);
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

// The same at (x, y) in half texels, by bilinear interpolation: the mean of two texels is rounded up, that of four to
// the nearest.
template <typename SubBlock>
void pixels_at_halves(const ReferenceComponent& reference, int x, int y, Texels& out) {
  reference_pixels<SubBlock>(reference, x >> 1, y >> 1, out);
  const int right = x & 1, down = y & 1;
  if (right + down == 0) return;
  Texels right_texels, lower_texels, opposite;
  reference_pixels<SubBlock>(reference, (x >> 1) + right, (y >> 1) + down, opposite);
  if (right + down == 2) {
    reference_pixels<SubBlock>(reference, (x >> 1) + 1, y >> 1, right_texels);
    reference_pixels<SubBlock>(reference, x >> 1, (y >> 1) + 1, lower_texels);
  }
  for (int c = 0; c < SubBlock::kChannels; ++c) {
    for (int i = 0; i < 16; ++i) {
      const int both = out.at[c][i] + opposite.at[c][i];
      out.at[c][i] = static_cast<uint8_t>(
          right + down == 2 ? (both + right_texels.at[c][i] + lower_texels.at[c][i] + 2) >> 2 : (both + 1) >> 1);
    }
  }
}

// End points fitted to texels: opposite corners of their bounding box, on the diagonal along which the channels vary.
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

// Widens the range between a channel's end points to at least `least_range`, equally on both sides and within 0 to 255.
// Colours are not widened.
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
// The minimum range for the quantiser of a slice. It is smaller in subsampled chroma, where each texel matters more.
inline int least_range_of(const Component& component, int quantiser) {
  const int range = kLeastRange[quantiser];
  return component.across * component.down > 1 ? range * 3 / 4 : range;
}

// Levels in the order of their distance from a predicted position, the nearest first:
// [full][nearest level][whether the position lies beyond it][rank]. The rank of a level is its place in this order.
// Levels that do not lie between the end points come last.
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

// The nearest level of each texel, and whether the texel lies beyond it.
struct LevelPositions {
  uint8_t nearest[16];
  uint8_t beyond[16];
};

// Texels projected onto the line from the first end point to the second.
struct LineProjection {
  int along[16];  // 2 · length is the distance between two levels
  int length, steps;
  // The nearest level of texel i after it was shifted by 3/8 of `carry` levels, and whether it lies beyond that level.
  int nearest(int i, int carry, bool& beyond) const {
    const int at = 4 * along[i] + 3 * carry * length;
    int level = 0;
    for (int step = 0; step < 7; ++step) level += step < steps && at > 4 * (2 * step + 1) * length;
    beyond = at > 8 * level * length;
    return level;
  }
};
template <typename SubBlock>
LineProjection project_onto_line(SubBlockKind kind, uint32_t ends, const Texels& texels) {
  const auto colors = SubBlock::colors(ends);
  LineProjection line{.along = {}, .length = 0, .steps = SubBlock::steps(SubBlock::full(kind, ends))};
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
void level_positions_of(SubBlockKind kind, uint32_t ends, const Texels& texels, LevelPositions& out) {
  const LineProjection line = project_onto_line<SubBlock>(kind, ends, texels);
  for (int i = 0; i < 16; ++i) {
    bool beyond = false;
    out.nearest[i] = static_cast<uint8_t>(line.nearest(i, 0, beyond));
    out.beyond[i] = beyond;
  }
}

// The sub-block with fitted end points and the nearest level of each texel.
template <typename SubBlock>
uint64_t fitted_sub_block(SubBlockKind kind, const Texels& texels) {
  const uint32_t ends = fitted_ends<SubBlock>(texels);
  LevelPositions positions;
  level_positions_of<SubBlock>(kind, ends, texels, positions);
  Levels levels;
  std::copy_n(positions.nearest, 16, levels.begin());
  return with_levels<SubBlock>(ends, levels, SubBlock::full(kind, ends));
}

// The residual carry of texel i in lossy slices: by how many levels the left and the upper texel together differ from
// their own predictions, as texel i probably differs in the same direction.
inline int residual_carry(const LineProjection& line, const LevelPositions& positions, const uint8_t* levels, int i) {
  const auto residual = [&](int k) { return std::min<int>(levels[k], line.steps) - positions.nearest[k]; };
  return (i % 4 != 0 ? residual(i - 1) : 0) + (i >= 4 ? residual(i - 4) : 0);
}

}  // namespace texcast::compact
