#include "astc_waves.h"

#include <algorithm>
#include <span>

#include "base/ensure.h"

namespace texcast::ref::astc {
namespace {

constexpr std::array<float, 8> kWaves4 = TEXCAST_ASTC_WAVES_4;
constexpr std::array<float, 15> kWaves5 = TEXCAST_ASTC_WAVES_5;
constexpr std::array<float, 18> kWaves6 = TEXCAST_ASTC_WAVES_6;
constexpr std::array<float, 32> kWaves8 = TEXCAST_ASTC_WAVES_8;

std::span<const float> waves_of(int side) {
  switch (side) {
    case 4: return kWaves4;
    case 5: return kWaves5;
    case 6: return kWaves6;
    default: ENSURE(side == 8); return kWaves8;
  }
}

// Transforms `side` values at the given distance. Mirrored texels are added first.
void transform(Values& values, size_t first, size_t apart, size_t side) {
  const std::span<const float> waves = waves_of(static_cast<int>(side));
  const size_t half = side / 2, columns = (side + 1) / 2;
  std::array<float, TEXCAST_ASTC_MAX_SIDE> in{}, out{};
  for (size_t i = 0; i < side; ++i) in[i] = values[first + apart * i];
  for (size_t wave = 0; wave < side; ++wave) {
    float sum = 0;
    for (size_t j = 0; j < half; ++j) {
      const float folded = wave % 2 == 0 ? in[j] + in[side - 1 - j] : in[j] - in[side - 1 - j];
      const float term = folded * waves[columns * wave + j];
      sum = j == 0 ? term : sum + term;
    }
    if (columns > half && wave % 2 == 0) sum += in[half] * waves[columns * wave + half];
    out[wave] = sum;
  }
  for (size_t i = 0; i < side; ++i) values[first + apart * i] = out[i];
}

// In the order of 16 lanes: lane by lane, then in halves.
float sum_of_lanes(const Values& values, size_t count) {
  std::array<float, 16> lanes{};
  for (size_t i = 0; i < count; ++i) lanes[i % 16] = i < 16 ? values[i] : lanes[i % 16] + values[i];
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

}  // namespace

Values squared_waves(const Values& values, int side) {
  Values waves = values;
  const auto n = static_cast<size_t>(side);
  for (size_t x = 0; x < n; ++x) transform(waves, x, n, n);
  for (size_t y = 0; y < n; ++y) transform(waves, n * y, 1, n);
  for (float& wave : waves) wave *= wave;
  return waves;
}

float lost_by(const Tables& tables, const Grid& grid, int side, const Values& squares) {
  Values lost{};
  for (int down = 0; down < side; ++down)
    for (int across = 0; across < side; ++across) {
      const auto i = static_cast<size_t>(side * down + across);
      lost[i] = squares[i] * tables.lost(grid, side, down, across);
    }
  return sum_of_lanes(lost, static_cast<size_t>(side * side));
}

}  // namespace texcast::ref::astc
