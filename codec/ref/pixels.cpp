#include "ref/pixels.h"

#include <algorithm>

#include "base/ensure.h"
#include "texcast/color.h"

namespace texcast::ref {
namespace {

// texcast/color.h's lines; chroma comes as the sum of two samples, so that their mean is rounded once, with the rest.
void put_rgb(const ColorConversion& c, int y, int cb_sum, int cr_sum, uint8_t* pixel) {
  const int luma = 2 * ((y - c.luma_offset) * c.luma_scale) + kByteStep;  // below 2^24
  const int u = cb_sum - 2 * c.chroma_offset, v = cr_sum - 2 * c.chroma_offset;
  const auto to_byte = [](int doubled) { return static_cast<uint8_t>(std::clamp(doubled / (2 * kByteStep), 0, 255)); };
  pixel[0] = to_byte(luma + c.red_v * v);
  pixel[1] = to_byte(luma + c.green_u * u + c.green_v * v);
  pixel[2] = to_byte(luma + c.blue_u * u);
}

}  // namespace

void decode_pairs(const TextureView& texture, std::span<uint8_t> rgb) {
  const Coding& pair = coding(format_row(texture.desc.format).planes[0].coding);
  ENSURE(pair.is_pair() && texture.blocks.size() == texture_layout(texture.desc).total_bytes);
  ENSURE(rgb.size() == size_t{3} * static_cast<size_t>(texture.desc.width) * static_cast<size_t>(texture.desc.height));
  const auto [cb, y0, cr, y1] = pair.pair_order;
  const PlaneLayout plane = texture_layout(texture.desc).planes[0];
  const ColorConversion c = color_conversion(PixelFormat::uyvy422, texture.desc.color);
  const auto pairs = static_cast<size_t>(plane.blocks_x);
  const auto* row = reinterpret_cast<const uint8_t*>(texture.blocks.data());
  uint8_t* pixel = rgb.data();
  for (int y = 0; y < plane.height; ++y, row += 4 * pairs)
    for (size_t x = 0; x < static_cast<size_t>(plane.width); ++x, pixel += 3) {
      const uint8_t* own = row + x / 2 * 4;
      const uint8_t* side = x % 2 == 0 ? own : row + std::min(x / 2 + 1, pairs - 1) * 4;
      put_rgb(c, own[x % 2 == 0 ? y0 : y1], own[cb] + side[cb], own[cr] + side[cr], pixel);
    }
}

void ycbcr_to_rgb(const ColorSpec& color, std::span<uint8_t> pixels) {
  const ColorConversion c = color_conversion(PixelFormat::yuv444p, color);
  for (size_t i = 0; i < pixels.size(); i += 3) put_rgb(c, pixels[i], 2 * pixels[i + 1], 2 * pixels[i + 2], &pixels[i]);
}

}  // namespace texcast::ref
