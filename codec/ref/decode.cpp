#include "ref/decode.h"

#include "base/ensure.h"
#include "bc4_plane.h"
#include "ref/bc1.h"
#include "ref/bc4.h"
#include "ref/pixels.h"
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

// `decode_block(x, y)` gives the texels of one block, `put(texels, i, pixel)` writes its texel i.
template <typename DecodeBlock, typename Put>
void decode_plane(const PlaneLayout& plane, size_t channels, std::span<uint8_t> pixels, DecodeBlock decode_block,
                  Put put) {
  for (int block_y = 0; block_y < plane.blocks_y; ++block_y)
    for (int block_x = 0; block_x < plane.blocks_x; ++block_x) {
      const auto texels = decode_block(block_x, block_y);
      for (size_t i = 0; i < 16; ++i) {
        const int x = 4 * block_x + static_cast<int>(i % 4), y = 4 * block_y + static_cast<int>(i / 4);
        if (x >= plane.width || y >= plane.height) continue;
        put(texels, i,
            &pixels[channels * (static_cast<size_t>(y) * static_cast<size_t>(plane.width) + static_cast<size_t>(x))]);
      }
    }
}

void put_color(const RgbBlock& texels, size_t i, uint8_t* pixel) {
  pixel[0] = static_cast<uint8_t>(texels.r[i]);
  pixel[1] = static_cast<uint8_t>(texels.g[i]);
  pixel[2] = static_cast<uint8_t>(texels.b[i]);
}

void put_gray(const ChannelBlock& texels, size_t i, uint8_t* pixel) { pixel[0] = static_cast<uint8_t>(texels[i]); }
void put_alpha(const ChannelBlock& texels, size_t i, uint8_t* pixel) { pixel[3] = static_cast<uint8_t>(texels[i]); }

void decode_ycocg(const TextureView& texture, const TextureLayout& layout, std::span<uint8_t> pixels) {
  const Bc4Plane luma(texture, layout.planes[0]);
  const Bc4Plane orange(texture, layout.planes[1]), green(texture, layout.planes[2]);
  const auto chroma = [&](const Bc4Plane& plane, int x, int y) {
    return (plane.sixteenths_at_luma(texture.desc.format, x, y) + 8) / 16;
  };
  uint8_t* pixel = pixels.data();
  for (int y = 0; y < texture.desc.height; ++y)
    for (int x = 0; x < texture.desc.width; ++x, pixel += 3) {
      const auto rgb = ycocg_to_rgb(luma.at(x, y), chroma(orange, x, y), chroma(green, x, y));
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(rgb[c]);
    }
}

}  // namespace

void decode(const TextureView& texture, EndpointExpansion expansion, std::span<uint8_t> pixels) {
  const TextureLayout layout = texture_layout(texture.desc);
  ENSURE(texture.blocks.size() == layout.total_bytes);
  const auto channels = static_cast<size_t>(channel_count(texture.desc.format));
  ENSURE(pixels.size() ==
         channels * static_cast<size_t>(texture.desc.width) * static_cast<size_t>(texture.desc.height));
  const PlaneLayout& plane = layout.planes[0];
  const auto bytes16 = [&](int x, int y) { return block_at<16>(texture, plane, x, y); };
  const auto scaled_ycocg = [&](int x, int y) { return decode_ycocg_dxt5(bytes16(x, y), expansion); };
  switch (texture.desc.format) {
    case TextureFormat::bc1:
      return decode_plane(
          plane, channels, pixels, [&](int x, int y) { return decode_bc1(block_at(texture, plane, x, y), expansion); },
          put_color);
    case TextureFormat::ycocg_bc4_420:
    case TextureFormat::ycocg_bc4_422:
    case TextureFormat::ycocg_bc4_444: return decode_ycocg(texture, layout, pixels);
    case TextureFormat::ycocg_dxt5: return decode_plane(plane, channels, pixels, scaled_ycocg, put_color);
    case TextureFormat::ycocg_dxt5_alpha: {
      const PlaneLayout& alpha = layout.planes[1];
      decode_plane(plane, channels, pixels, scaled_ycocg, put_color);
      return decode_plane(
          alpha, channels, pixels, [&](int x, int y) { return decode_bc4(block_at(texture, alpha, x, y), expansion); },
          put_alpha);
    }
    case TextureFormat::bc3:
      decode_plane(
          plane, channels, pixels, [&](int x, int y) { return decode_bc3_color(bytes16(x, y).last<8>(), expansion); },
          put_color);
      return decode_plane(
          plane, channels, pixels, [&](int x, int y) { return decode_bc4(bytes16(x, y).first<8>(), expansion); },
          put_alpha);
    case TextureFormat::bc4:
      return decode_plane(
          plane, channels, pixels, [&](int x, int y) { return decode_bc4(block_at(texture, plane, x, y), expansion); },
          put_gray);
    case TextureFormat::bc1_ycbcr:
      decode_plane(
          plane, channels, pixels, [&](int x, int y) { return decode_bc1(block_at(texture, plane, x, y), expansion); },
          put_color);
      return ycbcr_to_rgb(texture.desc.color, pixels);
    case TextureFormat::uyvy:
    case TextureFormat::rgba8:
    case TextureFormat::rgb8:
    case TextureFormat::bgr8:
    case TextureFormat::yuyv: return decode_pixels(texture, pixels);
  }
  ENSURE(false);
}

}  // namespace texcast::ref
