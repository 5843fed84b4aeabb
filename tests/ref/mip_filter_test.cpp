// Mip levels of pictures, compared with values computed by hand from IEC 61966-2-1 and the filters' definitions.
#include "frames/mip_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
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
  scale(source, {filter, curve}, width, height, level);
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
  scale(source, {filter, curve}, width, source.height, level);
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

namespace {

// A picture whose neighbouring texels differ widely.
DecodedImage noise(int width, int height, int channels) {
  DecodedImage image;
  image.resize(width, height, channels);
  uint32_t state = 7;
  for (uint8_t& sample : image.pixels) {
    state = state * 1664525 + 1013904223;
    sample = static_cast<uint8_t>(state >> 24);
  }
  return image;
}

// The filters by their definition, in doubles: the integral of the covered texels, and the sinc under Kaiser's window,
// with the edge repeated.
double weight_of(MipFilter filter, double from, double center, double step) {
  if (filter == MipFilter::box)
    return std::max(0.0, std::min(from + 0.5, center + step / 2) - std::max(from - 0.5, center - step / 2));
  const double x = (from - center) / std::max(step, 1.0);
  if (std::abs(x) >= 3) return 0;
  const double angle = std::numbers::pi * x;
  return std::cyl_bessel_i(0, 4 * std::sqrt(1 - x * x / 9)) / std::cyl_bessel_i(0, 4) *
         (angle == 0 ? 1 : std::sin(angle) / angle);
}

double light_of(uint8_t byte) {
  const double v = byte / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double byte_of(double light) {
  light = std::min(std::max(light, 0.0), 1.0);
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055);
}

double expected_byte(const DecodedImage& source, MipFilter filter, int width, int height, int x, int y, int channel) {
  const double step_x = static_cast<double>(source.width) / width, step_y = static_cast<double>(source.height) / height;
  const double center_x = (x + 0.5) * step_x - 0.5, center_y = (y + 0.5) * step_y - 0.5;
  const int reach_x = static_cast<int>(3 * std::max(step_x, 1.0)) + 2,
            reach_y = static_cast<int>(3 * std::max(step_y, 1.0)) + 2;
  const int near_x = static_cast<int>(center_x), near_y = static_cast<int>(center_y);
  double sum = 0, weights = 0;
  for (int j = near_y - reach_y; j <= near_y + reach_y; ++j)
    for (int i = near_x - reach_x; i <= near_x + reach_x; ++i) {
      const double weight = weight_of(filter, i, center_x, step_x) * weight_of(filter, j, center_y, step_y);
      const int at = std::clamp(j, 0, source.height - 1) * source.width + std::clamp(i, 0, source.width - 1);
      sum += weight * light_of(source.pixels[static_cast<size_t>(at * source.channels + channel)]);
      weights += weight;
    }
  return byte_of(sum / weights);
}

// All levels of a picture in one call.
std::vector<DecodedImage> levels_of(const DecodedImage& source, const MipRules& rules, int threads = 0) {
  std::vector<DecodedImage> levels;
  for (int w = source.width, h = source.height; w > 1 || h > 1;) {
    w = std::max(w / 2, 1);
    h = std::max(h / 2, 1);
    levels.emplace_back().resize(w, h, source.channels, source.samples);
  }
  std::vector<LevelTarget> targets;
  for (DecodedImage& level : levels)
    targets.push_back({level.width, level.height, level.channels, level.pixels.data(),
                       level.width * level.channels * sample_bytes(level.samples)});
  Workers workers(threads);
  PictureFilter(rules, source.channels, source.samples).filter(rows_of(source), targets, workers);
  return levels;
}

}  // namespace

