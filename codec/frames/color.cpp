#include "frames/color.h"

#include <cmath>

#include "frames/luma_weights.h"

namespace texcast {
namespace {

// Even, so that no sum is exactly halfway between two bytes once 1 is added.
int32_t fixed_point(double value) { return 2 * static_cast<int32_t>(std::lround(value * (kByteStep / 2.0))); }

}  // namespace

ColorConversion color_conversion(PixelFormat format, const ColorSpec& color) {
  const bool ten_bits = format == PixelFormat::yuv420p10 || format == PixelFormat::p010;
  const double unit = ten_bits ? 4 : 1;  // one 8-bit step in sample units
  const double full_scale = ten_bits ? 1023 : 255;
  const bool limited = color.range == ColorRange::limited;

  ColorConversion c;
  if (format == PixelFormat::gray16) {
    c.luma_offset = limited ? 16 * 256 : 0;
    c.luma_scale = static_cast<int32_t>(std::lround(256.0 * kFineWhite / (limited ? 219 * 256 : 65535)));
    return c;
  }
  c.luma_offset = limited ? static_cast<int32_t>(16 * unit) : 0;
  c.luma_scale = fixed_point(255.0 / (limited ? 219 * unit : full_scale));
  c.chroma_offset = static_cast<int32_t>(128 * unit);
  if (is_rgb(format)) return c;

  const auto [red, blue] = luma_weights(color.matrix);
  const double green = 1 - red - blue;
  const double chroma = 255.0 / (limited ? 224 * unit : full_scale);
  c.red_v = fixed_point(chroma * 2 * (1 - red));
  c.blue_u = fixed_point(chroma * 2 * (1 - blue));
  c.green_u = -fixed_point(chroma * 2 * (1 - blue) * blue / green);
  c.green_v = -fixed_point(chroma * 2 * (1 - red) * red / green);
  return c;
}

}  // namespace texcast
