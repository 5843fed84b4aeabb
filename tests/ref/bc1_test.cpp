// BC1 reference: the published block layout by examples worked by hand, what the encoders promise, and quality.
#include "ref/bc1.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "picture.h"

using namespace texcast;
using ref::Bc1Block;
using ref::RgbBlock;

namespace {

int first(const Bc1Block& b) { return b[0] | b[1] << 8; }
int second(const Bc1Block& b) { return b[2] | b[3] << 8; }

RgbBlock random_block(std::mt19937& random) {
  RgbBlock block{};
  for (size_t i = 0; i < 16; ++i) {
    block.r[i] = static_cast<int>(random() & 255);
    block.g[i] = static_cast<int>(random() & 255);
    block.b[i] = static_cast<int>(random() & 255);
  }
  return block;
}

}  // namespace

TEST_CASE("decoding a four-colour block, worked by hand from the S3TC specification") {
  // c0 = pure red (31,0,0), c1 = pure blue (0,0,31); rows use indices 0, 1, 2, 3.
  const Bc1Block block = {0x00, 0xF8, 0x1F, 0x00, 0x00, 0x55, 0xAA, 0xFF};
  const RgbBlock t = ref::decode_bc1(block, EndpointExpansion::replicate);
  CHECK(t.r[0] == 255);
  CHECK(t.b[0] == 0);
  CHECK(t.r[4] == 0);
  CHECK(t.b[4] == 255);
  CHECK(t.r[8] == 170);  // 2/3 of 255
  CHECK(t.b[8] == 85);
  CHECK(t.r[12] == 85);
  CHECK(t.b[12] == 170);
  CHECK(t.g[15] == 0);
}

TEST_CASE("decoding a three-colour block: the middle and black") {
  const Bc1Block block = {0x1F, 0x00, 0x00, 0xF8, 0x00, 0x55, 0xAA, 0xFF};  // c0 < c1
  const RgbBlock t = ref::decode_bc1(block, EndpointExpansion::replicate);
  CHECK(t.r[8] == 127);
  CHECK(t.b[8] == 127);
  CHECK(t.r[12] + t.g[12] + t.b[12] == 0);
}

TEST_CASE("indices are in the order of texels, lowest bits first") {
  const Bc1Block block = {0xFF, 0xFF, 0x00, 0x00, 0b11100100, 0, 0, 0};  // white, black; texels 0..3 = 0, 1, 2, 3
  const RgbBlock t = ref::decode_bc1(block, EndpointExpansion::replicate);
  CHECK(t.r[0] == 255);
  CHECK(t.r[1] == 0);
  CHECK(t.r[2] == 170);
  CHECK(t.r[3] == 85);
}

TEST_CASE("the two expansions of end points agree at the ends and are within one step of the exact value") {
  for (int code = 0; code < 32; ++code) {
    const Bc1Block block = {static_cast<uint8_t>(code), 0, 0, 0, 0, 0, 0, 0};
    for (const EndpointExpansion expansion : {EndpointExpansion::replicate, EndpointExpansion::ffmpeg}) {
      const int expanded = ref::decode_bc1(block, expansion).b[0];
      CHECK(std::abs(expanded - code * 255.0 / 31) <= 1);
      if (code == 0 || code == 31) CHECK(expanded == code * 255 / 31);
    }
  }
  // Values to which FFmpeg 5.1 decodes end points, taken from its output.
  for (const auto& [code, want] : {std::pair{3, 25}, {20, 164}, {25, 205}, {29, 238}}) {
    const Bc1Block block = {static_cast<uint8_t>(code), 0, 0, 0, 0, 0, 0, 0};
    CHECK(ref::decode_bc1(block, EndpointExpansion::ffmpeg).b[0] == want);
  }
}

TEST_CASE("encoders give four-colour blocks, or flat ones with all indices 0") {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    RgbBlock texels = random_block(random);
    if (i % 4 == 0)  // nearly flat: the end points are often equal
      for (size_t k = 0; k < 16; ++k) {
        texels.r[k] = 90 + texels.r[k] % 6;
        texels.g[k] = 120 + texels.g[k] % 3;
        texels.b[k] = 33 + texels.b[k] % 6;
      }
    for (const Bc1Block& b : {ref::encode_bc1_range(texels), ref::encode_bc1_lspiro1(texels)}) {
      REQUIRE(first(b) >= second(b));
      if (first(b) == second(b)) REQUIRE((b[4] | b[5] | b[6] | b[7]) == 0);
    }
  }
}

TEST_CASE("channels with opposite gradients keep their diagonal") {
  RgbBlock texels{};
  for (size_t i = 0; i < 16; ++i) {
    texels.r[i] = static_cast<int>(17 * i);
    texels.g[i] = 255 - texels.r[i];
    texels.b[i] = 128;
  }
  for (const Bc1Block& b : {ref::encode_bc1_range(texels), ref::encode_bc1_lspiro1(texels)}) {
    const RgbBlock back = ref::decode_bc1(b, EndpointExpansion::replicate);
    for (size_t i = 0; i < 16; ++i) {
      CHECK(std::abs(back.r[i] - texels.r[i]) <= 48);  // a third of the line, half of it on each side, and the inset
      CHECK(std::abs(back.g[i] - texels.g[i]) <= 48);
    }
  }
}

TEST_CASE("LSpiro's regression line: distinct values, sorted, ends rounded") {
  // Greys 0, 255 and many 132s: the distinct 6-bit values 0, 33, 63 at ranks 0, 1, 2 give the line 32 +- 31.5, from 0.5
  // to 63.5, however often each occurs. Clamped to 0..63, halves rounded up: 1 and 63.
  RgbBlock texels{};
  texels.g.fill(132);
  texels.g[3] = 0;
  texels.g[9] = 255;
  texels.r = texels.b = texels.g;
  const Bc1Block b = ref::encode_bc1_lspiro1(texels);
  CHECK((first(b) >> 5 & 63) == 63);
  CHECK((second(b) >> 5 & 63) == 1);
}

TEST_CASE("quality on a photograph") {
  // Lower bounds that reveal mistakes. This crop is hard, with much fine detail; a wrong diagonal or index order costs
  // more than 2 dB.
  CHECK(picture::bc1_psnr(ref::encode_bc1_range) > 30.0);
  CHECK(picture::bc1_psnr(ref::encode_bc1_lspiro1) > 28.0);
  const double once = picture::bc1_psnr(ref::encode_bc1_refined_once);
  const double refined = picture::bc1_psnr(ref::encode_bc1_refined);
  const double cluster = picture::bc1_psnr(ref::encode_bc1_cluster);
  CHECK(once > picture::bc1_psnr(ref::encode_bc1_range) + 0.5);
  CHECK(refined > once);
  CHECK(cluster > refined + 0.2);
}
