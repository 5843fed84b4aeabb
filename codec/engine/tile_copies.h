// tile_copies.h — tracks which frame each tile of each slot's blocks belongs to. A tile that has not changed since a
// slot's last frame is valid in place; one that has changed in between is copied from the previous frame.
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

  // The stream's next frame is in `slot`. `changed`: one byte per tile, 1 if its blocks were encoded. `lost`, the same
  // or empty: 1 if blocks that did not change were overwritten with something else.
  void next(size_t slot, std::span<const uint8_t> changed, std::span<const uint8_t> lost = {});
  // The same if the blocks of all tiles were encoded.
  void next_whole(size_t slot, std::span<const uint8_t> changed);
  // The contents of the slot's memory are not known any more.
  void forget(size_t slot);

  // Applies to the latest next(): copies the stale tiles of `to`, the slot's texture, from `from`, that of the previous
  // frame, within `bytes` from `offset` on: whole rows of blocks, in one plane or in several. Thread-safe.
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
  std::vector<uint64_t> changed_;  // of each tile: the frame in which it changed last
  std::vector<uint64_t> held_;     // of each tile of each slot: the frame whose blocks it holds; 0: none
  std::vector<uint8_t> stale_;
  size_t stale_count_ = 0;
};

}  // namespace texcast
