#include "textures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "ref/decode.h"
#include "ref/encode.h"
#include "texcast/image.h"

using namespace texcast;

namespace textures {
namespace {

constexpr int kWidth = 192, kHeight = 128;

const std::vector<char>& source() {
  static const auto bytes = [] {
    std::ifstream in(TEXCAST_TEST_DATA "/kodim05_192x128.rgb", std::ios::binary);
    std::vector<char> read{std::istreambuf_iterator<char>(in), {}};
    REQUIRE(read.size() == size_t{3} * kWidth * kHeight);
    return read;
  }();
  return bytes;
}

int mirrored(int at, int size) {
  at = (at % (2 * size) + 2 * size) % (2 * size);
  return at < size ? at : 2 * size - 1 - at;
}

// A picture whose pixel (i, j) is the photograph's at place(i, j).
template <typename Place>
Texture drawn(const TextureDesc& texture, const Place& place) {
  FrameFormat format{PixelFormat::rgba, texture.width, texture.height, kFullRange};
  std::vector<std::byte> pixels;
  for (int j = 0; j < texture.height; ++j)
    for (int i = 0; i < texture.width; ++i) {
      const auto [x, y] = place(i, j);
      const size_t at = size_t{3} * (mirrored(y, kHeight) * kWidth + mirrored(x, kWidth));
      for (size_t c = 0; c < 3; ++c) pixels.push_back(static_cast<std::byte>(source()[at + c]));
      pixels.push_back(static_cast<std::byte>(128 + source()[at] / 2));  // alpha
    }
  Texture blocks(texture_layout(texture).total_bytes);
  // BC1 of Y'CbCr is not encoded; its blocks are BC1's.
  const TextureFormat encoded = is_encoded(texture.format) ? texture.format : TextureFormat::bc1;
  ref::encode({format, {{{pixels.data(), 4 * texture.width}, {}, {}}}}, encoded, format_row(encoded).by_quality.front(),
              blocks);
  return blocks;
}

}  // namespace

Texture photograph(const TextureDesc& texture, int x, int y) {
  return drawn(texture, [&](int i, int j) { return std::pair(x + i, y + j); });
}

Texture scene(const TextureDesc& texture, int number, int x, int y) {
  return drawn(texture, [&](int i, int j) {
    const int u = x + i, v = y + j;
    return std::pair((u * (5 + number % 4) + v * number) >> 3, (v * (7 - number % 3) - u * number) >> 3);
  });
}

Texture noise(const TextureDesc& texture, uint32_t seed) {
  Texture blocks(texture_layout(texture).total_bytes);
  std::mt19937 random(seed);
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random() >> 16 & 0xFF);
  return blocks;
}

double psnr_between(const TextureDesc& texture, const Texture& a, const Texture& b) {
  DecodedImage first, second;
  ref::decode({texture, a}, EndpointExpansion::replicate, first);
  ref::decode({texture, b}, EndpointExpansion::replicate, second);
  PsnrMeter meter;
  meter.add(first, second);
  return meter.psnr_db();
}

Payloads copied(std::span<const Bytes> payloads) {
  Payloads copies;
  for (const Bytes payload : payloads) copies.emplace_back(payload.begin(), payload.end());
  return copies;
}
std::vector<Bytes> views(const Payloads& payloads) { return {payloads.begin(), payloads.end()}; }
size_t bytes_of(const Payloads& payloads) {
  size_t bytes = 0;
  for (const auto& payload : payloads) bytes += payload.size();
  return bytes;
}

namespace {

// Bytes of a tile in a texture, and of them alone: (from, count).
template <typename Call>
void for_each_half(const compact::TileGrid& grid, uint32_t tile, const Call& call) {
  for (int i = 0; i < grid.component_count(); ++i) {
    const compact::Component& component = grid.component(i);
    const int columns = 64 / 4 / component.across, rows = 32 / 4 / component.down;
    const int x0 = static_cast<int>(tile) % grid.across() * columns, y0 = static_cast<int>(tile) / grid.across() * rows;
    for (int y = y0; y < std::min(y0 + rows, component.blocks_y); ++y)
      for (int x = x0; x < std::min(x0 + columns, component.blocks_x); ++x) call(component.at(x, y));
  }
}

}  // namespace

std::vector<uint8_t> differing(const compact::TileGrid& grid, const Texture& a, const Texture& b) {
  std::vector<uint8_t> differs(grid.tiles());
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
    for_each_half(grid, tile, [&](size_t at) {
      if (std::memcmp(a.data() + at, b.data() + at, 8) != 0) differs[tile] = 1;
    });
  return differs;
}

void copy_tile(const compact::TileGrid& grid, uint32_t tile, const Texture& from, Texture& to) {
  for_each_half(grid, tile, [&](size_t at) { std::memcpy(to.data() + at, from.data() + at, 8); });
}

}  // namespace textures
