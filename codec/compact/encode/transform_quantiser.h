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
  // The levels of coefficients in 1/16. `offset`: for rounding, in 1/256 of a step. Returns a bit for each level
  // that is not zero, the first one in the lowest bit.
  uint64_t quantise(const Coefficients& coefficients, int offset, TransformLevels& levels) const {
    const auto added = static_cast<uint16_t>(step_ * offset >> 10);
    uint64_t coded = 0;
    for (size_t i = 0; i < kCoefficients; i += 16) {
      const I16x8 first = quantise_row(&coefficients[i], added, &levels[i]),
                  second = quantise_row(&coefficients[i + 8], added, &levels[i + 8]);
      coded |= uint64_t{mask_from(limited_bytes(first, second), filled(1))} << i;
    }
    return coded;
  }

 private:
  // Returns the magnitudes.
  I16x8 quantise_row(const int16_t* coefficients, uint16_t added, int16_t* levels) const {
    const auto signed_value = load_vector<I16x8>(coefficients);
    const I16x8 sign = signed_value >> 15;
    const auto size = reinterpret_cast<U16x8>((signed_value ^ sign) - sign);
    const auto level =
        reinterpret_cast<I16x8>(multiply_high(size + added, U16x8{} + reciprocal_) >> static_cast<uint16_t>(shift_));
    store_vector(levels, (level ^ sign) - sign);
    return level;
  }

  const int step_;
  int shift_ = 0;
  uint16_t reciprocal_ = 0;
};

}  // namespace texcast::compact
