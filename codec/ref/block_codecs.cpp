#include "block_codecs.h"

#include <algorithm>

#include "base/ensure.h"
#include "kernels/effort.h"
#include "ref/astc.h"
#include "ref/astc_encode.h"
#include "ref/bc1.h"
#include "ref/bc3.h"
#include "ref/bc4.h"
#include "ref/bc6h.h"
#include "ref/bc7.h"
#include "ref/eac.h"
#include "ref/eac_alpha.h"
#include "ref/etc2.h"
#include "ref/ycocg_dxt5.h"
#include "ref/ycocg_planes.h"
#include "ref/ycocg_search.h"

namespace texcast::ref {
namespace {

template <typename Block>
void put(const Block& from, std::span<uint8_t> to) {
  ENSURE(from.size() == to.size());
  std::ranges::copy(from, to.begin());
}

void put_color(const RgbBlock& from, std::span<Texel> to) {
  for (size_t i = 0; i < 16; ++i) to[i] = {from.r[i], from.g[i], from.b[i], 0};
}

void put_channel(const ChannelBlock& from, std::span<Texel> to, size_t channel = 0) {
  for (size_t i = 0; i < 16; ++i) to[i][channel] = from[i];
}

void encode_bc1(const BlockTask& task, std::span<uint8_t> block) {
  const RgbBlock texels = task.frame.block(task.x, task.y);
  switch (task.method) {
    case Method::range: return put(encode_bc1_range(texels), block);
    case Method::lspiro1: return put(encode_bc1_lspiro1(texels), block);
    case Method::lspiro2: return put(encode_bc1_lspiro2(texels, task.options.passes_or_usual()), block);
    case Method::lspiro3:
      return put(encode_bc1_lspiro3(texels, task.options.passes_or_usual(), task.options.radius_or_usual()), block);
    case Method::refine_once: return put(encode_bc1_refined_once(texels), block);
    case Method::refine: return put(encode_bc1_refined(texels), block);
    case Method::cluster: return put(encode_bc1_cluster(texels), block);
    case Method::cluster_search: return put(encode_bc1_cluster_search(texels, task.options.allow_black), block);
  }
  ENSURE(false);
}

void decode_bc1_block(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) {
  put_color(decode_bc1(block.first<8>(), rules.expansion), texels);
}

void encode_bc3_block(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc3(task.frame.block(task.x, task.y), task.frame.alpha_block(task.x, task.y), task.method), block);
}

void decode_bc3_block(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) {
  put_color(decode_bc3_color(block.last<8>(), rules.expansion), texels);
  put_channel(decode_bc4(block.first<8>(), rules.expansion), texels, 3);
}

void encode_alpha(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc4_channel(task.frame.alpha_block(task.x, task.y), task.method), block);
}

void encode_alpha_or_luma(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc4_channel(task.frame.alpha_or_luma_block(task.x, task.y), task.method), block);
}

void decode_bc4_block(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) {
  put_channel(decode_bc4(block.first<8>(), rules.expansion), texels);
}

void encode_red_green(const BlockTask& task, std::span<uint8_t> block) {
  const RgbBlock texels = task.frame.block(task.x, task.y);
  put(encode_bc4_channel(texels.r, task.method), block.first(8));
  put(encode_bc4_channel(texels.g, task.method), block.last(8));
}

void decode_red_green(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) {
  put_channel(decode_bc4(block.first<8>(), rules.expansion), texels, 0);
  put_channel(decode_bc4(block.last<8>(), rules.expansion), texels, 1);
}

void encode_signed_alpha_or_luma(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc4_signed(task.frame.alpha_or_luma_block(task.x, task.y), task.method), block);
}

void decode_signed_bc4_block(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  put_channel(decode_bc4_signed(block.first<8>()), texels);
}

void encode_signed_red_green(const BlockTask& task, std::span<uint8_t> block) {
  const RgbBlock texels = task.frame.block(task.x, task.y);
  put(encode_bc4_signed(texels.r, task.method), block.first(8));
  put(encode_bc4_signed(texels.g, task.method), block.last(8));
}

void decode_signed_red_green(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  put_channel(decode_bc4_signed(block.first<8>()), texels, 0);
  put_channel(decode_bc4_signed(block.last<8>()), texels, 1);
}

template <EacRange kRange>
void encode_eac_channel(const BlockTask& task, std::span<uint8_t> block) {
  ChannelBlock texels{};
  for (int i = 0; i < 16; ++i)
    texels[static_cast<size_t>(i)] =
        eac_value(task.frame.fine_alpha_or_luma(4 * task.x + i % 4, 4 * task.y + i / 4), kRange);
  put(encode_eac(texels, kRange, task.method), block);
}

