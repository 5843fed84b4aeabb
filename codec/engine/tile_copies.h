// tile_copies.h — of which frame each tile of each slot's blocks is. A tile that has not changed since a slot's last
// frame is right there as it lies; one that has changed in between is taken over from the frame before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "texcast/format.h"
#include "texcast/tiles.h"

namespace texcast {

class TileCopies {
 public:
  TileCopies(const TextureDesc& desc, size_t slots);

  // The stream's next frame is in `slot`. `changed`: a byte a tile, 1 where its blocks are made anew. `lost`, the same
  // or empty: 1 where blocks that did not change were overwritten with something else.
  void next(size_t slot, std::span<const uint8_t> changed, std::span<const uint8_t> lost = {});
  // The same where the blocks of all tiles are made anew.
  void next_whole(size_t slot, std::span<const uint8_t> changed);
  // What the slot's memory holds is not known any more.
  void forget(size_t slot);

  // Of the last next(): copies what `to`, the slot's texture, does not have right from `from`, that of the frame
  // before, within `bytes` from `offset` on: whole rows of blocks, in one plane or in several. Thread-safe.
  void take_over(const std::byte* from, std::byte* to, size_t offset, size_t bytes) const;
  size_t stale() const { return stale_count_; }  // tiles that take_over() copies

 private:
  struct Plane {
    size_t offset, bytes, row_bytes, tile_bytes;  // of a row of blocks, and of a whole tile's part of one
    size_t tile_rows;                             // of blocks
  };
  std::vector<Plane> planes_;
  const TileRaster grid_;
  uint64_t frame_ = 0;             // from 1 on
  std::vector<uint64_t> changed_;  // in which frame each tile did last
  std::vector<uint64_t> held_;     // by each slot, tile by tile: that of a frame; 0: nothing
  std::vector<uint8_t> stale_;
  size_t stale_count_ = 0;
};

}  // namespace texcast
