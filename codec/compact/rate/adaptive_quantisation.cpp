#include "compact/adaptive_quantisation.h"

#include <algorithm>

#include "compact/level_distortion.h"

namespace texcast::compact {
namespace {

// 1024 ((k - 1/2) / 16)^(10 / 3), for k = 17 to 32: the errors from which on the weight is k.
constexpr std::array<int, 16> kThresholds{1135, 1380, 1661, 1980, 2339, 2742, 3190, 3688,
                                          4238, 4842, 5505, 6228, 7015, 7870, 8795, 9793};

// The sum of squared differences of a partition and the previous source at a vector in half pixels. Pixels at the edge
// are repeated outside.
int64_t squares_at(const PixelPlane& source, const PixelPlane& previous, int x, int y, int width, int height,
                   const MotionVector& v) {
  const int tx = x + (v.x >> 1), ty = y + (v.y >> 1), right = v.x & 1, down = v.y & 1;
  int64_t squares = 0;
  if (width == kPartitionSide && tx >= 0 && ty >= 0 && tx + right + width <= previous.width() &&
      ty + down + height <= previous.height()) {
    I32x4 lanes{};
    for (int j = 0; j < height; ++j)
      lanes += lanes_of_squares(average(load_vector<U8x16>(previous.row(ty + j) + tx),
                                        load_vector<U8x16>(previous.row(ty + j + down) + tx + right)),
                                load_vector<U8x16>(source.row(y + j) + x));
    return sum_of_lanes(lanes);
  }
  for (int j = 0; j < height; ++j) {
    const auto row_at = [&](int more) { return previous.row(std::clamp(ty + j + more, 0, previous.height() - 1)); };
    const uint8_t *const pixels = source.row(y + j) + x, *const upper = row_at(0), *const lower = row_at(down);
    for (int i = 0; i < width; ++i) {
      const auto column = [&](int more) { return std::clamp(tx + i + more, 0, previous.width() - 1); };
      const int error = ((upper[column(0)] + lower[column(right)] + 1) >> 1) - pixels[i];
      squares += error * error;
    }
  }
  return squares;
}

}  // namespace

LambdaWeights lambda_weights(const BlockRect& rect, const PixelPlane& source, const PixelPlane& previous,
                             std::span<const MotionVector> vectors, int lambda) {
  constexpr int kPartition = kPartitionSide / 4;
  LambdaWeights weights;
  weights.fill(kFullLambda);
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const auto partition = static_cast<size_t>((y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition);
      const int columns = std::min(kPartition, rect.x1 - x) * 4, rows = std::min(kPartition, rect.y1 - y) * 4;
      const MotionVector& v = vectors[partition];
      const int64_t squares = squares_at(source, previous, x * 4, y * 4, columns, rows, v);
      // In 1024ths. lambda / 48 is lambda for a single squared difference of a texel. A mean squared difference of half
      // of that has a weight of about 1.
      const int64_t error = 1024 * 96 * squares / (int64_t{lambda} * columns * rows) + 205;
      int weight = kFullLambda;
      for (const int threshold : kThresholds) weight += error >= threshold;
      weights[partition] = static_cast<uint8_t>(weight);
    }
  }
  return weights;
}

}  // namespace texcast::compact
