// Three-colour blocks of the BC1 reference: what the encoders promise, and brute force where it is feasible.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "picture.h"
#include "ref/bc1.h"

using namespace texcast;
using ref::Bc1Block;
using ref::RgbBlock;

namespace {

using Rgb = std::array<int, 3>;

int random_below(std::mt19937& random, int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }

bool is_three_colour(const Bc1Block& b) { return (b[0] | b[1] << 8) <= (b[2] | b[3] << 8); }

bool has_index_3(const Bc1Block& b) {
  for (size_t i = 0; i < 16; ++i)
    if ((b[4 + i / 4] >> (2 * (i % 4)) & 3) == 3) return true;
  return false;
}

void put(RgbBlock& block, size_t i, const Rgb& c) { block.r[i] = c[0], block.g[i] = c[1], block.b[i] = c[2]; }

template <typename ColorOf>
RgbBlock block_of(ColorOf color_of) {
  RgbBlock block{};
  for (size_t i = 0; i < 16; ++i) put(block, i, color_of(i));
  return block;
}

int squared_error(const RgbBlock& texels, const Bc1Block& b) {
  const RgbBlock back = ref::decode_bc1(b, EndpointExpansion::replicate);
  int error = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int r = texels.r[i] - back.r[i], g = texels.g[i] - back.g[i], blue = texels.b[i] - back.b[i];
    error += r * r + g * g + blue * blue;
  }
  return error;
}

// A colour that 5-6-5 bits represent exactly.
Rgb exact_color(std::mt19937& random) {
  const int r = random_below(random, 32), g = random_below(random, 64), b = random_below(random, 32);
  return {r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2};
}

Rgb middle(const Rgb& x, const Rgb& y) { return {(x[0] + y[0]) / 2, (x[1] + y[1]) / 2, (x[2] + y[2]) / 2}; }

// The smallest error of any block for texels that have only green: tries all pairs of 6-bit values in both orders.
int least_green_error(const RgbBlock& texels, bool allow_black) {
  int least = 1 << 30;
  for (int a = 0; a < 64; ++a)
    for (int b = 0; b < 64; ++b) {
      const int c0 = a << 2 | a >> 4, c1 = b << 2 | b >> 4;
      const std::array<int, 4> palette = a > b ? std::array{c0, c1, (2 * c0 + c1) / 3, (c0 + 2 * c1) / 3}
                                               : std::array{c0, c1, (c0 + c1) / 2, allow_black ? 0 : c0};
      int error = 0;
      for (const int g : texels.g) {
        int nearest = 1 << 30;
        for (const int color : palette) nearest = std::min(nearest, (g - color) * (g - color));
        error += nearest;
      }
      least = std::min(least, error);
    }
  return least;
}

}  // namespace

TEST_CASE("index 3 of a three-colour block is used only if black is allowed") {
  std::mt19937 random(11);
  int three_colour = 0, black = 0;
  const auto check = [&](const RgbBlock& texels) {
    const Bc1Block safe = ref::encode_bc1_cluster_search(texels), with_black = encode_bc1_cluster_search(texels, true);
    three_colour += is_three_colour(safe);
    black += is_three_colour(with_black) && has_index_3(with_black);
    REQUIRE_FALSE((is_three_colour(safe) && has_index_3(safe)));
  };
  for (int n = 0; n < 600; ++n) {  // noise, and three clusters of it
    const int range = n % 3 == 0 ? 256 : n % 3 == 1 ? 40 : 5;
    if (n % 4 == 0)
      check(block_of([&](size_t i) {
        const int v = static_cast<int>(i % 3) * 70 + random_below(random, 8);
        return Rgb{v, v + 40, 200 - v};
      }));
    check(block_of([&](size_t i) {
      if (n % 2 == 0 && i % 5 == 0) return Rgb{0, 0, 0};
      return Rgb{random_below(random, range), random_below(random, range), random_below(random, range)};
    }));
  }
  CHECK(three_colour > 50);  // enough for the test to mean something
  CHECK(black > 50);
}

TEST_CASE("blocks of two colours and their middle are reproduced exactly") {
  std::mt19937 random(12);
  for (int n = 0; n < 500; ++n) {
    const Rgb a = exact_color(random), b = exact_color(random);
    const std::array colors = {a, b, middle(a, b)};
    const RgbBlock texels = block_of([&](size_t i) { return colors[i < 3 ? i : random() % 3]; });
    CAPTURE(n);
    CHECK(squared_error(texels, ref::encode_bc1_cluster_search(texels)) == 0);
    CHECK(squared_error(texels, ref::encode_bc1_cluster_search(texels, true)) == 0);
  }
}

TEST_CASE("likewise with black, if it is allowed") {
  std::mt19937 random(13);
  for (int n = 0; n < 500; ++n) {
    const Rgb a = exact_color(random), b = exact_color(random);
    const std::array colors = {a, b, middle(a, b), Rgb{0, 0, 0}};
    const RgbBlock texels = block_of([&](size_t i) { return colors[i < 4 ? i : random() % 4]; });
    CAPTURE(n);
    CHECK(squared_error(texels, ref::encode_bc1_cluster_search(texels, true)) == 0);
  }
}

TEST_CASE("edge cases: all black, one black texel, one that is not, stripes") {
  const Rgb black = {0, 0, 0}, white = {255, 255, 255}, blue = {8, 130, 247};  // blue: (1, 32, 30) in 5-6-5 bits
  for (const bool allow_black : {false, true})
    for (const Rgb& color : {black, white, blue})
      for (size_t other = 0; other <= 16; ++other) {
        const auto exact = [&](const RgbBlock& texels) {
          return squared_error(texels, ref::encode_bc1_cluster_search(texels, allow_black)) == 0;
        };
        CAPTURE(other);
        CHECK(exact(block_of([&](size_t i) { return i == other ? black : color; })));
        CHECK(exact(block_of([&](size_t i) { return i == other ? color : black; })));
        CHECK(exact(block_of([&](size_t i) { return (i + other) % 2 == 0 ? black : color; })));
        CHECK(exact(block_of([&](size_t i) { return i < other ? color : white; })));
      }
}

TEST_CASE("compared with brute force over all end points, in one channel") {
  std::mt19937 random(14);
  for (const bool allow_black : {false, true}) {
    double got = 0, least = 0;
    for (int n = 0; n < 40; ++n) {
      const int base = random_below(random, 200), range = 20 + random_below(random, 230);
      const RgbBlock texels = block_of([&](size_t i) {
        if (n % 2 == 0 && i % 4 == 1) return Rgb{0, random_below(random, 12), 0};
        return Rgb{0, std::min(255, base + random_below(random, range)), 0};
      });
      const int error = squared_error(texels, ref::encode_bc1_cluster_search(texels, allow_black));
      const int smallest = least_green_error(texels, allow_black);
      REQUIRE(error >= smallest);
      got += error;
      least += smallest;
    }
    CAPTURE(allow_black);
    MESSAGE("times the optimum: ", got / least);
    CHECK(got <= 1.01 * least);
  }
}

TEST_CASE("on a photograph three colours gain, and so does black") {
  const double cluster = picture::bc1_psnr(ref::encode_bc1_cluster);
  const double search = picture::bc1_psnr([](const RgbBlock& t) { return ref::encode_bc1_cluster_search(t); });
  const double black = picture::bc1_psnr([](const RgbBlock& t) { return ref::encode_bc1_cluster_search(t, true); });
  MESSAGE(cluster, " ", search, " ", black);
  CHECK(search > cluster + 0.05);
  CHECK(black > search + 0.01);
}
