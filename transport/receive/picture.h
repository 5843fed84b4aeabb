// picture.h — what is known of the bytes of a picture: its rows, tiles (UltraGrid's substreams) put together to one,
// holes filled from the frame before. Pure.
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

// Fills what of `frame` is not in `present` (ranges in order, apart, inside it), every hole widened to whole units of
// `unit_bytes`, from the same place in `previous` (zero where that ends). A unit of which a part is missing is replaced
// whole: half of one block and half of another decode to neither. `filled` gets where that was, in order, apart from
// one another. Gives the bytes filled.
uint64_t conceal(MutableBytes frame, std::span<const ByteRange> present, Bytes previous, size_t unit_bytes,
                 std::vector<ByteRange>& filled);

}  // namespace texcast::transport
