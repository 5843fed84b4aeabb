// BC3, and BC4 as its alpha: alpha at the ends of its range, and colour blocks that always have four colours.
#include "ref/bc3.h"

#include <doctest/doctest.h>

#include "picture.h"
#include "ref/bc1.h"
#include "ref/bc4.h"
#include "texcast/decoder.h"

using namespace texcast;
using namespace texcast::ref;

namespace {

constexpr std::array kMethods4 = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};

int squared_error(const ChannelBlock& a, const ChannelBlock& b) {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

ChannelBlock decoded(const Bc4Block& block) { return decode_bc4(block); }

}  // namespace

TEST_CASE("bc4 of a channel: flat, two-valued and evenly stepped blocks are exact") {
  ChannelBlock flat{}, cut{}, steps{};
  for (size_t i = 0; i < 16; ++i) {
    flat[i] = 201;
    cut[i] = i % 3 == 0 ? 255 : 0;
    steps[i] = 20 + static_cast<int>(i % 8) * 21;
  }
  for (const Method method : kMethods4)
    for (const ChannelBlock& texels : {flat, cut, steps})
      CHECK(squared_error(decoded(encode_bc4_channel(texels, method)), texels) == 0);
}

// A soft edge between opaque and clear texels: eight-value order would spread its steps over 0..255.
TEST_CASE("bc4 of a channel: 0 and 255 stay exact beside a few values between") {
  const ChannelBlock edge = {0, 0, 100, 255, 0, 0, 110, 255, 0, 0, 120, 255, 0, 0, 130, 255};
  for (const Method method : kMethods4) {
    const Bc4Block block = encode_bc4_channel(edge, method);
    CHECK(block[0] <= block[1]);
    const ChannelBlock texels = decoded(block);
    for (size_t i = 0; i < 16; ++i) {
      if (edge[i] == 0 || edge[i] == 255) CHECK(texels[i] == edge[i]);
      CHECK(std::abs(texels[i] - edge[i]) <= 5);
    }
  }
}

TEST_CASE("bc3: the sub-blocks are those of BC4 and BC1, with four colours whatever the method") {
  uint32_t random = 1;
  const auto next = [&] { return static_cast<int>((random = random * 1664525 + 1013904223) >> 24); };
  for (int n = 0; n < 200; ++n) {
    RgbBlock texels;
    ChannelBlock alpha{};
    for (size_t i = 0; i < 16; ++i) {
      // In every fourth block, black and one colour, for which BC1 would use three-colour blocks.
      const bool dark = n % 4 == 0 && i % 3 != 0;
      texels.r[i] = dark ? 0 : next();
      texels.g[i] = dark ? 0 : n % 4 == 0 ? 90 : next();
      texels.b[i] = dark ? 0 : n % 4 == 0 ? 40 : next();
      alpha[i] = next();
    }
    for (const Method method : kMethods4) {
      const Bc3Block block = encode_bc3(texels, alpha, method);
      const auto color = std::span(block).last<8>();
      const int c0 = color[0] | color[1] << 8, c1 = color[2] | color[3] << 8;
      CHECK(c0 >= c1);
      if (c0 == c1) CHECK((color[4] | color[5] | color[6] | color[7]) == 0);
      // BC1's decoder, which knows three-colour blocks too, gives the same.
      const RgbBlock as_bc3 = decode_bc3_color(color, EndpointExpansion::replicate);
      const RgbBlock as_bc1 = decode_bc1(color, EndpointExpansion::replicate);
      CHECK(as_bc3.r == as_bc1.r);
      CHECK(as_bc3.b == as_bc1.b);
      CHECK(std::equal(block.begin(), block.begin() + 8, encode_bc4_channel(alpha, method).begin()));
    }
  }
}

TEST_CASE("bc3 colour: search in four colours only is better than cluster fit") {
  const double cluster = picture::bc1_psnr(encode_bc1_cluster);
  const double search = picture::bc1_psnr(encode_bc3_color_cluster_search);
  MESSAGE("cluster ", cluster, " search in four ", search);
  CHECK(search > cluster);
  CHECK(search <= picture::bc1_psnr([](const RgbBlock& t) { return encode_bc1_cluster_search(t); }));
}

TEST_CASE("bc4 of a channel: more effort is never worse on a photograph") {
  double last = 0;
  for (const Method method : kMethods4) {
    const double psnr = picture::bc4_psnr([&](const ChannelBlock& t) { return encode_bc4_channel(t, method); });
    MESSAGE(name(method), " ", psnr);
    CHECK(psnr > last);
    last = psnr;
  }
  CHECK(last > picture::bc4_psnr(encode_bc4_refined));
}

// By hand from the definition: 0.2126 x 255 = 54.2, 0.7152 x 255 = 182.4, 0.0722 x 255 = 18.4.
TEST_CASE("luma of RGB is BT.709's; alpha takes precedence over luma; neither range nor an unused byte affects it") {
  const std::array<std::byte, 16> pixels = {std::byte{255}, std::byte{0},   std::byte{0},   std::byte{7},
                                            std::byte{0},   std::byte{255}, std::byte{0},   std::byte{130},
                                            std::byte{0},   std::byte{0},   std::byte{255}, std::byte{255},
                                            std::byte{235}, std::byte{235}, std::byte{235}, std::byte{0}};
  FrameFormat format{PixelFormat::rgba, 4, 1, {ColorMatrix::bt709, ColorRange::full}};
  const auto channel = [&](const FrameFormat& f) {
    DecodedImage image;
    convert_to_channels({f, {{{pixels.data(), 16}, {}, {}}}}, 1, image);
    return image.pixels;
  };
  CHECK(channel(format) == std::vector<uint8_t>{7, 130, 255, 0});
  format.color.range = ColorRange::limited;
  CHECK(channel(format) == std::vector<uint8_t>{7, 130, 255, 0});
  format.opaque = true;
  CHECK(channel(format)[3] == 255);  // as 235 is white
  format.color.range = ColorRange::full;
  CHECK(channel(format) == std::vector<uint8_t>{54, 182, 18, 235});
  // Y' of Y'CbCr with any chroma: 16 is black, 235 white, 126 is (126 - 16) x 255 / 219 = 128.1.
  const std::array<std::byte, 4> y = {std::byte{16}, std::byte{235}, std::byte{126}, std::byte{3}};
  const std::array<std::byte, 2> u = {std::byte{30}, std::byte{200}}, v = {std::byte{250}, std::byte{90}};
  DecodedImage image;
  convert_to_channels({{PixelFormat::yuv420p, 4, 1, {ColorMatrix::bt601, ColorRange::limited}},
                       {{{y.data(), 4}, {u.data(), 2}, {v.data(), 2}}}},
                      1, image);
  CHECK(image.pixels == std::vector<uint8_t>{0, 255, 128, 0});
}
