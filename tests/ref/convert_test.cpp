// Conversion to R'G'B' and to YCoCg, compared with the standards' formulas in floating point.
#include "ref/convert.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ref/ycocg_planes.h"

using namespace texcast;

namespace {

// BT.601, BT.709, BT.2020: E'Y = Kr R + Kg G + Kb B; limited range 16..235 and 16..240 (times 4 for 10 bits).
std::array<double, 3> by_the_book(double y, double u, double v, ColorMatrix matrix, ColorRange range, int bits) {
  const double kr = matrix == ColorMatrix::bt601 ? 0.299 : matrix == ColorMatrix::bt709 ? 0.2126 : 0.2627;
  const double kb = matrix == ColorMatrix::bt601 ? 0.114 : matrix == ColorMatrix::bt709 ? 0.0722 : 0.0593;
  const double scale = std::pow(2, bits - 8), largest = std::pow(2, bits) - 1;
  const bool limited = range == ColorRange::limited;
  const double luma = limited ? (y - 16 * scale) / (219 * scale) : y / largest;
  const double cb = limited ? (u - 128 * scale) / (224 * scale) : (u - 128 * scale) / largest;
  const double cr = limited ? (v - 128 * scale) / (224 * scale) : (v - 128 * scale) / largest;
  const double r = luma + 2 * (1 - kr) * cr, b = luma + 2 * (1 - kb) * cb;
  const double g = (luma - kr * r - kb * b) / (1 - kr - kb);
  return {255 * std::clamp(r, 0.0, 1.0), 255 * std::clamp(g, 0.0, 1.0), 255 * std::clamp(b, 0.0, 1.0)};
}

}  // namespace

// Factors are multiples of 1/8210: half of that, three times, with samples of up to 255, may add up to half a step.
TEST_CASE("8-bit samples of every matrix and range, within half a step and rounding") {
  for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020})
    for (const ColorRange range : {ColorRange::limited, ColorRange::full})
      for (int y = 0; y < 256; y += 5)
        for (int u = 0; u < 256; u += 15)
          for (int v = 0; v < 256; v += 15) {
            const std::array<std::byte, 3> samples = {static_cast<std::byte>(y), static_cast<std::byte>(u),
                                                      static_cast<std::byte>(v)};
            const FrameView frame{{PixelFormat::yuv444p, 1, 1, {matrix, range}},
                                  {{{&samples[0], 1}, {&samples[1], 1}, {&samples[2], 1}}}};
            const auto rgb = ref::FrameReader(frame).rgb(0, 0);
            const auto want = by_the_book(y, u, v, matrix, range, 8);
            for (size_t c = 0; c < 3; ++c) REQUIRE(std::abs(rgb[c] - want[c]) <= 0.5 + 3 * 128 / 16420.0);
          }
}

TEST_CASE("black and white are exact, also with ten bits") {
  for (const auto& [luma, want] : {std::pair{64, 0}, std::pair{940, 255}}) {
    std::array<std::byte, 6> bytes{};
    for (size_t i = 0; i < 3; ++i) {
      const int value = i == 0 ? luma : 512;
      bytes[2 * i] = static_cast<std::byte>(value & 255);
      bytes[2 * i + 1] = static_cast<std::byte>(value >> 8);
    }
    const FrameView frame{{PixelFormat::yuv420p10, 1, 1, {}}, {{{&bytes[0], 2}, {&bytes[2], 2}, {&bytes[4], 2}}}};
    CHECK(ref::FrameReader(frame).rgb(0, 0) == std::array{want, want, want});
  }
}

TEST_CASE("coordinates outside the frame repeat the edge") {
  const std::array<std::byte, 4> gray = {std::byte{10}, std::byte{20}, std::byte{30}, std::byte{40}};
  const FrameView frame{{PixelFormat::gray, 2, 2, {ColorMatrix::bt709, ColorRange::full}},
                        {{{gray.data(), 2}, {}, {}}}};
  const ref::FrameReader reader(frame);
  CHECK(reader.rgb(9, 0)[1] == 20);
  CHECK(reader.rgb(0, 9)[1] == 30);
  CHECK(reader.rgb(9, 9)[1] == 40);
}

