// Pixel aspect ratio, and orientation.
#include "texcast/shape.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "texcast/image.h"

using namespace texcast;

TEST_CASE("a pixel aspect ratio is in lowest terms, and refused if it is implausible") {
  CHECK(pixel_aspect(64, 45) == PixelAspect{64, 45});
  CHECK(pixel_aspect(720 * 4, 720 * 3) == PixelAspect{4, 3});
  CHECK(pixel_aspect(7, 7) == PixelAspect{});
  CHECK(pixel_aspect(16, 1) == PixelAspect{16, 1});
  CHECK(pixel_aspect(1, 16) == PixelAspect{1, 16});
  for (const auto& [num, den] : {std::pair{0, 1}, {1, 0}, {-4, 3}, {17, 1}, {1, 17}, {0, 0}})
    CHECK(!pixel_aspect(num, den));
  // 16:11 within a hundred-thousandth, written with too many digits.
  const auto rounded = pixel_aspect(1'600'000'001, 1'100'000'000);
  REQUIRE(rounded);
  CHECK(rounded->num <= 65535);
  CHECK(static_cast<double>(rounded->num) / rounded->den == doctest::Approx(16.0 / 11).epsilon(1e-5));
}

TEST_CASE("the simplest ratio near a value is the one that an exhaustive search finds") {
  CHECK(simplest_aspect(1.4222, 5e-4) == PixelAspect{64, 45});
  CHECK(simplest_aspect(1.0, 1e-9) == PixelAspect{1, 1});
  CHECK(!simplest_aspect(16.5, 1e-3));
  CHECK(!simplest_aspect(0.06, 1e-4));
  for (int units = 64; units <= 16384; units += 97) {
    const double value = units / 1024.0, half = 0.5 / 1024;
    PixelAspect best{};
    for (int den = 1; best.den == 1 && best.num == 1 && den < 3000; ++den) {
      const int num = static_cast<int>(std::ceil((value - half) * den - 1e-9));
      if (num >= 1 && num <= (value + half) * den + 1e-9) {
        best = {num, den};
        break;
      }
    }
    CAPTURE(units);
    const auto found = simplest_aspect(value, half);
    REQUIRE(found);
    CHECK(found->den <= best.den);
    CHECK(std::abs(static_cast<double>(found->num) / found->den - value) <= half + 1e-12);
  }
}

TEST_CASE(
    "displayed sizes: the stretched side grows, quarter turns swap sides, and nothing exceeds the largest picture") {
  CHECK(shown_size(720, 576, {64, 45}) == ShownSize{1024, 576});
  CHECK(shown_size(720, 480, {8, 9}) == ShownSize{720, 540});
  CHECK(shown_size(720, 576, {64, 45}, Orientation::turned_90) == ShownSize{576, 1024});
  CHECK(shown_size(1, 1, {16, 1}) == ShownSize{16, 1});
  CHECK(shown_size(16384, 16, {16, 1}) == ShownSize{16384, 1});
}

// A picture of 3 x 2, as letters, in this orientation.
static std::string turned(Orientation orientation) {
  DecodedImage image{.width = 3, .height = 2, .pixels = {'a', 'b', 'c', 'd', 'e', 'f'}, .channels = 1};
  orient(image, orientation);
  std::string text;
  for (int y = 0; y < image.height; ++y) {
    if (y > 0) text += '/';
    for (int x = 0; x < image.width; ++x)
      text += static_cast<char>(image.pixels[static_cast<size_t>(y * image.width + x)]);
  }
  return text;
}

TEST_CASE("the eight orientations, in EXIF's words: where the first row and the first column are displayed") {
  CHECK(turned(Orientation::upright) == "abc/def");
  CHECK(turned(static_cast<Orientation>(2)) == "cba/fed");   // top, right
  CHECK(turned(static_cast<Orientation>(3)) == "fed/cba");   // bottom, right
  CHECK(turned(static_cast<Orientation>(4)) == "def/abc");   // bottom, left
  CHECK(turned(static_cast<Orientation>(5)) == "ad/be/cf");  // left, top
  CHECK(turned(static_cast<Orientation>(6)) == "da/eb/fc");  // right, top
  CHECK(turned(static_cast<Orientation>(7)) == "fc/eb/da");  // right, bottom
  CHECK(turned(static_cast<Orientation>(8)) == "cf/be/ad");  // left, bottom
  CHECK(orientation_turned(90) == static_cast<Orientation>(6));
  for (int i = 1; i <= 8; ++i) {
    const Turn t = turn_of(static_cast<Orientation>(i));
    CHECK(nearest_orientation(t.xx + 0.1, t.xy - 0.2, t.yx + 0.2, t.yy - 0.1) == static_cast<Orientation>(i));
  }
  CHECK(!nearest_orientation(0, 0, 0, 0));
}
