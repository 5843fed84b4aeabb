// Mip levels of pictures, compared with values computed by hand from IEC 61966-2-1 and the filters' definitions.
#include "frames/mip_filter.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

using namespace texcast;

namespace {

DecodedImage row_of(const std::vector<uint8_t>& values, int channels = 1) {
  DecodedImage image;
  image.resize(static_cast<int>(values.size()) / channels, 1, channels);
  image.pixels = values;
  return image;
}

std::vector<uint8_t> shrunk(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, int height = 1) {
  DecodedImage level;
  shrink(source, filter, curve, width, height, level);
  CHECK(level.width == width);
  CHECK(level.height == height);
  CHECK(level.channels == source.channels);
  return level.pixels;
}

using Values = std::vector<uint8_t>;

// Samples of two bytes, by their bits.
using Words = std::vector<uint16_t>;
DecodedImage wide_row_of(SampleType type, const Words& samples, int width, int height) {
  DecodedImage image;
  image.resize(width, height, 1, type);
  std::memcpy(image.pixels.data(), samples.data(), image.pixels.size());
  return image;
}
Words wide_shrunk(const DecodedImage& source, MipFilter filter, MipCurve curve, int width) {
  DecodedImage level;
  shrink(source, filter, curve, width, source.height, level);
  CHECK(level.samples == source.samples);
  Words samples(level.pixels.size() / 2);
  std::memcpy(samples.data(), level.pixels.data(), level.pixels.size());
  return samples;
}

}  // namespace

TEST_CASE("black and white average to half the light, which is 188 in sRGB") {
  const DecodedImage pair = row_of({0, 255});
  CHECK(shrunk(pair, MipFilter::box, MipCurve::srgb, 1) == Values{188});  // 1.055 * 0.5^(1/2.4) - 0.055 = 0.7354
  CHECK(shrunk(pair, MipFilter::box, MipCurve::linear, 1) == Values{128});
  CHECK(shrunk(row_of({0, 255, 0, 0}), MipFilter::box, MipCurve::srgb, 1) == Values{137});  // a quarter: 0.5371
}

TEST_CASE("alpha is filtered linearly, beside colours that are linearised first") {
  const DecodedImage pair = row_of({0, 255, 10, 0, 255, 0, 10, 128}, 4);
  CHECK(shrunk(pair, MipFilter::box, MipCurve::srgb, 1) == Values{188, 188, 10, 64});
}

TEST_CASE("a box filter covers odd sizes with fractions of texels") {
  const DecodedImage five = row_of({0, 100, 200, 50, 150});
  CHECK(shrunk(five, MipFilter::box, MipCurve::linear, 2) == Values{80, 120});  // (0 + 100 + 200 / 2) / 2.5
  CHECK(shrunk(five, MipFilter::box, MipCurve::linear, 1) == Values{100});
  DecodedImage column = five;
  column.width = 1;
  column.height = 5;
  CHECK(shrunk(column, MipFilter::box, MipCurve::linear, 1, 2) == Values{80, 120});
}

TEST_CASE("flat areas stay unchanged, to the last byte, by every filter") {
  for (const MipFilter filter : kMipFilters)
    for (const MipCurve curve : {MipCurve::linear, MipCurve::srgb})
      for (int value = 0; value < 256; ++value) {
        DecodedImage image;
        image.resize(13, 7, 3);
        std::fill(image.pixels.begin(), image.pixels.end(), static_cast<uint8_t>(value));
        CHECK(shrunk(image, filter, curve, 6, 3) == Values(54, static_cast<uint8_t>(value)));
        CHECK(shrunk(image, filter, curve, 1, 1) == Values(3, static_cast<uint8_t>(value)));
      }
}

TEST_CASE("16 bits are filtered in 16 bits") {
  const auto mean = [](uint16_t a, uint16_t b, MipCurve curve) {
    return wide_shrunk(wide_row_of(SampleType::unorm16, {a, b}, 2, 1), MipFilter::box, curve, 1);
  };
  CHECK(mean(1000, 1004, MipCurve::linear) == Words{1002});  // a step of 8 bits would be 257
  CHECK(mean(0, 65535, MipCurve::linear) == Words{32768});
  CHECK(mean(0, 65535, MipCurve::srgb) == Words{48192});  // 65535 * 0.73536
}

