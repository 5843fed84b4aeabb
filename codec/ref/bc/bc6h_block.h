// bc6h_block.h — the contents of a BC6H block, and the arithmetic from its numbers to halves.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/effort.h"
//
#include "kernels/bc6h.h"

namespace texcast::ref {

struct Bc6hMode {
  uint8_t bits;
  int bit_count;
  int regions;
  int precision;               // bits of an end point
  std::array<int, 3> to_base;  // bits of the differences from the first
  bool has_differences() const { return to_base[0] < precision || to_base[1] < precision || to_base[2] < precision; }
  int steps() const { return regions == 1 ? 15 : 7; }  // from the first end point to the second
};

struct Bc6hRun {
  int number, first, bits;  // the end point's channel (3 end points + channel), and its bits
};

inline constexpr size_t kBc6hModes = TEXCAST_BC6H_MODE_COUNT;
const Bc6hMode& bc6h_mode(size_t mode);
// `index` counts from 0; bits = 0 marks the end.
Bc6hRun bc6h_run(size_t mode, size_t index);
bool in_second_region(int partition, size_t texel);
size_t second_anchor(int partition);

// Expands a code of `precision` bits to the numbers that are interpolated: 0..0xFFFF, or -0x7FFF..0x7FFF.
int bc6h_unquantize(int code, int precision, bool is_signed);
// Interpolates between two such numbers; returns a half as in ref/bc6h.h.
int bc6h_interpolate(int from, int to, int index, int steps, bool is_signed);
// In 64ths.
int bc6h_weight(int index, int steps);

}  // namespace texcast::ref