template <EacRange kRange>
void encode_eac_red_green(const BlockTask& task, std::span<uint8_t> block) {
  const RgbBlock texels = task.frame.block(task.x, task.y);
  const auto encode_half = [&](const ChannelBlock& bytes, std::span<uint8_t> half) {
    ChannelBlock values{};
    for (size_t i = 0; i < 16; ++i) values[i] = eac_value(kByteStep * bytes[i], kRange);
    put(encode_eac(values, kRange, task.method), half);
  };
  encode_half(texels.r, block.first(8));
  encode_half(texels.g, block.last(8));
}

template <EacRange kRange>
void decode_eac_channels(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  for (size_t channel = 0; 8 * channel < block.size(); ++channel) {
    const ChannelBlock values = decode_eac(block.subspan(8 * channel).first<8>(), kRange);
    for (size_t i = 0; i < 16; ++i) texels[i][channel] = eac_unorm16(values[i], kRange);
  }
}

void encode_scaled_ycocg(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_ycocg_dxt5(task.frame.block(task.x, task.y), task.method), block);
}

void decode_scaled_ycocg(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) {
  put_color(decode_ycocg_dxt5(block.first<16>(), rules.expansion), texels);
}

void encode_etc1_block(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_etc1(task.frame.block(task.x, task.y), task.method), block);
}

void encode_etc2_block(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_etc2(task.frame.block(task.x, task.y), task.method), block);
}

void decode_etc2_block(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  put_color(decode_etc2(block.first<8>()), texels);
}

// Alpha, then colour.
void encode_etc2_alpha(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_eac_alpha(task.frame.alpha_block(task.x, task.y), task.method), block.first(8));
  encode_etc2_block(task, block.last(8));
}

void decode_etc2_alpha(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  put_color(decode_etc2(block.last<8>()), texels);
  put_channel(decode_eac_alpha(block.first<8>()), texels, 3);
}

void decode_etc2_a1_block(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  const PunchThroughBlock decoded = decode_etc2_a1(block.first<8>());
  put_color(decoded.color, texels);
  put_channel(decoded.alpha, texels, 3);
}

void encode_bc7_block(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc7({task.frame.block(task.x, task.y), task.frame.alpha_block(task.x, task.y)}, task.method), block);
}

void decode_bc7_block(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  const Bc7Texels decoded = decode_bc7(block.first<16>());
  put_color(decoded.color, texels);
  put_channel(decoded.alpha, texels, 3);
}

template <bool kSigned>
void encode_halves(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc6h(task.frame.half_block(task.x, task.y), kSigned, task.method), block);
}

template <bool kSigned>
void decode_halves(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  const HalfBlock halves = decode_bc6h(block.first<16>(), kSigned);
  for (size_t i = 0; i < 16; ++i)
    for (size_t c = 0; c < 3; ++c) texels[i][c] = halves[i][c] < 0 ? 0x8000 | -halves[i][c] : halves[i][c];
}

template <int kSide>
void encode_astc_block(const BlockTask& task, std::span<uint8_t> block) {
  std::array<AstcRgba, size_t{kSide} * kSide> texels{};
  std::array<uint8_t, 3 * texels.size()> bytes{};
  task.frame.texels(kSide * task.x, kSide * task.y, kSide, kSide, bytes.data());
  for (size_t i = 0; i < texels.size(); ++i) {
    const int x = kSide * task.x + static_cast<int>(i) % kSide, y = kSide * task.y + static_cast<int>(i) / kSide;
    texels[i] = {bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2], task.frame.alpha(x, y)};
  }
  put(encode_astc(texels, kSide, task.method), block);
}

template <int kWidth, int kHeight>
void decode_astc_block(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) {
  decode_astc(block.first<16>(), {kWidth, kHeight}, rules.is_srgb, texels);
}

// A plane of Y, Co or Cg. A texel of the plane covers `across` x `down` of the picture: chroma is their mean.
enum class YcocgPlane { y, co, cg };
YcocgArea area_of(const BlockTask& task, int across, int down, int x, int y) {
  YcocgArea area{.across = across, .down = down};
  std::array<uint8_t, 192> bytes{};
  task.frame.texels(4 * across * x, 4 * down * y, 4 * across, 4 * down, bytes.data());
  for (size_t i = 0; i < static_cast<size_t>(16 * across * down); ++i)
    area.texels[i] = {bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]};
  return area;
}

