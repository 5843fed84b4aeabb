// tiles.h — the tiles of a picture: 64 x 32 texels, numbered row by row from the top left. Those at the right and the
// bottom may be smaller. No block of 4 x 4 texels, of any plane, crosses a tile border.
//
// Thread-safe: values and functions only.
#pragma once

#include <cstddef>

#include "texcast/format.h"

namespace texcast {

inline constexpr int kTileWidth = 64, kTileHeight = 32;  // texels

struct TileRaster {
  int columns = 0, rows = 0;
  size_t count() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
};
// For a picture of at least 1 x 1 texels.
inline TileRaster tile_raster(int width, int height) {
  return {(width + kTileWidth - 1) / kTileWidth, (height + kTileHeight - 1) / kTileHeight};
}

// Whether tiles consist of whole blocks of 4 x 4 texels, as tile-based encoders and the coded stream require.
inline bool has_tile_blocks(TextureFormat format) {
  for (size_t p = 0; p < static_cast<size_t>(plane_count(format)); ++p)
    if (plane_coding(format, p).block_width != 4 || plane_coding(format, p).block_height != 4) return false;
  return true;
}

// The number of blocks of a plane in a whole tile. Only if has_tile_blocks(format).
struct TileBlocks {
  int across = 0, down = 0;
};
inline TileBlocks tile_blocks(const FormatPlane& plane) {
  return {kTileWidth / (4 * plane.across), kTileHeight / (4 * plane.down)};
}

}  // namespace texcast
