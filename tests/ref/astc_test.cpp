// ASTC's encoder: the blocks of texels whose best block is known, and what the encoder promises for all others.
#include "ref/astc.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "kernels/astc.h"
#include "picture.h"
#include "ref/astc_encode.h"
#include "ref/astc_tables.h"

using namespace texcast;
using namespace texcast::ref;

namespace {

constexpr std::array kAstcMethods = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};
constexpr std::array kAstcSides = {4, 5, 6, 8};

using AstcTexels = std::vector<AstcRgba>;

AstcTexels there_and_back(const AstcTexels& texels, int side, Method method) {
  AstcTexels decoded(texels.size());
  const AstcBlock block = encode_astc(texels, side, method);
  CHECK(decode_astc(block, {side, side}, false, decoded) == AstcBlockKind::ldr);
  return decoded;
}

int largest_error(const AstcTexels& a, const AstcTexels& b) {
  int largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t c = 0; c < 4; ++c) largest = std::max(largest, std::abs(a[i][c] - b[i][c]));
  return largest;
}

AstcTexels of_side(int side) { return AstcTexels(static_cast<size_t>(side * side), AstcRgba{0, 0, 0, 255}); }

}  // namespace

// Khronos Data Format 1.3, table of weights by range: 2 to 32 steps.
TEST_CASE("astc: the quantised weights that kernels compute are the standard's") {
  const std::vector<std::vector<int>> lower_halves = {
      {0},
      {0, 32},
      {0, 21},
      {0, 16, 32},
      {0, 12, 25},
      {0, 9, 18, 27},
      {0, 7, 14, 21, 28},
      {0, 5, 11, 17, 23, 28},
      {0, 4, 8, 12, 17, 21, 25, 29},
      {0, 3, 6, 9, 13, 16, 19, 23, 26, 29},
      {0, 2, 5, 8, 11, 13, 16, 19, 22, 24, 27, 30},
      {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
  };
  const auto words = astc_tables(4);
  std::vector<bool> seen(lower_halves.size());
  for (size_t row = 0; row < TEXCAST_ASTC_MAX_LAYOUTS; ++row) {
    const auto layout =
        words.subspan(TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * row, TEXCAST_ASTC_LAYOUT_WORDS);
    if (layout[0] == 0) break;
    const size_t range = layout[0] & 255;
    seen[range] = true;
    const auto real = [&](size_t at) { return std::bit_cast<float>(layout[at]); };
    const float rise = real(TEXCAST_ASTC_LAYOUT_RISE), first = real(TEXCAST_ASTC_LAYOUT_FIRST);
    const std::vector<int>& weights = lower_halves[range];
    REQUIRE(real(TEXCAST_ASTC_LAYOUT_MOST) == static_cast<float>(weights.size() - 1));
    for (size_t step = 0; step < weights.size(); ++step) {
      const float weight = static_cast<float>(step) * rise + first;
      CHECK(std::abs(weight - static_cast<float>(weights[step])) < 0.5F);
      // A weight that can be represented is quantised to itself.
      const float number = std::round(static_cast<float>(16 * weights[step]) * real(TEXCAST_ASTC_LAYOUT_NEAR));
      CHECK(number == static_cast<float>(step));
    }
  }
  CHECK(std::ranges::count(seen, false) == 0);
}

template <size_t kCount>
void check_waves(const std::array<float, kCount>& waves, size_t side) {
  const size_t columns = (side + 1) / 2;
  const auto value = [&](size_t wave, size_t x) {
    const bool is_mirrored = x >= columns;
    const float v = waves[columns * wave + (is_mirrored ? side - 1 - x : x)];
    return static_cast<double>(is_mirrored && wave % 2 == 1 ? -v : v);
  };
  for (size_t a = 0; a < side; ++a)
    for (size_t b = 0; b < side; ++b) {
      double product = 0;
      for (size_t x = 0; x < side; ++x) product += value(a, x) * value(b, x);
      CHECK(product == doctest::Approx(a == b ? 1 : 0).epsilon(1e-6));
    }
}

TEST_CASE("astc: the basis functions are orthonormal") {
  check_waves<8>(TEXCAST_ASTC_WAVES_4, 4);
  check_waves<15>(TEXCAST_ASTC_WAVES_5, 5);
  check_waves<18>(TEXCAST_ASTC_WAVES_6, 6);
  check_waves<32>(TEXCAST_ASTC_WAVES_8, 8);
}

TEST_CASE("astc: a block of one colour is that colour, with its alpha") {
  for (const int side : kAstcSides) {
    AstcTexels texels = of_side(side);
    std::ranges::fill(texels, AstcRgba{1, 130, 254, 77});
    CHECK(there_and_back(texels, side, Method::refine_once) == texels);
  }
}

TEST_CASE("astc: text in black and white is exact, and text in two colours up to the rounding of end points") {
  for (const int side : kAstcSides)
    for (const Method method : kAstcMethods) {
      CAPTURE(side);
      AstcTexels plain = of_side(side), colored = plain;
      for (size_t i = 0; i < plain.size(); ++i) {
        const bool ink = i % 5 == 0 || i % 7 == 3;
        plain[i] = ink ? AstcRgba{0, 0, 0, 255} : AstcRgba{255, 255, 255, 255};
        colored[i] = ink ? AstcRgba{17, 34, 170, 255} : AstcRgba{255, 238, 0, 255};
      }
      CHECK(there_and_back(plain, side, method) == plain);
      CHECK(largest_error(there_and_back(colored, side, method), colored) <= 2);
    }
}

TEST_CASE("astc: a channel that is independent of the others has weights of its own") {
  AstcTexels texels = of_side(4);
  // Red rises to the right, blue falls downwards, green is constant.
  for (int i = 0; i < 16; ++i) texels[static_cast<size_t>(i)] = {60 * (i % 4), 100, 200 - 60 * (i / 4), 255};
  for (const Method method : kAstcMethods) CHECK(largest_error(there_and_back(texels, 4, method), texels) <= 12);
}

TEST_CASE("astc: whatever the texels, blocks are valid; where alpha is 255 it stays so") {
  std::mt19937 random(17);
  for (const int side : kAstcSides)
    for (const Method method : {Method::refine_once, Method::refine})
      for (int n = 0; n < 60; ++n) {
        AstcTexels texels = of_side(side);
        const int spread = 1 << (n % 9), base = static_cast<int>(random() % 256);
        const auto value = [&] {
          return std::clamp(base + static_cast<int>(random() % (2 * spread)) - spread, 0, 255);
        };
        const bool is_opaque = n % 3 != 0;
        for (AstcRgba& texel : texels) texel = {value(), value(), value(), is_opaque ? 255 : value()};
        const AstcTexels decoded = there_and_back(texels, side, method);
        if (is_opaque) CHECK(std::ranges::all_of(decoded, [](const AstcRgba& texel) { return texel[3] == 255; }));
      }
}

TEST_CASE("astc: more effort gives a better picture, and fast is better than astcenc's fastest") {
  std::array<double, 2> psnr{};
  for (size_t m = 0; m < psnr.size(); ++m)
    psnr[m] = picture::rgb_psnr([&](const RgbBlock& block) {
      AstcTexels texels = of_side(4);
      for (size_t i = 0; i < 16; ++i) texels[i] = {block.r[i], block.g[i], block.b[i], 255};
      const AstcTexels decoded = there_and_back(texels, 4, kAstcMethods[m]);
      RgbBlock out{};
      for (size_t i = 0; i < 16; ++i) {
        out.r[i] = decoded[i][0];
        out.g[i] = decoded[i][1];
        out.b[i] = decoded[i][2];
      }
      return out;
    });
  MESSAGE(psnr[0], " ", psnr[1]);
  CHECK(psnr[0] > 39.03);  // astcenc 5.6 -fastest
  CHECK(psnr[1] > 39.71);  // -fast
}
