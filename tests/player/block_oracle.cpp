#include "block_oracle.h"

#include <algorithm>
#include <cmath>

namespace texcast::player {
namespace {

uint64_t load64(const std::byte* bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

void store64(std::byte* bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
}

using Texels = std::array<std::array<double, 3>, 16>;

// c0, c1: 565 little-endian, red on top; 16 indices of two bits, the first texel lowest. c0 > c1: thirds between them;
// else their middle, and black.
Texels decode_bc1(uint64_t block, bool always_four = false) {
  const auto expand = [](uint64_t c) {
    const uint64_t r = c >> 11 & 31, g = c >> 5 & 63, b = c & 31;
    return std::array<double, 3>{static_cast<double>(r << 3 | r >> 2), static_cast<double>(g << 2 | g >> 4),
                                 static_cast<double>(b << 3 | b >> 2)};
  };
  const auto c0 = expand(block & 0xFFFF);
  const auto c1 = expand(block >> 16 & 0xFFFF);
  const bool three_colour = !always_four && (block & 0xFFFF) <= (block >> 16 & 0xFFFF);
  Texels texels{};
  for (size_t t = 0; t < 16; ++t) {
    const uint64_t index = block >> (32 + 2 * t) & 3;
    if (three_colour && index == 3) continue;
    const double towards_c1 = std::array{0.0, 1.0, three_colour ? 1.0 / 2 : 1.0 / 3, 2.0 / 3}[index];
    for (size_t c = 0; c < 3; ++c) texels[t][c] = c0[c] + (c1[c] - c0[c]) * towards_c1;
  }
  return texels;
}

// r0, r1, then 16 indices of three bits. r0 > r1: eight values; else six, and 0 and 255.
Texels decode_bc4(uint64_t block) {
  const double r0 = static_cast<double>(block & 0xFF);
  const double r1 = static_cast<double>(block >> 8 & 0xFF);
  Texels texels;
  for (size_t t = 0; t < 16; ++t) {
    const int index = static_cast<int>(block >> (16 + 3 * t) & 7);
    double value = index == 0 ? r0 : r1;
    if (index >= 2 && r0 > r1) value = (r0 * (8 - index) + r1 * (index - 1)) / 7;
    if (index >= 2 && r0 <= r1) value = index == 6 ? 0 : index == 7 ? 255 : (r0 * (6 - index) + r1 * (index - 1)) / 5;
    texels[t] = {value, 0, 0};
  }
  return texels;
}

// Linear interpolation between texel centres at `position` (in texels), clamped to the outermost centres.
double sample(const OraclePlane& plane, double x, double y) {
  x = std::clamp(x - 0.5, 0.0, plane.width - 1.0);
  y = std::clamp(y - 0.5, 0.0, plane.height - 1.0);
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const int x1 = std::min(x0 + 1, plane.width - 1), y1 = std::min(y0 + 1, plane.height - 1);
  const double above = std::lerp(plane.at(x0, y0), plane.at(x1, y0), x - x0);
  const double below = std::lerp(plane.at(x0, y1), plane.at(x1, y1), x - x0);
  return std::lerp(above, below, y - y0);
}

}  // namespace

OwnedTexture random_texture(TextureFormat format, int width, int height, uint32_t seed) {
  OwnedTexture texture{{.format = format, .width = width, .height = height}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  std::mt19937_64 random(seed);
  if (is_ycbcr(format)) texture.desc.color.range = seed % 2 == 0 ? ColorRange::full : ColorRange::limited;
  if (!is_compressed(format)) {
    for (std::byte& byte : texture.blocks) byte = static_cast<std::byte>(random());
    return texture;
  }
  for (size_t at = 0; at < texture.blocks.size(); at += 8) {
    uint64_t block = random();
    const bool has_scale = format == TextureFormat::ycocg_dxt5 || format == TextureFormat::ycocg_dxt5_alpha;
    const bool is_scaled_chroma = has_scale && at % 16 == 8 && at < texture_layout(texture.desc).planes[0].bytes;
    if (is_scaled_chroma) {  // one scale of 1, 2, 4 in both end points, four colours
      const uint64_t scale_code = std::array{0, 1, 3}[random() % 3];
      block = (block & ~uint64_t{0x001F001F}) | scale_code << 16 | scale_code;
      const uint64_t a = block & 0xFFFF, b = block >> 16 & 0xFFFF;
      block = (block >> 32 << 32) | std::min(a, b) << 16 | std::max(a, b);
      if (a == b) block &= 0xFFFFFFFF;
    }
    store64(&texture.blocks[at], block);
  }
  return texture;
}

OwnedTexture flat_bc1(int width, int height, uint16_t rgb565) {
  OwnedTexture texture{{.format = TextureFormat::bc1, .width = width, .height = height}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  for (size_t at = 0; at < texture.blocks.size(); at += 8)
    store64(&texture.blocks[at], uint64_t{rgb565} << 16 | uint64_t{rgb565});
  return texture;
}

OraclePlane decode_plane(const OwnedTexture& texture, int plane_index) {
  const PlaneLayout layout = texture_layout(texture.desc).planes[static_cast<size_t>(plane_index)];
  const bool is_bc1 = texture.desc.format == TextureFormat::bc1 || texture.desc.format == TextureFormat::bc1_ycbcr;
  OraclePlane plane{layout.width, layout.height, is_bc1 ? 3 : 1, {}};
  plane.texels.resize(static_cast<size_t>(plane.width * plane.height * plane.channels));
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      const size_t number = static_cast<size_t>(y / 4 * layout.blocks_x + x / 4);
      const uint64_t block = load64(&texture.blocks[layout.offset + number * 8]);
      const Texels texels = is_bc1 ? decode_bc1(block) : decode_bc4(block);
      const auto& texel = texels[static_cast<size_t>(y % 4 * 4 + x % 4)];
      std::copy_n(texel.begin(), plane.channels,
                  &plane.texels[static_cast<size_t>((y * plane.width + x) * plane.channels)]);
    }
  }
  return plane;
}

namespace {

// `texel_at(number, t)` gives R, G, B of texel t of a block.
template <typename TexelAt>
OraclePlane decode_16_byte_blocks(const OwnedTexture& texture, TexelAt texel_at) {
  const PlaneLayout layout = texture_layout(texture.desc).planes[0];
  OraclePlane picture{layout.width, layout.height, 3, {}};
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      for (const double value :
           texel_at(static_cast<size_t>(y / 4 * layout.blocks_x + x / 4), static_cast<size_t>(y % 4 * 4 + x % 4)))
        picture.texels.push_back(std::clamp(value, 0.0, 255.0));
  return picture;
}

// Luma block, then colour block with red Co, green Cg, blue 8 (scale - 1).
OraclePlane decode_scaled_ycocg(const OwnedTexture& texture) {
  return decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    const double luma = decode_bc4(load64(&texture.blocks[16 * number]))[t][0];
    const auto color = decode_bc1(load64(&texture.blocks[16 * number + 8]))[t];
    const double scale = color[2] / 8 + 1, co = (color[0] - 128) / scale, cg = (color[1] - 128) / scale;
    return std::array{luma + co - cg, luma + cg, luma - co - cg};
  });
}

OraclePlane decode_bc3(const OwnedTexture& texture) {
  return decode_16_byte_blocks(
      texture, [&](size_t number, size_t t) { return decode_bc1(load64(&texture.blocks[16 * number + 8]), true)[t]; });
}

// Two BC4 blocks; blue is 0.
OraclePlane red_and_green(const OwnedTexture& texture) {
  return decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    return std::array{decode_bc4(load64(&texture.blocks[16 * number]))[t][0],
                      decode_bc4(load64(&texture.blocks[16 * number + 8]))[t][0], 0.0};
  });
}

