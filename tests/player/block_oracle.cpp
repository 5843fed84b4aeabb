#include "block_oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "kernels/bc7_tables.h"
#include "ref/astc.h"

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

// c0, c1: 565 little-endian, red in the upper bits; 16 indices of two bits, the first texel lowest. c0 > c1: the
// colours at thirds between them; else the middle colour, and black.
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

// Likewise with codes of -127..127 (-128 is -127), and -1 and 1 as the extremes; -1..1 is shown as 0..255.
Texels decode_signed_bc4(uint64_t block) {
  const auto byte = [&](int at) { return static_cast<int8_t>(block >> at & 0xFF); };
  const double r0 = std::max<double>(byte(0), -127), r1 = std::max<double>(byte(8), -127);
  Texels texels;
  for (size_t t = 0; t < 16; ++t) {
    const int index = static_cast<int>(block >> (16 + 3 * t) & 7);
    double value = index == 0 ? r0 : r1;
    if (index >= 2 && byte(0) > byte(8)) value = (r0 * (8 - index) + r1 * (index - 1)) / 7;
    if (index >= 2 && byte(0) <= byte(8))
      value = index == 6 ? -127 : index == 7 ? 127 : (r0 * (6 - index) + r1 * (index - 1)) / 5;
    texels[t] = {(value / 127 + 1) / 2 * 255, 0, 0};
  }
  return texels;
}

