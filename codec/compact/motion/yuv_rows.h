// yuv_rows.h — rows of the source picture by AVX2: YUV to red, green and blue, and luma. The results are those of
// source_picture.cpp, which does the same on every machine.
#pragma once

#include <cstdint>

namespace texcast::compact {

// The factors of ColorConversion (frames/color.h) as numbers with which single precision is exact.
struct YuvFactors {
  float luma_scale, luma_more, chroma_offset, red_v, green_u, green_v, blue_u;
};
struct YuvRow {
  const uint8_t *y, *u, *v;
};

struct YuvRows {
  // Pixels at once: `count` below is a multiple of it.
  static constexpr int kAtOnce = 32;
  // Converts `count` pixels, each to red, green, blue and 0. By the layout of chroma: one texel for each pixel; one for
  // two; one for two, u and v interleaved.
  void (*full)(const YuvFactors& factors, YuvRow row, int count, uint32_t* out);
  void (*halved)(const YuvFactors& factors, YuvRow row, int count, uint32_t* out);
  void (*interleaved)(const YuvFactors& factors, YuvRow row, int count, uint32_t* out);
  // (red + 2 green + blue) / 4, rounded, of `count` pixels.
  void (*luma)(const uint32_t* pixels, int count, uint8_t* out);
};
// nullptr: the processor has no AVX2.
const YuvRows* wide_yuv_rows();

}  // namespace texcast::compact
