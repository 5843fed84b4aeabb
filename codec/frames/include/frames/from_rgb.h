// from_rgb.h — pictures for other programs: full-range R'G'B' to the pixel formats that cameras have, and their layout.
//
// Thread-safe: values and functions only.
#pragma once

#include <array>
#include <cstdint>

#include "texcast/frame.h"

namespace texcast {

// The integer arithmetic from R'G'B' to Y'CbCr of 8 bits, the same in the kernel (cl_kernels/decode/picture.cl) and in
// the scalar reference. Fixed point with 16 fractional bits. Per channel, with sums over `n` texels, n = 2^k:
//   (red * sum R + green * sum G + blue * sum B + (offset << (16 + k)) + (1 << (15 + k))) >> (16 + k)
// Luma is of one texel (n = 1), chroma of all texels that share it. The factors of chroma add up to 0, so that gray has
// exactly 128; those of luma add up to the range's size, so that white is exactly 235 (or 255). The result needs no
// clamp but that of full-range chroma to 255. Every intermediate fits in 32 bits with sign for n up to 4.
struct YuvChannel {
  int32_t red = 0, green = 0, blue = 0, offset = 0;
};
struct YuvConversion {
  YuvChannel luma, cb, cr;
};
YuvConversion yuv_conversion(const ColorSpec& color);

// nv12, yuv420p, yuyv422 and bgra: those that the kernel and the reference write.
bool is_camera_format(PixelFormat format);

// The planes one after the other without gaps, which is what programs expect of a camera. padded_rows are the rows, and
// padded_bytes is bytes.
FramePlacement place_tightly(const FrameFormat& format);

}  // namespace texcast
