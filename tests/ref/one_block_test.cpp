// Single blocks are the same as in the whole texture.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include "ref/encode.h"
#include "ref/ycocg_repack.h"

using namespace texcast;

namespace {

std::vector<std::byte> noise_bytes(size_t count, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 8 & 0xFF);
  return bytes;
}

}  // namespace

TEST_CASE("a single block of a frame is the one in the whole frame's texture") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::astc_6x6}) {
    CAPTURE(std::string(name(format)));
    const FrameFormat source{.pixel_format = PixelFormat::rgba, .width = 37, .height = 22, .color = kFullRange};
    const auto pixels = noise_bytes(4 * 37 * 22, 1);
    const FrameView frame{source, {{{pixels.data(), 4 * 37}, {}, {}}}};
    const Method method = method_for(format, Quality::fast);
    const TextureLayout layout = texture_layout(format, source.width, source.height);
    std::vector<std::byte> all(layout.total_bytes);
    ref::encode(frame, format, method, all);
    for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p)
      for (int row = 0; row < layout.planes[p].blocks_y; ++row)
        for (int column = 0; column < layout.planes[p].blocks_x; ++column) {
          const auto bytes = static_cast<size_t>(layout.planes[p].block_bytes);
          std::vector<std::byte> block(bytes);
          ref::encode_block(frame, format, method, block, {}, {p, row}, column);
          const size_t at =
              layout.planes[p].offset + bytes * static_cast<size_t>(row * layout.planes[p].blocks_x + column);
          CHECK(std::equal(block.begin(), block.end(), all.begin() + static_cast<ptrdiff_t>(at)));
        }
  }
}

TEST_CASE("a single block of Hap Q is the one in the whole texture, at the edges and where chroma continues") {
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444})
    for (const auto& size : {std::pair{1, 1}, {5, 3}, {8, 8}, {37, 22}, {64, 49}}) {
      CAPTURE(std::string(name(format)));
      const int width = size.first, height = size.second;
      CAPTURE(width);
      const TextureDesc desc{.format = format, .width = width, .height = height};
      const auto planes = noise_bytes(texture_layout(desc).total_bytes, 2);
      const PlaneLayout to = texture_layout(TextureFormat::ycocg_dxt5, width, height).planes[0];
      std::vector<std::byte> all(to.bytes);
      const Method method = method_for(TextureFormat::ycocg_dxt5, Quality::fast);
      ref::repack_ycocg({desc, planes}, method, all);
      for (int row = 0; row < to.blocks_y; ++row)
        for (int column = 0; column < to.blocks_x; ++column) {
          std::array<std::byte, 16> block{};
          ref::repack_ycocg_block({desc, planes}, method, block, column, row);
          CHECK(std::equal(block.begin(), block.end(), all.begin() + 16 * (row * to.blocks_x + column)));
        }
    }
}
