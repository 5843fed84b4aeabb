// ETC1, ETC2 and EAC alpha: blocks worked by hand from the specification (Khronos Data Format 1.3, sections 21 and 22),
// round trips of all codes, and bounds on the encoders' errors.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "etc/etc2_modes.h"
#include "picture.h"
#include "ref/eac_alpha.h"
#include "ref/etc2.h"

using namespace texcast;
using namespace texcast::ref;
using etc::Rgb;

namespace {

constexpr std::array kFourMethods = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};

Rgb texel_at(const RgbBlock& block, size_t x, size_t y) { return etc::texel(block, 4 * y + x); }

int rgb_error(const RgbBlock& a, const RgbBlock& b) {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i) sum += etc::squared_distance(etc::texel(a, i), etc::texel(b, i));
  return sum;
}

RgbBlock random_block(std::mt19937& random, int kind) {
  RgbBlock block{};
  const Rgb base = {static_cast<int>(random() % 256), static_cast<int>(random() % 256),
                    static_cast<int>(random() % 256)};
  for (size_t i = 0; i < 16; ++i) {
    const auto near = [&](int value) { return std::clamp(value + static_cast<int>(random() % 48) - 24, 0, 255); };
    const auto any = [&] { return static_cast<int>(random() % 256); };
    block.r[i] = kind == 0 ? any() : near(base[0]);
    block.g[i] = kind == 0 ? any() : near(base[1]);
    block.b[i] = kind == 0 ? any() : near(base[2]);
  }
  return block;
}

}  // namespace

TEST_CASE("etc1: an individual block, worked by hand") {
  const RgbBlock t = decode_etc2(Etc2Block{0xA3, 0x5C, 0xF0, 0x5C, 0x00, 0x01, 0x80, 0x01});
  CHECK(texel_at(t, 0, 0) == Rgb{141, 56, 226});
  CHECK(texel_at(t, 1, 3) == Rgb{179, 94, 255});
  CHECK(texel_at(t, 2, 0) == Rgb{98, 251, 47});
  CHECK(texel_at(t, 3, 3) == Rgb{234, 255, 183});
}

TEST_CASE("etc1: a differential block whose halves are above each other") {
  const RgbBlock t = decode_etc2(Etc2Block{0x84, 0xF8, 0x03, 0x07, 0, 0, 0, 0});
  for (size_t x = 0; x < 4; ++x) {
    CHECK(texel_at(t, x, 0) == Rgb{134, 255, 2});
    CHECK(texel_at(t, x, 1) == Rgb{134, 255, 2});
    CHECK(texel_at(t, x, 2) == Rgb{104, 255, 29});
    CHECK(texel_at(t, x, 3) == Rgb{104, 255, 29});
  }
}

TEST_CASE("etc2: T, H and planar blocks, worked by hand") {
  const RgbBlock t = decode_etc2(Etc2Block{0xF3, 0x47, 0x12, 0x3A, 0xFF, 0x00, 0xF0, 0xF0});
  const std::array<Rgb, 4> of_t = {Rgb{187, 68, 119}, Rgb{40, 57, 74}, Rgb{17, 34, 51}, Rgb{0, 11, 28}};
  const RgbBlock h = decode_etc2(Etc2Block{0x94, 0xF3, 0x7A, 0xC6, 0xFF, 0x00, 0xF0, 0xF0});
  const std::array<Rgb, 4> of_h = {Rgb{57, 176, 125}, Rgb{11, 130, 79}, Rgb{255, 108, 159}, Rgb{232, 62, 113}};
  const RgbBlock p = decode_etc2(Etc2Block{0xFE, 0x01, 0x04, 0x02, 0x01, 0x07, 0xFF, 0xE0});
  const std::array falling = {255, 191, 128, 64}, rising = {0, 64, 128, 191};
  for (size_t y = 0; y < 4; ++y)
    for (size_t x = 0; x < 4; ++x) {
      CHECK(texel_at(t, x, y) == of_t[x]);
      CHECK(texel_at(h, x, y) == of_h[x]);
      CHECK(texel_at(p, x, y) == Rgb{falling[x], rising[y], 130});
    }
}

