// slice_joiner.h — joins the slices of neighbouring tiles, as each slice costs some bytes besides its symbols. A joined
// slice stays short enough that many threads have something to decode, and that packets can be filled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coded_tiles.h"
#include "compact/rans.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Different threads may join different rows.
class SliceJoiner {
 public:
  SliceJoiner(const TileGrid& grid, size_t most_slice_bytes, CodedTiles& tiles);

  // The symbols of a tile that is coded in one lossy slice.
  SymbolList& symbols(uint32_t tile) { return symbols_[tile]; }
  std::span<const SymbolList> symbols(uint32_t first, uint32_t last) const {
    return std::span(symbols_).subspan(first, last - first + 1);
  }

  // Joins slices of the tiles [first, end) of a row, unless the joined slice would be longer than `most_slice_bytes` or
  // a raw tile. `can_join(tile, next)`: whether they may share a slice.
  // `write(first, last, memory)`: writes the slice of these tiles to the end of `memory`, and returns its bytes; 0:
  // there is not enough room.
  template <typename CanJoin, typename Write>
  void join(uint32_t first, uint32_t end, const CanJoin& can_join, const Write& write) {
    for (uint32_t tile = first; tile < end;) {
      const uint32_t last = last_to_join(tile, end, can_join);
      if (last > tile) {
        const MutableBytes memory = MutableBytes(memory_).subspan(tile * tiles_.tile_bytes(), room_);
        join(tile, last, memory.last(write(tile, last, memory)));
      }
      tile = last + 1;  // also if they were not joined, which is rare
    }
  }

 private:
  static constexpr size_t kMostBytes = 400;
  static constexpr uint32_t kMostTiles = 8;

  bool is_joinable(uint32_t tile) const;
  template <typename CanJoin>
  uint32_t last_to_join(uint32_t tile, uint32_t end, const CanJoin& can_join) const {
    if (!is_joinable(tile)) return tile;
    const CodedSlice& first = tiles_.slices(tile)[0];
    size_t bytes = first.bytes.size();
    uint32_t last = tile;
    for (uint32_t next = tile + 1; next < std::min(end, tile + kMostTiles) && is_joinable(next); ++next) {
      const CodedSlice& slice = tiles_.slices(next)[0];
      bytes += slice.bytes.size();
      if (slice.coding != first.coding || bytes > most_bytes_ || !can_join(tile, next)) break;
      last = next;
    }
    return last;
  }
  // Symbols that end a slice may cost nothing, because the coder's state does not grow by them. Inside a joined slice
  // they cost what they do elsewhere, so the joined slice may be longer than its parts.
  void join(uint32_t first, uint32_t last, Bytes bytes);

  const TileGrid grid_;
  const size_t room_, most_bytes_;  // for a joined slice; of its parts
  CodedTiles& tiles_;
  std::vector<SymbolList> symbols_;  // of each tile
  std::vector<std::byte> memory_;    // of joined slices, at the position of their first tile
};

}  // namespace texcast::compact
