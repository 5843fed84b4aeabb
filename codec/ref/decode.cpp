#include "ref/decode.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/ensure.h"
#include "base/misuse.h"
#include "block_codecs.h"
#include "formats/require_texture.h"
#include "frames/color.h"
#include "ref/ycocg_planes.h"

namespace texcast::ref {
namespace {

constexpr size_t kMaxBlockTexels = 12 * 12;  // of ASTC's largest block

// Stores sample number `index`, counted by channels, then columns, then rows, as in memory.
void put_sample(DecodedImage& image, size_t index, int sample) {
  if (image.samples == SampleType::unorm8) {
    image.pixels[index] = static_cast<uint8_t>(sample);
  } else {
    const auto wide = static_cast<uint16_t>(sample);
    std::memcpy(&image.pixels[2 * index], &wide, sizeof wide);
  }
}

// Decodes the plane's channels of each pixel of the picture, whose size is the plane's.
void decode_plane(const TextureView& texture, const PlaneLayout& plane, const PlaneCodec& codec,
                  const DecodeRules& rules, DecodedImage& image) {
  ENSURE(plane.width == image.width && plane.height == image.height);
  const auto across = static_cast<size_t>(plane.block_width), down = static_cast<size_t>(plane.block_height);
  const auto width = static_cast<size_t>(plane.width), height = static_cast<size_t>(plane.height);
  const auto channels = static_cast<size_t>(image.channels), block_bytes = static_cast<size_t>(plane.block_bytes);
  const auto first = static_cast<size_t>(codec.first_channel), count = static_cast<size_t>(codec.channels);
  const auto* block = reinterpret_cast<const uint8_t*>(texture.blocks.data()) + plane.offset;
  std::array<Texel, kMaxBlockTexels> texels;
  for (size_t top = 0; top < height; top += down)
    for (size_t left = 0; left < width; left += across, block += block_bytes) {
      codec.decode({block, block_bytes}, rules, std::span(texels).first(across * down));
      for (size_t y = top; y < std::min(top + down, height); ++y)
        for (size_t x = left; x < std::min(left + across, width); ++x) {
          const Texel& texel = texels[(y - top) * across + (x - left)];
          for (size_t c = 0; c < count; ++c) put_sample(image, channels * (y * width + x) + first + c, texel[c]);
        }
    }
}

// The formulas of frames/color.h. Chroma is passed as the sum of two samples, so that their mean is rounded once, with
// the rest.
void put_rgb(const ColorConversion& c, int y, int cb_sum, int cr_sum, uint8_t* pixel) {
  const int luma = 2 * ((y - c.luma_offset) * c.luma_scale) + kByteStep;  // below 2^24
  const int u = cb_sum - 2 * c.chroma_offset, v = cr_sum - 2 * c.chroma_offset;
  const auto to_byte = [](int doubled) { return static_cast<uint8_t>(std::clamp(doubled / (2 * kByteStep), 0, 255)); };
  pixel[0] = to_byte(luma + c.red_v * v);
  pixel[1] = to_byte(luma + c.green_u * u + c.green_v * v);
  pixel[2] = to_byte(luma + c.blue_u * u);
}

// R G B of a texture of pairs of pixels. The second pixel of a pair takes the mean of its own chroma and the next
// pair's, the last one its own.
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

// In place.
void ycbcr_to_rgb(const ColorSpec& color, std::span<uint8_t> pixels) {
  const ColorConversion c = color_conversion(PixelFormat::yuv444p, color);
  for (size_t i = 0; i < pixels.size(); i += 3) put_rgb(c, pixels[i], 2 * pixels[i + 1], 2 * pixels[i + 2], &pixels[i]);
}

}  // namespace

void decode(const TextureView& texture, EndpointExpansion expansion, DecodedImage& image) {
  require_whole(texture, __func__);
  REQUIRE_USE(expansion <= EndpointExpansion::ffmpeg, "there is no such expansion of end points");
  const TextureLayout layout = texture_layout(texture.desc);
  const Format& format = format_row(texture.desc.format);
  const Coding& first = coding(format.planes[0].coding);
  image.resize(texture.desc.width, texture.desc.height, channel_count(format.model), first.sample_type);
  if (format.model == ColorModel::ycocg_planes) return decode_ycocg_planes(texture, image.pixels);
  if (first.is_pair()) return decode_pairs(texture, image.pixels);
  const BlockCodecs& codecs = block_codecs(texture.desc.format);
  const DecodeRules rules{.expansion = expansion, .is_srgb = texture.desc.color.transfer == kSrgbTransfer};
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p)
    decode_plane(texture, layout.planes[p], codecs.planes[p], rules, image);
  if (format.model == ColorModel::ycbcr) ycbcr_to_rgb(texture.desc.color, image.pixels);
}

}  // namespace texcast::ref