TEST_CASE("etc2 with punch-through alpha: holes, and texels without a small modifier") {
  const auto all_of = [](uint8_t upper, uint8_t lower) {
    return decode_etc2_a1(Etc2Block{0x84, 0xF8, 0x03, 0x05, upper, upper, lower, lower});
  };
  CHECK(all_of(0, 0).alpha[0] == 255);
  CHECK(texel_at(all_of(0, 0).color, 0, 0) == Rgb{132, 255, 0});
  CHECK(texel_at(all_of(0, 255).color, 0, 0) == Rgb{140, 255, 8});
  CHECK(all_of(255, 0).alpha[5] == 0);
  CHECK(texel_at(all_of(255, 0).color, 1, 1) == Rgb{0, 0, 0});
  const PunchThroughBlock opaque = decode_etc2_a1(Etc2Block{0x84, 0xF8, 0x03, 0x07, 255, 255, 0, 0});
  CHECK(opaque.alpha[5] == 255);
  CHECK(texel_at(opaque.color, 1, 1) == Rgb{130, 253, 0});
  const PunchThroughBlock t = decode_etc2_a1(Etc2Block{0xF3, 0x47, 0x12, 0x39, 0xFF, 0x00, 0xF0, 0xF0});
  CHECK(t.alpha == ChannelBlock{255, 255, 0, 255, 255, 255, 0, 255, 255, 255, 0, 255, 255, 255, 0, 255});
}

TEST_CASE("eac alpha: a block worked by hand") {
  const ChannelBlock t = decode_eac_alpha(EacBlock{100, 0x3D, 0x7E, 0x49, 0x24, 0x92, 0x49, 0x24});
  for (size_t i = 0; i < 16; ++i) CHECK(t[i] == (i == 0 ? 70 : i == 4 ? 127 : 100));
  CHECK(decode_eac_alpha(EacBlock{250, 0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})[9] == 255);
}

// The unused bits must never select another mode, whatever the codes are.
TEST_CASE("etc2: round trips of every first colour of T and H, and of every code of planar blocks") {
  const etc::Indices first{}, second = [] {
    etc::Indices all{};
    all.fill(2);
    return all;
  }();
  std::mt19937 random(1);
  for (int n = 0; n < 4096; ++n) {
    const etc::PairCode code{
        {n >> 8, n >> 4 & 15, n & 15},
        {static_cast<int>(random() % 16), static_cast<int>(random() % 16), static_cast<int>(random() % 16)},
        random() % 8};
    const Rgb a = etc::expanded(code.first, 4), b = etc::expanded(code.second, 4);
    const int d = etc::kDistances[code.distance];
    REQUIRE(texel_at(decode_etc2(pack_t(code, first)), 1, 2) == a);
    REQUIRE(texel_at(decode_etc2(pack_t(code, second)), 1, 2) == b);
    if (code.first == code.second && code.distance % 2 == 0) continue;
    REQUIRE(texel_at(decode_etc2(pack_h(code, first)), 1, 2) == etc::moved(a, d));
    REQUIRE(texel_at(decode_etc2(pack_h(code, second)), 1, 2) == etc::moved(b, d));
  }
  for (int n = 0; n < 4096; ++n) {
    // Each code of each channel, with random codes of the others.
    const auto any = [&](int bits, bool own) {
      return own ? n % (1 << bits) : static_cast<int>(random() % (1u << bits));
    };
    const auto color = [&](int which) {
      return Rgb{any(6, n / 128 % 4 == which), any(7, n / 512 % 4 == which), any(6, n / 128 % 4 == which)};
    };
    const etc::PlanarCode code{color(0), color(1), color(2)};
    const RgbBlock t = decode_etc2(pack_planar(code));
    const auto bytes = [](const Rgb& c) {
      return Rgb{c[0] << 2 | c[0] >> 4, c[1] << 1 | c[1] >> 6, c[2] << 2 | c[2] >> 4};
    };
    const Rgb o = bytes(code.origin), h = bytes(code.across), v = bytes(code.down);
    REQUIRE(texel_at(t, 0, 0) == o);
    for (size_t c = 0; c < 3; ++c) {
      REQUIRE(texel_at(t, 2, 0)[c] == (2 * h[c] + 2 * o[c] + 2) / 4);
      REQUIRE(texel_at(t, 0, 2)[c] == (2 * v[c] + 2 * o[c] + 2) / 4);
    }
  }
}

TEST_CASE("etc: the error by which a mode was chosen is that of its block") {
  std::mt19937 random(2);
  for (int n = 0; n < 60; ++n) {
    const RgbBlock texels = random_block(random, n % 2);
    for (const Method method : {Method::cluster, Method::cluster_search}) {
      const int effort = static_cast<int>(method);
      const auto halves = etc::fitted_halves(texels, effort), pairs = etc::fitted_pairs(texels, effort);
      const auto planar = etc::planar(texels, effort);
      for (const etc::Coded& coded : {halves, pairs, planar})
        REQUIRE(rgb_error(decode_etc2(coded.block), texels) == coded.error);
      REQUIRE(rgb_error(decode_etc2(encode_etc1(texels, method)), texels) == halves.error);
      REQUIRE(rgb_error(decode_etc2(encode_etc2(texels, method)), texels) ==
              std::min({halves.error, pairs.error, planar.error}));
    }
  }
}

