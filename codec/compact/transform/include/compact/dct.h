// dct.h — the transform and quantisation of residuals: the 8x8 integer DCT of HEVC (ITU-T H.265, 8.6.4.2), whose
// inverse is exact on every machine, with its quantiser steps (8.6.3).
#pragma once

#include <array>
#include <cstdint>

#include "compact/transform_syntax.h"

namespace texcast::compact {

using Residual = std::array<int16_t, kCoefficients>;  // row by row

// Steps in 1/16 of a texel's value; coefficients have the same unit. `quantiser`: 0 to kMostTransformQuantiser.
inline int transform_step(int quantiser) {
  constexpr std::array<int, 6> kSteps{40, 45, 51, 57, 64, 72};
  return kSteps[static_cast<size_t>(quantiser % 6)] << (quantiser / 6);  // in 1/64
}
// The coefficient of a level, in 1/16.
inline int16_t dequantised(int level, int step) {
  const int64_t value = (static_cast<int64_t>(level) * step + 2) >> 2;
  return static_cast<int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

// The residual of these levels. `step`: transform_step().
void inverse_transform(const TransformLevels& levels, int step, Residual& residual);
// The coefficients of a residual, in 1/16.
void forward_transform(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients);

}  // namespace texcast::compact
