// BC7: blocks of each mode, assembled field by field after the format's definition, and what the encoder promises.
#include "ref/bc7.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "kernels/bc7_likely.h"
#include "kernels/bc7_tables.h"
#include "picture.h"

using namespace texcast;
using namespace texcast::ref;

namespace {

constexpr std::array kBc7Methods = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};

// Fields from the lowest bit on: value, number of bits.
Bc7Block bc7_of_fields(std::initializer_list<std::pair<int, int>> fields) {
  Bc7Block block{};
  size_t at = 0;
  for (const auto& [value, bits] : fields)
    for (int i = 0; i < bits; ++i, ++at)
      block[at / 8] = static_cast<uint8_t>(block[at / 8] | (int64_t{value} >> i & 1) << at % 8);
  REQUIRE(at == 128);
  return block;
}

std::array<int, 4> texel_of(const Bc7Texels& t, size_t i) {
  return {t.color.r[i], t.color.g[i], t.color.b[i], t.alpha[i]};
}

int bc7_error(const Bc7Texels& a, const Bc7Texels& b) {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i)
    for (size_t c = 0; c < 4; ++c) {
      const int off = texel_of(a, i)[c] - texel_of(b, i)[c];
      sum += off * off;
    }
  return sum;
}

Bc7Texels random_bc7_texels(std::mt19937& random, uint32_t spread, bool opaque) {
  Bc7Texels texels{};
  for (ChannelBlock* channel : {&texels.color.r, &texels.color.g, &texels.color.b, &texels.alpha}) {
    const auto base = static_cast<uint32_t>(random() % (257 - spread));
    for (int& value : *channel) value = static_cast<int>(base + random() % spread);
  }
  if (opaque) texels.alpha.fill(255);
  return texels;
}

}  // namespace

