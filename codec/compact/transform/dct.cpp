#include "compact/dct.h"

#include "transform_kernels.h"

namespace texcast::compact {

void inverse_transform(const TransformLevels& levels, int step, Residual& residual) {
  transform_kernels().inverse(levels, step, residual);
}
void forward_transform(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients) {
  transform_kernels().forward(residual, coefficients);
}

}  // namespace texcast::compact
