#include "slice_joiner.h"

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

void SliceJoiner::join(uint32_t first, uint32_t last, Bytes bytes) {
  if (bytes.empty()) return;
  CodedSlice& joined = tiles_.slices(first)[0];
  joined.slice.tiles = static_cast<uint16_t>(last - first + 1);
  for (uint32_t tile = first + 1; tile <= last; ++tile) {
    const CodedSlice& slice = tiles_.slices(tile)[0];
    for (const uint32_t touched : slice.touched.list()) joined.touched.add(touched);
    joined.touched.any = joined.touched.any || slice.touched.any;
    tiles_.set_joined(tile);
  }
  joined.bytes = bytes;
}

}  // namespace texcast::compact
