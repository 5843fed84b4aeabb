// color.h — the integer arithmetic that converts samples to full-range R'G'B', the same in every kernel and in the
// scalar reference.
#pragma once

#include <cstdint>

#include "texcast/frame.h"

namespace texcast {

// Fixed point: one step of a byte. It is chosen so that 2^22, which kernels use as 1 because they can clamp there at no
// cost, is 255.4387 steps: values clamped there round to 255.
inline constexpr int32_t kByteStep = 16420;
inline constexpr int32_t kFineWhite = 255 * kByteStep;

// With y, u, v as stored (8 or 10 bits) and division that truncates:
//   luma = (y - luma_offset) * luma_scale + kByteStep / 2
//   R = clamp((luma + red_v * (v - chroma_offset)) / kByteStep, 0, 255)
//   G = clamp((luma + green_u * (u - chroma_offset) + green_v * (v - chroma_offset)) / kByteStep, 0, 255)
//   B = clamp((luma + blue_u * (u - chroma_offset)) / kByteStep, 0, 255)
// RGB sources use the luma formula for each of R, G and B. Every intermediate fits in 32 bits with sign. Chroma that is
// stored at half size is repeated for each texel it covers. All factors are even and all sums below 2^24, so they are
// exact in single precision too, which kernels use.
//
// gray16 has a finer scale, in integers throughout; a byte is the nearest multiple of kByteStep:
//   fine = clamp(((y - luma_offset) * luma_scale + 128) / 256, 0, kFineWhite), the division rounding down
struct ColorConversion {
  int32_t luma_offset = 0;
  int32_t luma_scale = kByteStep;
  int32_t chroma_offset = 128;
  int32_t red_v = 0;
  int32_t green_u = 0;
  int32_t green_v = 0;
  int32_t blue_u = 0;
};

// Matrices: BT.601-7, BT.709-6, BT.2020-2 (non-constant luminance); ranges as in BT.709-6 / H.273.
ColorConversion color_conversion(PixelFormat format, const ColorSpec& color);

}  // namespace texcast
