// ASTC's encoder: what blocks it makes of texels whose best block is known, and that its promises hold everywhere.
#include "ref/astc.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "picture.h"
#include "ref/astc_encode.h"

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

TEST_CASE("astc: a block of one colour is that colour, with its alpha") {
  for (const int side : kAstcSides) {
    AstcTexels texels = of_side(side);
    std::ranges::fill(texels, AstcRgba{1, 130, 254, 77});
    CHECK(there_and_back(texels, side, Method::refine_once) == texels);
  }
}

TEST_CASE("astc: text in black and white is exact, in two colours within what end points are rounded by") {
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

TEST_CASE("astc: one channel that goes its own way has weights of its own") {
  AstcTexels texels = of_side(4);
  // Red rises to the right, blue falls downwards, green is theirs neither.
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

TEST_CASE("astc: more effort gives a better picture, and fast is worth its bits") {
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
