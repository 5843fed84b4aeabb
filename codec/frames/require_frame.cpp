#include "frames/require_frame.h"

#include <cstdint>
#include <cstdlib>

#include "base/misuse.h"

namespace texcast {
namespace {

void require(bool condition, const char* function, const char* what) {
  if (!condition) misused(function, what);
}

}  // namespace

void require_valid(const ColorSpec& color, const char* function) {
  require(color.matrix <= ColorMatrix::bt2020, function, "there is no such colour matrix");
  require(color.range <= ColorRange::full, function, "there is no such colour range");
}

void require_valid(PixelAspect aspect, const char* function) {
  require(pixel_aspect(aspect.num, aspect.den).has_value(), function, "the aspect of pixels must be 1:16 to 16:1");
}

void require_valid(const FrameFormat& format, const char* function) {
  require(static_cast<int>(format.pixel_format) < kPixelFormatCount, function, "there is no such pixel format");
  require(format.width >= 1 && format.height >= 1 && format.width <= kMaxFrameSize && format.height <= kMaxFrameSize,
          function, "a frame has sides of 1 to 16384 texels");
  require(format.pixel_format != PixelFormat::rgba_half || place_frame(format).padded_bytes <= INT32_MAX, function,
          "a frame of half floats must have fewer than 2^31 bytes: 16384 x 16320 texels");
  require_valid(format.color, function);
  require_valid(format.aspect, function);
}

void require_readable(const FrameView& frame, const char* function) {
  require_valid(frame.format, function);
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const PlaneView& plane = frame.planes[static_cast<size_t>(p)];
    require(plane.data != nullptr, function, "a plane of the frame has no memory");
    require(plane_rows(frame.format, p) == 1 || std::abs(plane.stride_bytes) >= plane_row_bytes(frame.format, p),
            function, "rows of a plane overlap: its stride is smaller than a row");
  }
}

}  // namespace texcast
