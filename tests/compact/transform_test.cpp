// The parts of the reconstruction of transform slices, each compared with a simple formula.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <utility>

#include "capture_bound.h"
#include "compact/block_fit.h"
#include "compact/dct.h"
#include "compact/interpolation.h"
#include "compact/reference_window.h"
#include "oracle_transform.h"
#include "textures.h"

namespace texcast::compact {
namespace {

int between(std::mt19937& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
}

// The orthonormal DCT of 8 points, in double precision: [frequency][sample].
double basis(int frequency, int sample) {
  return (frequency == 0 ? std::sqrt(1.0 / 8) : 0.5) * std::cos((2 * sample + 1) * frequency * std::numbers::pi / 16);
}
using Real = std::array<double, kCoefficients>;
Real transformed(const Real& in, bool inverse) {
  Real out{};
  for (size_t y = 0; y < 8; ++y)
    for (size_t x = 0; x < 8; ++x)
      for (size_t j = 0; j < 8; ++j)
        for (size_t i = 0; i < 8; ++i) {
          const auto of = [&](size_t here, size_t there) {
            return inverse ? basis(static_cast<int>(there), static_cast<int>(here))
                           : basis(static_cast<int>(here), static_cast<int>(there));
          };
          out[y * 8 + x] += of(y, j) * of(x, i) * in[j * 8 + i];
        }
  return out;
}

// Residuals up to `most`: smooth, noise, or one extreme next to the other.
Residual random_residual(std::mt19937& random, int kind, int most) {
  Residual residual{};
  const int base = between(random, -most, most), across = between(random, -7, 7), down = between(random, -7, 7);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      const int value = kind == 0   ? base + across * x + down * y
                        : kind == 1 ? between(random, -most, most)
                                    : (random() % 2 == 0 ? -most : most);
      residual[static_cast<size_t>(y * 8 + x)] = static_cast<int16_t>(std::clamp(value, -most, most));
    }
  return residual;
}

constexpr int kStepOfOne = 4;  // with which levels are coefficients

}  // namespace

// The integer matrix is an approximation, so the error grows with the residual, by up to a sixteenth of noise.
double permitted(int most) { return 1 + most / 16.0; }

TEST_CASE("the inverse transform is within 1 of the DCT in double precision, and a sixteenth of the residual") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 6000; ++trial) {
    const int most = trial % 2 == 0 ? 12 : 255;
    const Residual residual = random_residual(random, trial / 2 % 3, most);
    Real samples{};
    std::ranges::copy(residual, samples.begin());
    const Real coefficients = transformed(samples, false);
    TransformLevels levels{};
    Real rounded{};
    for (size_t i = 0; i < kCoefficients; ++i) {
      levels[i] = static_cast<int16_t>(std::lround(16 * coefficients[i]));
      rounded[i] = levels[i] / 16.0;
    }
    Residual made;
    inverse_transform(levels, kStepOfOne, made);
    const Real expected = transformed(rounded, true);
    for (size_t i = 0; i < kCoefficients; ++i) REQUIRE(std::abs(made[i] - expected[i]) <= permitted(most));
  }
}

TEST_CASE("forward and inverse transform return the residual within 1, and within 2 for the largest residuals") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 6000; ++trial) {
    const int most = trial % 2 == 0 ? 12 : 255;
    const Residual residual = random_residual(random, trial / 2 % 3, most);
    TransformLevels levels;
    forward_transform(residual, levels);
    Residual made;
    inverse_transform(levels, kStepOfOne, made);
    for (size_t i = 0; i < kCoefficients; ++i) REQUIRE(std::abs(made[i] - residual[i]) <= (most < 100 ? 1 : 2));
  }
}

TEST_CASE("a coefficient's step doubles every 6 quantisers, and its value is limited to 16 bits") {
  CHECK(transform_step(4) == 64);  // a texel's value has 16 steps of 64: 1 is 4 quarters of 1/16
  for (int quantiser = 6; quantiser <= kMostTransformQuantiser; ++quantiser)
    CHECK(transform_step(quantiser) == 2 * transform_step(quantiser - 6));
  CHECK(dequantised(1, 64) == 16);
  CHECK(dequantised(-1, 40) == -10);
  CHECK(dequantised(3, 45) == 34);    // 33.75
  CHECK(dequantised(-3, 45) == -34);  // -33.75
  CHECK(dequantised(-1, 90) == -22);  // -22.5: halves are rounded up
  CHECK(dequantised(32767, transform_step(51)) == 32767);
  CHECK(dequantised(-32767, transform_step(51)) == -32768);
}