// One channel of three that are the same.
OraclePlane only_channel(const OraclePlane& picture) {
  OraclePlane plane{picture.width, picture.height, 1, {}};
  for (size_t i = 0; i < picture.texels.size(); i += 3) plane.texels.push_back(picture.texels[i]);
  return plane;
}
OraclePlane as_gray(const OraclePlane& plane) {
  OraclePlane picture{plane.width, plane.height, 3, {}};
  for (const double value : plane.texels) picture.texels.insert(picture.texels.end(), 3, value);
  return picture;
}

// The first half of a bc3 block.
OraclePlane alpha_of_bc3(const OwnedTexture& texture) {
  OraclePlane alpha = decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    const double a = decode_bc4(load64(&texture.blocks[16 * number]))[t][0];
    return std::array{a, a, a};
  });
  return only_channel(alpha);
}

// Over tiles of 16 pixels, 237 and 222, the lighter one first.
OraclePlane over_tiles(OraclePlane picture, const OraclePlane& alpha) {
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      for (int c = 0; c < 3; ++c) {
        double& value = picture.texels[static_cast<size_t>(3 * (y * picture.width + x) + c)];
        value = std::lerp((x / 16 + y / 16) % 2 == 0 ? 237.0 : 222.0, value, alpha.at(x, y) / 255);
      }
  return picture;
}

