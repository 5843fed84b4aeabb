// Every source format, matrix and range that the kernels read, on inner and edge blocks.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

void check_source(PixelFormat pixel_format, ColorSpec color) {
  const std::vector<check::Size> sizes =
      check::tiny_only() ? std::vector<check::Size>{{13, 9}} : std::vector<check::Size>{{8, 8}, {127, 95}, {5, 3}};
  for (const auto size : sizes)
    check::check_all_patterns({.source = {pixel_format, size.width, size.height, color}},
                              fmt::format("bc1 range from {} matrix {} range {}", name(pixel_format),
                                          static_cast<int>(color.matrix), static_cast<int>(color.range)));
}

}  // namespace

TEST_CASE("every source format in its usual range, and some in the other") {
  for (int f = 0; f < kPixelFormatCount; ++f) {
    const auto format = static_cast<PixelFormat>(f);
    check_source(format, {ColorMatrix::bt709, is_rgb(format) ? ColorRange::full : ColorRange::limited});
  }
  check_source(PixelFormat::nv12, {ColorMatrix::bt709, ColorRange::full});
  check_source(PixelFormat::rgb24, {ColorMatrix::bt709, ColorRange::limited});
}

TEST_CASE("every matrix") {
  for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt2020})
    check_source(PixelFormat::yuv420p10, {matrix, ColorRange::limited});
}