// Khronos Data Format 1.3, "ETC2 R11": table 112 of modifiers; bytes are big-endian, indices run down the columns.
Texels decode_eac(uint64_t little_endian, bool is_signed) {
  constexpr int kModifiers[16][8] = {
      {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
      {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
      {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
      {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
      {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
      {-3, -5, -7, -9, 2, 4, 6, 8}};
  uint64_t block = 0;
  for (int i = 0; i < 8; ++i) block = block << 8 | (little_endian >> (8 * i) & 0xFF);
  const auto base = static_cast<uint8_t>(block >> 56);
  const int multiplier = static_cast<int>(block >> 52 & 15), table = static_cast<int>(block >> 48 & 15);
  Texels texels;
  for (size_t x = 0; x < 4; ++x)
    for (size_t y = 0; y < 4; ++y) {
      const int modifier = kModifiers[table][block >> (45 - 3 * (4 * x + y)) & 7];
      const int step = multiplier == 0 ? modifier : modifier * multiplier * 8;
      double value = 0;
      if (is_signed)
        value = (std::clamp(std::max<int>(static_cast<int8_t>(base), -127) * 8 + step, -1023, 1023) / 1023.0 + 1) / 2;
      else
        value = std::clamp(base * 8 + 4 + step, 0, 2047) / 2047.0;
      texels[4 * y + x] = {255 * value, 0, 0};
    }
  return texels;
}

// 128 bits, whose fields are read from the lowest on.
struct Bits {
  uint64_t low, high;
  uint32_t take(int count) {
    const auto value = static_cast<uint32_t>(low & ((uint64_t{1} << count) - 1));
    for (int i = 0; i < count; ++i) {
      low = low >> 1 | high << 63;
      high >>= 1;
    }
    return value;
  }
};

using Rgba = std::array<double, 4>;

// By the table of modes in the Khronos Data Format, whose columns are Row's members, and its text about the fields.
std::array<Rgba, 16> decode_bc7(uint64_t first_half, uint64_t second_half) {
  struct Row {
    uint32_t ns, pb, rb, isb, cb, ab, epb_spb, ib, ib2;
  };
#define BC7_ROW(...) Row{__VA_ARGS__},
  static constexpr std::array<Row, 8> kRows = {BC7_FOR_EACH_MODE(BC7_ROW)};
#undef BC7_ROW
  static constexpr std::array<uint32_t, 64> kTwo = {BC7_PARTITIONS_OF_2}, kThree = {BC7_PARTITIONS_OF_3},
                                            kAnchor = {BC7_ANCHORS_OF_2}, kAnchor2 = {BC7_ANCHORS_2_OF_3},
                                            kAnchor3 = {BC7_ANCHORS_3_OF_3};
  std::array<Rgba, 16> texels{};
  if ((first_half & 0xFF) == 0) return texels;
  Bits bits{first_half, second_half};
  const auto mode = static_cast<size_t>(std::countr_zero(first_half));
  bits.take(static_cast<int>(mode) + 1);
  const Row& row = kRows[mode];
  const auto take = [&](uint32_t count) { return bits.take(static_cast<int>(count)); };
  const uint32_t partition = take(row.pb), rotation = take(row.rb), selector = take(row.isb);
  std::array<std::array<uint32_t, 4>, 6> ends{};
  for (size_t c = 0; c < 3; ++c)
    for (size_t e = 0; e < 2 * row.ns; ++e) ends[e][c] = take(row.cb);
  for (size_t e = 0; e < 2 * row.ns; ++e) ends[e][3] = take(row.ab);
  uint32_t color_bits = row.cb, alpha_bits = row.ab;
  if (row.epb_spb != 0) {
    std::array<uint32_t, 6> p{};
    if (row.epb_spb == 1)
      for (size_t e = 0; e < 2 * row.ns; ++e) p[e] = take(1);
    else
      for (size_t s = 0; s < row.ns; ++s) p[2 * s] = p[2 * s + 1] = take(1);
    for (size_t e = 0; e < 2 * row.ns; ++e)
      for (uint32_t& channel : ends[e]) channel = 2 * channel + p[e];
    ++color_bits;
    if (alpha_bits != 0) ++alpha_bits;
  }
  for (auto& end : ends) {
    for (size_t c = 0; c < 3; ++c) end[c] = end[c] << (8 - color_bits) | end[c] << (8 - color_bits) >> color_bits;
    end[3] = alpha_bits == 0 ? 255 : end[3] << (8 - alpha_bits) | end[3] << (8 - alpha_bits) >> alpha_bits;
  }
  const auto subset = [&](size_t t) -> size_t {
    if (row.ns == 1) return 0;
    return row.ns == 2 ? kTwo[partition] >> t & 1 : kThree[partition] >> 2 * t & 3;
  };
  const auto is_anchor = [&](size_t t) {
    return t == 0 || (row.ns == 2 && t == kAnchor[partition]) ||
           (row.ns == 3 && (t == kAnchor2[partition] || t == kAnchor3[partition]));
  };
  std::array<std::array<uint32_t, 2>, 16> weights{};
  for (const size_t set : {size_t{0}, size_t{1}}) {
    const uint32_t count = set == 0 ? row.ib : row.ib2;
    for (size_t t = 0; t < 16 && count != 0; ++t) {
      const uint32_t index = take(count - (is_anchor(t) ? 1 : 0));
      static constexpr std::array<uint32_t, 4> kOf2 = {0, 21, 43, 64};
      static constexpr std::array<uint32_t, 8> kOf3 = {0, 9, 18, 27, 37, 46, 55, 64};
      static constexpr std::array<uint32_t, 16> kOf4 = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
      weights[t][set] = count == 2 ? kOf2[index] : count == 3 ? kOf3[index] : kOf4[index];
    }
    if (row.ib2 == 0)
      for (auto& both : weights) both[1] = both[0];
  }
  for (size_t t = 0; t < 16; ++t) {
    const auto &e0 = ends[2 * subset(t)], &e1 = ends[2 * subset(t) + 1];
    for (size_t c = 0; c < 4; ++c) {
      const uint32_t w = weights[t][(c == 3) != (selector == 1) && row.ib2 != 0 ? 1 : 0];
      texels[t][c] = (e0[c] * (64 - w) + e1[c] * w + 32) / 64;
    }
    if (rotation != 0) std::swap(texels[t][3], texels[t][rotation - 1]);
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
  if (format == TextureFormat::bc6h || format == TextureFormat::bc6h_signed)
    texture.desc.color.transfer = seed % 2 == 0 ? kLinearTransfer : uint8_t{1};
  if (!is_compressed(format)) {
    for (std::byte& byte : texture.blocks) byte = static_cast<std::byte>(random());
    return texture;
  }
  for (size_t at = 0; at < texture.blocks.size(); at += 8) {
    uint64_t block = random();
    const bool has_scale = format == TextureFormat::ycocg_dxt5 || format == TextureFormat::ycocg_dxt5_alpha;
    const bool is_scaled_chroma = has_scale && at % 16 == 8 && at < texture_layout(texture.desc).planes[0].bytes;
    if (is_scaled_chroma) {  // one scale of 1, 2 or 4 in both end points, four colours
      const uint64_t scale_code = std::array{0, 1, 3}[random() % 3];
      block = (block & ~uint64_t{0x001F001F}) | scale_code << 16 | scale_code;
      const uint64_t a = block & 0xFFFF, b = block >> 16 & 0xFFFF;
      block = (block >> 32 << 32) | std::min(a, b) << 16 | std::max(a, b);
      if (a == b) block &= 0xFFFFFFFF;
    }
    // Codes -127 and -128 are the same value. NVIDIA's texture units compare the values, llvmpipe's the codes, so that
    // the block has six values or eight.
    const bool is_signed_bc4 = format == TextureFormat::bc4_signed || format == TextureFormat::bc5_signed;
    if (is_signed_bc4 && (block & 0xFFFF) == 0x8081) block ^= 0x0100;
    // In void-extent blocks Mesa accepts any extents and reserved bits, the standard does not.
    if (is_astc(plane_coding(format, 0).id) && at % 16 == 0 && (block & 0x1FF) == 0x1FC) block ^= 4;
    if (format == TextureFormat::bc7 && at % 16 == 0) {  // each mode and the reserved one with the same frequency
      const uint64_t mode = random() % 9;
      block = mode == 8 ? block & ~uint64_t{0xFF} : (block >> (mode + 1) << 1 | 1) << mode;
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

// `texel_at(number, t)` returns R, G, B of texel t of a block.
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

// Two blocks of one channel each; blue is 0.
template <typename Decode>
OraclePlane red_and_green(const OwnedTexture& texture, Decode decode) {
  return decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    return std::array{decode(load64(&texture.blocks[16 * number]))[t][0],
                      decode(load64(&texture.blocks[16 * number + 8]))[t][0], 0.0};
  });
}

// A block of one channel, shown as gray.
template <typename Decode>
OraclePlane gray_of(const OwnedTexture& texture, Decode decode) {
  const PlaneLayout layout = texture_layout(texture.desc).planes[0];
  OraclePlane picture{layout.width, layout.height, 3, {}};
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const auto number = static_cast<size_t>(y / 4 * layout.blocks_x + x / 4);
      const double value = decode(load64(&texture.blocks[8 * number]))[static_cast<size_t>(y % 4 * 4 + x % 4)][0];
      picture.texels.insert(picture.texels.end(), 3, value);
    }
  return picture;
}

Texels decode_unsigned_eac(uint64_t block) { return decode_eac(block, false); }
Texels decode_signed_eac(uint64_t block) { return decode_eac(block, true); }

// ETC2 by its table of modes. Each field is a list of the bits that it consists of, upper bit first, as the
// specification's figures number them. R G B, and alpha if the block has it.
using Texel4 = std::array<double, 4>;

struct EtcBlock {
  uint64_t bits;  // big-endian
  int at(std::initializer_list<int> numbers) const {
    int value = 0;
    for (const int number : numbers) value = 2 * value + static_cast<int>(bits >> number & 1);
    return value;
  }
  int index(int x, int y) const { return at({16 + 4 * x + y, 4 * x + y}); }
};

constexpr double kLittle[] = {2, 5, 9, 13, 18, 24, 33, 47}, kMuch[] = {8, 17, 29, 42, 60, 80, 106, 183},
                 kApart[] = {3, 6, 11, 16, 23, 32, 41, 64};

// `bits` bits of `value` as a byte, by repeating the upper ones below.
double widened(int value, int bits) {
  int whole = 0;
  for (int filled = 8 - bits; filled > -bits; filled -= bits) whole |= filled >= 0 ? value << filled : value >> -filled;
  return whole;
}

Texel4 shifted(const std::array<int, 3>& color, int bits, double by) {
  Texel4 texel{0, 0, 0, 255};
  for (size_t c = 0; c < 3; ++c) texel[c] = std::clamp(widened(color[c], bits) + by, 0.0, 255.0);
  return texel;
}

Texel4 etc_half_texel(const EtcBlock& b, std::array<int, 3> color, int bits, bool second, int index, bool has_hole) {
  const int table = second ? b.at({36, 35, 34}) : b.at({39, 38, 37});
  if (has_hole && index == 2) return {};
  const double less = has_hole ? 0 : kLittle[table];
  return shifted(color, bits, std::array{less, kMuch[table], -less, -kMuch[table]}[static_cast<size_t>(index)]);
}

Texel4 etc_texel(const EtcBlock& b, int x, int y, bool has_alpha) {
  const int index = b.index(x, y);
  const bool second = (b.at({32}) != 0 ? y : x) >= 2, has_hole = has_alpha && b.at({33}) == 0;
  if (!has_alpha && b.at({33}) == 0) {
    if (second)
      return etc_half_texel(b, {b.at({59, 58, 57, 56}), b.at({51, 50, 49, 48}), b.at({43, 42, 41, 40})}, 4, true, index,
                            false);
    return etc_half_texel(b, {b.at({63, 62, 61, 60}), b.at({55, 54, 53, 52}), b.at({47, 46, 45, 44})}, 4, false, index,
                          false);
  }
  std::array<int, 3> first{}, sum{};
  for (int c = 0; c < 3; ++c) {
    const int t = 63 - 8 * c;
    first[static_cast<size_t>(c)] = b.at({t, t - 1, t - 2, t - 3, t - 4});
    sum[static_cast<size_t>(c)] = first[static_cast<size_t>(c)] + b.at({t - 6, t - 7}) - 4 * b.at({t - 5});
  }
  const auto overflows = [&](size_t c) { return sum[c] < 0 || sum[c] > 31; };
  if (overflows(0)) {  // T
    const std::array<int, 3> one = {b.at({60, 59, 57, 56}), b.at({55, 54, 53, 52}), b.at({51, 50, 49, 48})};
    const std::array<int, 3> line = {b.at({47, 46, 45, 44}), b.at({43, 42, 41, 40}), b.at({39, 38, 37, 36})};
    if (has_hole && index == 2) return {};
    if (index == 0) return shifted(one, 4, 0);
    return shifted(line, 4, (2 - index) * kApart[b.at({35, 34, 32})]);
  }
  if (overflows(1)) {  // H
    const std::array<int, 3> one = {b.at({62, 61, 60, 59}), b.at({58, 57, 56, 52}), b.at({51, 49, 48, 47})};
    const std::array<int, 3> other = {b.at({46, 45, 44, 43}), b.at({42, 41, 40, 39}), b.at({38, 37, 36, 35})};
    if (has_hole && index == 2) return {};
    const double apart = kApart[2 * b.at({34, 32}) + (one >= other ? 1 : 0)];
    return shifted(index < 2 ? one : other, 4, index % 2 == 0 ? apart : -apart);
  }
  if (overflows(2)) {  // planar
    const std::array origin = {widened(b.at({62, 61, 60, 59, 58, 57}), 6),
                               widened(b.at({56, 54, 53, 52, 51, 50, 49}), 7),
                               widened(b.at({48, 44, 43, 41, 40, 39}), 6)};
    const std::array right = {widened(b.at({38, 37, 36, 35, 34, 32}), 6),
                              widened(b.at({31, 30, 29, 28, 27, 26, 25}), 7),
                              widened(b.at({24, 23, 22, 21, 20, 19}), 6)};
    const std::array below = {widened(b.at({18, 17, 16, 15, 14, 13}), 6), widened(b.at({12, 11, 10, 9, 8, 7, 6}), 7),
                              widened(b.at({5, 4, 3, 2, 1, 0}), 6)};
    Texel4 texel{0, 0, 0, 255};
    for (size_t c = 0; c < 3; ++c)
      texel[c] = std::clamp(std::floor((x * right[c] + y * below[c] + (4 - x - y) * origin[c] + 2) / 4), 0.0, 255.0);
    return texel;
  }
  return etc_half_texel(b, second ? sum : first, 5, second, index, has_hole);
}

// Base, multiplier, table, then indices of three bits, the first in the upper bits.
double eac_texel(const EtcBlock& b, int x, int y) {
  constexpr double kSteps[16][4] = {{3, 6, 9, 15}, {3, 7, 10, 13}, {2, 5, 8, 13}, {2, 4, 6, 13},
                                    {3, 6, 8, 12}, {3, 7, 9, 11},  {4, 7, 8, 11}, {3, 5, 8, 11},
                                    {2, 6, 8, 10}, {2, 5, 8, 10},  {2, 4, 8, 10}, {2, 5, 7, 10},
                                    {3, 4, 7, 10}, {1, 2, 3, 10},  {4, 6, 8, 9},  {3, 5, 7, 9}};
  const int lowest = 45 - 3 * (4 * x + y), index = b.at({lowest + 2, lowest + 1, lowest});
  const double step = kSteps[b.at({51, 50, 49, 48})][index % 4], base = b.at({63, 62, 61, 60, 59, 58, 57, 56});
  return std::clamp(base + b.at({55, 54, 53, 52}) * (index < 4 ? -step : step - 1), 0.0, 255.0);
}

// R G B, and alpha as a separate plane.
OraclePlane decode_etc(const OwnedTexture& texture, OraclePlane* alpha = nullptr) {
  const PlaneLayout layout = texture_layout(texture.desc).planes[0];
  const bool is_a1 = texture.desc.format == TextureFormat::etc2_a1;
  const bool has_eac = texture.desc.format == TextureFormat::etc2_alpha;
  const auto big_endian = [&](size_t at) { return EtcBlock{__builtin_bswap64(load64(&texture.blocks[at]))}; };
  OraclePlane picture{layout.width, layout.height, 3, {}};
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const auto at = static_cast<size_t>(y / 4 * layout.blocks_x + x / 4) * static_cast<size_t>(layout.block_bytes);
      const Texel4 texel = etc_texel(big_endian(has_eac ? at + 8 : at), x % 4, y % 4, is_a1);
      picture.texels.insert(picture.texels.end(), texel.begin(), texel.begin() + 3);
      if (alpha != nullptr) alpha->texels.push_back(has_eac ? eac_texel(big_endian(at), x % 4, y % 4) : texel[3]);
    }
  if (alpha != nullptr) alpha->width = picture.width, alpha->height = picture.height;
  return picture;
}

std::array<Rgba, 16> bc7_block(const OwnedTexture& texture, size_t number) {
  return decode_bc7(load64(&texture.blocks[16 * number]), load64(&texture.blocks[16 * number + 8]));
}
OraclePlane color_of_bc7(const OwnedTexture& texture) {
  return decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    const Rgba texel = bc7_block(texture, number)[t];
    return std::array{texel[0], texel[1], texel[2]};
  });
}

// BC6H by the tables of its specification, transcribed independently of codec/ref: the fields of a mode in the order of
// their bits. "gy4" is a bit, "rw9:0" are bits from the lowest on, "rw10:15" in reverse.
struct HdrMode {
  uint64_t value;
  int bits;  // of the mode
  int precision, red, green, blue;
  const char* fields;
};
constexpr HdrMode kHdrModes[] = {
    {0, 2, 10, 5, 5, 5,
     "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {1, 2, 7, 6, 6, 6,
     "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 "
     "rz5:0"},
    {2, 5, 11, 5, 4, 4,
     "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {6, 5, 11, 4, 5, 4,
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3"},
    {10, 5, 11, 4, 4, 5,
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3"},
    {14, 5, 9, 5, 5, 5,
     "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {18, 5, 8, 6, 5, 5,
     "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0"},
    {22, 5, 8, 5, 6, 5,
     "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {26, 5, 8, 5, 5, 6,
     "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {30, 5, 6, 6, 6, 6,
     "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 "
     "rz5:0"},
    {3, 5, 10, 10, 10, 10, "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"},
    {7, 5, 11, 9, 9, 9, "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"},
    {11, 5, 12, 8, 8, 8, "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"},
    {15, 5, 16, 4, 4, 4, "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"},
};
// Rows of the 32 partitions from the top. '1': the texel is in the second region; '!' is its anchor.
constexpr const char* kHdrPartitions[32] = {
    "001100110011001!", "000100010001000!", "011101110111011!", "000100110011011!", "000000010001001!",
    "001101110111111!", "000100110111111!", "000000010011011!", "000000000001001!", "001101111111111!",
    "000000010111111!", "000000000001011!", "000101111111111!", "000000001111111!", "000011111111111!",
    "000000000000111!", "000010001110111!", "01!1000100000000", "00000000!0001110", "01!1001100010000",
    "00!1000100000000", "00001000!1001110", "00000000!0001100", "011100110011000!", "00!1000100010000",
    "00001000!0001100", "01!0011001100110", "00!1011001101100", "00010111!1101000", "00001111!1110000",
    "01!1000110001110", "00!1100110011100"};

Texels decode_bc6h(const std::byte* bytes, bool is_signed) {
  size_t at = 0;
  const auto take = [&](int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i, ++at) value |= (std::to_integer<uint64_t>(bytes[at / 8]) >> (at % 8) & 1) << i;
    return value;
  };
  uint64_t value = take(2);
  if (value > 1) value |= take(3) << 2;
  const auto mode = std::ranges::find(kHdrModes, value, &HdrMode::value);
  if (mode == std::end(kHdrModes)) return {};
  int64_t ends[4][3] = {};
  for (const char* f = mode->fields; *f != 0; f += *f == ' ' ? 1 : 0) {
    const std::string_view channels = "rgb", points = "wxyz";
    int64_t& number = ends[points.find(f[1])][channels.find(f[0])];
    char* end = nullptr;
    const long first = std::strtol(f + 2, &end, 10);
    const long last = *end == ':' ? std::strtol(end + 1, &end, 10) : first;
    if (first >= last)
      number |= static_cast<int64_t>(take(static_cast<int>(first - last + 1))) << last;
    else
      for (long bit = last; bit >= first; --bit) number |= static_cast<int64_t>(take(1)) << bit;
    f = end;
  }
  const bool is_split = mode->bits == 2 || (value & 3) == 2;
  const char* const regions = is_split ? kHdrPartitions[take(5)] : "0000000000000000";
  const int widths[3] = {mode->red, mode->green, mode->blue};
  const bool is_transformed = value != 3 && value != 30;
  const auto extended = [](int64_t v, int bits) { return (v >> (bits - 1) & 1) != 0 ? v - (int64_t{1} << bits) : v; };
  double reached[4][3];
  for (size_t c = 0; c < 3; ++c)
    for (size_t e = 0; e < 4; ++e) {
      int64_t v = ends[e][c];
      if (e > 0 && is_transformed) v = (ends[0][c] + extended(v, widths[c])) & ((int64_t{1} << mode->precision) - 1);
      if (is_signed) v = extended(v, mode->precision);
      const int p = mode->precision;
      if (is_signed) {
        const double size = static_cast<double>(std::abs(v)), top = std::ldexp(1.0, p - 1) - 1;
        const double u = p == 16 ? size : size == 0 ? 0 : size >= top ? 32767 : (size + 0.5) * std::ldexp(1.0, 16 - p);
        reached[e][c] = v < 0 ? -u : u;
      } else {
        const auto number = static_cast<double>(v);
        reached[e][c] = p == 16                            ? number
                        : number == 0                      ? 0
                        : number == std::ldexp(1.0, p) - 1 ? 65535
                                                           : (number + 0.5) * std::ldexp(1.0, 16 - p);
      }
    }
  Texels texels{};
  for (size_t t = 0; t < 16; ++t) {
    const bool second = regions[t] != '0';
    const int bits = (is_split ? 3 : 4) - (t == 0 || regions[t] == '!' ? 1 : 0);
    const double weight = std::floor((64.0 * static_cast<double>(take(bits))) / (is_split ? 7 : 15) + 0.5);
    for (size_t c = 0; c < 3; ++c) {
      const double from = reached[second ? 2 : 0][c], to = reached[second ? 3 : 1][c];
      const double mixed = std::floor(((64 - weight) * from + weight * to + 32) / 64);
      const double number = std::floor(std::abs(mixed) * 31 / (is_signed ? 32 : 64));  // as a half float
      const double fraction = std::fmod(number, 1024), exponent = std::floor(number / 1024);
      const double size =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
      texels[t][c] = mixed < 0 ? -size : size;
    }
  }
  return texels;
}

// As displayed: a transfer function that is not linear clamps to 0..1. Otherwise with docs/format.md's tone mapping of
// BT.709's primaries, without exposure.
OraclePlane decode_halves(const OwnedTexture& texture) {
  const bool is_signed = texture.desc.format == TextureFormat::bc6h_signed;
  const PlaneLayout layout = texture_layout(texture.desc).planes[0];
  OraclePlane picture{layout.width, layout.height, 3, {}};
  picture.texels.resize(static_cast<size_t>(3 * picture.width * picture.height));
  for (int block = 0; block < layout.blocks_x * layout.blocks_y; ++block) {
    const Texels texels = decode_bc6h(&texture.blocks[static_cast<size_t>(16 * block)], is_signed);
    for (int t = 0; t < 16; ++t) {
      const int x = 4 * (block % layout.blocks_x) + t % 4, y = 4 * (block / layout.blocks_x) + t / 4;
      if (x >= picture.width || y >= picture.height) continue;
      const auto& rgb = texels[static_cast<size_t>(t)];
      const double most = *std::ranges::max_element(rgb);
      for (size_t c = 0; c < 3; ++c) {
        double value = rgb[c];
        if (texture.desc.color.transfer == kLinearTransfer) {
          if (most > 0.75) value *= (1 - 0.0625 / (most - 0.5)) / most;
          value = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
        }
        picture.texels[static_cast<size_t>(3 * (y * picture.width + x)) + c] = 255 * std::clamp(value, 0.0, 1.0);
      }
    }
  }
  return picture;
}

// One of three equal channels.
OraclePlane only_channel(const OraclePlane& picture) {
  OraclePlane plane{picture.width, picture.height, 1, {}};
  for (size_t i = 0; i < picture.texels.size(); i += 3) plane.texels.push_back(picture.texels[i]);
  return plane;
}
// The alpha sub-blocks of bc3.
OraclePlane alpha_of_bc3(const OwnedTexture& texture) {
  OraclePlane alpha = decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    const double a = decode_bc4(load64(&texture.blocks[16 * number]))[t][0];
    return std::array{a, a, a};
  });
  return only_channel(alpha);
}

OraclePlane alpha_of_bc7(const OwnedTexture& texture) {
  return only_channel(decode_16_byte_blocks(texture, [&](size_t number, size_t t) {
    const double a = bc7_block(texture, number)[t][3];
    return std::array{a, a, a};
  }));
}

// Uses codec/ref: gl_astc_check compares that with OpenGL block by block, linear and sRGB.
OraclePlane decode_astc_blocks(const OwnedTexture& texture, OraclePlane& alpha) {
  const PlaneLayout layout = texture_layout(texture.desc).planes[0];
  const ref::AstcSize size{layout.block_width, layout.block_height};
  std::vector<ref::AstcRgba> texels(static_cast<size_t>(size.width * size.height));
  OraclePlane color{layout.width, layout.height, 3, {}};
  alpha = {layout.width, layout.height, 1, {}};
  alpha.texels.resize(static_cast<size_t>(layout.width * layout.height));
  color.texels.resize(3 * alpha.texels.size());
  for (int block = 0; block < layout.blocks_x * layout.blocks_y; ++block) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&texture.blocks[static_cast<size_t>(16 * block)]);
    ref::decode_astc(std::span<const uint8_t, 16>(bytes, 16), size, false, texels);
    for (int t = 0; t < size.width * size.height; ++t) {
      const int x = block % layout.blocks_x * size.width + t % size.width;
      const int y = block / layout.blocks_x * size.height + t / size.width;
      if (x >= layout.width || y >= layout.height) continue;
      const auto at = static_cast<size_t>(y * layout.width + x), from = static_cast<size_t>(t);
      for (size_t c = 0; c < 3; ++c) color.texels[3 * at + c] = texels[from][c];
      alpha.texels[at] = texels[from][3];
    }
  }
  return color;
}

