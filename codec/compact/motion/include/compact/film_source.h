// film_source.h — Y, Co and Cg of a picture in 4:2:0, approximately, for encoders that lack the time for a
// SourcePicture: chroma is converted and filtered at its own resolution, without red, green and blue. Their limits are
// ignored, and values differ by 1 now and then. The filter of chroma has three taps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compact/tile_grid.h"
#include "texcast/frame.h"

namespace texcast::compact {

class FilmSource {
 public:
  // Whether the first three components of `grid` can be read from such a frame: both have subsampled chroma.
  static bool can_read(const TileGrid& grid, const FrameView& frame);
  // `frame` is borrowed.
  explicit FilmSource(const FrameView& frame);

  // Texels of the blocks of a tile or a part of it in component 0, and in the components 1 and 2. Rows are `stride`
  // bytes apart. Beyond the picture its edge is repeated. Thread-safe.
  void read_luma(const BlockRect& rect, uint8_t* to, size_t stride) const;
  void read_chroma(const BlockRect& rect, uint8_t* co, uint8_t* cg, size_t stride) const;

 private:
  // A tile's texels of chroma and one more on each side; rows have room for whole vectors.
  static constexpr int kColumns = kTileWidth / 2, kRows = kTileHeight / 2, kStride = kColumns + 16;
  struct Chroma {
    int16_t u[kRows + 2][kStride], v[kRows + 2][kStride];  // the first texel of the rectangle is at [1][8]
  };
  // Less 128, of texels of chroma from (x, y) on and those around them.
  void gather(int x, int y, int columns, int rows, Chroma& chroma) const;
  const uint8_t* row(size_t plane, int y) const;

  const FrameView& frame_;
  const int width_, height_, chroma_width_, chroma_height_;
  const bool is_interleaved_;
  uint16_t luma_scale_;                                  // 2^15
  int16_t luma_more_;                                    // 2^6, with 1/2 for rounding
  int16_t luma_u_, luma_v_, co_u_, co_v_, cg_u_, cg_v_;  // luma 2^14, Co and Cg 2^13
};

}  // namespace texcast::compact
