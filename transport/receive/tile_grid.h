// tile_grid.h — pictures that come in tiles (UltraGrid's substreams), put together to one. Pure.
//
//   2 tiles: 0 1      3 tiles: 0 1 2      4 tiles: 0 1
//                                                  2 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/stream.h"

namespace texcast::transport {

// A picture's bytes as rows: of blocks where it is compressed, of pixels where it is not.
struct PictureRows {
  size_t bytes = 0;  // of a row
  size_t count = 0;
};
// Nothing for codes whose layout we do not know.
std::optional<PictureRows> picture_rows(const FourCC& fourcc, int width, int height);

// Bytes of a pixel, or of a pair that shares its chroma: what a hole in an uncompressed picture is filled in whole
// units of. Nothing for blocks, and for codes whose layout we do not know.
std::optional<size_t> pixel_bytes(const FourCC& fourcc);

struct TileGrid {
  int columns = 1;
  int rows = 1;
};
// 1 to 4 tiles (misuse otherwise).
TileGrid tile_grid(int tiles);

// Tiles of the same size into `picture`, which has the size of all of them.
void compose(std::span<const Bytes> tiles, const PictureRows& rows, MutableBytes picture);
// Ranges of each tile (in order, apart) as ranges of the picture, in order, those that touch joined.
void compose_ranges(std::span<const std::span<const ByteRange>> tiles, const PictureRows& rows,
                    std::vector<ByteRange>& picture);

}  // namespace texcast::transport