TEST_CASE("bc7: one block of each mode, worked by hand") {
  // Mode 0, partition 0: texel 0 is in the first subset, 3 in the second, 15 in the third; anchors 0, 3 and 15. 4 bits
  // and a p-bit: 9 and 1 are 19, which is 19 << 3 | 19 >> 2 = 156; 4 and 0 are 8, which is 66.
  Bc7Texels t = decode_bc7(bc7_of_fields({{1, 1},  {0, 4},  {9, 4},  {4, 4}, {0, 4}, {15, 4}, {1, 4}, {2, 4},  // red
                                          {0, 4},  {0, 4},  {0, 4},  {0, 4}, {0, 4}, {0, 4},                   // green
                                          {15, 4}, {15, 4}, {0, 4},  {0, 4}, {7, 4}, {7, 4},                   // blue
                                          {1, 1},  {0, 1},  {0, 1},  {1, 1}, {0, 1}, {1, 1},  {0, 2}, {7, 3},
                                          {3, 3},  {2, 2},  {0, 30}, {0, 3}, {2, 2}}));
  CHECK(texel_of(t, 0) == std::array{156, 8, 255, 255});
  CHECK(texel_of(t, 1) == std::array{66, 0, 247, 255});                  // 30 << 3 | 30 >> 2
  CHECK(texel_of(t, 3) == std::array{(18 * 255 + 32) / 64, 2, 2, 255});  // 18/64 of the way from 0 to 255, 8 and 8
  // Mode 1, partition 13: the upper half is the first subset. 6 bits and a p-bit that both end points share.
  t = decode_bc7(bc7_of_fields({{2, 2},
                                {13, 6},
                                {10, 6},
                                {10, 6},
                                {0, 6},
                                {63, 6},
                                {0, 24},
                                {0, 24},
                                {1, 1},
                                {0, 1},
                                {0, 23},
                                {7, 3},
                                {0, 18},
                                {1, 2}}));
  CHECK(texel_of(t, 7) == std::array{42, 2, 2, 255});   // 21 in 7 bits: 42 | 0; 1: 2
  CHECK(texel_of(t, 8) == std::array{253, 0, 0, 255});  // 126 in 7 bits: 252 | 1
  CHECK(texel_of(t, 15) == std::array{36, 0, 0, 255});  // (9 * 253 + 32) / 64
  // Mode 3, partition 13. 7 bits and a p-bit each.
  t = decode_bc7(bc7_of_fields({{8, 4},
                                {13, 6},
                                {50, 7},
                                {60, 7},
                                {1, 7},
                                {2, 7},
                                {0, 28},
                                {0, 28},
                                {1, 1},
                                {0, 1},
                                {0, 1},
                                {1, 1},
                                {1, 1},
                                {1, 2},
                                {2, 2},
                                {3, 2},
                                {0, 23}}));
  CHECK(texel_of(t, 0) == std::array{(43 * 101 + 21 * 120 + 32) / 64, 1, 1, 255});
  CHECK(texel_of(t, 2) == std::array{(21 * 101 + 43 * 120 + 32) / 64, 0, 0, 255});
  CHECK(texel_of(t, 15) == std::array{2, 0, 0, 255});
  // Mode 4, rotation 1 (red and alpha are swapped), selector 1: colours have the indices of three bits.
  t = decode_bc7(bc7_of_fields({{16, 5},
                                {1, 2},
                                {1, 1},
                                {31, 5},
                                {0, 5},
                                {16, 5},
                                {16, 5},
                                {0, 10},
                                {32, 6},
                                {63, 6},
                                {1, 1},
                                {0, 30},
                                {3, 2},
                                {0, 45}}));
  CHECK(texel_of(t, 0) == std::array{(43 * 130 + 21 * 255 + 32) / 64, 132, 0, (37 * 255 + 32) / 64});
  // Mode 5, rotation 3.
  t = decode_bc7(bc7_of_fields({{32, 6},
                                {3, 2},
                                {64, 7},
                                {64, 7},
                                {127, 7},
                                {0, 7},
                                {0, 14},
                                {10, 8},
                                {200, 8},
                                {1, 1},
                                {0, 30},
                                {1, 1},
                                {2, 2},
                                {0, 28}}));
  CHECK(texel_of(t, 0) == std::array{129, (43 * 255 + 32) / 64, (43 * 10 + 21 * 200 + 32) / 64, 0});
  CHECK(texel_of(t, 1) == std::array{129, 255, (21 * 10 + 43 * 200 + 32) / 64, 0});
  // Mode 6.
  t = decode_bc7(bc7_of_fields({{64, 7},
                                {10, 7},
                                {20, 7},
                                {0, 7},
                                {127, 7},
                                {0, 14},
                                {127, 7},
                                {127, 7},
                                {1, 1},
                                {0, 1},
                                {5, 3},
                                {15, 4},
                                {0, 56}}));
  CHECK(texel_of(t, 0) == std::array{27, (43 * 1 + 21 * 254 + 32) / 64, 1, 255});
  CHECK(texel_of(t, 1) == std::array{40, 254, 0, 254});
  // Mode 7, partition 13. 5 bits and a p-bit each, alpha too.
  t = decode_bc7(bc7_of_fields({{128, 8},
                                {13, 6},
                                {31, 5},
                                {0, 5},
                                {0, 10},
                                {0, 20},
                                {0, 20},
                                {31, 5},
                                {15, 5},
                                {0, 5},
                                {8, 5},
                                {1, 1},
                                {0, 1},
                                {0, 1},
                                {0, 1},
                                {1, 1},
                                {3, 2},
                                {0, 26},
                                {1, 1}}));
  CHECK(texel_of(t, 0) == std::array{(43 * 255 + 32) / 64, (43 * 4 + 32) / 64, 3, (43 * 255 + 21 * 121 + 32) / 64});
  CHECK(texel_of(t, 1) == std::array{0, 0, 0, 121});  // 30 in 6 bits: 120 | 1
  // The reserved mode.
  Bc7Block reserved{};
  reserved.fill(0xFF);
  reserved[0] = 0;
  t = decode_bc7(reserved);
  CHECK(bc7_error(t, Bc7Texels{}) == 0);
}

