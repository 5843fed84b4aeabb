// Compares Y, Co and Cg that are read at the resolution of chroma with those of the picture in red, green and blue.
#include "compact/film_source.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "source_texels.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

// A soft picture in 4:2:0 whose colours are within the limits of red, green and blue.
struct Picture {
  Picture(int across, int down) : width(across), height(down), chroma_width((across + 1) / 2) {
    const int chroma_height = (height + 1) / 2;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) luma.push_back(wave(128, 60, x, y, 0.05));
    for (int y = 0; y < chroma_height; ++y)
      for (int x = 0; x < chroma_width; ++x) {
        u.push_back(wave(128, 25, x, y, 0.06));
        v.push_back(wave(128, 20, y, x, 0.08));
        interleaved.insert(interleaved.end(), {u.back(), v.back()});
      }
  }
  static std::byte wave(int middle, int range, int x, int y, double step) {
    return static_cast<std::byte>(std::lround(middle + range * std::sin(step * x) * std::cos(step * 0.7 * y)));
  }
  FrameView planar(ColorRange range) const {
    return {{PixelFormat::yuv420p, width, height, {ColorMatrix::bt709, range}},
            {{{luma.data(), width}, {u.data(), chroma_width}, {v.data(), chroma_width}}}};
  }
  FrameView nv12(ColorRange range) const {
    return {{PixelFormat::nv12, width, height, {ColorMatrix::bt709, range}},
            {{{luma.data(), width}, {interleaved.data(), 2 * chroma_width}}}};
  }
  int width, height, chroma_width;
  std::vector<std::byte> luma, u, v, interleaved;
};

using Plane = std::array<uint8_t, size_t{kTileWidth} * kTileHeight>;
struct Tile {
  std::array<Plane, 3> planes{};
};
Tile read(const TileGrid& grid, uint32_t tile, const FrameView& frame) {
  REQUIRE(FilmSource::can_read(grid, frame));
  const FilmSource film(frame);
  Tile out;
  film.read_luma(grid.blocks(grid.component(0), {.tile = tile}), out.planes[0].data(), kTileWidth);
  film.read_chroma(grid.blocks(grid.component(1), {.tile = tile}), out.planes[1].data(), out.planes[2].data(),
                   kTileWidth);
  return out;
}

}  // namespace

TEST_CASE("film source: Y, Co and Cg are those of the picture but for rounding, also at the edges") {
  for (const auto& [width, height] : {std::pair(200, 100), {64, 32}, {141, 37}, {68, 34}, {5, 3}})
    for (const ColorRange range : {ColorRange::full, ColorRange::limited}) {
      const Picture picture(width, height);
      const TileGrid grid({.format = TextureFormat::ycocg_bc4_420, .width = width, .height = height});
      SourcePicture exact(width, height);
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
        exact.draw(picture.planar(range), grid.blocks(grid.component(0), {.tile = tile}));
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        SourceTexels texels;
        texels.read(grid, {.tile = tile}, exact);
        const Tile film = read(grid, tile, picture.planar(range));
        CHECK(film.planes == read(grid, tile, picture.nv12(range)).planes);
        for (int c = 0; c < 3; ++c) {
          const BlockRect rect = grid.blocks(grid.component(c), {.tile = tile});
          int most = 0;
          for (int y = 0; y < rect.height() * 4; ++y)
            for (int x = 0; x < rect.width() * 4; ++x) {
              const auto at = static_cast<size_t>(y * kTileWidth + x);
              most = std::max(most, std::abs(film.planes[static_cast<size_t>(c)][at] - texels.plane(c)[at]));
            }
          CHECK(most <= (c == 0 ? 1 : 2));
        }
      }
    }
}

TEST_CASE("film source: other layouts of chroma and other textures are not read") {
  const Picture picture(64, 32);
  const auto grid_of = [](TextureFormat format) { return TileGrid({.format = format, .width = 64, .height = 32}); };
  FrameView frame = picture.planar(ColorRange::full);
  CHECK_FALSE(FilmSource::can_read(grid_of(TextureFormat::ycocg_bc4_444), frame));
  CHECK_FALSE(FilmSource::can_read(grid_of(TextureFormat::bc1), frame));
  frame.format.pixel_format = PixelFormat::yuv444p;
  CHECK_FALSE(FilmSource::can_read(grid_of(TextureFormat::ycocg_bc4_420), frame));
}