// Blends over tiles of 16 pixels, 237 and 222, the lighter one first.
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

// Cb Y'0 Cr Y'1 of two pixels, or Y'0 Cb Y'1 Cr. Chroma is sited at the first pixel, and interpolated halfway to the
// next pair for the second.
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
  if (is_astc(plane_coding(texture.desc.format, 0).id)) {
    OraclePlane alpha;
    const OraclePlane color = decode_astc_blocks(texture, alpha);
    return over_tiles(color, alpha);
  }
  switch (texture.desc.format) {
    case TextureFormat::etc1:
    case TextureFormat::etc2: return decode_etc(texture);
    case TextureFormat::etc2_alpha:
    case TextureFormat::etc2_a1: {
      OraclePlane alpha;
      const OraclePlane color = decode_etc(texture, &alpha);
      return over_tiles(color, alpha);
    }
    case TextureFormat::bc1: return decode_plane(texture, 0);
    case TextureFormat::bc3: return over_tiles(decode_bc3(texture), alpha_of_bc3(texture));
    case TextureFormat::bc4: return gray_of(texture, decode_bc4);
    case TextureFormat::bc5: return red_and_green(texture, decode_bc4);
    case TextureFormat::eac_r11: return gray_of(texture, decode_unsigned_eac);
    case TextureFormat::eac_r11_signed: return gray_of(texture, decode_signed_eac);
    case TextureFormat::eac_rg11: return red_and_green(texture, decode_unsigned_eac);
    case TextureFormat::eac_rg11_signed: return red_and_green(texture, decode_signed_eac);
    case TextureFormat::bc4_signed: return gray_of(texture, decode_signed_bc4);
    case TextureFormat::bc5_signed: return red_and_green(texture, decode_signed_bc4);
    case TextureFormat::bc7: return over_tiles(color_of_bc7(texture), alpha_of_bc7(texture));
    case TextureFormat::bc6h:
    case TextureFormat::bc6h_signed: return decode_halves(texture);
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
  if (format == TextureFormat::bc6h || format == TextureFormat::bc6h_signed) return {0.6, 0.3};  // exact half floats
  if (!is_compressed(format)) return {is_ycbcr(format) ? 0.6 : 0.0, 0.3};
  // ETC's decoding is exact; only colours under alpha are rounded.
  if (format == TextureFormat::etc1 || format == TextureFormat::etc2) return {0, 0};
  if (format == TextureFormat::etc2_alpha || format == TextureFormat::etc2_a1) return {1, 0.3};
  if (format == TextureFormat::bc1_ycbcr) return is_llvmpipe ? Tolerance{5, 1} : Tolerance{18, 2};  // 3.28 times BC1's
  if (format == TextureFormat::ycocg_dxt5 || format == TextureFormat::ycocg_dxt5_alpha)
    return is_llvmpipe ? Tolerance{4.5, 1} : Tolerance{18, 2.5};
  if (plane_coding(format, 0).sample_type == SampleType::unorm16) return {0.6, 0.3};  // EAC is decoded exactly
  const bool is_signed = plane_coding(format, 0).is_signed;
  if (format == TextureFormat::bc4 || format == TextureFormat::bc5 || is_signed)
    return is_llvmpipe ? Tolerance{is_signed ? 2.5 : 2, 0.5} : Tolerance{7.5, 1};
  if (format == TextureFormat::bc3) return is_llvmpipe ? Tolerance{3, 1} : Tolerance{8, 1.5};
  if (format == TextureFormat::bc7)
    return {0.6, 0.3};  // the standard is exact to the bit; blending over the tiles rounds
  if (is_astc(plane_coding(format, 0).id))
    return {is_llvmpipe ? 0.6 : 1.6, is_llvmpipe ? 0.3 : 1};  // GPUs keep 16 bits
  if (is_planar_ycocg(format)) return is_llvmpipe ? Tolerance{4.25, 1} : Tolerance{18.5, 2};
  return is_llvmpipe ? Tolerance{1.5, 0.5} : Tolerance{5.5, 1};
}

}  // namespace texcast::player
