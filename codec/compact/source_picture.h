// source_picture.h — the picture that a lossy stream is to come near to, as red, green and blue.
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
  SourcePicture(int width, int height)
      : width_(width), height_(height), rgb_(static_cast<size_t>(width) * static_cast<size_t>(height) * 3) {}
  // Formats whose texels are plainly made of red, green and blue: BC1, and planes of YCoCg as docs/format.md has them.
  static bool can_show(const TileGrid& grid);
  // Part of a frame of the same size: the blocks of a tile. Different ones at the same time.
  void draw(const FrameView& frame, const BlockRect& rect);
  int width() const { return width_; }
  int height() const { return height_; }
  // Of a pixel that may lie outside, where the edge goes on.
  const uint8_t* pixel(int x, int y) const { return row(y) + std::clamp(x, 0, width_ - 1) * 3; }
  const uint8_t* row(int y) const {
    return rgb_.data() + static_cast<size_t>(std::clamp(y, 0, height_ - 1)) * static_cast<size_t>(width_) * 3;
  }

 private:
  int width_ = 0, height_ = 0;
  std::vector<uint8_t> rgb_;
};

}  // namespace texcast::compact
