#include "block_codecs.h"

#include <algorithm>

#include "base/ensure.h"
#include "kernels/effort.h"
#include "ref/bc1.h"
#include "ref/bc3.h"
#include "ref/bc4.h"
#include "ref/ycocg_dxt5.h"
#include "ref/ycocg_planes.h"

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

void decode_bc1_block(std::span<const uint8_t> block, EndpointExpansion expansion, std::span<Texel> texels) {
  put_color(decode_bc1(block.first<8>(), expansion), texels);
}

void encode_bc3_block(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc3(task.frame.block(task.x, task.y), task.frame.alpha_block(task.x, task.y), task.method), block);
}

void decode_bc3_block(std::span<const uint8_t> block, EndpointExpansion expansion, std::span<Texel> texels) {
  put_color(decode_bc3_color(block.last<8>(), expansion), texels);
  put_channel(decode_bc4(block.first<8>(), expansion), texels, 3);
}

void encode_alpha(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc4_channel(task.frame.alpha_block(task.x, task.y), task.method), block);
}

void encode_alpha_or_luma(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_bc4_channel(task.frame.alpha_or_luma_block(task.x, task.y), task.method), block);
}

void decode_bc4_block(std::span<const uint8_t> block, EndpointExpansion expansion, std::span<Texel> texels) {
  put_channel(decode_bc4(block.first<8>(), expansion), texels);
}

void encode_red_green(const BlockTask& task, std::span<uint8_t> block) {
  const RgbBlock texels = task.frame.block(task.x, task.y);
  put(encode_bc4_channel(texels.r, task.method), block.first(8));
  put(encode_bc4_channel(texels.g, task.method), block.last(8));
}

void decode_red_green(std::span<const uint8_t> block, EndpointExpansion expansion, std::span<Texel> texels) {
  put_channel(decode_bc4(block.first<8>(), expansion), texels, 0);
  put_channel(decode_bc4(block.last<8>(), expansion), texels, 1);
}

void encode_scaled_ycocg(const BlockTask& task, std::span<uint8_t> block) {
  put(encode_ycocg_dxt5(task.frame.block(task.x, task.y), task.method), block);
}

void decode_scaled_ycocg(std::span<const uint8_t> block, EndpointExpansion expansion, std::span<Texel> texels) {
  put_color(decode_ycocg_dxt5(block.first<16>(), expansion), texels);
}

// A plane of Y, Co or Cg. A texel of the plane stands for `across` x `down` of the picture: chroma is their mean.
enum class YcocgPlane { y, co, cg };
template <YcocgPlane kPlane>
void encode_ycocg_plane(const BlockTask& task, std::span<uint8_t> block) {
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
void decode_pixel(std::span<const uint8_t> block, EndpointExpansion, std::span<Texel> texels) {
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
    BlockCodecs{TextureFormat::bc1_ycbcr, {{{0, 3, nullptr, decode_bc1_block}}}},
    BlockCodecs{TextureFormat::uyvy},
    BlockCodecs{TextureFormat::yuyv},
    BlockCodecs{TextureFormat::rgba8, {{{0, 3, nullptr, decode_pixel<false>}}}},
    BlockCodecs{TextureFormat::rgb8, {{{0, 3, nullptr, decode_pixel<false>}}}},
    BlockCodecs{TextureFormat::bgr8, {{{0, 3, nullptr, decode_pixel<true>}}}},
};

}  // namespace

const BlockCodecs& block_codecs(TextureFormat format) {
  const auto found = std::ranges::find(kBlockCodecs, format, &BlockCodecs::format);
  ENSURE(found != kBlockCodecs.end());
  return *found;
}

}  // namespace texcast::ref
