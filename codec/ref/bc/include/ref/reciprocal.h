// reciprocal.h — a reciprocal without division, whose rounding differs between devices.
#pragma once

#include <bit>
#include <cstdint>

namespace texcast::ref {

// 1 / value from a seed made of the number's bits and three Newton steps. value > 0.
inline float reciprocal(float value) {
  float r = std::bit_cast<float>(0x7EF311C7u - std::bit_cast<uint32_t>(value));
  for (int step = 0; step < 3; ++step) r = r * (2.0f - value * r);
  return r;
}

}  // namespace texcast::ref
