#include "bc4_plane.h"

#include <algorithm>

#include "ref/bc4.h"

namespace texcast::ref {

Bc4Plane::Bc4Plane(const TextureView& texture, const PlaneLayout& layout)
    : width_(layout.width),
      height_(layout.height),
      texels_(static_cast<size_t>(layout.width) * static_cast<size_t>(layout.height)) {
  const std::byte* at = texture.blocks.data() + layout.offset;
  for (int block_y = 0; block_y < layout.blocks_y; ++block_y)
    for (int block_x = 0; block_x < layout.blocks_x; ++block_x, at += 8) {
      const ChannelBlock block = decode_bc4(std::span<const uint8_t, 8>(reinterpret_cast<const uint8_t*>(at), 8));
      for (size_t i = 0; i < 16; ++i) {
        const int x = 4 * block_x + static_cast<int>(i % 4), y = 4 * block_y + static_cast<int>(i / 4);
        if (x < width_ && y < height_)
          texels_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)] =
              static_cast<uint8_t>(block[i]);
      }
    }
}

int Bc4Plane::at(int x, int y) const {
  x = std::clamp(x, 0, width_ - 1);
  y = std::clamp(y, 0, height_ - 1);
  return texels_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
}

// At half size a chroma texel's centre lies between two luma texels, so a luma texel takes 3 parts of its own chroma
// texel and 1 part of the neighbour on its side.
int Bc4Plane::sixteenths_at_luma(TextureFormat format, int x, int y) const {
  const bool half_width = format != TextureFormat::ycocg_bc4_444;
  const bool half_height = format == TextureFormat::ycocg_bc4_420;
  const int own_x = half_width ? x / 2 : x, own_y = half_height ? y / 2 : y;
  const int side_x = half_width ? (x % 2 == 0 ? own_x - 1 : own_x + 1) : own_x;
  const int side_y = half_height ? (y % 2 == 0 ? own_y - 1 : own_y + 1) : own_y;
  const int near_row = 3 * at(own_x, own_y) + at(side_x, own_y);
  const int far_row = 3 * at(own_x, side_y) + at(side_x, side_y);
  return 3 * near_row + far_row;
}

}  // namespace texcast::ref
