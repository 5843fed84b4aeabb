// Decoding of formats that are received only, compared with the standards' tables of colour bars.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "texcast/decoder.h"
#include "texcast/quality.h"

using namespace texcast;

namespace {

DecodedImage decoded(const TextureDesc& desc, const std::vector<int>& bytes) {
  std::vector<std::byte> blocks;
  for (const int byte : bytes) blocks.push_back(static_cast<std::byte>(byte));
  DecodedImage image;
  decode_texture({desc, blocks}, image);
  return image;
}

TextureDesc desc_of(TextureFormat format, int width, int height) {
  return {.format = format, .width = width, .height = height, .color = usual_color(format)};
}

void check_close(const DecodedImage& image, size_t pixel, const std::array<int, 3>& rgb, int tolerance) {
  for (size_t c = 0; c < 3; ++c) {
    CAPTURE(pixel);
    CAPTURE(c);
    CHECK(std::abs(image.pixels[3 * pixel + c] - rgb[c]) <= tolerance);
  }
}

struct Bar {
  std::array<int, 3> ycbcr, rgb;
};

// SMPTE RP 219 and BT.709-6: bars of 100 % and 75 % as 8-bit limited-range code values, which are rounded.
constexpr std::array kBars = {
    Bar{{235, 128, 128}, {255, 255, 255}}, Bar{{219, 16, 138}, {255, 255, 0}}, Bar{{188, 154, 16}, {0, 255, 255}},
    Bar{{173, 42, 26}, {0, 255, 0}},       Bar{{78, 214, 230}, {255, 0, 255}}, Bar{{63, 102, 240}, {255, 0, 0}},
    Bar{{32, 240, 118}, {0, 0, 255}},      Bar{{16, 128, 128}, {0, 0, 0}},     Bar{{180, 128, 128}, {191, 191, 191}},
    Bar{{168, 44, 136}, {191, 191, 0}},    Bar{{145, 147, 44}, {0, 191, 191}}, Bar{{133, 63, 52}, {0, 191, 0}},
    Bar{{63, 193, 204}, {191, 0, 191}},    Bar{{51, 109, 212}, {191, 0, 0}},   Bar{{28, 212, 120}, {0, 0, 191}},
};

}  // namespace

TEST_CASE("colour bars in UYVY and YUYV have the colours of BT.709") {
  for (const Bar& bar : kBars) {
    const auto [y, cb, cr] = bar.ycbcr;
    const DecodedImage uyvy = decoded(desc_of(TextureFormat::uyvy, 2, 1), {cb, y, cr, y});
    const DecodedImage yuyv = decoded(desc_of(TextureFormat::yuyv, 2, 1), {y, cb, y, cr});
    CHECK(uyvy.channels == 3);
    for (size_t pixel = 0; pixel < 2; ++pixel) check_close(uyvy, pixel, bar.rgb, 3);
    CHECK(uyvy.pixels == yuyv.pixels);
  }
}

TEST_CASE("matrix and range are those of the texture's description") {
  TextureDesc desc = desc_of(TextureFormat::uyvy, 2, 1);
  desc.color = {ColorMatrix::bt601, ColorRange::limited};
  check_close(decoded(desc, {90, 81, 240, 81}), 0, {255, 0, 0}, 2);  // BT.601's red
  desc.color.range = ColorRange::full;
  check_close(decoded(desc, {128, 100, 128, 200}), 1, {200, 200, 200}, 0);
  desc.color = {ColorMatrix::bt2020, ColorRange::limited};
  check_close(decoded(desc, {97, 74, 240, 74}), 0, {255, 0, 0}, 2);  // BT.2020's red: Y' = 0.2627, Cb = -0.1396
}

TEST_CASE(
    "chroma is sited at the first pixel of a pair; the second pixel is halfway to the next pair, the last keeps its "
    "own") {
  TextureDesc desc = desc_of(TextureFormat::uyvy, 5, 1);
  desc.color = {ColorMatrix::bt709, ColorRange::full};
  // Cr is 128, 148 and 168 in three pairs, the last of which is half outside.
  const DecodedImage image = decoded(desc, {128, 100, 128, 100, 128, 100, 148, 100, 128, 100, 168, 255});
  const std::array<double, 5> cr = {0, 10, 20, 30, 40};
  for (size_t x = 0; x < 5; ++x) {
    CHECK(image.pixels[3 * x] == std::lround(100 + 1.5748 * cr[x]));
    CHECK(image.pixels[3 * x + 2] == 100);
  }
}

TEST_CASE("bytes of R G B, B G R and R G B A are in this order; A is ignored") {
  const std::vector<uint8_t> want = {1, 2, 3, 250, 5, 6};
  CHECK(decoded(desc_of(TextureFormat::rgb8, 1, 2), {1, 2, 3, 250, 5, 6}).pixels == want);
  CHECK(decoded(desc_of(TextureFormat::bgr8, 2, 1), {3, 2, 1, 6, 5, 250}).pixels == want);
  CHECK(decoded(desc_of(TextureFormat::rgba8, 2, 1), {1, 2, 3, 0, 250, 5, 6, 77}).pixels == want);
}

TEST_CASE("BC1 of Y'CbCr is decoded as BC1, then converted") {
  // Y' 29/31 -> 239, Cb 32/63 -> 130, Cr 15/31 -> 123, full range; computed by hand below.
  TextureDesc desc = desc_of(TextureFormat::bc1_ycbcr, 4, 4);
  desc.color.range = ColorRange::full;
  const int end = 29 << 11 | 32 << 5 | 15;
  const DecodedImage image = decoded(desc, {end & 255, end >> 8, end & 255, end >> 8, 0, 0, 0, 0});
  const double r = 239 + 1.5748 * (123 - 128), b = 239 + 1.8556 * (130 - 128);
  const double g = (239 - 0.2126 * r - 0.0722 * b) / 0.7152;
  for (size_t pixel = 0; pixel < 16; ++pixel)
    check_close(image, pixel,
                {static_cast<int>(std::lround(r)), static_cast<int>(std::lround(g)), static_cast<int>(std::lround(b))},
                0);
}

TEST_CASE("layouts: a block is a pixel or a pair, and rows are padded only if the width is odd") {
  CHECK(texture_layout(TextureFormat::uyvy, 1920, 1080).total_bytes == 1920 * 1080 * 2);
  CHECK(texture_layout(TextureFormat::uyvy, 5, 3).total_bytes == 3 * 12);
  CHECK(texture_layout(TextureFormat::rgb8, 5, 3).total_bytes == 45);
  CHECK(texture_layout(TextureFormat::rgba8, 5, 3).total_bytes == 60);
  CHECK(texture_layout(TextureFormat::bc1_ycbcr, 5, 3).total_bytes == 16);
  CHECK(texture_layout(TextureFormat::rgba8, kMaxFrameSize, kMaxFrameSize).total_bytes == size_t{1} << 30);
}

TEST_CASE("formats that are received only cannot be selected for encoding") {
  for (const TextureFormat format : received_formats()) {
    CHECK_FALSE(is_encoded(format));
    for (const Quality quality : kQualities) CHECK_FALSE(has_quality(format, quality));
    for (const Method method : kMethods) CHECK_FALSE(has_method(format, method));
    CHECK(list_texture_formats().find(name(format)) == std::string::npos);
    CHECK(texture_format_from_name(name(format)) == format);
  }
}
