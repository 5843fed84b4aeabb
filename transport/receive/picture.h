// picture.h — operations on a picture's bytes: row layout, composing tiles (UltraGrid's substreams), and concealing
// losses from the previous frame. No I/O.
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

// The rows of a picture: rows of blocks if it is compressed, else of pixels.
struct PictureRows {
  size_t bytes = 0;  // per row
  size_t count = 0;
};
// Nothing for a FourCC with an unknown layout.
std::optional<PictureRows> picture_rows(const FourCC& fourcc, int width, int height);

// Bytes of a pixel, or of a pair of pixels that shares its chroma: the unit of concealment in uncompressed pictures.
// Nothing for block formats, and for a FourCC with an unknown layout.
std::optional<size_t> pixel_bytes(const FourCC& fourcc);

struct TileGrid {
  int columns = 1;
  int rows = 1;
};
// 1 to 4 tiles (misuse otherwise).
TileGrid tile_grid(int tiles);

// Copies tiles of the same size into `picture`, which has the size of all of them.
void compose(std::span<const Bytes> tiles, const PictureRows& rows, MutableBytes picture);
// Converts ranges of each tile (ascending, not touching) to ascending ranges of the picture, joining those that touch.
void compose_ranges(std::span<const std::span<const ByteRange>> tiles, const PictureRows& rows,
                    std::vector<ByteRange>& picture);

// Copies the parts of `frame` that are not in `present` (ascending, not touching, inside it) from the same place in
// `previous` (zero beyond its end). Each gap is widened to whole units of `unit_bytes`: half of one block and half of
// another decode to neither. `filled` gets the concealed ranges, ascending and not touching. Returns the number of
// concealed bytes.
uint64_t conceal(MutableBytes frame, std::span<const ByteRange> present, Bytes previous, size_t unit_bytes,
                 std::vector<ByteRange>& filled);

}  // namespace texcast::transport
