// component_reads.h — the tiles of the reference frame that one component of a slice reads.
#pragma once

#include <algorithm>
#include <bit>

#include "compact/copied_partitions.h"
#include "compact/tile_grid.h"
#include "lookup_reader.h"
#include "slice_decoder.h"

namespace texcast::compact {

// Records which blocks of the reference frame a component's sub-blocks read. Repeated reads cost little.
class ComponentReads {
 public:
  // `reads` may be nullptr.
  ComponentReads(const SliceComponent& part, ReferenceReads* reads)
      : component_(part.component), tile_(part.tile), reads_(reads) {}
  // Blocks [x0, x1] by [y0, y1]. Outside the plane the nearest blocks are read.
  TEXCAST_INLINE void add(int x0, int y0, int x1, int y1) {
    if (reads_ == nullptr) return;
    // Most reads lie in the co-located tile, which is recorded once.
    if (x0 >= tile_.x0 && x1 < tile_.x1 && y0 >= tile_.y0 && y1 < tile_.y1) {
      if (has_co_located_) return;
      has_co_located_ = true;
    }
    const int last_x = component_.blocks_x - 1, last_y = component_.blocks_y - 1;
    x0 = std::clamp(x0, 0, last_x);
    x1 = std::clamp(x1, 0, last_x);
    y0 = std::clamp(y0, 0, last_y);
    y1 = std::clamp(y1, 0, last_y);
    // Consecutive reads often lie in the same tiles.
    const BlockRect tiles{x0 >> tile_bits_x_, y0 >> tile_bits_y_, x1 >> tile_bits_x_, y1 >> tile_bits_y_};
    if (tiles == latest_) return;
    latest_ = tiles;
    reads_->add(component_, x0, y0, x1, y1);
  }

 private:
  const Component& component_;
  const BlockRect tile_;
  ReferenceReads* const reads_;
  const int tile_bits_x_ = std::countr_zero(static_cast<unsigned>(component_.tile_columns()));
  const int tile_bits_y_ = std::countr_zero(static_cast<unsigned>(component_.tile_rows()));
  bool has_co_located_ = false;
  BlockRect latest_{.x0 = -1};  // tiles
};

}  // namespace texcast::compact
