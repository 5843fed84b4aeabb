// transform_lambda.h — the lambda of a transform slice, and the quantiser that follows from it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compact/dct.h"
#include "compact/rd_parameters.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// RdParameters::lambda counts each squared error of luma this often (weight_of()).
inline constexpr int kLumaWeight = 48;

// Intra slices get more bits, as later frames refer to them.
inline int transform_lambda(const RdParameters& parameters, bool intra) {
  return intra ? std::max(1, parameters.lambda * 7 / 10) : parameters.lambda;
}

// The quantiser at which lambda is 0.134 step^2 for a squared error of luma, the nearest one on a logarithmic scale.
inline int transform_quantiser(int lambda) {
  // The border between two quantisers is the geometric mean of their steps, which are in 1/64.
  constexpr int64_t kSquare = 637;  // 64^2 / (kLumaWeight * 0.134)
  int quantiser = 0;
  while (quantiser < kMostTransformQuantiser &&
         int64_t{transform_step(quantiser)} * transform_step(quantiser + 1) < kSquare * lambda)
    ++quantiser;
  return quantiser;
}

}  // namespace texcast::compact
