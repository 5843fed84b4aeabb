// tile_sums.h — checksums of tiles and of rows of tiles. If the sender's and the receiver's sums of a row differ, the
// receiver has other blocks than were sent, although it lost nothing.
//
// A tile's checksum is the check of the slice that coded it last (payload.h), which covers the blocks that the slice
// decodes to. A receiver that lost nothing has decoded the same slices as the sender coded, tile by tile.
#pragma once

#include <cstdint>
#include <vector>

#include "compact/tile_grid.h"

namespace texcast::compact {

// Not thread-safe.
class TileSums {
 public:
  explicit TileSums(const TileGrid& grid)
      : across_(static_cast<size_t>(grid.across())), sums_(grid.tiles()), coded_in_(grid.tiles()) {}

  // Begins a frame. Each of its slices is then added, in the order of payloads.
  void begin() { ++frame_; }
  void add(const Slice& slice, uint32_t check);
  uint32_t row(int row) const;

 private:
  size_t across_;
  std::vector<uint32_t> sums_;
  std::vector<uint64_t> coded_in_;  // the frame that coded the tile last
  uint64_t frame_ = 0;
};

}  // namespace texcast::compact
