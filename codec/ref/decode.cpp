#include "ref/decode.h"

#include <algorithm>
#include <vector>

#include "base/ensure.h"
#include "ref/bc1.h"
#include "ref/bc4.h"
#include "ref/ycocg.h"
#include "ref/ycocg_dxt5.h"

namespace texcast::ref {
namespace {

template <size_t kBytes = 8>
std::span<const uint8_t, kBytes> block_at(const TextureView& texture, const PlaneLayout& plane, int x, int y) {
  const size_t index = static_cast<size_t>(y) * static_cast<size_t>(plane.blocks_x) + static_cast<size_t>(x);
  const std::byte* at = texture.blocks.data() + plane.offset + kBytes * index;
  return std::span<const uint8_t, kBytes>(reinterpret_cast<const uint8_t*>(at), kBytes);
}

// `decode_block(x, y)` gives the texels of one block.
template <typename DecodeBlock>
void decode_color_plane(const PlaneLayout& plane, std::span<uint8_t> pixels, DecodeBlock decode_block) {
  for (int block_y = 0; block_y < plane.blocks_y; ++block_y)
    for (int block_x = 0; block_x < plane.blocks_x; ++block_x) {
      const RgbBlock texels = decode_block(block_x, block_y);
      for (size_t i = 0; i < 16; ++i) {
        const int x = 4 * block_x + static_cast<int>(i % 4), y = 4 * block_y + static_cast<int>(i / 4);
        if (x >= plane.width || y >= plane.height) continue;
        uint8_t* pixel =
            &pixels[3 * (static_cast<size_t>(y) * static_cast<size_t>(plane.width) + static_cast<size_t>(x))];
        pixel[0] = static_cast<uint8_t>(texels.r[i]);
        pixel[1] = static_cast<uint8_t>(texels.g[i]);
        pixel[2] = static_cast<uint8_t>(texels.b[i]);
      }
    }
}

struct Plane {
  int width = 0, height = 0;
  std::vector<uint8_t> texels;
  int at(int x, int y) const {  // the edge goes on outside
    x = std::clamp(x, 0, width - 1);
    y = std::clamp(y, 0, height - 1);
    return texels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

Plane decode_bc4_plane(const TextureView& texture, const PlaneLayout& layout) {
  Plane plane{layout.width, layout.height,
              std::vector<uint8_t>(static_cast<size_t>(layout.width) * static_cast<size_t>(layout.height))};
  for (int block_y = 0; block_y < layout.blocks_y; ++block_y)
    for (int block_x = 0; block_x < layout.blocks_x; ++block_x) {
      const ChannelBlock texels = decode_bc4(block_at(texture, layout, block_x, block_y));
      for (size_t i = 0; i < 16; ++i) {
        const int x = 4 * block_x + static_cast<int>(i % 4), y = 4 * block_y + static_cast<int>(i / 4);
        if (x < layout.width && y < layout.height)
          plane.texels[static_cast<size_t>(y) * static_cast<size_t>(layout.width) + static_cast<size_t>(x)] =
              static_cast<uint8_t>(texels[i]);
      }
    }
  return plane;
}

// A full-size texel's chroma. At half size a chroma texel's centre lies between two luma texels, so a luma texel
// takes 3 parts of its own chroma texel and 1 part of the neighbour on its side.
int chroma(const Plane& plane, int x, int y, bool half_width, bool half_height) {
  const int own_x = half_width ? x / 2 : x, own_y = half_height ? y / 2 : y;
  const int side_x = half_width ? (x % 2 == 0 ? own_x - 1 : own_x + 1) : own_x;
  const int side_y = half_height ? (y % 2 == 0 ? own_y - 1 : own_y + 1) : own_y;
  const int near_row = 3 * plane.at(own_x, own_y) + plane.at(side_x, own_y);
  const int far_row = 3 * plane.at(own_x, side_y) + plane.at(side_x, side_y);
  return (3 * near_row + far_row + 8) / 16;
}

void decode_ycocg(const TextureView& texture, const TextureLayout& layout, std::span<uint8_t> pixels) {
  const Plane luma = decode_bc4_plane(texture, layout.planes[0]);
  const Plane orange = decode_bc4_plane(texture, layout.planes[1]);
  const Plane green = decode_bc4_plane(texture, layout.planes[2]);
  const bool half_width = texture.desc.format != TextureFormat::ycocg_bc4_444;
  const bool half_height = texture.desc.format == TextureFormat::ycocg_bc4_420;
  uint8_t* pixel = pixels.data();
  for (int y = 0; y < luma.height; ++y)
    for (int x = 0; x < luma.width; ++x, pixel += 3) {
      const auto rgb = ycocg_to_rgb(luma.at(x, y), chroma(orange, x, y, half_width, half_height),
                                    chroma(green, x, y, half_width, half_height));
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(rgb[c]);
    }
}

}  // namespace

void decode(const TextureView& texture, EndpointExpansion expansion, std::span<uint8_t> pixels) {
  const TextureLayout layout = texture_layout(texture.desc);
  ENSURE(texture.blocks.size() == layout.total_bytes);
  ENSURE(pixels.size() == 3 * static_cast<size_t>(texture.desc.width) * static_cast<size_t>(texture.desc.height));
  const PlaneLayout& plane = layout.planes[0];
  if (is_ycocg(texture.desc.format))
    decode_ycocg(texture, layout, pixels);
  else if (texture.desc.format == TextureFormat::ycocg_dxt5)
    decode_color_plane(plane, pixels,
                       [&](int x, int y) { return decode_ycocg_dxt5(block_at<16>(texture, plane, x, y), expansion); });
  else
    decode_color_plane(plane, pixels,
                       [&](int x, int y) { return decode_bc1(block_at(texture, plane, x, y), expansion); });
}

}  // namespace texcast::ref