TEST_CASE("YCoCg to RGB and back is within two steps, and grey is exact") {
  for (int r = 0; r < 256; r += 3)
    for (int g = 0; g < 256; g += 5)
      for (int b = 0; b < 256; b += 7) {
        const auto back = ref::ycocg_to_rgb(ref::ycocg_y(r, g, b), ref::ycocg_co(r, b, 1), ref::ycocg_cg(r, g, b, 1));
        REQUIRE(std::abs(back[0] - r) <= 2);
        REQUIRE(std::abs(back[1] - g) <= 2);
        REQUIRE(std::abs(back[2] - b) <= 2);
        if (r == g && g == b) REQUIRE(back == std::array{r, g, b});
      }
}

TEST_CASE("half floats become the nearest bytes of the sRGB curve") {
  for (int bits = 0; bits < 0x10000; ++bits) {
    std::array<uint16_t, 4> texel = {static_cast<uint16_t>(bits), 0x3C00, 0x8001, 0};
    const FrameView frame{{PixelFormat::rgba_half, 1, 1, kFullRange},
                          {{{reinterpret_cast<const std::byte*>(texel.data()), 8}, {}, {}}}};
    const bool is_number = (bits & 0x7FFF) <= 0x7C00;
    const double light = is_number ? std::clamp(half_to_double(texel[0]), 0.0, 1.0) : 0;
    const double value = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
    const ref::FrameReader reader(frame);
    REQUIRE(reader.rgb(0, 0) == std::array{static_cast<int>(std::lround(255 * value)), 255, 0});
    const int number = !is_number ? 0 : std::min(bits & 0x7FFF, 0x7BFF);
    REQUIRE(reader.halves(0, 0)[0] == ((bits & 0x8000) != 0 ? -number : number));
  }
}

TEST_CASE("bytes become the nearest half floats of byte / 255") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::array<uint8_t, 4> texel = {static_cast<uint8_t>(byte), 255, 0, 0};
    const FrameView frame{{PixelFormat::rgba, 1, 1, kFullRange},
                          {{{reinterpret_cast<const std::byte*>(texel.data()), 4}, {}, {}}}};
    const auto halves = ref::FrameReader(frame).halves(0, 0);
    const auto off = [&](int n) { return std::abs(half_to_double(static_cast<uint16_t>(n)) - byte / 255.0); };
    CHECK((off(halves[0]) <= off(halves[0] + 1) && (byte == 0 || off(halves[0]) <= off(halves[0] - 1))));
    CHECK((halves[1] == 0x3C00 && halves[2] == 0));
  }
}

// Compares reads of areas with reads texel by texel.
TEST_CASE("an area has the values of its texels, in every format, also at odd positions") {
  constexpr int kWidth = 11, kHeight = 7;
  std::mt19937 random(1);
  std::vector<std::byte> samples(size_t{kWidth + 1} * (kHeight + 1) * 8);
  for (std::byte& sample : samples) sample = static_cast<std::byte>(random());
  for (const PixelFormat format :
       {PixelFormat::yuv420p, PixelFormat::nv12, PixelFormat::yuv422p, PixelFormat::yuv444p, PixelFormat::yuyv422,
        PixelFormat::uyvy422, PixelFormat::yuv420p10, PixelFormat::p010, PixelFormat::rgb24, PixelFormat::rgba,
        PixelFormat::bgra, PixelFormat::gray, PixelFormat::gray16, PixelFormat::rgba_half}) {
    for (const ColorRange range : {ColorRange::full, ColorRange::limited}) {
      CAPTURE(static_cast<int>(format));
      CAPTURE(static_cast<int>(range));
      // Planes may overlap.
      const auto* const bytes = samples.data();
      const FrameView frame{
          {format, kWidth, kHeight, {ColorMatrix::bt601, range}},
          {{{bytes, (kWidth + 1) * 8}, {bytes + 5, (kWidth + 1) * 4}, {bytes + 90, (kWidth + 1) * 4}}}};
      const ref::FrameReader reader(frame);
      std::vector<uint8_t> rgb(size_t{9} * 5 * 3);
      ref::read_rgb(frame, 2, 1, kWidth, 6, rgb.data());
      size_t at = 0;
      for (int y = 1; y < 6; ++y)
        for (int x = 2; x < kWidth; ++x)
          for (const int value : reader.rgb(x, y)) REQUIRE(int{rgb[at++]} == value);
    }
  }
}
