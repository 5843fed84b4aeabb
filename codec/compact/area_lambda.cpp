#include "area_lambda.h"

#include <algorithm>

namespace texcast::compact {
namespace {

// 1024 ((k - 1/2) / 16)^(10 / 3), for k = 17 to 32: from there on a part is k.
constexpr std::array<int, 16> kThresholds{1135, 1380, 1661, 1980, 2339, 2742, 3190, 3688,
                                          4238, 4842, 5505, 6228, 7015, 7870, 8795, 9793};

}  // namespace

LambdaParts lambda_parts(const BlockRect& rect, const PixelPlane& now, const PixelPlane& before,
                         std::span<const Vector> vectors, int lambda) {
  constexpr int kArea = kAreaSide / 4;
  LambdaParts parts;
  parts.fill(kWholeLambda);
  for (int y = rect.y0; y < rect.y1; y += kArea) {
    for (int x = rect.x0; x < rect.x1; x += kArea) {
      const auto area = static_cast<size_t>((y - rect.y0) / kArea * 4 + (x - rect.x0) / kArea);
      const int columns = std::min(kArea, rect.x1 - x) * 4, rows = std::min(kArea, rect.y1 - y) * 4;
      const Vector& v = vectors[area];
      int64_t squares = 0;
      for (int j = 0; j < rows; ++j) {
        const int row = y * 4 + j + (v.y >> 1);
        const auto row_at = [&](int more) { return before.row(std::clamp(row + more, 0, before.height() - 1)); };
        const uint8_t *const here = now.row(y * 4 + j), *const then = row_at(0), *const below = row_at(v.y & 1);
        int sum = 0;
        for (int i = 0; i < columns; ++i) {
          const int column = x * 4 + i + (v.x >> 1);
          const int left = std::clamp(column, 0, before.width() - 1),
                    right = std::clamp(column + (v.x & 1), 0, before.width() - 1);
          const int off = ((then[left] + below[right] + 1) >> 1) - here[x * 4 + i];
          sum += off * off;
        }
        squares += sum;
      }
      // A texel's part in lambda is lambda / 48; what is off by half of that has all of it. In 1024ths.
      const int64_t off = 1024 * 96 * squares / (int64_t{lambda} * columns * rows) + 205;
      int part = kWholeLambda;
      for (const int threshold : kThresholds) part += off >= threshold;
      parts[area] = static_cast<uint8_t>(part);
    }
  }
  return parts;
}

}  // namespace texcast::compact
