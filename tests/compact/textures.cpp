#include "textures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "compact/slice_syntax.h"
#include "compact/sub_block.h"
#include "data_folder.h"
#include "ref/decode.h"
#include "ref/encode.h"

using namespace texcast;

namespace textures {
namespace {

constexpr int kWidth = 192, kHeight = 128;

const std::vector<char>& source() {
  static const auto bytes = [] {
    std::ifstream in(test::data_file("kodim05_192x128.rgb"), std::ios::binary);
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

using Color = std::array<uint8_t, 3>;
// A picture whose pixel (i, j) is color(i, j).
template <typename ColorAt>
Texture of_colors(const TextureDesc& texture, const ColorAt& color) {
  FrameFormat format{PixelFormat::rgba, texture.width, texture.height, kFullRange};
  std::vector<std::byte> pixels;
  for (int j = 0; j < texture.height; ++j)
    for (int i = 0; i < texture.width; ++i) {
      const Color rgb = color(i, j);
      for (const uint8_t value : rgb) pixels.push_back(static_cast<std::byte>(value));
      pixels.push_back(static_cast<std::byte>(128 + rgb[0] / 2));  // alpha
    }
  Texture blocks(texture_layout(texture).total_bytes);
  // Some formats have no encoder. The blocks of another one with as many bytes take their place.
  const bool is_small = plane_coding(texture.format, 0).block_bytes == 8;
  const TextureFormat encoded = is_encoded(texture.format) ? texture.format
                                : is_small                 ? TextureFormat::bc1
                                                           : TextureFormat::bc3;
  ref::encode({format, {{{pixels.data(), 4 * texture.width}, {}, {}}}}, encoded, format_row(encoded).by_quality.front(),
              blocks);
  return blocks;
}
// A picture whose pixel (i, j) is the photograph's at place(i, j).
template <typename Place>
Texture drawn(const TextureDesc& texture, const Place& place) {
  return of_colors(texture, [&](int i, int j) -> Color {
    const auto [x, y] = place(i, j);
    const size_t at = size_t{3} * (mirrored(y, kHeight) * kWidth + mirrored(x, kWidth));
    const auto value = [at](size_t c) { return static_cast<uint8_t>(source()[at + c]); };
    return {value(0), value(1), value(2)};
  });
}

}  // namespace

Texture photograph(const TextureDesc& texture, int x, int y) {
  return drawn(texture, [&](int i, int j) { return std::pair(x + i, y + j); });
}

Texture soft_photograph(const TextureDesc& texture, int x, int y) {
  constexpr int kTimes = 4;
  return of_colors(texture, [&](int i, int j) -> Color {
    const int u = x + i, v = y + j, left = u / kTimes, top = v / kTimes, right = u % kTimes, down = v % kTimes;
    const auto sample = [](int column, int row, size_t c) {
      const int at = 3 * (mirrored(row, kHeight) * kWidth + mirrored(column, kWidth));
      return static_cast<uint8_t>(source()[static_cast<size_t>(at) + c]);
    };
    Color color{};
    for (size_t c = 0; c < 3; ++c) {
      const int above = sample(left, top, c) * (kTimes - right) + sample(left + 1, top, c) * right;
      const int below = sample(left, top + 1, c) * (kTimes - right) + sample(left + 1, top + 1, c) * right;
      color[c] =
          static_cast<uint8_t>((above * (kTimes - down) + below * down + kTimes * kTimes / 2) / (kTimes * kTimes));
    }
    return color;
  });
}

Texture scene(const TextureDesc& texture, int number, int x, int y) {
  return drawn(texture, [&](int i, int j) {
    const int u = x + i, v = y + j;
    return std::pair((u * (5 + number % 4) + v * number) >> 3, (v * (7 - number % 3) - u * number) >> 3);
  });
}

Texture letters(const TextureDesc& texture, int y) {
  constexpr int kCellWidth = 9, kCellHeight = 15;
  constexpr std::array<Color, 4> kInks{{{230, 230, 230}, {240, 40, 30}, {40, 220, 60}, {200, 60, 220}}};
  constexpr Color kGround{28, 28, 36};
  const auto hashed = [](int a, int b) {
    uint32_t hash = static_cast<uint32_t>(a) * 0x9E3779B1u ^ static_cast<uint32_t>(b) * 0x85EBCA6Bu;
    hash ^= hash >> 15;
    hash *= 0x2C1B3C6Du;
    return hash ^ hash >> 13;
  };
  return of_colors(texture, [&](int i, int j) -> Color {
    const int column = i / kCellWidth, row = (y + j) / kCellHeight, x = i % kCellWidth, in_row = (y + j) % kCellHeight;
    const uint32_t letter = hashed(column, row);
    if (letter % 5 == 0 || x > 7 || in_row < 3 || in_row > 12) return kGround;
    // Vertical, horizontal and slanted strokes, with antialiased edges.
    const int stem = static_cast<int>(letter >> 4 & 3), bar = 4 + static_cast<int>(letter >> 6 & 7);
    const int away = std::min({std::abs(2 * (x - stem)), std::abs(2 * (in_row - bar)), std::abs(2 * x + bar - in_row)});
    const int part = std::max(0, 3 - away);
    const Color& ink = kInks[hashed(column / 6, row) % kInks.size()];
    Color color{};
    for (size_t c = 0; c < 3; ++c) color[c] = static_cast<uint8_t>(kGround[c] + (ink[c] - kGround[c]) * part / 3);
    return color;
  });
}

Texture noise(const TextureDesc& texture, uint32_t seed) {
  Texture blocks(texture_layout(texture).total_bytes);
  std::mt19937 random(seed);
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random() >> 16 & 0xFF);
  return blocks;
}

Texture shuffled(const compact::TileGrid& grid, const Texture& texture, uint32_t seed) {
  constexpr int kSide = compact::kPartitionSide / 4;  // in sub-blocks of the first component
  const int across = grid.component(0).blocks_x / kSide, down = grid.component(0).blocks_y / kSide;
  std::vector<int> from(static_cast<size_t>(across) * static_cast<size_t>(down));
  std::iota(from.begin(), from.end(), 0);
  std::ranges::shuffle(from, std::mt19937(seed));
  Texture to = texture;
  for (int c = 0; c < grid.component_count(); ++c) {
    const compact::Component& component = grid.component(c);
    const int columns = kSide / component.across, rows = kSide / component.down;
    for (size_t i = 0; i < from.size(); ++i) {
      const int at = static_cast<int>(i);
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
          compact::store_sub_block(to.data() + component.at(at % across * columns + x, at / across * rows + y),
                                   compact::load_sub_block(texture.data() + component.at(from[i] % across * columns + x,
                                                                                         from[i] / across * rows + y)));
    }
  }
  return to;
}

FrameView view_of(const DecodedImage& image) {
  FrameView view{
      .format = {
          .pixel_format = PixelFormat::rgb24, .width = image.width, .height = image.height, .color = kFullRange}};
  view.planes[0] = {reinterpret_cast<const std::byte*>(image.pixels.data()), 3 * image.width};
  return view;
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

// Calls back for each range of a tile's bytes in a texture: (from, count).
template <typename Call>
void for_each_sub_block(const compact::TileGrid& grid, uint32_t tile, const Call& call) {
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
    for_each_sub_block(grid, tile, [&](size_t at) {
      if (std::memcmp(a.data() + at, b.data() + at, 8) != 0) differs[tile] = 1;
    });
  return differs;
}

void copy_tile(const compact::TileGrid& grid, uint32_t tile, const Texture& from, Texture& to) {
  for_each_sub_block(grid, tile, [&](size_t at) { std::memcpy(to.data() + at, from.data() + at, 8); });
}

}  // namespace textures
