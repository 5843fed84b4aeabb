#include "ref/ycocg_planes.h"

#include <algorithm>

#include "base/ensure.h"
#include "ref/bc4.h"

namespace texcast::ref {

namespace {

// value / divisor + 128, rounded (halves up) and clamped to a byte; divisor is a power of two.
int offset_byte(int value, int divisor) { return std::clamp((value + 128 * divisor + divisor / 2) / divisor, 0, 255); }

}  // namespace

int ycocg_y(int r, int g, int b) { return (r + 2 * g + b + 2) / 4; }
int ycocg_co(int sum_r, int sum_b, int count) { return offset_byte(sum_r - sum_b, 2 * count); }
int ycocg_cg(int sum_r, int sum_g, int sum_b, int count) { return offset_byte(2 * sum_g - sum_r - sum_b, 4 * count); }

std::array<int, 3> ycocg_to_rgb(int y, int co, int cg) {
  co -= 128;
  cg -= 128;
  return {std::clamp(y + co - cg, 0, 255), std::clamp(y + cg, 0, 255), std::clamp(y - co - cg, 0, 255)};
}

Bc4Plane::Bc4Plane(const TextureView& texture, size_t index) : format_(format_row(texture.desc.format).planes[index]) {
  const PlaneLayout layout = texture_layout(texture.desc).planes[index];
  width_ = layout.width;
  height_ = layout.height;
  texels_.resize(static_cast<size_t>(width_) * static_cast<size_t>(height_));
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

// At half size a chroma texel's centre is between two luma texels, so a luma texel takes 3 parts of its own chroma
// texel and 1 part of the neighbour on its side.
int Bc4Plane::sixteenths_at_luma(int x, int y) const {
  const bool half_width = format_.across == 2, half_height = format_.down == 2;
  const int own_x = half_width ? x / 2 : x, own_y = half_height ? y / 2 : y;
  const int side_x = half_width ? (x % 2 == 0 ? own_x - 1 : own_x + 1) : own_x;
  const int side_y = half_height ? (y % 2 == 0 ? own_y - 1 : own_y + 1) : own_y;
  const int near_row = 3 * at(own_x, own_y) + at(side_x, own_y);
  const int far_row = 3 * at(own_x, side_y) + at(side_x, side_y);
  return 3 * near_row + far_row;
}

void decode_ycocg_planes(const TextureView& texture, std::span<uint8_t> rgb) {
  ENSURE(is_planar_ycocg(texture.desc.format));
  const Bc4Plane luma(texture, 0), orange(texture, 1), green(texture, 2);
  const auto chroma = [](const Bc4Plane& plane, int x, int y) { return (plane.sixteenths_at_luma(x, y) + 8) / 16; };
  uint8_t* pixel = rgb.data();
  for (int y = 0; y < texture.desc.height; ++y)
    for (int x = 0; x < texture.desc.width; ++x, pixel += 3) {
      const auto channels = ycocg_to_rgb(luma.at(x, y), chroma(orange, x, y), chroma(green, x, y));
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(channels[c]);
    }
}

}  // namespace texcast::ref