// By the search, over the texels under one chroma block.
template <YcocgPlane kPlane>
Bc4Block search_ycocg_plane(const BlockTask& task) {
  if constexpr (kPlane == YcocgPlane::y) {
    const int across = task.chroma.across, down = task.chroma.down, x = task.x / across, y = task.y / down;
    ChromaArea& last = *task.last_area;
    if (last.x != x || last.y != y) {
      last = {x, y, area_of(task, across, down, x, y), {}};
      last.chroma = ycocg_chroma(last.area, task.method);
    }
    return encode_ycocg_y(last.area, last.chroma, task.x % across, task.y % down, task.method);
  } else {
    const YcocgArea area = area_of(task, task.plane.across, task.plane.down, task.x, task.y);
    return kPlane == YcocgPlane::co ? encode_ycocg_co(area, task.method) : encode_ycocg_cg(area, task.method);
  }
}

template <YcocgPlane kPlane>
void encode_ycocg_plane(const BlockTask& task, std::span<uint8_t> block) {
  if (task.method == Method::cluster || task.method == Method::cluster_search)
    return put(search_ycocg_plane<kPlane>(task), block);
  const int across = task.plane.across, down = task.plane.down, count = across * down;
  ChannelBlock texels{};
  for (int i = 0; i < 16; ++i) {
    const int x = (4 * task.x + i % 4) * across, y = (4 * task.y + i / 4) * down;
    int r = 0, g = 0, b = 0;
    for (int dy = 0; dy < down; ++dy)
      for (int dx = 0; dx < across; ++dx) {
        const auto rgb = task.frame.rgb(x + dx, y + dy);
        r += rgb[0];
        g += rgb[1];
        b += rgb[2];
      }
    int& texel = texels[static_cast<size_t>(i)];
    if (kPlane == YcocgPlane::y) texel = ycocg_y(r, g, b);
    if (kPlane == YcocgPlane::co) texel = ycocg_co(r, b, count);
    if (kPlane == YcocgPlane::cg) texel = ycocg_cg(r, g, b, count);
  }
  put(TEXCAST_PLANE_FITS(static_cast<int>(task.method)) == 0 ? encode_bc4_range(texels) : encode_bc4_refined(texels),
      block);
}

// A pixel whose first three bytes are R G B or, backwards, B G R.
template <bool kBackwards>
void decode_pixel(std::span<const uint8_t> block, const DecodeRules&, std::span<Texel> texels) {
  texels[0] = {block[kBackwards ? 2 : 0], block[1], block[kBackwards ? 0 : 2], 0};
}

constexpr std::array<PlaneCodec, 3> kYcocgPlanes = {{{0, 1, encode_ycocg_plane<YcocgPlane::y>, decode_bc4_block},
                                                     {1, 1, encode_ycocg_plane<YcocgPlane::co>, decode_bc4_block},
                                                     {2, 1, encode_ycocg_plane<YcocgPlane::cg>, decode_bc4_block}}};

