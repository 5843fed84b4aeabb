// astc_bits.h — access to the 128 bits of a block, numbered from the lowest bit of the first byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace texcast::ref {

inline int bits_at(std::span<const uint8_t, 16> block, int first, int count) {
  int value = 0;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(first + i);
    value |= (block[at / 8] >> at % 8 & 1) << i;
  }
  return value;
}

// Ors `value` in: the bits must be zero before.
inline void put_bits(std::span<uint8_t, 16> block, int first, int count, int value) {
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(first + i);
    block[at / 8] = static_cast<uint8_t>(block[at / 8] | (value >> i & 1) << at % 8);
  }
}

}  // namespace texcast::ref