// BT.709-6, items 3.2 to 3.4: R = Y' + 1.5748 Cr, B = Y' + 1.8556 Cb, G from Y' = 0.2126 R + 0.7152 G + 0.0722 B.
std::array<double, 3> rgb_of_ycbcr(const ColorSpec& color, double y, double cb, double cr) {
  const bool limited = color.range == ColorRange::limited;
  const double luma = (y - (limited ? 16 : 0)) * 255 / (limited ? 219 : 255), gain = limited ? 255.0 / 224 : 1;
  const double r = luma + 1.5748 * gain * (cr - 128), b = luma + 1.8556 * gain * (cb - 128);
  return {r, (luma - 0.2126 * r - 0.0722 * b) / 0.7152, b};
}

void put_clamped(OraclePlane& picture, const std::array<double, 3>& rgb) {
  for (const double value : rgb) picture.texels.push_back(std::clamp(value, 0.0, 255.0));
}

// Cb Y'0 Cr Y'1 of two pixels, or Y'0 Cb Y'1 Cr; chroma belongs to the first and is halfway to the next for the second.
OraclePlane decode_pairs(const OwnedTexture& texture) {
  const TextureDesc& desc = texture.desc;
  const int row_bytes = (desc.width + 1) / 2 * 4, luma = desc.format == TextureFormat::uyvy ? 1 : 0;
  OraclePlane picture{desc.width, desc.height, 3, {}};
  for (int y = 0; y < desc.height; ++y)
    for (int x = 0; x < desc.width; ++x) {
      const auto byte = [&](int at) {
        return static_cast<double>(texture.blocks[static_cast<size_t>(y * row_bytes + at)]);
      };
      const int own = x / 2 * 4, next = x % 2 == 0 || own + 4 == row_bytes ? own : own + 4, cb = 1 - luma,
                cr = 3 - luma;
      put_clamped(picture, rgb_of_ycbcr(desc.color, byte(2 * x + luma), (byte(own + cb) + byte(next + cb)) / 2,
                                        (byte(own + cr) + byte(next + cr)) / 2));
    }
  return picture;
}

OraclePlane decode_bytes(const OwnedTexture& texture, size_t pixel_bytes, const std::array<size_t, 3>& order) {
  OraclePlane picture{texture.desc.width, texture.desc.height, 3, {}};
  for (size_t at = 0; at < texture.blocks.size(); at += pixel_bytes)
    for (const size_t channel : order) picture.texels.push_back(static_cast<double>(texture.blocks[at + channel]));
  return picture;
}

OraclePlane as_rgb(const OraclePlane& ycbcr, const ColorSpec& color) {
  OraclePlane picture{ycbcr.width, ycbcr.height, 3, {}};
  for (size_t i = 0; i < ycbcr.texels.size(); i += 3)
    put_clamped(picture, rgb_of_ycbcr(color, ycbcr.texels[i], ycbcr.texels[i + 1], ycbcr.texels[i + 2]));
  return picture;
}

}  // namespace

