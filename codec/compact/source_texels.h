// source_texels.h — the texels that a lossy stream is to come near to, half-block by half-block.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "compact/tile_grid.h"
#include "half_block.h"
#include "ref/convert.h"

namespace texcast::compact {

// What blocks decode to, as a channel or three of 8 bits: what is lost is counted in these.
template <typename Half>
void decoded_texels(HalfBlock kind, uint64_t half, Texels& out) {
  uint8_t palette[Half::kChannels][Half::kLevels];
  const uint32_t ends = ends_of<Half>(half);
  palette_of<Half>(kind, ends, palette);
  const Levels levels = levels_of<Half>(half, Half::full(kind, ends));
  for (int c = 0; c < Half::kChannels; ++c)
    for (int i = 0; i < 16; ++i) out.at[c][i] = palette[c][levels[i]];
}

// The sum of squared differences.
template <typename Half>
int difference_of(const Texels& a, const Texels& b) {
  int sum = 0;
  for (int c = 0; c < Half::kChannels; ++c)
    for (int i = 0; i < 16; ++i) {
      const int difference = a.at[c][i] - b.at[c][i];
      sum += difference * difference;
    }
  return sum;
}

// A unit's part of the picture, of formats whose texels are plainly made of red, green and blue: BC1, and planes of
// YCoCg as docs/format.md has them. Of others, and where nobody has the picture, what the blocks decode to stands for
// it.
class SourceTexels {
 public:
  static bool can_read(const TileGrid& grid) {
    const TextureFormat format = grid.texture().format;
    return is_planar_ycocg(format) || (grid.component(0).kind == HalfBlock::color && !is_ycbcr(format));
  }
  // Of a tile or strip. The picture has the texture's size.
  void read(const TileGrid& grid, const Unit& unit, const FrameView& picture) {
    const BlockRect rect = grid.blocks(grid.component(0), unit);
    x0_ = rect.x0 * 4;
    y0_ = rect.y0 * 4;
    width_ = std::min(rect.x1 * 4, grid.texture().width) - x0_;
    height_ = std::min(rect.y1 * 4, grid.texture().height) - y0_;
    ref::read_rgb(picture, x0_, y0_, x0_ + width_, y0_ + height_, rgb_.data());
  }
  // Of a component's half-block: the plane's edge goes on outside.
  void colors(int x, int y, Texels& out) const {
    for (int i = 0; i < 16; ++i) {
      const uint8_t* const at = pixel(x * 4 + i % 4, y * 4 + i / 4);
      for (int c = 0; c < 3; ++c) out.at[c][i] = at[c];
    }
  }
  // Y, Co or Cg: component `i` of planes.
  void channel(const Component& component, int i, int x, int y, Texels& out) const {
    for (int t = 0; t < 16; ++t) {
      const int px = (x * 4 + t % 4) * component.across, py = (y * 4 + t / 4) * component.down;
      int r = 0, g = 0, b = 0;
      for (int k = 0; k < component.across * component.down; ++k) {
        const uint8_t* const at = pixel(px + k % component.across, py + k / component.across);
        r += at[0];
        g += at[1];
        b += at[2];
      }
      const int count = component.across * component.down;
      int value = 0;
      switch (i) {
        case 0: value = (r + 2 * g + b + 2) >> 2; break;
        case 1: value = (r - b + 256 * count + count) / (2 * count); break;
        default: value = (2 * g - r - b + 512 * count + 2 * count) / (4 * count); break;
      }
      out.at[0][t] = static_cast<uint8_t>(std::min(value, 255));
    }
  }

 private:
  const uint8_t* pixel(int x, int y) const {
    const int column = std::clamp(x - x0_, 0, width_ - 1), row = std::clamp(y - y0_, 0, height_ - 1);
    return rgb_.data() + (static_cast<size_t>(row) * width_ + column) * 3;
  }
  int x0_ = 0, y0_ = 0, width_ = 0, height_ = 0;
  std::array<uint8_t, size_t{kTileWidth} * kTileHeight * 3> rgb_;
};

// How much a squared difference of a component's texel is of those of red, green and blue, times 16 (Y'CoCg: Y is in
// all three, Co in two, Cg in three; a texel of subsampled chroma is in four pixels, whose interpolation evens out some
// of it).
inline int weight_of(const TileGrid& grid, int i) {
  const Component& component = grid.component(i);
  if (component.kind != HalfBlock::channel) return 16;
  if (component.tables != TableSet::chroma) return 48;
  const int weight = i == 1 ? 32 : 48;
  return component.across * component.down == 4 ? weight * 5 / 2 : component.across > 1 ? weight * 3 / 2 : weight;
}

}  // namespace texcast::compact
