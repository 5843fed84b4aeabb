#include "compact/complexity.h"

#include <algorithm>
#include <cstdlib>

namespace texcast::compact {
namespace {

// What a tile costs though it is of one shade: so much a pixel, in sixteenths of a step.
constexpr uint32_t kLeastOfPixels = 16;

struct Pixels {
  int x0, y0, x1, y1;
  Pixels(int left, int top, int right, int bottom) : x0(left), y0(top), x1(right), y1(bottom) {}
  explicit Pixels(const BlockRect& rect) : x0(rect.x0 * 4), y0(rect.y0 * 4), x1(rect.x1 * 4), y1(rect.y1 * 4) {}
  uint32_t least() const { return static_cast<uint32_t>((x1 - x0) * (y1 - y0)) / kLeastOfPixels; }
};

uint32_t differences(const uint8_t* a, const uint8_t* b, int count) {
  uint32_t sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<uint32_t>(std::abs(a[i] - b[i]));
  return sum;
}

// Where the vector leads out of the picture that tells nothing.
int differences_at(const PixelPlane& now, const PixelPlane& then, const Pixels& p, const MotionVector& v, int enough) {
  if (p.x0 + v.x < 0 || p.y0 + v.y < 0 || p.x1 + v.x > then.width() || p.y1 + v.y > then.height()) return enough;
  return difference_at(now, then, p.x0, p.y0, p.x1 - p.x0, p.y1 - p.y0, v, enough);
}

}  // namespace

uint32_t intra_complexity(const PixelPlane& now, const BlockRect& rect) {
  const Pixels p(rect);
  uint32_t across = 0, down = 0;
  for (int y = p.y0; y < p.y1; ++y) {
    across += differences(now.row(y) + p.x0, now.row(y) + p.x0 + 1, p.x1 - p.x0 - 1);
    if (y > p.y0) down += differences(now.row(y) + p.x0, now.row(y - 1) + p.x0, p.x1 - p.x0);
  }
  return p.least() + (across + down) / 2;
}

TileComplexity inter_complexity(const PixelPlane& now, const PixelPlane& given, const PixelPlane& then,
                                const BlockRect& rect, std::span<const MotionVector> vectors,
                                const std::array<MotionVector, 8>& usual) {
  const Pixels tile(rect);
  const uint32_t intra = intra_complexity(now, rect);
  uint32_t unlike = 0, inter = 0;
  for (int y = tile.y0; y < tile.y1; y += kPartitionSide) {
    for (int x = tile.x0; x < tile.x1; x += kPartitionSide) {
      const int area = (y - tile.y0) / kPartitionSide * (kTileWidth / kPartitionSide) + (x - tile.x0) / kPartitionSide;
      const Pixels p(x, y, std::min(x + kPartitionSide, tile.x1), std::min(y + kPartitionSide, tile.y1));
      MotionVector best{};
      int least = differences_at(now, given, p, best, INT32_MAX);
      const auto look = [&](const MotionVector& v) {
        const int differences = differences_at(now, given, p, v, least);
        if (differences >= least) return;
        least = differences;
        best = v;
      };
      look(usual[static_cast<size_t>(area)]);
      std::ranges::for_each(vectors, look);
      unlike += static_cast<uint32_t>(least);
      inter += static_cast<uint32_t>(differences_at(now, then, p, best, INT32_MAX));
    }
  }
  if (2 * uint64_t{unlike} >= intra) return {intra, true};
  return {tile.least() + std::min(intra, inter), false};
}

}  // namespace texcast::compact
