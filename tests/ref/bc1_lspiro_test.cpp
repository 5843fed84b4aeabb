// LSpiro's steps 2 and 3, compared with the simplest possible searches and fits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "picture.h"
#include "ref/bc1.h"

using namespace texcast;
using ref::Bc1Block;
using ref::RgbBlock;

namespace {

// Codes of both end points: red a, red b, green a, green b, blue a, blue b.
using Codes = std::array<int, 6>;
constexpr Codes kLargest = {31, 31, 63, 63, 31, 31};

Codes codes_of(const Bc1Block& block) {
  const int c0 = block[0] | block[1] << 8, c1 = block[2] | block[3] << 8;
  return {c0 >> 11, c1 >> 11, c0 >> 5 & 63, c1 >> 5 & 63, c0 & 31, c1 & 31};
}

int squared_error(const RgbBlock& a, const RgbBlock& b) {
  int error = 0;
  for (size_t i = 0; i < 16; ++i)
    error += (a.r[i] - b.r[i]) * (a.r[i] - b.r[i]) + (a.g[i] - b.g[i]) * (a.g[i] - b.g[i]) +
             (a.b[i] - b.b[i]) * (a.b[i] - b.b[i]);
  return error;
}

int decoded_error(const RgbBlock& texels, const Bc1Block& block) {
  return squared_error(texels, ref::decode_bc1(block, EndpointExpansion::replicate));
}

// The smallest error of any indices with these end points: tries all four for every texel.
int smallest_error(const RgbBlock& texels, const Codes& codes) {
  const auto at = [&](size_t channel, int w) {
    const auto expand = [&](int v) { return channel == 1 ? v * 4 + v / 16 : v * 8 + v / 4; };
    return (w * expand(codes[2 * channel]) + (3 - w) * expand(codes[2 * channel + 1])) / 3;
  };
  int error = 0;
  for (size_t i = 0; i < 16; ++i) {
    int nearest = 1 << 30;
    for (int w = 0; w < 4; ++w) {
      const int r = texels.r[i] - at(0, w), g = texels.g[i] - at(1, w), b = texels.b[i] - at(2, w);
      nearest = std::min(nearest, r * r + g * g + b * b);
    }
    error += nearest;
  }
  return error;
}

// Tries all neighbours within the radius, in the order of the codes, without any shortcut.
void best_neighbour(const RgbBlock& texels, const Codes& centre, int radius, size_t place, Codes& at, Codes& best,
                    int& best_error) {
  if (place == 6) {
    const int error = smallest_error(texels, at);
    if (error < best_error) {
      best_error = error;
      best = at;
    }
    return;
  }
  for (int move = -radius; move <= radius; ++move) {
    at[place] = centre[place] + move;
    if (at[place] >= 0 && at[place] <= kLargest[place])
      best_neighbour(texels, centre, radius, place + 1, at, best, best_error);
  }
}

// From step 2's block to one without a better neighbour, in at most eight rounds.
int exhaustive_error(const RgbBlock& texels, const Bc1Block& start, int radius, Codes& codes) {
  codes = codes_of(start);
  int error = smallest_error(texels, codes);
  for (int round = 0; round < 8; ++round) {
    Codes at{}, best = codes;
    int best_error = error;
    best_neighbour(texels, codes, radius, 0, at, best, best_error);
    if (best_error == error) break;
    error = best_error;
    codes = best;
  }
  return error;
}

// Blocks of all kinds: noise, a noisy gradient, nearly flat, two colours, and the corners of the RGB cube.
RgbBlock block_of_kind(int kind, std::mt19937& random) {
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  RgbBlock block{};
  const std::array<int, 3> base = {any(256), any(256), any(256)}, other = {any(256), any(256), any(256)};
  const std::array<ref::ChannelBlock*, 3> channels = {&block.r, &block.g, &block.b};
  for (size_t i = 0; i < 16; ++i) {
    const int along = any(17);
    const bool second = any(3) == 0;
    for (size_t c = 0; c < 3; ++c) {
      int v = any(256);
      if (kind == 1) v = (base[c] * along + other[c] * (16 - along)) / 16 + any(9) - 4;
      if (kind == 2) v = base[c] + any(5) - 2;
      if (kind == 3) v = second ? base[c] : other[c];
      if (kind == 4) v = 255 * any(2);
      (*channels[c])[i] = std::clamp(v, 0, 255);
    }
  }
  return block;
}

}  // namespace

