// macroblock_grid.h — the macroblocks of a tile or sub-slice, and their transform blocks in each component.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

class MacroblockGrid {
 public:
  // `grid` is borrowed, and can_transform(). `slice`: a tile or a sub-slice.
  MacroblockGrid(const TileGrid& grid, const Slice& slice) : grid_(grid) {
    for (int c = 0; c < kTransformComponents; ++c)
      rects_[static_cast<size_t>(c)] = grid.blocks(grid.component(c), slice);
  }
  // Macroblocks, at edges also those that lie in the picture only partly.
  int columns() const { return macroblocks(rects_[0].width()); }
  int rows() const { return macroblocks(rects_[0].height()); }
  const Component& component(int i) const { return grid_.component(i); }
  // The slice's blocks in a component.
  const BlockRect& rect(int component) const { return rects_[static_cast<size_t>(component)]; }
  TransformBlocks blocks(int component, int column, int row) const {
    return transform_blocks(grid_.component(component), rect(component), column, row);
  }
  std::array<uint8_t, kTransformComponents> masks(int column, int row) const {
    std::array<uint8_t, kTransformComponents> masks{};
    for (int c = 0; c < kTransformComponents; ++c) masks[static_cast<size_t>(c)] = blocks(c, column, row).mask();
    return masks;
  }

 private:
  static int macroblocks(int blocks) { return (blocks + kMacroblockSide / 4 - 1) / (kMacroblockSide / 4); }

  const TileGrid& grid_;
  std::array<BlockRect, kTransformComponents> rects_;
};

}  // namespace texcast::compact
