// BC4 reference: blocks worked by hand, optimal indices by brute force, and the gain of the refined end points.
#include "ref/bc4.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "picture.h"

using namespace texcast::ref;

namespace {

// A value of the palette times 35, which is an integer, after the format's definition, not the decoder.
int value_times_35(const Bc4Block& b, int index) {
  const int a0 = b[0], a1 = b[1];
  if (index == 0) return 35 * a0;
  if (index == 1) return 35 * a1;
  if (a0 > a1) return 5 * ((8 - index) * a0 + (index - 1) * a1);
  if (index == 6) return 0;
  if (index == 7) return 35 * 255;
  return 7 * ((6 - index) * a0 + (index - 1) * a1);
}

int index_of(const Bc4Block& b, int texel) {
  uint64_t bits = 0;
  for (size_t i = 0; i < 6; ++i) bits |= static_cast<uint64_t>(b[2 + i]) << (8 * i);
  return static_cast<int>(bits >> (3 * texel) & 7);
}

ChannelBlock random_values(std::mt19937& random, int spread) {
  ChannelBlock values{};
  const int base = static_cast<int>(random() % static_cast<uint32_t>(256 - spread + 1));
  for (int& v : values) v = base + static_cast<int>(random() % static_cast<uint32_t>(spread));
  return values;
}

int64_t error_times_35(const Bc4Block& b, const ChannelBlock& values) {
  int64_t sum = 0;
  for (int i = 0; i < 16; ++i) {
    const int64_t d = 35 * values[static_cast<size_t>(i)] - value_times_35(b, index_of(b, i));
    sum += d * d;
  }
  return sum;
}

}  // namespace

TEST_CASE("decoding both orders, worked by hand") {
  const Bc4Block eight = {210, 0, 0b10001000, 0b11000110, 0b11111010, 0, 0, 0};  // texels 0..7 = indices 0..7
  const ChannelBlock e = decode_bc4(eight);
  for (int i = 0; i < 8; ++i) CHECK(e[static_cast<size_t>(i)] == (i == 0 ? 210 : i == 1 ? 0 : 210 * (8 - i) / 7));
  const Bc4Block six = {0, 200, 0b10001000, 0b11000110, 0b11111010, 0, 0, 0};
  const ChannelBlock s = decode_bc4(six);
  CHECK(s[2] == 40);
  CHECK(s[5] == 160);
  CHECK(s[6] == 0);
  CHECK(s[7] == 255);
}

TEST_CASE("every texel has the nearest of its block's eight values") {
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    const ChannelBlock values = random_values(random, 1 + round % 255);
    for (const Bc4Block& b : {encode_bc4_range(values), encode_bc4_refined(values)})
      for (int i = 0; i < 16; ++i) {
        const int target = 35 * values[static_cast<size_t>(i)];
        const int chosen = std::abs(target - value_times_35(b, index_of(b, i)));
        for (int index = 0; index < 8; ++index) REQUIRE(chosen <= std::abs(target - value_times_35(b, index)));
      }
  }
}

TEST_CASE("refined end points are never worse than the range, and better on a photograph") {
  std::mt19937 random(4);
  for (int round = 0; round < 5000; ++round) {
    const ChannelBlock values = random_values(random, 2 + round % 250);
    REQUIRE(error_times_35(encode_bc4_refined(values), values) <= error_times_35(encode_bc4_range(values), values));
  }
  const double range = picture::bc4_psnr(encode_bc4_range), refined = picture::bc4_psnr(encode_bc4_refined);
  CHECK(range > 37.5);
  CHECK(refined > range + 0.4);
}

TEST_CASE("a flat block is exact") {
  ChannelBlock values{};
  values.fill(77);
  CHECK(decode_bc4(encode_bc4_range(values)) == values);
  CHECK(decode_bc4(encode_bc4_refined(values)) == values);
}