constexpr std::array kBlockCodecs = {
    BlockCodecs{TextureFormat::bc1, {{{0, 3, encode_bc1, decode_bc1_block}}}},
    BlockCodecs{TextureFormat::ycocg_bc4_420, kYcocgPlanes},
    BlockCodecs{TextureFormat::ycocg_bc4_422, kYcocgPlanes},
    BlockCodecs{TextureFormat::ycocg_bc4_444, kYcocgPlanes},
    BlockCodecs{TextureFormat::ycocg_dxt5, {{{0, 3, encode_scaled_ycocg, decode_scaled_ycocg}}}},
    BlockCodecs{TextureFormat::bc3, {{{0, 4, encode_bc3_block, decode_bc3_block}}}},
    BlockCodecs{TextureFormat::bc4, {{{0, 1, encode_alpha_or_luma, decode_bc4_block}}}},
    BlockCodecs{TextureFormat::ycocg_dxt5_alpha,
                {{{0, 3, encode_scaled_ycocg, decode_scaled_ycocg}, {3, 1, encode_alpha, decode_bc4_block}}}},
    BlockCodecs{TextureFormat::bc5, {{{0, 2, encode_red_green, decode_red_green}}}},
    BlockCodecs{
        TextureFormat::eac_r11,
        {{{0, 1, encode_eac_channel<EacRange::unsigned_codes>, decode_eac_channels<EacRange::unsigned_codes>}}}},
    BlockCodecs{TextureFormat::eac_r11_signed,
                {{{0, 1, encode_eac_channel<EacRange::signed_codes>, decode_eac_channels<EacRange::signed_codes>}}}},
    BlockCodecs{
        TextureFormat::eac_rg11,
        {{{0, 2, encode_eac_red_green<EacRange::unsigned_codes>, decode_eac_channels<EacRange::unsigned_codes>}}}},
    BlockCodecs{TextureFormat::eac_rg11_signed,
                {{{0, 2, encode_eac_red_green<EacRange::signed_codes>, decode_eac_channels<EacRange::signed_codes>}}}},
    BlockCodecs{TextureFormat::bc4_signed, {{{0, 1, encode_signed_alpha_or_luma, decode_signed_bc4_block}}}},
    BlockCodecs{TextureFormat::bc5_signed, {{{0, 2, encode_signed_red_green, decode_signed_red_green}}}},
    BlockCodecs{TextureFormat::etc1, {{{0, 3, encode_etc1_block, decode_etc2_block}}}},
    BlockCodecs{TextureFormat::etc2, {{{0, 3, encode_etc2_block, decode_etc2_block}}}},
    BlockCodecs{TextureFormat::etc2_alpha, {{{0, 4, encode_etc2_alpha, decode_etc2_alpha}}}},
    BlockCodecs{TextureFormat::bc7, {{{0, 4, encode_bc7_block, decode_bc7_block}}}},
    BlockCodecs{TextureFormat::bc1_ycbcr, {{{0, 3, nullptr, decode_bc1_block}}}},
    BlockCodecs{TextureFormat::uyvy},
    BlockCodecs{TextureFormat::yuyv},
    BlockCodecs{TextureFormat::rgba8, {{{0, 3, nullptr, decode_pixel<false>}}}},
    BlockCodecs{TextureFormat::rgb8, {{{0, 3, nullptr, decode_pixel<false>}}}},
    BlockCodecs{TextureFormat::bgr8, {{{0, 3, nullptr, decode_pixel<true>}}}},
    BlockCodecs{TextureFormat::etc2_a1, {{{0, 4, nullptr, decode_etc2_a1_block}}}},
    BlockCodecs{TextureFormat::bc6h, {{{0, 3, encode_halves<false>, decode_halves<false>}}}},
    BlockCodecs{TextureFormat::bc6h_signed, {{{0, 3, encode_halves<true>, decode_halves<true>}}}},
    BlockCodecs{TextureFormat::astc_4x4, {{{0, 4, encode_astc_block<4>, decode_astc_block<4, 4>}}}},
    BlockCodecs{TextureFormat::astc_5x4, {{{0, 4, nullptr, decode_astc_block<5, 4>}}}},
    BlockCodecs{TextureFormat::astc_5x5, {{{0, 4, encode_astc_block<5>, decode_astc_block<5, 5>}}}},
    BlockCodecs{TextureFormat::astc_6x5, {{{0, 4, nullptr, decode_astc_block<6, 5>}}}},
    BlockCodecs{TextureFormat::astc_6x6, {{{0, 4, encode_astc_block<6>, decode_astc_block<6, 6>}}}},
    BlockCodecs{TextureFormat::astc_8x5, {{{0, 4, nullptr, decode_astc_block<8, 5>}}}},
    BlockCodecs{TextureFormat::astc_8x6, {{{0, 4, nullptr, decode_astc_block<8, 6>}}}},
    BlockCodecs{TextureFormat::astc_8x8, {{{0, 4, encode_astc_block<8>, decode_astc_block<8, 8>}}}},
    BlockCodecs{TextureFormat::astc_10x5, {{{0, 4, nullptr, decode_astc_block<10, 5>}}}},
    BlockCodecs{TextureFormat::astc_10x6, {{{0, 4, nullptr, decode_astc_block<10, 6>}}}},
    BlockCodecs{TextureFormat::astc_10x8, {{{0, 4, nullptr, decode_astc_block<10, 8>}}}},
    BlockCodecs{TextureFormat::astc_10x10, {{{0, 4, nullptr, decode_astc_block<10, 10>}}}},
    BlockCodecs{TextureFormat::astc_12x10, {{{0, 4, nullptr, decode_astc_block<12, 10>}}}},
    BlockCodecs{TextureFormat::astc_12x12, {{{0, 4, nullptr, decode_astc_block<12, 12>}}}},
};

}  // namespace

const BlockCodecs& block_codecs(TextureFormat format) {
  const auto found = std::ranges::find(kBlockCodecs, format, &BlockCodecs::format);
  ENSURE(found != kBlockCodecs.end());
  return *found;
}

}  // namespace texcast::ref
