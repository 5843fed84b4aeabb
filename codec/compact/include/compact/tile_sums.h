// tile_sums.h — what was told of each tile last, as a number, and of a row of tiles as one: where sender and receiver
// differ in it, the receiver has something else than it was sent, and does not know it.
//
// A tile's number is the check of the unit that told it (payload.h), which stands for the blocks that it decodes to. A
// receiver that lost nothing has heard the same units as its sender has told, tile by tile.
#pragma once

#include <cstdint>
#include <vector>

#include "compact/tile_grid.h"

namespace texcast::compact {

// Not thread-safe.
class TileSums {
 public:
  explicit TileSums(const TileGrid& grid)
      : across_(static_cast<size_t>(grid.across())), sums_(grid.tiles()), told_in_(grid.tiles()) {}

  // Another frame. Then each of its units, in the order of payloads.
  void begin() { ++frame_; }
  void tell(const Unit& unit, uint32_t check);
  uint32_t row(int row) const;

 private:
  size_t across_;
  std::vector<uint32_t> sums_;
  std::vector<uint64_t> told_in_;  // the frame that told the tile last
  uint64_t frame_ = 0;
};

}  // namespace texcast::compact