// After IEEE 754: 0x3C00 is 1, 0x4000 2, 0x4400 4, 0x4800 8.
TEST_CASE("half floats below 0 and above 1 are preserved, and stay finite") {
  const auto mean = [](uint16_t a, uint16_t b, MipCurve curve = MipCurve::linear) {
    return wide_shrunk(wide_row_of(SampleType::half, {a, b}, 2, 1), MipFilter::box, curve, 1);
  };
  CHECK(mean(0x4800, 0) == Words{0x4400});
  CHECK(mean(0xC400, 0x4000) == Words{0xBC00});                  // -4 and 2: -1
  CHECK(mean(0x7C00, 0) == Words{0x77FF});                       // infinity counts as 65504, half of it is 32752
  CHECK(mean(0x7E00, 0x4000) == Words{0x3C00});                  // NaN counts as 0
  CHECK(mean(0, 0x3C00, MipCurve::srgb) == Words{0x39E2});       // 0.73536
  CHECK(mean(0x8000, 0xBC00, MipCurve::srgb) == Words{0xB9E2});  // the curve is mirrored
  const DecodedImage edge = wide_row_of(SampleType::half, {0, 0, 0, 0x7BFF, 0x7BFF, 0x7BFF, 0x7BFF, 0x7BFF}, 8, 1);
  for (const uint16_t sample : wide_shrunk(edge, MipFilter::kaiser, MipCurve::linear, 4))
    CHECK((sample & 0x7FFF) <= 0x7BFF);  // ringing does not exceed the largest finite value
}

TEST_CASE("flat areas stay unchanged in every sample type of two bytes") {
  constexpr int kRows = 16384;
  for (const SampleType type : {SampleType::unorm16, SampleType::half})
    for (const MipFilter filter : kMipFilters)
      for (const MipCurve curve : {MipCurve::linear, MipCurve::srgb})
        for (int first = 0; first < 65536; first += kRows) {
          Words pairs, singles;
          for (int i = 0; i < 2 * kRows; ++i) pairs.push_back(static_cast<uint16_t>(first + i / 2));
          for (int i = 0; i < kRows; ++i) singles.push_back(static_cast<uint16_t>(first + i));
          Words level = wide_shrunk(wide_row_of(type, pairs, 2, kRows), filter, curve, 1);
          if (type == SampleType::half)  // except values that are not finite, and a zero's sign
            for (size_t i = 0; i < singles.size(); ++i)
              if ((singles[i] & 0x7FFF) >= 0x7C00 || ((singles[i] | level[i]) & 0x7FFF) == 0) level[i] = singles[i];
          CHECK(level == singles);
        }
}

// A wave with a period of four texels of the level: the box filter leaves cos(pi / 8) of it, the windowed sinc nearly
// all.
TEST_CASE("the Kaiser filter keeps more of the detail that a level can represent") {
  Values wave;
  for (int i = 0; i < 64; ++i)
    wave.push_back(static_cast<uint8_t>(std::lround(128 + 100 * std::cos(std::numbers::pi / 4 * (i - 0.5)))));
  const auto swing = [&](MipFilter filter) {
    const Values level = shrunk(row_of(wave), filter, MipCurve::linear, 32);
    return (level[16] - level[18]) / 2.0;
  };
  CHECK(swing(MipFilter::box) == doctest::Approx(92.4).epsilon(0.01));
  CHECK(swing(MipFilter::kaiser) > 97);
  CHECK(swing(MipFilter::kaiser) < 103);
}

TEST_CASE("filters by name") {
  for (const MipFilter filter : kMipFilters) CHECK(mip_filter_from_name(name(filter)) == filter);
  CHECK_FALSE(mip_filter_from_name("lanczos").has_value());
}
