#include "mosaic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "screen/rects.h"

namespace texcast::screen::wayland {
namespace {

double scale_of(const MosaicTile& tile) { return static_cast<double>(tile.width) / tile.place.width; }

int rounded(double value) { return static_cast<int>(std::lround(value)); }

// Reads texels of a picture at positions in 1/256 of a texel.
class Source {
 public:
  explicit Source(const FrameView& picture)
      : data_(picture.planes[0].data),
        stride_(picture.planes[0].stride_bytes),
        width_(picture.format.width),
        height_(picture.format.height) {}

  const std::byte* row(int y) const { return data_ + std::clamp(y, 0, height_ - 1) * stride_; }
  uint32_t at(const std::byte* row, int x) const {
    uint32_t texel = 0;
    std::memcpy(&texel, row + std::ptrdiff_t{std::clamp(x, 0, width_ - 1)} * 4, 4);
    return texel;
  }

 private:
  const std::byte* data_;
  std::ptrdiff_t stride_;
  int width_, height_;
};

// The four bytes of both, `weight` (0 to 256) of the second.
uint32_t mixed(uint32_t first, uint32_t second, uint32_t weight) {
  const uint32_t odd = 0xFF00FFu, other = 256 - weight;
  const uint32_t low = ((first & odd) * other + (second & odd) * weight) >> 8 & odd;
  const uint32_t high = ((first >> 8 & odd) * other + (second >> 8 & odd) * weight) & ~odd;
  return low | high;
}

// The position of a target's texel centre in the source, in 1/256 of a texel.
int64_t source_position(int64_t texel, int64_t source_side, int64_t target_side) {
  return ((2 * texel + 1) * source_side * 256 / target_side - 256) / 2;
}

void draw_copied(uint32_t* canvas, int stride, const Rect& target, const Source& source, const Rect& part) {
  for (int y = part.y; y < part.y + part.height; ++y)
    std::memcpy(canvas + static_cast<size_t>(target.y + y) * stride + target.x + part.x,
                source.row(y) + std::ptrdiff_t{part.x} * 4, static_cast<size_t>(part.width) * 4);
}

void draw_repeated(uint32_t* canvas, int stride, const Rect& drawn, const Rect& target, const Source& source,
                   int across, int down) {
  for (int y = drawn.y; y < drawn.y + drawn.height; ++y) {
    const std::byte* row = source.row((y - target.y) / down);
    for (int x = drawn.x; x < drawn.x + drawn.width; ++x)
      canvas[static_cast<size_t>(y) * stride + x] = source.at(row, (x - target.x) / across);
  }
}

void draw_interpolated(uint32_t* canvas, int stride, const Rect& drawn, const Rect& target, const Source& source,
                       const FrameFormat& format) {
  for (int y = drawn.y; y < drawn.y + drawn.height; ++y) {
    const int64_t at_y = std::max<int64_t>(0, source_position(y - target.y, format.height, target.height));
    const std::byte *upper = source.row(static_cast<int>(at_y >> 8)),
                    *lower = source.row(static_cast<int>(at_y >> 8) + 1);
    const auto weight_y = static_cast<uint32_t>(at_y & 255);
    for (int x = drawn.x; x < drawn.x + drawn.width; ++x) {
      const int64_t at_x = std::max<int64_t>(0, source_position(x - target.x, format.width, target.width));
      const int left = static_cast<int>(at_x >> 8);
      const auto weight_x = static_cast<uint32_t>(at_x & 255);
      canvas[static_cast<size_t>(y) * stride + x] =
          mixed(mixed(source.at(upper, left), source.at(upper, left + 1), weight_x),
                mixed(source.at(lower, left), source.at(lower, left + 1), weight_x), weight_y);
    }
  }
}

// The texels of the target that depend on source texels [from, from + count).
std::pair<int, int> reached(int from, int count, int64_t source_side, int64_t target_side) {
  const auto begin = (from - 1) * target_side / source_side - 1;
  const auto end = ((from + count + 1) * target_side + source_side - 1) / source_side + 1;
  return {static_cast<int>(std::clamp<int64_t>(begin, 0, target_side)),
          static_cast<int>(std::clamp<int64_t>(end, 0, target_side))};
}

}  // namespace

MosaicLayout lay_out(std::span<const MosaicTile> tiles) {
  MosaicLayout layout;
  double scale = 0;
  for (const MosaicTile& tile : tiles) {
    layout.desktop = around(layout.desktop, tile.place);
    scale = std::max(scale, scale_of(tile));
  }
  scale = std::min(scale, static_cast<double>(kMaxFrameSize) / std::max(layout.desktop.width, layout.desktop.height));
  for (const MosaicTile& tile : tiles) {
    Rect target{rounded((tile.place.x - layout.desktop.x) * scale), rounded((tile.place.y - layout.desktop.y) * scale),
                std::max(1, rounded(tile.place.width * scale)), std::max(1, rounded(tile.place.height * scale))};
    // Units are whole numbers, so that a fractional scale is not exact: such a monitor keeps its pixels.
    if (std::abs(target.width - tile.width) <= 2 && std::abs(target.height - tile.height) <= 2) {
      target.width = tile.width;
      target.height = tile.height;
    }
    layout.width = std::min(kMaxFrameSize, std::max(layout.width, target.x + target.width));
    layout.height = std::min(kMaxFrameSize, std::max(layout.height, target.y + target.height));
    layout.targets.push_back(target);
  }
  for (Rect& target : layout.targets) {
    target.width = std::min(target.width, layout.width - target.x);
    target.height = std::min(target.height, layout.height - target.y);
  }
  return layout;
}

std::vector<Rect> in_a_row(std::span<const MosaicTile> tiles) {
  std::vector<Rect> places;
  int x = 0;
  for (const MosaicTile& tile : tiles) {
    places.push_back({x, 0, tile.width, tile.height});
    x += tile.width;
  }
  return places;
}

Rect draw_tile(std::span<uint32_t> canvas, int stride, const Rect& target, const FrameView& picture, const Rect& part) {
  const FrameFormat& format = picture.format;
  const Source source(picture);
  const Rect inside = common(part, {0, 0, format.width, format.height});
  if (is_empty(inside) || is_empty(target)) return {};
  if (format.width == target.width && format.height == target.height) {
    draw_copied(canvas.data(), stride, target, source, inside);
    return {target.x + inside.x, target.y + inside.y, inside.width, inside.height};
  }
  if (target.width % format.width == 0 && target.height % format.height == 0) {
    const int across = target.width / format.width, down = target.height / format.height;
    const Rect drawn{target.x + inside.x * across, target.y + inside.y * down, inside.width * across,
                     inside.height * down};
    draw_repeated(canvas.data(), stride, drawn, target, source, across, down);
    return drawn;
  }
  const auto [left, right] = reached(inside.x, inside.width, format.width, target.width);
  const auto [top, bottom] = reached(inside.y, inside.height, format.height, target.height);
  const Rect drawn{target.x + left, target.y + top, right - left, bottom - top};
  draw_interpolated(canvas.data(), stride, drawn, target, source, format);
  return drawn;
}

}  // namespace texcast::screen::wayland