TEST_CASE("the inverse transform of any levels is that of the document, in 64 bits") {
  constexpr int kBasis[8][8] = {{64, 64, 64, 64, 64, 64, 64, 64},     {89, 75, 50, 18, -18, -50, -75, -89},
                                {83, 36, -36, -83, -83, -36, 36, 83}, {75, -18, -89, -50, 50, 89, 18, -75},
                                {64, -64, -64, 64, 64, -64, -64, 64}, {50, -89, 18, 75, -75, -18, 89, -50},
                                {36, -83, 83, -36, -36, 83, -83, 36}, {18, -50, 75, -89, 89, -75, 50, -18}};
  const auto limited = [](int64_t value) { return std::clamp<int64_t>(value, -32768, 32767); };
  std::mt19937 random(3);
  for (int trial = 0; trial < 4000; ++trial) {
    TransformLevels levels{};
    const int most = trial % 4 == 0 ? 32767 : trial % 4 == 1 ? 300 : 3;
    const int last = between(random, 0, 63);
    for (int i = 0; i <= last; ++i)
      levels[kZigzag.at[static_cast<size_t>(i)]] = static_cast<int16_t>(between(random, -most, most));
    if (trial % 16 == 0)
      for (int16_t& level : levels) level = level < 0 ? -32767 : 32767;
    const int quantiser = between(random, 0, kMostTransformQuantiser);
    Residual made;
    inverse_transform(levels, transform_step(quantiser), made);
    std::array<int64_t, 64> columns{};
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        int64_t sum = 64;
        for (int k = 0; k < 8; ++k)
          sum += kBasis[k][y] *
                 limited((int64_t{levels[static_cast<size_t>(k * 8 + x)]} * transform_step(quantiser) + 2) >> 2);
        columns[static_cast<size_t>(y * 8 + x)] = limited(sum >> 7);
      }
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        int64_t sum = 2048;
        for (int k = 0; k < 8; ++k) sum += kBasis[k][x] * columns[static_cast<size_t>(y * 8 + k)];
        REQUIRE(made[static_cast<size_t>(y * 8 + x)] == limited(sum >> 12));
      }
  }
}

TEST_CASE("the texels of a window are the nearest ones of the plane, and interpolation is the sum of 36 products") {
  const TileGrid grid({.format = TextureFormat::ycocg_bc4_422, .width = 75, .height = 37});
  const auto texture = textures::noise(grid.texture(), 4);
  std::mt19937 random(4);
  for (int trial = 0; trial < 1500; ++trial) {
    const Component& component = grid.component(trial % 2);  // 4:2:2: its chroma has halves one way, quarters the other
    const TexelVector vector = texel_vector({between(random, -4, 4), between(random, -4, 4)}, component);
    const int width = between(random, 1, 2) * 8, height = between(random, 1, 2) * 8;
    const int x = between(random, -60, 4 * component.blocks_x + 60),
              y = between(random, -60, 4 * component.blocks_y + 60);
    std::array<uint8_t, 21 * 21> window{};
    ReferenceTexels(texture.data(), component)
        .window(x - kTapsBefore, y - kTapsBefore, width + 5, height + 5, window.data(), 21);
    const auto texel = [&](int column, int row) {
      column = std::clamp(column, 0, 4 * component.blocks_x - 1);
      row = std::clamp(row, 0, 4 * component.blocks_y - 1);
      const uint64_t block = ReferenceTexels(texture.data(), component).block(column / 4, row / 4);
      return oracle::nearest_texel(block, row % 4 * 4 + column % 4);
    };
    for (int j = 0; j < height + 5; ++j)
      for (int i = 0; i < width + 5; ++i)
        REQUIRE(window[static_cast<size_t>(j * 21 + i)] == texel(x - 2 + i, y - 2 + j));
    std::array<uint8_t, 16 * 16> made{};
    interpolate(window.data() + 2 * 21 + 2, 21, width, height, vector, component, made.data(), 16);
    const auto& across = taps_of(component.across == 2, vector.quarter_x);
    const auto& down = taps_of(component.down == 2, vector.quarter_y);
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        int sum = 0;
        for (int j = 0; j < 6; ++j)
          for (int i = 0; i < 6; ++i)
            sum += down[static_cast<size_t>(j)] * across[static_cast<size_t>(i)] *
                   texel(x + column + i - 2, y + row + j - 2);
        REQUIRE(made[static_cast<size_t>(row * 16 + column)] == std::clamp((sum + 512) >> 10, 0, 255));
      }
  }
}

TEST_CASE("all filters keep a constant, and mirrored quarters have mirrored taps") {
  for (const bool is_subsampled : {false, true})
    for (int quarter = 0; quarter < 4; ++quarter) {
      const auto& taps = taps_of(is_subsampled, quarter);
      int sum = 0;
      for (const int tap : taps) sum += tap;
      CHECK(sum == 32);
      if (quarter == 0 || (!is_subsampled && quarter != 2)) continue;
      const auto& mirrored = taps_of(is_subsampled, 4 - quarter);
      for (size_t i = 0; i < 6; ++i) CHECK(taps[i] == mirrored[5 - i]);
    }
}

