// Mip levels of pictures, against values worked out from IEC 61966-2-1 and the filters' definitions.
#include "frames/mip_filter.h"

#include <doctest/doctest.h>

#include <cmath>
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

}  // namespace

TEST_CASE("black and white make half the light, which is 188 in sRGB") {
  const DecodedImage pair = row_of({0, 255});
  CHECK(shrunk(pair, MipFilter::box, MipCurve::srgb, 1) == Values{188});  // 1.055 * 0.5^(1/2.4) - 0.055 = 0.7354
  CHECK(shrunk(pair, MipFilter::box, MipCurve::linear, 1) == Values{128});
  CHECK(shrunk(row_of({0, 255, 0, 0}), MipFilter::box, MipCurve::srgb, 1) == Values{137});  // a quarter: 0.5371
}

TEST_CASE("alpha is filtered as it is, beside colours whose curve is undone") {
  const DecodedImage pair = row_of({0, 255, 10, 0, 255, 0, 10, 128}, 4);
  CHECK(shrunk(pair, MipFilter::box, MipCurve::srgb, 1) == Values{188, 188, 10, 64});
}

TEST_CASE("a box covers odd sizes in fractions of texels") {
  const DecodedImage five = row_of({0, 100, 200, 50, 150});
  CHECK(shrunk(five, MipFilter::box, MipCurve::linear, 2) == Values{80, 120});  // (0 + 100 + 200 / 2) / 2.5
  CHECK(shrunk(five, MipFilter::box, MipCurve::linear, 1) == Values{100});
  DecodedImage column = five;
  column.width = 1;
  column.height = 5;
  CHECK(shrunk(column, MipFilter::box, MipCurve::linear, 1, 2) == Values{80, 120});
}

TEST_CASE("what is flat stays as it is, to the last byte, by every filter") {
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

// A wave of four texels of the level: the box leaves cos(pi / 8) of it, the windowed sinc nearly all.
TEST_CASE("Kaiser's filter keeps more of what a level can show") {
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