OraclePlane decode_picture(const OwnedTexture& texture) {
  switch (texture.desc.format) {
    case TextureFormat::bc1: return decode_plane(texture, 0);
    case TextureFormat::bc3: return over_tiles(decode_bc3(texture), alpha_of_bc3(texture));
    case TextureFormat::bc4: return as_gray(decode_plane(texture, 0));
    case TextureFormat::bc5: return red_and_green(texture);
    case TextureFormat::ycocg_dxt5: return decode_scaled_ycocg(texture);
    case TextureFormat::ycocg_dxt5_alpha: return over_tiles(decode_scaled_ycocg(texture), decode_plane(texture, 1));
    case TextureFormat::bc1_ycbcr: return as_rgb(decode_plane(texture, 0), texture.desc.color);
    case TextureFormat::uyvy:
    case TextureFormat::yuyv: return decode_pairs(texture);
    case TextureFormat::rgba8: return decode_bytes(texture, 4, {0, 1, 2});
    case TextureFormat::rgb8: return decode_bytes(texture, 3, {0, 1, 2});
    case TextureFormat::bgr8: return decode_bytes(texture, 3, {2, 1, 0});
    default: break;
  }
  const OraclePlane luma = decode_plane(texture, 0);
  const OraclePlane orange = decode_plane(texture, 1);
  const OraclePlane green = decode_plane(texture, 2);
  const bool half_width = texture.desc.format != TextureFormat::ycocg_bc4_444;
  const bool half_height = texture.desc.format == TextureFormat::ycocg_bc4_420;
  OraclePlane picture{luma.width, luma.height, 3, {}};
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const double chroma_x = (x + 0.5) * (half_width ? 0.5 : 1);
      const double chroma_y = (y + 0.5) * (half_height ? 0.5 : 1);
      const double co = sample(orange, chroma_x, chroma_y) - 128;
      const double cg = sample(green, chroma_x, chroma_y) - 128;
      for (const double value : {luma.at(x, y) + co - cg, luma.at(x, y) + cg, luma.at(x, y) - co - cg})
        picture.texels.push_back(std::clamp(value, 0.0, 255.0));
    }
  }
  return picture;
}

Difference compare(const ShownPicture& shown, const OraclePlane& want) {
  Difference difference;
  difference.channels = want.texels.size();
  if (shown.width != want.width || shown.height != want.height || shown.pixels.size() != want.texels.size()) {
    difference.largest = 1e9;
    return difference;
  }
  for (size_t i = 0; i < want.texels.size(); ++i) {
    const double off = std::abs(shown.pixels[i] - want.texels[i]);
    if (shown.pixels[i] == std::lround(want.texels[i])) ++difference.exact;
    difference.mean += off / static_cast<double>(want.texels.size());
    if (off <= difference.largest) continue;
    difference.largest = off;
    difference.x = static_cast<int>(i / 3) % want.width;
    difference.y = static_cast<int>(i / 3) / want.width;
  }
  return difference;
}

Tolerance tolerance(TextureFormat format, const std::string& renderer) {
  const bool is_llvmpipe = renderer.find("llvmpipe") != std::string::npos;
  if (!is_compressed(format)) return {is_ycbcr(format) ? 0.6 : 0.0, 0.3};
  if (format == TextureFormat::bc1_ycbcr) return is_llvmpipe ? Tolerance{5, 1} : Tolerance{18, 2};  // 3.28 times BC1's
  if (format == TextureFormat::ycocg_dxt5 || format == TextureFormat::ycocg_dxt5_alpha)
    return is_llvmpipe ? Tolerance{4.5, 1} : Tolerance{18, 2.5};
  if (format == TextureFormat::bc4 || format == TextureFormat::bc5)
    return is_llvmpipe ? Tolerance{2, 0.5} : Tolerance{7, 1};
  if (format == TextureFormat::bc3) return is_llvmpipe ? Tolerance{3, 1} : Tolerance{8, 1.5};
  if (is_planar_ycocg(format)) return is_llvmpipe ? Tolerance{4, 1} : Tolerance{16, 2};
  return is_llvmpipe ? Tolerance{1.5, 0.5} : Tolerance{5.5, 1};
}

}  // namespace texcast::player