TEST_CASE("step 3 finds what an exhaustive search of the neighbourhood finds") {
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    const RgbBlock texels = block_of_kind(i % 5, random);
    const Bc1Block start = ref::encode_bc1_lspiro2(texels, 1 + i % 3);
    const int radius = i >= 55 ? 2 : 1;
    CAPTURE(i);
    Codes want{};
    const int error = exhaustive_error(texels, start, radius, want);
    const Bc1Block found = ref::encode_bc1_lspiro3(texels, 1 + i % 3, radius);
    CHECK(decoded_error(texels, found) == error);
    Codes got = codes_of(found);
    // The block is in four-colour order, the result of the search may not be.
    if (got != want)
      for (size_t c = 0; c < 6; c += 2) std::swap(got[c], got[c + 1]);
    CHECK(got == want);
  }
}

TEST_CASE("no step and no pass ever makes a block worse") {
  std::mt19937 random(12);
  for (int i = 0; i < 2000; ++i) {
    const RgbBlock texels = block_of_kind(i % 5, random);
    CAPTURE(i);
    int error = decoded_error(texels, ref::encode_bc1_lspiro1(texels));
    for (const int passes : {1, 2, 3, 5, 16}) {
      const int next = decoded_error(texels, ref::encode_bc1_lspiro2(texels, passes));
      REQUIRE(next <= error);
      error = next;
    }
    REQUIRE(decoded_error(texels, ref::encode_bc1_lspiro3(texels, 16, 1)) <= error);
  }
}

TEST_CASE("the later steps choose the nearest indices, and four-colour order") {
  std::mt19937 random(13);
  for (int i = 0; i < 2000; ++i) {
    const RgbBlock texels = block_of_kind(i % 5, random);
    for (const Bc1Block& b : {ref::encode_bc1_lspiro2(texels, 3), ref::encode_bc1_lspiro3(texels, 3, 1)}) {
      const int c0 = b[0] | b[1] << 8, c1 = b[2] | b[3] << 8;
      REQUIRE(c0 >= c1);
      if (c0 == c1) REQUIRE((b[4] | b[5] | b[6] | b[7]) == 0);
      REQUIRE(decoded_error(texels, b) == smallest_error(texels, codes_of(b)));
    }
  }
}

TEST_CASE("a pass of step 2 is the regression of the difference between block and reconstruction") {
  // Texels on the line from (0, 0, 0) to (252, 252, 252) with all four indices, except that one has green 21 too low.
  // The initial end points give the right indices at once. One pass then finds the least-squares line through the
  // texels, computed here in doubles and rounded.
  RgbBlock texels{};
  for (size_t i = 0; i < 16; ++i) texels.r[i] = texels.g[i] = texels.b[i] = static_cast<int>(84 * (i % 4));
  texels.g[7] -= 21;
  double x = 0, xx = 0, y = 0, xy = 0;
  for (size_t i = 0; i < 16; ++i) {
    const double w = static_cast<double>(i % 4);
    x += w, xx += w * w, y += texels.g[i], xy += w * texels.g[i];
  }
  const double slope = (16 * xy - x * y) / (16 * xx - x * x), at_0 = (y - slope * x) / 16;
  const Codes codes = codes_of(ref::encode_bc1_lspiro2(texels, 1));
  CHECK(codes[2] == std::lround((at_0 + 3 * slope) * 63 / 255));
  CHECK(codes[3] == std::lround(at_0 * 63 / 255));
}

TEST_CASE("on a photograph each step of LSpiro gains, and so does a wider radius") {
  const auto psnr = [](auto encode) { return picture::bc1_psnr(encode); };
  const double first = psnr(ref::encode_bc1_lspiro1);
  const double once = psnr([](const RgbBlock& t) { return ref::encode_bc1_lspiro2(t, 1); });
  const double often = psnr([](const RgbBlock& t) { return ref::encode_bc1_lspiro2(t, 4); });
  const double near = psnr([](const RgbBlock& t) { return ref::encode_bc1_lspiro3(t, 4, 1); });
  CHECK(once > first + 1.5);
  CHECK(often > once + 0.05);
  CHECK(near > often + 0.1);
  CHECK(near > psnr(ref::encode_bc1_cluster) - 0.1);
}