TEST_CASE("both filters agree with their definition in double precision") {
  const DecodedImage source = noise(37, 29, 3);
  for (const MipFilter filter : kMipFilters)
    for (const auto& size : {std::pair{18, 14}, {9, 7}, {37, 3}, {1, 1}, {50, 64}}) {
      const int width = size.first, height = size.second;
      if (filter == MipFilter::box && width > source.width) continue;
      CAPTURE(name(filter));
      CAPTURE(width);
      DecodedImage level;
      scale(source, {filter, MipCurve::srgb}, width, height, level);
      double worst = 0;
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          for (int c = 0; c < 3; ++c)
            worst = std::max(worst, std::abs(expected_byte(source, filter, width, height, x, y, c) -
                                             level.pixels[static_cast<size_t>((y * width + x) * 3 + c)]));
      CHECK(worst <= 0.501);  // rounded to nearest
    }
}

TEST_CASE("levels do not depend on the number of threads") {
  const DecodedImage source = noise(123, 45, 4);
  for (const MipContent content : {MipContent::channels, MipContent::transparency, MipContent::normals}) {
    const MipRules rules{MipFilter::kaiser, MipCurve::srgb, content};
    const std::vector<DecodedImage> one = levels_of(source, rules), three = levels_of(source, rules, 2);
    for (size_t n = 0; n < one.size(); ++n) CHECK(one[n].pixels == three[n].pixels);
  }
}

// Filtering the third level from the first one is exact for means of whole texels; rounded levels would add errors.
TEST_CASE("small levels are made of larger ones that are not rounded") {
  const DecodedImage source = noise(64, 64, 3);
  const std::vector<DecodedImage> levels = levels_of(source, {MipFilter::box, MipCurve::srgb});
  REQUIRE(levels.size() == 6);
  for (const DecodedImage& level : levels)
    for (int i = 0; i < level.width * level.height; ++i)
      CHECK(std::abs(
                expected_byte(source, MipFilter::box, level.width, level.height, i % level.width, i / level.width, 0) -
                level.pixels[static_cast<size_t>(3 * i)]) <= 0.501);
}

TEST_CASE("the colours of transparent texels do not appear in opaque ones") {
  const DecodedImage pair = row_of({200, 0, 0, 255, 0, 250, 0, 0}, 4);
  const auto mean = [&](MipContent content, const DecodedImage& source) {
    DecodedImage level;
    scale(source, {MipFilter::box, MipCurve::linear, content}, 1, 1, level);
    return level.pixels;
  };
  CHECK(mean(MipContent::transparency, pair) == Values{200, 0, 0, 128});
  CHECK(mean(MipContent::channels, pair) == Values{100, 125, 0, 128});
  // A third of the opacity is at the second texel.
  CHECK(mean(MipContent::transparency, row_of({90, 0, 0, 200, 0, 90, 0, 100}, 4)) == Values{60, 30, 0, 150});
  // Nothing is visible: the colours stay for a program that ignores alpha.
  CHECK(mean(MipContent::transparency, row_of({10, 20, 30, 0, 30, 40, 50, 0}, 4)) == Values{20, 30, 40, 0});
}

TEST_CASE("normals are averaged as vectors of length 1") {
  const auto mean = [](const Values& texels, int channels) {
    DecodedImage level;
    scale(row_of(texels, channels), {MipFilter::box, MipCurve::srgb, MipContent::normals}, 1, 1, level);
    return level.pixels;
  };
  // +-45 degrees: (+-0.707, 0, 0.707). The mean of the colours would be (128, 128, 218), which is no unit vector.
  CHECK(mean({218, 128, 218, 37, 128, 218}, 3) == Values{128, 128, 255});
  // To the right and towards the viewer: 45 degrees between them, 0.707. The mean of the colours would be 192.
  CHECK(mean({255, 128, 128, 128, 128, 255}, 3) == Values{218, 128, 218});
  CHECK(mean({255, 128, 128, 128}, 2) == Values{218, 128});  // z follows from x and y
  CHECK(mean({218, 128, 218, 10, 37, 128, 218, 20}, 4) == Values{128, 128, 255, 15});
}