TEST_CASE("bc7: flat blocks are exact, whatever their colour") {
  for (int value = 0; value < 256; ++value) {
    Bc7Texels flat{};
    flat.color.r.fill(value);
    flat.color.g.fill(255 - value);
    flat.color.b.fill(value * 7 % 256);
    flat.alpha.fill(value % 2 == 0 ? 255 : value);
    for (const Method method : {Method::refine_once, Method::cluster_search})
      REQUIRE(bc7_error(decode_bc7(encode_bc7(flat, method)), flat) == 0);
  }
}

TEST_CASE("bc7: opaque blocks stay opaque, and each method is better than the previous one") {
  std::mt19937 random(7);
  std::array<int64_t, 4> opaque{}, clear{};
  for (uint32_t round = 0; round < 60; ++round) {
    const Bc7Texels texels = random_bc7_texels(random, 2 + round * 3, true);
    const Bc7Texels with_alpha = random_bc7_texels(random, 2 + round * 3, false);
    for (size_t m = 0; m < 4; ++m) {
      const Bc7Texels decoded = decode_bc7(encode_bc7(texels, kBc7Methods[m]));
      for (const int alpha : decoded.alpha) REQUIRE(alpha == 255);
      opaque[m] += bc7_error(decoded, texels);
      clear[m] += bc7_error(decode_bc7(encode_bc7(with_alpha, kBc7Methods[m])), with_alpha);
    }
  }
  for (size_t m = 1; m < 4; ++m) {
    CHECK(opaque[m] < opaque[m - 1]);
    CHECK(clear[m] < clear[m - 1]);
  }
}

TEST_CASE("bc7: the order of the likely partitions has each of them once") {
  constexpr std::array<uint32_t, 64> kPartitions = {BC7_PARTITIONS_OF_2};
  std::set<int> seen;
  uint32_t inside = 0;
#define STEP_IN(texel)                   \
  CHECK((inside >> 0x##texel & 1) == 0); \
  inside |= 1u << 0x##texel;
#define STEP_OUT(texel)                  \
  CHECK((inside >> 0x##texel & 1) == 1); \
  inside &= ~(1u << 0x##texel);
#define COME_PAST(partition, texels)        \
  CHECK(seen.insert(partition).second);     \
  CHECK(std::popcount(inside) == (texels)); \
  CHECK((inside == kPartitions[partition] || (inside ^ 0xFFFF) == kPartitions[partition]));
  BC7_LIKELY_PARTITIONS(STEP_IN, STEP_OUT, COME_PAST)
#undef STEP_IN
#undef STEP_OUT
#undef COME_PAST
  CHECK(seen.size() == 64);
}

TEST_CASE("bc7: by every method, two lines on either side of a likely partition are nearly exact") {
  // 13 is the upper half and the lower half. Eight positions on each line are too many for mode 6.
  for (const Method method : kBc7Methods) {
    Bc7Texels texels{};
    texels.alpha.fill(255);
    for (size_t i = 0; i < 16; ++i) {
      const int at = 14 * static_cast<int>(i % 8);
      texels.color.r[i] = i < 8 ? 20 + 2 * at : 240;
      texels.color.g[i] = i < 8 ? 10 : 60 + at;
      texels.color.b[i] = i < 8 ? 200 : 30 + at;
    }
    CHECK(bc7_error(decode_bc7(encode_bc7(texels, method)), texels) <= 16 * 3 * 4);
  }
}

TEST_CASE("bc7: by every method, alpha that is independent of the colours has indices of its own") {
  Bc7Texels texels{};
  for (size_t i = 0; i < 16; ++i) {
    const int along = static_cast<int>(i % 4), down = static_cast<int>(i / 4);
    texels.color.r[i] = texels.color.g[i] = texels.color.b[i] = 30 + 60 * along;
    texels.alpha[i] = 15 + 70 * down;
  }
  for (const Method method : kBc7Methods) {
    const Bc7Block block = encode_bc7(texels, method);
    CHECK(bc7_error(decode_bc7(block), texels) <= 16 * 4 * 2);
    const int mode = std::countr_zero(block[0]);
    CHECK((mode == 4 || mode == 5));
  }
}
