#include "ref/encode.h"

#include <cstring>

#include "base/ensure.h"
#include "ref/bc1.h"
#include "ref/bc3.h"
#include "ref/bc4.h"
#include "ref/convert.h"
#include "ref/ycocg.h"
#include "ref/ycocg_dxt5.h"

namespace texcast::ref {
namespace {

Bc1Block encode_bc1(const RgbBlock& texels, Method method, bool allow_black, const LspiroSettings& lspiro) {
  switch (method) {
    case Method::range: return encode_bc1_range(texels);
    case Method::lspiro1: return encode_bc1_lspiro1(texels);
    case Method::lspiro2: return encode_bc1_lspiro2(texels, lspiro.passes);
    case Method::lspiro3: return encode_bc1_lspiro3(texels, lspiro.passes, lspiro.radius);
    case Method::refine_once: return encode_bc1_refined_once(texels);
    case Method::refine: return encode_bc1_refined(texels);
    case Method::cluster: return encode_bc1_cluster(texels);
    case Method::cluster_search: return encode_bc1_cluster_search(texels, allow_black);
  }
  ENSURE(false);
}

// A plane of blocks at full size: `encode_block(x, y)` gives the bytes of one.
template <typename EncodeBlock>
void encode_plane(const PlaneLayout& plane, std::span<std::byte> blocks, EncodeBlock encode_block) {
  std::byte* out = blocks.data() + plane.offset;
  for (int y = 0; y < plane.blocks_y; ++y)
    for (int x = 0; x < plane.blocks_x; ++x, out += plane.block_bytes) {
      const auto block = encode_block(x, y);
      std::memcpy(out, block.data(), block.size());
    }
}

// One texel of a plane: luma as it is, chroma averaged over the texels that it stands for.
int plane_texel(const FrameReader& reader, int plane, int x, int y, int across, int down) {
  int r = 0, g = 0, b = 0;
  for (int dy = 0; dy < down; ++dy)
    for (int dx = 0; dx < across; ++dx) {
      const auto rgb = reader.rgb(x * across + dx, y * down + dy);
      r += rgb[0];
      g += rgb[1];
      b += rgb[2];
    }
  const int count = across * down;
  return plane == 0 ? ycocg_y(r, g, b) : plane == 1 ? ycocg_co(r, b, count) : ycocg_cg(r, g, b, count);
}

void encode_ycocg_bc4(const FrameReader& reader, const TextureLayout& layout, TextureFormat format, Method method,
                      std::span<std::byte> blocks) {
  const int chroma_across = format == TextureFormat::ycocg_bc4_444 ? 1 : 2;
  const int chroma_down = format == TextureFormat::ycocg_bc4_420 ? 2 : 1;
  for (int p = 0; p < 3; ++p) {
    const PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
    const int across = p == 0 ? 1 : chroma_across, down = p == 0 ? 1 : chroma_down;
    std::byte* out = blocks.data() + plane.offset;
    for (int block_y = 0; block_y < plane.blocks_y; ++block_y)
      for (int block_x = 0; block_x < plane.blocks_x; ++block_x, out += 8) {
        ChannelBlock texels{};
        for (int i = 0; i < 16; ++i)
          texels[static_cast<size_t>(i)] =
              plane_texel(reader, p, 4 * block_x + i % 4, 4 * block_y + i / 4, across, down);
        const Bc4Block block = method == Method::range ? encode_bc4_range(texels) : encode_bc4_refined(texels);
        std::memcpy(out, block.data(), 8);
      }
  }
}

}  // namespace

void encode(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks, bool allow_black,
            const LspiroSettings& lspiro) {
  ENSURE(has_method(format, method) && (!allow_black || can_use_black(format, method)) && in_range(lspiro));
  const TextureLayout layout = texture_layout(format, frame.format.width, frame.format.height);
  ENSURE(blocks.size() == layout.total_bytes);
  const FrameReader reader(frame);
  const PlaneLayout& first = layout.planes[0];
  switch (format) {
    case TextureFormat::bc1:
      return encode_plane(first, blocks,
                          [&](int x, int y) { return encode_bc1(reader.block(x, y), method, allow_black, lspiro); });
    case TextureFormat::ycocg_bc4_420:
    case TextureFormat::ycocg_bc4_422:
    case TextureFormat::ycocg_bc4_444: return encode_ycocg_bc4(reader, layout, format, method, blocks);
    case TextureFormat::ycocg_dxt5:
      return encode_plane(first, blocks, [&](int x, int y) { return encode_ycocg_dxt5(reader.block(x, y), method); });
    case TextureFormat::ycocg_dxt5_alpha:
      encode_plane(first, blocks, [&](int x, int y) { return encode_ycocg_dxt5(reader.block(x, y), method); });
      return encode_plane(layout.planes[1], blocks,
                          [&](int x, int y) { return encode_bc4_channel(reader.alpha_block(x, y), method); });
    case TextureFormat::bc4:
      return encode_plane(first, blocks,
                          [&](int x, int y) { return encode_bc4_channel(reader.alpha_or_luma_block(x, y), method); });
    case TextureFormat::bc3:
      return encode_plane(first, blocks, [&](int x, int y) {
        return encode_bc3(reader.block(x, y), reader.alpha_block(x, y), method);
      });
    case TextureFormat::bc1_ycbcr:
    case TextureFormat::uyvy:
    case TextureFormat::rgba8:
    case TextureFormat::rgb8:
    case TextureFormat::bgr8:
    case TextureFormat::yuyv: break;  // not encoded
  }
  ENSURE(false);
}

}  // namespace texcast::ref
