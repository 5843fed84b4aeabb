#include "compact/complexity.h"

#include <algorithm>
#include <cstdlib>

namespace texcast::compact {
namespace {

// A uniform tile counts as 1/16 per pixel.
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

// sad_at(), or `enough` if the vector leads out of the picture.
int sad_inside(const PixelPlane& source, const PixelPlane& reference, const Pixels& p, const MotionVector& v,
               int enough) {
  if (p.x0 + v.x < 0 || p.y0 + v.y < 0 || p.x1 + v.x > reference.width() || p.y1 + v.y > reference.height())
    return enough;
  return sad_at(source, reference, p.x0, p.y0, p.x1 - p.x0, p.y1 - p.y0, v, enough);
}

}  // namespace

uint32_t intra_complexity(const PixelPlane& source, const BlockRect& rect) {
  const Pixels p(rect);
  uint32_t across = 0, down = 0;
  for (int y = p.y0; y < p.y1; ++y) {
    across += differences(source.row(y) + p.x0, source.row(y) + p.x0 + 1, p.x1 - p.x0 - 1);
    if (y > p.y0) down += differences(source.row(y) + p.x0, source.row(y - 1) + p.x0, p.x1 - p.x0);
  }
  return p.least() + (across + down) / 2;
}

TileComplexity inter_complexity(const PixelPlane& source, const PixelPlane& previous, const PixelPlane& reference,
                                const BlockRect& rect, std::span<const MotionVector> vectors,
                                const std::array<MotionVector, 8>& previous_vectors) {
  const Pixels tile(rect);
  const uint32_t intra = intra_complexity(source, rect);
  uint32_t previous_sad = 0, reference_sad = 0;
  for (int y = tile.y0; y < tile.y1; y += kPartitionSide) {
    for (int x = tile.x0; x < tile.x1; x += kPartitionSide) {
      const int partition =
          (y - tile.y0) / kPartitionSide * (kTileWidth / kPartitionSide) + (x - tile.x0) / kPartitionSide;
      const Pixels p(x, y, std::min(x + kPartitionSide, tile.x1), std::min(y + kPartitionSide, tile.y1));
      MotionVector best{};
      int least = sad_inside(source, previous, p, best, INT32_MAX);
      const auto try_vector = [&](const MotionVector& v) {
        const int differences = sad_inside(source, previous, p, v, least);
        if (differences >= least) return;
        least = differences;
        best = v;
      };
      try_vector(previous_vectors[static_cast<size_t>(partition)]);
      std::ranges::for_each(vectors, try_vector);
      previous_sad += static_cast<uint32_t>(least);
      reference_sad += static_cast<uint32_t>(sad_inside(source, reference, p, best, INT32_MAX));
    }
  }
  if (2 * uint64_t{previous_sad} >= intra) return {intra, true};
  return {tile.least() + std::min(intra, reference_sad), false};
}

}  // namespace texcast::compact
