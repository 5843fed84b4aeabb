#include "slice_joiner.h"

#include <span>

#include "rd_slice_encoder.h"

namespace texcast::compact {

SliceJoiner::SliceJoiner(const TileGrid& grid, size_t most_slice_bytes, CodedTiles& tiles)
    : grid_(grid),
      room_(std::min(tiles.tile_bytes(), most_slice_bytes)),
      most_bytes_(std::min(kMostBytes, room_)),
      tiles_(tiles),
      symbols_(grid.tiles()),
      memory_(grid.tiles() * tiles.tile_bytes()) {}

bool SliceJoiner::is_joinable(uint32_t tile) const {
  const auto slices = tiles_.slices(tile);
  return slices.size() == 1 && slices[0].slice.sub_slices == 1 && is_lossy(slices[0].coding);
}

void SliceJoiner::join(uint32_t first, uint32_t last, SymbolList& list_of_all, int header_symbols) {
  CodedSlice& joined = tiles_.slices(first)[0];
  const uint32_t tiles = last - first + 1;
  const MutableBytes memory = MutableBytes(memory_).subspan(first * tiles_.tile_bytes(), room_);
  const size_t bytes = RdSliceEncoder::write_joined(std::span(symbols_).subspan(first, tiles),
                                                    static_cast<size_t>(header_symbols), list_of_all, memory);
  if (bytes == 0) return;
  joined.slice.tiles = static_cast<uint16_t>(tiles);
  for (uint32_t tile = first + 1; tile <= last; ++tile) {
    const CodedSlice& slice = tiles_.slices(tile)[0];
    for (const uint32_t touched : slice.touched.list()) joined.touched.add(touched);
    joined.touched.any = joined.touched.any || slice.touched.any;
    tiles_.set_joined(tile);
  }
  joined.bytes = memory.last(bytes);
}

}  // namespace texcast::compact
