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

// The value at a place in quarters of a texel, with the filter of whole components.
template <typename Texel>
int half_value(const Texel& texel, int x, int y) {
  constexpr int kBetween[] = {1, -4, 19, 19, -4, 1}, kWhole[] = {0, 0, 32, 0, 0, 0};
  const int *const across = x % 2 != 0 ? kBetween : kWhole, *const down = y % 2 != 0 ? kBetween : kWhole;
  int sum = 0;
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 6; ++i) sum += down[j] * across[i] * texel((x >> 1) + i - 2, (y >> 1) + j - 2);
  return std::clamp((sum + 512) >> 10, 0, 255);
}
template <typename Texel>
int quarter_value(const Texel& texel, int x, int y) {
  const auto [first, second] = half_samples(x, y);
  return (half_value(texel, first.x, first.y) + half_value(texel, second.x, second.y) + 1) / 2;
}
// The same in eighths, of subsampled ones.
template <typename Texel>
int eighth_value(const Texel& texel, int x, int y) {
  const auto &across = eighth_taps(x & 7), &down = eighth_taps(y & 7);
  int sum = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i)
      sum += down[static_cast<size_t>(j)] * across[static_cast<size_t>(i)] * texel((x >> 3) + i - 1, (y >> 3) + j - 1);
  return std::clamp((sum + 2048) >> 12, 0, 255);
}

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

TEST_CASE("the samples of a window are the nearest ones of the plane, and interpolation has its values") {
  const TileGrid grid({.format = TextureFormat::ycocg_bc4_422, .width = 75, .height = 37});
  std::mt19937 random(4);
  SamplePlanes planes(grid);
  for (uint8_t& sample : planes.all()) sample = static_cast<uint8_t>(random());
  for (int trial = 0; trial < 1500; ++trial) {
    const Component& component = grid.component(trial % 2);  // 4:2:2: its chroma has eighths across, quarters down
    const MotionVector v{between(random, -8, 8), between(random, -8, 8)};
    const TexelVector vector = texel_vector(v, component);
    const int width = between(random, 1, 2) * 8, height = between(random, 1, 2) * 8;
    const int x = between(random, -60, 4 * component.blocks_x + 60),
              y = between(random, -60, 4 * component.blocks_y + 60);
    std::array<uint8_t, 21 * 21> window{};
    SampleWindow memory;
    const auto [first, stride] =
        sample_window(planes, trial % 2, x - kTapsBefore, y - kTapsBefore, width + 5, height + 5, memory);
    for (int j = 0; j < height + 5; ++j) std::copy_n(first + j * stride, width + 5, window.begin() + 21 * j);
    const auto texel = [&](int column, int row) {
      column = std::clamp(column, 0, 4 * component.blocks_x - 1);
      row = std::clamp(row, 0, 4 * component.blocks_y - 1);
      return int{*planes.at(trial % 2, column, row)};
    };
    for (int j = 0; j < height + 5; ++j)
      for (int i = 0; i < width + 5; ++i)
        REQUIRE(window[static_cast<size_t>(j * 21 + i)] == texel(x - 2 + i, y - 2 + j));
    std::array<uint8_t, 16 * 16> made{};
    interpolate(window.data() + 2 * 21 + 2, 21, width, height, vector, component, made.data(), 16);
    const auto is_right = [&](int value, int column, int row) {
      return made[static_cast<size_t>(row * 16 + column)] == value;
    };
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        if (trial % 2 == 0)
          REQUIRE(is_right(quarter_value(texel, 4 * (x + column) + (v.x & 3), 4 * (y + row) + (v.y & 3)), column, row));
        else
          REQUIRE(
              is_right(eighth_value(texel, 8 * (x + column) + (v.x & 7), 8 * (y + row) + 2 * (v.y & 3)), column, row));
      }
  }
}

TEST_CASE("quarter positions are the means of the samples that H.264 says") {
  // The letters of figure 8-4 of ITU-T H.264: G and the samples at half texels b, h, j, m and s; H and M are the texels
  // on the right of G and below.
  constexpr std::pair<int, int> kG{0, 0}, kB{1, 0}, kH{0, 1}, kJ{1, 1}, kM{2, 1}, kS{1, 2}, kRight{2, 0}, kBelow{0, 2};
  constexpr std::pair<std::pair<int, int>, std::pair<int, int>> kMeans[16] = {
      {kG, kG}, {kG, kB}, {kB, kB}, {kB, kRight}, {kG, kH},     {kB, kH}, {kB, kJ}, {kB, kM},
      {kH, kH}, {kH, kJ}, {kJ, kJ}, {kJ, kM},     {kH, kBelow}, {kH, kS}, {kJ, kS}, {kS, kM}};
  for (int quarter = 0; quarter < 16; ++quarter) {
    CAPTURE(quarter);
    const auto [first, second] = half_samples(quarter % 4, quarter / 4);
    std::set<std::pair<int, int>> made{{first.x, first.y}, {second.x, second.y}};
    CHECK(made == std::set{kMeans[quarter].first, kMeans[quarter].second});
    // Elsewhere, also at negative places, they are moved by whole texels.
    const auto [before, after] = half_samples(quarter % 4 - 12, quarter / 4 + 8);
    CHECK(before == HalfSample{first.x - 6, first.y + 4});
    CHECK(after == HalfSample{second.x - 6, second.y + 4});
  }
}

TEST_CASE("all filters keep a constant, and mirrored eighths have mirrored taps") {
  for (int eighth = 0; eighth < 8; ++eighth) {
    const auto& taps = eighth_taps(eighth);
    int sum = 0;
    for (const int tap : taps) sum += tap;
    CHECK(sum == 64);
    if (eighth == 0) continue;
    for (size_t i = 0; i < 4; ++i) CHECK(taps[i] == eighth_taps(8 - eighth)[3 - i]);
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
      const int furthest = trial % 2 == 0 ? 40 : 800;
      const MotionVector v{between(random, -furthest, furthest), between(random, -furthest, furthest)};
      const BlockRect window = reference_window(component, blocks, v);
      CHECK((window.count() == 0) == (blocks.mask() == 0));
      if (window.count() == 0) continue;
      // The position in texels, and how far the filter reaches: not at all without a fraction, and less in subsampled
      // components.
      const double x = v.x / 4.0 / component.across, y = v.y / 4.0 / component.down;
      const bool is_whole = component.across == 1 && component.down == 1;
      const int before = is_whole ? -2 : -1, after = is_whole ? 3 : 2;
      std::set<std::pair<int, int>> read;
      const auto reach = [](double part, int offset) { return part == std::floor(part) ? 0 : offset; };
      for (int row = reach(y, before); row < blocks.block_rows * 4 + reach(y, after); ++row)
        for (int column = reach(x, before); column < blocks.block_columns * 4 + reach(x, after); ++column) {
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
