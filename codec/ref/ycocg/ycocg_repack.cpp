#include "ref/ycocg_repack.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "ref/ycocg_planes.h"
#include "ycocg_chroma.h"

namespace texcast::ref {
namespace {

// The fit weighs Co and Cg as if luma compensated its part of their error. With luma fixed, dCo2^2 and dCg4^2 would
// count 8:3 instead of 3:1, which changes PSNR by less than 0.01 dB and is not worth its own fit.

// Converts sixteenths of a code that has 128 for 0 to twice Co and four times Cg, rounded to nearest, halves up.
int twice_co(int sixteenths) { return (sixteenths - 16 * 128 + 4) >> 3; }
int four_times_cg(int sixteenths) { return (sixteenths - 16 * 128 + 2) >> 2; }

// A part of a texture, as a texture.
struct Cutting {
  TextureDesc desc;
  std::vector<std::byte> blocks;
};

// The texels from (left, top) on, which must be the first of a block in every plane: `side` of them in each direction,
// or up to the edge.
Cutting cut(const TextureView& texture, int left, int top, int side) {
  Cutting cutting{.desc = texture.desc, .blocks = {}};
  cutting.desc.width = std::min(side, texture.desc.width - left);
  cutting.desc.height = std::min(side, texture.desc.height - top);
  const TextureLayout from = texture_layout(texture.desc), to = texture_layout(cutting.desc);
  cutting.blocks.resize(to.total_bytes);
  for (size_t p = 0; p < static_cast<size_t>(to.plane_count); ++p) {
    const FormatPlane& plane = format_row(texture.desc.format).planes[p];
    const auto block_bytes = static_cast<size_t>(to.planes[p].block_bytes);
    const size_t row_bytes = static_cast<size_t>(to.planes[p].blocks_x) * block_bytes;
    const auto first_column = static_cast<size_t>(left / (4 * plane.across));
    for (int row = 0; row < to.planes[p].blocks_y; ++row) {
      const auto source_row = static_cast<size_t>(top / (4 * plane.down) + row);
      const size_t at = from.planes[p].offset +
                        (source_row * static_cast<size_t>(from.planes[p].blocks_x) + first_column) * block_bytes;
      std::memcpy(cutting.blocks.data() + to.planes[p].offset + static_cast<size_t>(row) * row_bytes,
                  texture.blocks.data() + at, row_bytes);
    }
  }
  return cutting;
}

}  // namespace

void repack_ycocg(const TextureView& texture, Method method, std::span<std::byte> blocks) {
  const TextureDesc& desc = texture.desc;
  ENSURE(is_planar_ycocg(desc.format));
  const TextureLayout from = texture_layout(desc);
  const PlaneLayout to = texture_layout(TextureFormat::ycocg_dxt5, desc.width, desc.height).planes[0];
  ENSURE(texture.blocks.size() == from.total_bytes && blocks.size() == to.bytes);
  const Bc4Plane orange(texture, 1), green(texture, 2);
  const std::byte* luma = texture.blocks.data();
  std::byte* out = blocks.data();
  for (int block_y = 0; block_y < to.blocks_y; ++block_y)
    for (int block_x = 0; block_x < to.blocks_x; ++block_x, luma += 8, out += 16) {
      ChromaBlock chroma{};
      for (int i = 0; i < 16; ++i) {
        const int x = 4 * block_x + i % 4, y = 4 * block_y + i / 4;
        chroma.co2[static_cast<size_t>(i)] = twice_co(orange.sixteenths_at_luma(x, y));
        chroma.cg4[static_cast<size_t>(i)] = four_times_cg(green.sixteenths_at_luma(x, y));
      }
      const Bc1Block color = pack_chroma(fit_chroma(chroma, chroma_effort(method)));
      std::memcpy(out, luma, 8);
      std::memcpy(out + 8, color.data(), 8);
    }
}

// Interpolation there needs one chroma texel beyond the block.
void repack_ycocg_block(const TextureView& texture, Method method, std::span<std::byte> block, int column, int row) {
  constexpr int kChromaBlock = 8;  // luma texels, for a plane of half size
  const auto first_texel = [](int block_index) {
    return std::max(0, 4 * block_index / kChromaBlock - 1) * kChromaBlock;
  };
  const int left = first_texel(column), top = first_texel(row);
  const Cutting cutting = cut(texture, left, top, 3 * kChromaBlock);
  const PlaneLayout to = texture_layout(TextureFormat::ycocg_dxt5, cutting.desc.width, cutting.desc.height).planes[0];
  std::vector<std::byte> repacked(to.bytes);
  repack_ycocg({cutting.desc, cutting.blocks}, method, repacked);
  const int index = (row - top / 4) * to.blocks_x + column - left / 4;
  ENSURE(block.size() == 16 && index >= 0 && 16 * (static_cast<size_t>(index) + 1) <= repacked.size());
  std::memcpy(block.data(), repacked.data() + 16 * static_cast<size_t>(index), 16);
}

}  // namespace texcast::ref
