// source_picture.h — the picture that a lossy stream is to come near to, as red, green and blue, and its luma.
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
  // Formats whose texels are plainly made of red, green and blue: BC1, and planes of YCoCg as docs/format.md has them.
  static bool can_show(const TileGrid& grid);
  // Part of a frame of the same size: the blocks of a tile. Different ones at the same time.
  void draw(const FrameView& frame, const BlockRect& rect);
  int width() const { return width_; }
  int height() const { return height_; }
  // Red, green, blue and 0 of a pixel that may lie outside, where the edge goes on.
  const uint8_t* pixel(int x, int y) const {
    return reinterpret_cast<const uint8_t*>(row(y) + std::clamp(x, 0, width_ - 1));
  }
  // Four bytes a pixel, and one that is (red + 2 green + blue) / 4. The edge goes on to the end of the last block, and
  // what is read as far as 16 pixels from there on is anything.
  const uint32_t* row(int y) const { return rgb_.data() + of_row(y); }
  const uint8_t* luma_row(int y) const { return luma_.data() + of_row(y); }

 private:
  size_t of_row(int y) const {
    return static_cast<size_t>(std::clamp(y, 0, height_ - 1)) * static_cast<size_t>(stride_);
  }

  int width_ = 0, height_ = 0, stride_ = 0;  // in pixels; vectors of 16
  std::vector<uint32_t> rgb_;
  std::vector<uint8_t> luma_;
};

}  // namespace texcast::compact
