// transform_kernels.h — the inner loops of the room, for every machine and for processors with AVX2. The results are
// the same.
#pragma once

#include "compact/block_fit.h"
#include "compact/dct.h"
#include "compact/interpolation.h"

namespace texcast::compact {

inline constexpr int kWindowStride = static_cast<int>(TexelWindow::kStride);

struct FilterTaps {
  const std::array<int16_t, 6>*across, *down;  // nullptr: a whole texel in this direction
};

struct TransformKernels {
  // Fits `count` blocks, 1 to 16, none of them uniform. All of the arrays have 16; the rest is read and written, and
  // undefined. `fitted`: their texels, or nullptr.
  void (*fit)(const U8x16* wanted, int count, uint64_t* sub_blocks, U8x16* fitted);
  // Decodes `count` blocks beside each other, 2 to 8, to four rows of kWindowStride bytes.
  void (*decode_row)(const std::byte* blocks, size_t stride, int count, uint8_t* texels);
  // Makes 8 or 16 texels by `height`, at most 16. Rows of `out` have `out_stride` bytes.
  void (*filter)(const uint8_t* from, ptrdiff_t stride, int width, int height, const FilterTaps& taps, uint8_t* out,
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

}  // namespace texcast::compact