namespace {

// Texels of many kinds: noise of any range, ramps, two values, a few values, almost flat.
U8x16 random_texels(std::mt19937& random) {
  U8x16 texels{};
  const int low = between(random, 0, 255),
            high = between(random, low, random() % 2 == 0 ? 255 : std::min(low + 9, 255));
  const int across = between(random, -20, 20), down = between(random, -20, 20), kind = between(random, 0, 4);
  for (int i = 0; i < 16; ++i) {
    int value = between(random, low, high);
    if (kind == 1) value = low + across * (i % 4) + down * (i / 4);
    if (kind == 2) value = random() % 2 == 0 ? low : high;
    if (kind == 3) value = i == 5 ? high : low;
    if (kind == 4) value = between(random, 0, 7) * (high - low) / 7 + low;
    texels[i] = static_cast<uint8_t>(std::clamp(value, 0, 255));
  }
  return texels;
}

}  // namespace

TEST_CASE("fit_block() gives the block of the document's rule, and its texels") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 60000; ++trial) {
    const U8x16 wanted = random_texels(random);
    std::array<int, 16> plain{};
    for (int i = 0; i < 16; ++i) plain[static_cast<size_t>(i)] = wanted[i];
    const FittedBlock fitted = fit_block(wanted);
    REQUIRE(fitted.sub_block == oracle::fitted_block(plain));
    for (int i = 0; i < 16; ++i) REQUIRE(int{fitted.texels[i]} == oracle::nearest_texel(fitted.sub_block, i));
  }
}

TEST_CASE("a flat block and a block of two values are fitted exactly") {
  std::mt19937 random(6);
  for (int low = 0; low < 256; ++low)
    for (int high = low; high < 256; high += 3) {
      U8x16 wanted{};
      for (int i = 0; i < 16; ++i) wanted[i] = static_cast<uint8_t>(random() % 2 == 0 ? low : high);
      const FittedBlock fitted = fit_block(wanted);
      for (int i = 0; i < 16; ++i) REQUIRE(int{fitted.texels[i]} == int{wanted[i]});
    }
}

TEST_CASE("the texels of any BC4 block are the values of its palette, rounded to the nearest") {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 20000; ++trial) {
    const uint64_t block = trial % 3 == 0 ? (random() & ~uint64_t{0xFFFF}) | random() % 256 * 257 : random();
    const double first = static_cast<double>(block & 255), second = static_cast<double>(block >> 8 & 255);
    const U8x16 texels = nearest_texels(block);
    for (int i = 0; i < 16; ++i) {
      const int index = static_cast<int>(block >> (16 + 3 * i) & 7);
      double value = index == 0 ? first : index == 1 ? second : 0;
      if (index > 1 && first > second) value = ((8 - index) * first + (index - 1) * second) / 7;
      if (index > 1 && first <= second && index < 6) value = ((6 - index) * first + (index - 1) * second) / 5;
      if (first <= second && index == 7) value = 255;
      REQUIRE(int{texels[i]} == std::lround(value));
    }
  }
}

TEST_CASE("the window of a macroblock has exactly the blocks whose texels the filters read") {
  std::mt19937 random(8);
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444}) {
    const TileGrid grid({.format = format, .width = 150, .height = 83});
    for (int trial = 0; trial < 2000; ++trial) {
      const Component& component = grid.component(trial % 3);
      const auto tile = static_cast<uint32_t>(between(random, 0, static_cast<int>(grid.tiles()) - 1));
      const TransformBlocks blocks = transform_blocks(component, grid.blocks(component, {.tile = tile}),
                                                      between(random, 0, 3), between(random, 0, 1));
      const int furthest = trial % 2 == 0 ? 20 : 400;
      const MotionVector v{between(random, -furthest, furthest), between(random, -furthest, furthest)};
      const BlockRect window = reference_window(component, blocks, v);
      CHECK((window.count() == 0) == (blocks.mask() == 0));
      if (window.count() == 0) continue;
      // The position in texels, and how far the filter reaches: not at all without a fraction.
      const double x = v.x / 2.0 / component.across, y = v.y / 2.0 / component.down;
      std::set<std::pair<int, int>> read;
      const auto reach = [](double part, int offset) { return part == std::floor(part) ? 0 : offset; };
      for (int row = reach(y, -2); row < blocks.block_rows * 4 + reach(y, 3); ++row)
        for (int column = reach(x, -2); column < blocks.block_columns * 4 + reach(x, 3); ++column) {
          const int tx = blocks.x * 4 + static_cast<int>(std::floor(x)) + column;
          const int ty = blocks.y * 4 + static_cast<int>(std::floor(y)) + row;
          read.insert(
              {std::clamp(tx, 0, component.blocks_x * 4 - 1) / 4, std::clamp(ty, 0, component.blocks_y * 4 - 1) / 4});
        }
      std::set<std::pair<int, int>> told;
      for (int by = window.y0; by < window.y1; ++by)
        for (int bx = window.x0; bx < window.x1; ++bx) told.insert({bx, by});
      REQUIRE(told == read);
    }
  }
}

}  // namespace texcast::compact
