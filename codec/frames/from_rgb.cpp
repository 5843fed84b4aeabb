#include "frames/from_rgb.h"

#include <cmath>

#include "frames/luma_weights.h"

namespace texcast {
namespace {

int32_t fixed(double value) { return static_cast<int32_t>(std::lround(value * 65536)); }

}  // namespace

YuvConversion yuv_conversion(const ColorSpec& color) {
  const bool limited = color.range == ColorRange::limited;
  const double luma_scale = limited ? 219.0 / 255 : 1, chroma_scale = limited ? 224.0 / 255 : 1;
  const auto [red, blue] = luma_weights(color.matrix);
  const double green = 1 - red - blue;
  YuvConversion c;
  c.luma = {.red = fixed(luma_scale * red), .blue = fixed(luma_scale * blue), .offset = limited ? 16 : 0};
  c.luma.green = fixed(luma_scale) - c.luma.red - c.luma.blue;
  // Cb = (B - Y) / (2 (1 - blue)), Cr = (R - Y) / (2 (1 - red)).
  c.cb = {.green = -fixed(chroma_scale * green / (2 * (1 - blue))), .blue = fixed(chroma_scale / 2), .offset = 128};
  c.cb.red = -c.cb.green - c.cb.blue;
  c.cr = {.red = fixed(chroma_scale / 2), .green = -fixed(chroma_scale * green / (2 * (1 - red))), .offset = 128};
  c.cr.blue = -c.cr.green - c.cr.red;
  return c;
}

bool is_camera_format(PixelFormat format) {
  return format == PixelFormat::nv12 || format == PixelFormat::yuv420p || format == PixelFormat::yuyv422 ||
         format == PixelFormat::bgra;
}

FramePlacement place_tightly(const FrameFormat& format) {
  FramePlacement placed;
  for (int plane = 0; plane < plane_count(format.pixel_format); ++plane) {
    const auto p = static_cast<size_t>(plane);
    placed.offset[p] = static_cast<int>(placed.bytes);
    placed.stride[p] = plane_row_bytes(format, plane);
    placed.padded_rows[p] = plane_rows(format, plane);
    placed.bytes += static_cast<size_t>(placed.stride[p]) * static_cast<size_t>(placed.padded_rows[p]);
  }
  placed.padded_bytes = placed.bytes;
  return placed;
}

}  // namespace texcast
