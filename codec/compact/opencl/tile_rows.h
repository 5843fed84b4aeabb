// tile_rows.h — rows of tiles that are transferred between host and device, as ranges of neighbouring rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compact/tile_grid.h"

namespace texcast::compact {

class TileRows {
 public:
  explicit TileRows(const TileGrid& grid)
      : across_(static_cast<uint32_t>(grid.across())), is_marked_(static_cast<size_t>(grid.down())) {}

  void clear() { std::ranges::fill(is_marked_, uint8_t{0}); }
  void mark(uint32_t tile) { is_marked_[tile / across_] = 1; }

  // Calls `call(first row, end row)` for each range of marked rows of tiles.
  template <typename Call>
  void for_ranges(const Call& call) const {
    for (auto row = is_marked_.begin(); row != is_marked_.end();) {
      const auto begin = std::find(row, is_marked_.end(), 1);
      row = std::find(begin, is_marked_.end(), 0);
      if (begin != row) call(static_cast<int>(begin - is_marked_.begin()), static_cast<int>(row - is_marked_.begin()));
    }
  }
  // The first row of a component's sub-blocks in a row of tiles; at the end: the number of its rows.
  static int first_sub_block(const Component& component, int row) {
    return std::min(row * component.tile_rows(), component.blocks_y);
  }

 private:
  uint32_t across_;
  std::vector<uint8_t> is_marked_;
};

}  // namespace texcast::compact
