#include "compact/adaptive_quantisation.h"

#include <algorithm>

#include "compact/level_losses.h"

namespace texcast::compact {
namespace {

// 1024 ((k - 1/2) / 16)^(10 / 3), for k = 17 to 32: from there on a part is k.
constexpr std::array<int, 16> kThresholds{1135, 1380, 1661, 1980, 2339, 2742, 3190, 3688,
                                          4238, 4842, 5505, 6228, 7015, 7870, 8795, 9793};

// Of an area's differences to what lies by a vector in half pixels beside it, where the edge goes on outside.
int64_t squares_at(const PixelPlane& now, const PixelPlane& before, int x, int y, int width, int height,
                   const MotionVector& v) {
  const int tx = x + (v.x >> 1), ty = y + (v.y >> 1), right = v.x & 1, down = v.y & 1;
  int64_t squares = 0;
  if (width == kPartitionSide && tx >= 0 && ty >= 0 && tx + right + width <= before.width() &&
      ty + down + height <= before.height()) {
    I32x4 lanes{};
    for (int j = 0; j < height; ++j)
      lanes += lanes_of_squares(average(load_vector<U8x16>(before.row(ty + j) + tx),
                                        load_vector<U8x16>(before.row(ty + j + down) + tx + right)),
                                load_vector<U8x16>(now.row(y + j) + x));
    return sum_of_lanes(lanes);
  }
  for (int j = 0; j < height; ++j) {
    const auto row_at = [&](int more) { return before.row(std::clamp(ty + j + more, 0, before.height() - 1)); };
    const uint8_t *const here = now.row(y + j) + x, *const then = row_at(0), *const below = row_at(down);
    for (int i = 0; i < width; ++i) {
      const auto column = [&](int more) { return std::clamp(tx + i + more, 0, before.width() - 1); };
      const int off = ((then[column(0)] + below[column(right)] + 1) >> 1) - here[i];
      squares += off * off;
    }
  }
  return squares;
}

}  // namespace

LambdaWeights lambda_weights(const BlockRect& rect, const PixelPlane& now, const PixelPlane& before,
                             std::span<const MotionVector> vectors, int lambda) {
  constexpr int kPartition = kPartitionSide / 4;
  LambdaWeights parts;
  parts.fill(kFullLambda);
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const auto area = static_cast<size_t>((y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition);
      const int columns = std::min(kPartition, rect.x1 - x) * 4, rows = std::min(kPartition, rect.y1 - y) * 4;
      const MotionVector& v = vectors[area];
      const int64_t squares = squares_at(now, before, x * 4, y * 4, columns, rows, v);
      // A texel's part in lambda is lambda / 48; what is off by half of that has all of it. In 1024ths.
      const int64_t off = 1024 * 96 * squares / (int64_t{lambda} * columns * rows) + 205;
      int part = kFullLambda;
      for (const int threshold : kThresholds) part += off >= threshold;
      parts[area] = static_cast<uint8_t>(part);
    }
  }
  return parts;
}

}  // namespace texcast::compact
