// transform_quantiser.h — the quantisation of coefficients.
#pragma once

#include <array>
#include <cstdint>

#include "compact/dct.h"
#include "compact/simd.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

using Coefficients = std::array<int16_t, kCoefficients>;

class Quantisation {
 public:
  explicit Quantisation(int quantiser) : step_(transform_step(quantiser)) {
    // The reciprocal is scaled to 15 or 16 bits.
    while ((int64_t{4} << (16 + shift_ + 1)) / step_ < 65536) ++shift_;
    reciprocal_ = static_cast<uint16_t>((int64_t{4} << (16 + shift_)) / step_);
  }
  int step() const { return step_; }
  // The levels of coefficients in 1/16. `offset`: for rounding, in 1/256 of a step. Returns whether one is not zero.
  bool quantise(const Coefficients& coefficients, int offset, TransformLevels& levels) const {
    const auto added = static_cast<uint16_t>(step_ * offset >> 10);
    U16x8 any{};
    for (size_t i = 0; i < kCoefficients; i += 8) {
      const auto signed_value = load_vector<I16x8>(&coefficients[i]);
      const I16x8 sign = signed_value >> 15;
      const auto size = reinterpret_cast<U16x8>((signed_value ^ sign) - sign);
      const U16x8 level = multiply_high(size + added, U16x8{} + reciprocal_) >> static_cast<uint16_t>(shift_);
      any |= level;
      store_vector(&levels[i], (reinterpret_cast<I16x8>(level) ^ sign) - sign);
    }
    const auto both = reinterpret_cast<U64x2>(any);
    return (both[0] | both[1]) != 0;
  }

 private:
  const int step_;
  int shift_ = 0;
  uint16_t reciprocal_ = 0;
};

}  // namespace texcast::compact
