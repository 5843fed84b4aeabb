#include "texcast/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/misuse.h"

namespace texcast {
namespace {

constexpr int64_t kLargestTerm = 65535;

constexpr std::array<Turn, 8> kTurns = {{{1, 0, 0, 1},
                                         {-1, 0, 0, 1},
                                         {-1, 0, 0, -1},
                                         {1, 0, 0, -1},
                                         {0, 1, 1, 0},
                                         {0, -1, 1, 0},
                                         {0, -1, -1, 0},
                                         {0, 1, -1, 0}}};

bool is_in_range(double ratio) { return ratio >= 1.0 / kMaxPixelAspect && ratio <= kMaxPixelAspect; }

// The fraction with the smallest terms in [low, high], both above 0: Euclid's steps as long as the two agree.
PixelAspect simplest_between(double low, double high, int steps) {
  const double whole = std::floor(low);
  const int n = static_cast<int>(whole);
  if (whole == low) return {n, 1};
  if (whole + 1 <= high || steps == 0) return {n + 1, 1};
  const PixelAspect rest = simplest_between(1 / (high - whole), 1 / (low - whole), steps - 1);
  return {n * rest.num + rest.den, rest.num};
}

}  // namespace

std::optional<PixelAspect> pixel_aspect(int64_t num, int64_t den) {
  if (num <= 0 || den <= 0) return std::nullopt;
  const double ratio = static_cast<double>(num) / static_cast<double>(den);
  if (!is_in_range(ratio)) return std::nullopt;
  const int64_t divisor = std::gcd(num, den);
  num /= divisor;
  den /= divisor;
  if (std::max(num, den) > kLargestTerm) return simplest_aspect(ratio, ratio / kLargestTerm);
  return PixelAspect{static_cast<int>(num), static_cast<int>(den)};
}

std::optional<PixelAspect> simplest_aspect(double value, double tolerance) {
  REQUIRE_USE(tolerance > 0, "the tolerance must be above 0");
  if (!is_in_range(value)) return std::nullopt;
  constexpr int kSteps = 16;  // each makes the terms larger: more are never needed for terms of 16 bits
  const double low = std::max(value - tolerance, 1.0 / kMaxPixelAspect);
  return simplest_between(low, std::min<double>(value + tolerance, kMaxPixelAspect), kSteps);
}

Orientation orientation_turned(int degrees) {
  switch (degrees) {
    case 0: return Orientation::upright;
    case 90: return Orientation::turned_90;
    case 180: return Orientation::turned_180;
    case 270: return Orientation::turned_270;
    default: break;
  }
  misused(__func__, "pictures are turned by 0, 90, 180 or 270 degrees");
}

Turn turn_of(Orientation orientation) {
  const auto index = static_cast<size_t>(orientation) - 1;
  REQUIRE_USE(index < kTurns.size(), "there is no such orientation");
  return kTurns[index];
}

std::optional<Orientation> nearest_orientation(double xx, double xy, double yx, double yy) {
  const auto sign = [](double value) { return value < 0 ? -1 : 1; };
  const double straight = std::abs(xx) + std::abs(yy), across = std::abs(xy) + std::abs(yx);
  if (!(straight + across > 0)) return std::nullopt;
  const Turn wanted =
      straight >= across ? Turn{sign(xx), 0, 0, sign(yy)} : Turn{.xx = 0, .xy = sign(xy), .yx = sign(yx), .yy = 0};
  const auto found = std::find(kTurns.begin(), kTurns.end(), wanted);
  return static_cast<Orientation>(found - kTurns.begin() + 1);
}

std::optional<PixelAspect> aspect_for_shape(PixelAspect shape, int width, int height, Orientation orientation) {
  if (swaps_sides(orientation)) return pixel_aspect(int64_t{shape.den} * height, int64_t{shape.num} * width);
  return pixel_aspect(int64_t{shape.num} * height, int64_t{shape.den} * width);
}

ShownSize shown_size(int width, int height, PixelAspect aspect, Orientation orientation, int most) {
  REQUIRE_USE(width >= 1 && height >= 1 && most >= 1, "the sides of a picture must be 1 or more");
  REQUIRE_USE(aspect.num >= 1 && aspect.den >= 1, "the terms of a pixel aspect must be 1 or more");
  double w = width, h = height;
  (aspect.num > aspect.den ? w : h) *=
      static_cast<double>(std::max(aspect.num, aspect.den)) / std::min(aspect.num, aspect.den);
  const double shrunk = std::min(1.0, most / std::max(w, h));
  const auto side = [&](double length) { return std::clamp(static_cast<int>(std::lround(length * shrunk)), 1, most); };
  return swaps_sides(orientation) ? ShownSize{side(h), side(w)} : ShownSize{side(w), side(h)};
}

}  // namespace texcast