// Texels from 100 to 155 in all channels, whose paint colours stay within 0 and 255, and others, whose are clamped.
TEST_CASE("etc estimates: fast and normal decide by the exact error if nothing is clamped") {
  std::mt19937 random(4);
  for (int n = 0; n < 200; ++n) {
    RgbBlock near{}, any = random_block(random, n % 2);
    for (size_t i = 0; i < 16; ++i) {
      const auto value = [&] { return 100 + static_cast<int>(random() % 56); };
      near.r[i] = value();
      near.g[i] = value();
      near.b[i] = value();
    }
    for (const Method method : {Method::refine_once, Method::refine}) {
      const int effort = static_cast<int>(method);
      const etc::Coded halves = etc::estimated_halves(near, effort), pairs = etc::estimated_pairs(near, effort);
      REQUIRE(rgb_error(decode_etc2(halves.block), near) == halves.error);
      // A texel may be closer to the other group's paint colours.
      REQUIRE(rgb_error(decode_etc2(pairs.block), near) <= pairs.error);
      const etc::Coded clamped = etc::estimated_pairs(any, effort);
      REQUIRE(rgb_error(decode_etc2(clamped.block), any) <= clamped.error);
    }
  }
}

// ETC2 is better than ETC1, and each quality better than the one below, by 0.1 to 6 dB.
TEST_CASE("etc: the methods' quality on a photograph") {
  std::array<double, 3> etc1{}, etc2{};
  for (size_t m = 0; m < etc1.size(); ++m) {
    const Method method = kFourMethods[m];
    etc1[m] = picture::rgb_psnr([&](const RgbBlock& block) { return decode_etc2(encode_etc1(block, method)); });
    etc2[m] = picture::rgb_psnr([&](const RgbBlock& block) { return decode_etc2(encode_etc2(block, method)); });
    CHECK(etc2[m] > etc1[m]);
  }
  MESSAGE(etc1[0], " ", etc1[1], " ", etc1[2], "; ", etc2[0], " ", etc2[1], " ", etc2[2]);
  CHECK(etc1[1] > etc1[0] + 0.1);
  CHECK(etc2[1] > etc2[0] + 0.1);
  CHECK(etc1[1] > etc1[2] - 0.6);
  CHECK(etc2[1] > etc2[2] - 0.6);
}

TEST_CASE("etc2: text in two colours is exact, and a flat block has the smallest possible error") {
  RgbBlock text{}, flat{};
  for (size_t i = 0; i < 16; ++i) {
    const bool ink = i % 5 == 0 || i == 6 || i == 9;
    text.r[i] = ink ? 17 : 255;
    text.g[i] = ink ? 34 : 238;
    text.b[i] = ink ? 170 : 0;
    flat.r[i] = flat.g[i] = flat.b[i] = 130;
  }
  for (const Method method : kFourMethods) {
    CHECK(rgb_error(decode_etc2(encode_etc2(text, method)), text) == 0);
    CHECK(rgb_error(decode_etc2(encode_etc2(flat, method)), flat) == 0);
  }
}

TEST_CASE("eac alpha: opaque, clear and two-valued blocks are exact, and ramps approximately") {
  ChannelBlock opaque{}, clear{}, cut{}, ramp{};
  opaque.fill(255);
  for (size_t i = 0; i < 16; ++i) {
    cut[i] = i % 3 == 0 ? 255 : 0;
    ramp[i] = static_cast<int>(i) * 17;
  }
  for (const Method method : kFourMethods) {
    for (const ChannelBlock& texels : {opaque, clear})
      CHECK(decode_eac_alpha(encode_eac_alpha(texels, method)) == texels);
    const ChannelBlock cut_back = decode_eac_alpha(encode_eac_alpha(cut, method));
    const ChannelBlock ramp_back = decode_eac_alpha(encode_eac_alpha(ramp, method));
    for (size_t i = 0; i < 16; ++i) {
      CHECK(std::abs(cut_back[i] - cut[i]) <= 2);
      CHECK(std::abs(ramp_back[i] - ramp[i]) <= 30);
    }
  }
  CHECK(encode_eac_alpha(opaque, Method::refine) == EacBlock{255});  // as the kernel writes it if there is no alpha
}
