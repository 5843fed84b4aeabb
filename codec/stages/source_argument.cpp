#include "stages/source_argument.h"

#include <cmath>

#include "base/ensure.h"
#include "frames/color.h"
#include "stages/stage.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_source) == 16 * 4, "no padding: the kernels share it");
static_assert(TEXCAST_YUV420P == static_cast<int>(PixelFormat::yuv420p) &&
              TEXCAST_UYVY422 == static_cast<int>(PixelFormat::uyvy422) &&
              TEXCAST_RGB24 == static_cast<int>(PixelFormat::rgb24) &&
              TEXCAST_GRAY == static_cast<int>(PixelFormat::gray) &&
              TEXCAST_GRAY16 == static_cast<int>(PixelFormat::gray16) &&
              TEXCAST_RGBA_HALF == static_cast<int>(PixelFormat::rgba_half));

// Converts from kByteStep per byte step to the kernels' unit of 2^22. The 1 that is added to the luma's constant keeps
// sums, which are even without it, from being exactly between two bytes.
float unit(int32_t fixed_point) { return std::ldexp(static_cast<float>(fixed_point), -22); }

}  // namespace

texcast_source source_argument(const FrameFormat& format) {
  const SourcePlacement placed = place_source(format);
  ENSURE(placed.padded_rows[0] == TEXCAST_PADDED_ROWS(format.height));
  const ColorConversion c = color_conversion(format.pixel_format, format.color);
  const bool whole = format.pixel_format == PixelFormat::gray16;
  return {.width = format.width,
          .height = format.height,
          .offset0 = placed.offset[0],
          .offset1 = placed.offset[1],
          .offset2 = placed.offset[2],
          .stride0 = placed.stride[0],
          .stride1 = placed.stride[1],
          .stride2 = placed.stride[2],
          .bytes = static_cast<int>(placed.bytes),
          .chroma_offset = c.chroma_offset,
          .luma_scale = whole ? static_cast<float>(c.luma_scale) : unit(c.luma_scale),
          .luma_constant = whole ? static_cast<float>(c.luma_offset) : unit(1 - c.luma_offset * c.luma_scale),
          .red_v = unit(c.red_v),
          .green_u = unit(c.green_u),
          .green_v = unit(c.green_v),
          .blue_u = unit(c.blue_u)};
}

std::string source_defines(const FrameFormat& format) {
  const bool full_rgb = is_rgb(format.pixel_format) &&
                        (format.color.range == ColorRange::full || format.pixel_format == PixelFormat::rgba_half);
  return std::string(" -DSOURCE_FORMAT=")
      .append(std::to_string(static_cast<int>(format.pixel_format)))
      .append(" -DSOURCE_IS_FULL_RGB=")
      .append(full_rgb ? "1" : "0");
}

}  // namespace texcast::stages
