// transform_kernels.h — the inner loops of the room, for every machine and for processors with AVX2. The results are
// the same.
#pragma once

#include "compact/block_fit.h"
#include "compact/dct.h"
#include "compact/interpolation.h"

namespace texcast::compact {

struct TransformKernels {
  // Fits `count` blocks, 1 to 16, none of them uniform. All of the arrays have 16; the rest is read and written, and
  // undefined. `fitted`: their texels, or nullptr.
  void (*fit)(const U8x16* wanted, int count, uint64_t* sub_blocks, U8x16* fitted);
  // Decodes `count` blocks beside each other to four rows of texels.
  void (*decode_row)(const std::byte* blocks, size_t block_bytes, int count, uint8_t* texels, ptrdiff_t stride);
  // Makes 8 or 16 samples by `height`, at most 16, at half texels: bit 0 of `halves` across, bit 1 down. Rows of `out`
  // have `out_stride` bytes. `is_mean`: they become the means of the samples and what `out` has.
  void (*half)(const uint8_t* from, ptrdiff_t stride, int width, int height, int halves, bool is_mean, uint8_t* out,
               ptrdiff_t out_stride);
  // Makes as many texels of a subsampled component, at eighths.
  void (*eighth)(const uint8_t* from, ptrdiff_t stride, int width, int height, int eighth_x, int eighth_y, uint8_t* out,
                 ptrdiff_t out_stride);
  void (*inverse)(const TransformLevels& levels, int step, Residual& residual);
  void (*forward)(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients);
};

const TransformKernels& narrow_kernels();
// nullptr: the processor has no AVX2.
const TransformKernels* wide_kernels();
// The fastest ones of this processor.
inline const TransformKernels& transform_kernels() {
  static const TransformKernels& kernels = wide_kernels() != nullptr ? *wide_kernels() : narrow_kernels();
  return kernels;
}

// interpolate() with some kernels, for a width of 8 or 16.
void interpolate(const TransformKernels& kernels, const uint8_t* from, ptrdiff_t stride, int width, int height,
                 const TexelVector& vector, const Component& component, uint8_t* out, ptrdiff_t out_stride);

}  // namespace texcast::compact
