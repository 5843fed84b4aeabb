// astc_ranges.h — the 21 ranges in which a block stores integers, and the meaning of these integers as colours and
// weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace texcast::ref {

// Values are 0..count-1: trit or quint in the upper part, `bits` bits below.
struct AstcRange {
  int count = 2;
  int bits = 1;
  bool has_trit = false;
  bool has_quint = false;
};
inline constexpr std::array<AstcRange, 21> kAstcRanges = {{
    {2, 1},
    {3, 0, true},
    {4, 2},
    {5, 0, false, true},
    {6, 1, true},
    {8, 3},
    {10, 1, false, true},
    {12, 2, true},
    {16, 4},
    {20, 2, false, true},
    {24, 3, true},
    {32, 5},
    {40, 3, false, true},
    {48, 4, true},
    {64, 6},
    {80, 4, false, true},
    {96, 5, true},
    {128, 7},
    {160, 5, false, true},
    {192, 6, true},
    {256, 8},
}};
inline constexpr int kAstcWeightRanges = 12;    // weights use the first ranges
inline constexpr int kAstcFirstColorRange = 4;  // the first that colours may have

// The number of bits for `count` integers: five trits take 8 bits, three quints 7, and the last group is truncated
// where its integers end.
constexpr int astc_sequence_bits(int count, int range) {
  const AstcRange& r = kAstcRanges[static_cast<size_t>(range)];
  const int packed = r.has_trit ? (8 * count + 4) / 5 : r.has_quint ? (7 * count + 2) / 3 : 0;
  return packed + count * r.bits;
}

int astc_color(int value, int range);   // 0..255
int astc_weight(int value, int range);  // 0..64

}  // namespace texcast::ref
