// plain_slice_decoder.h — one unit's bytes to its half-blocks: plain, and the definition of the stream in code.
#pragma once

#include <span>

#include "base/bytes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Whether all tiles of the frame before that a unit was coded against were right.
class ReferenceReads {
 public:
  ReferenceReads(const TileGrid& grid, std::span<const uint8_t> right) : grid_(grid), right_(right) {}
  // Blocks [x0, x1] by [y0, y1] of a component, within it.
  void add(const Component& component, int x0, int y0, int x1, int y1) {
    if (!all_right_) return;
    for (int y = y0 / component.tile_rows(); y <= y1 / component.tile_rows(); ++y)
      for (int x = x0 / component.tile_columns(); x <= x1 / component.tile_columns(); ++x)
        all_right_ = all_right_ && right_[static_cast<size_t>(y) * grid_.across() + x] != 0;
  }
  bool all_right() const { return all_right_; }

 private:
  const TileGrid& grid_;
  const std::span<const uint8_t> right_;
  bool all_right_ = true;
};

// Writes the unit's half-blocks in `texture`, and nothing else. `before`: the texture of the frame before, whole;
// nullptr for a unit that was coded alone. False where the bytes are none of this coder's: what stands in the unit is
// then undefined. Bounded time whatever the bytes are. `read` (may be nullptr) is told which blocks of `before` were
// used.
bool decode_slice_plainly(const TileGrid& grid, const Slice& slice, Bytes coded, bool lossy, const std::byte* before,
                          std::byte* texture, ReferenceReads* read);

}  // namespace texcast::compact
