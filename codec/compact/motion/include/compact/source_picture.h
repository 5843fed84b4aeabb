// source_picture.h — the source picture that a lossy stream approximates, as red, green and blue, and its luma.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compact/tile_grid.h"
#include "texcast/frame.h"

namespace texcast::compact {

class SourcePicture {
 public:
  SourcePicture() = default;
  SourcePicture(int width, int height);
  // Whether the format's texels are functions of red, green and blue: BC1, and planes of YCoCg (docs/format.md).
  static bool can_show(const TileGrid& grid);
  // Converts the blocks of a tile. `frame` has the same size as this. Threads may draw different tiles concurrently.
  void draw(const FrameView& frame, const BlockRect& rect);
  int width() const { return width_; }
  int height() const { return height_; }
  // Red, green, blue and 0. The position may lie outside, where pixels at the edge are repeated.
  const uint8_t* pixel(int x, int y) const {
    return reinterpret_cast<const uint8_t*>(row(y) + std::clamp(x, 0, width_ - 1));
  }
  // Rows of four bytes per pixel, and of one, which is (red + 2 green + blue) / 4 rounded. `y` may lie outside. The
  // last pixel is repeated to the end of the last block; another 16 pixels can be read there, and are undefined.
  const uint32_t* row(int y) const { return rgb_.data() + of_row(y); }
  const uint8_t* luma_row(int y) const { return luma_.data() + of_row(y); }

 private:
  size_t of_row(int y) const {
    return static_cast<size_t>(std::clamp(y, 0, height_ - 1)) * static_cast<size_t>(stride_);
  }

  int width_ = 0, height_ = 0, stride_ = 0;  // in pixels; the stride is a multiple of 16
  std::vector<uint32_t> rgb_;
  std::vector<uint8_t> luma_;
};

}  // namespace texcast::compact
