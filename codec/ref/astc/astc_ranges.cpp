#include "astc_ranges.h"

#include <cstddef>

#include "base/ensure.h"

namespace texcast::ref {
namespace {

// Repeats `bits` bits from the top of `width` bits down.
int repeat(int value, int bits, int width) {
  int repeated = 0;
  for (int have = 0; have < width; have += bits) {
    const int shift = width - have - bits;
    repeated |= shift >= 0 ? value << shift : value >> -shift;
  }
  return repeated;
}

// Sections 23.13 and 23.17 have the same form: D C + B, each bit inverted if the lowest bit A is set, A again on top.
// `b` has a letter for each bit of B, the top one first: the bit of the value that stands there, 'b' being the one
// above A.
struct Unquantising {
  int range;
  int c;
  const char* b;
};

constexpr std::array kColorRows = {
    Unquantising{4, 204, "000000000"}, Unquantising{7, 93, "b000b0bb0"},  Unquantising{10, 44, "cb000cbcb"},
    Unquantising{13, 22, "dcb000dcb"}, Unquantising{16, 11, "edcb000ed"}, Unquantising{19, 5, "fedcb000f"},
    Unquantising{6, 113, "000000000"}, Unquantising{9, 54, "b0000bb00"},  Unquantising{12, 26, "cb0000cbc"},
    Unquantising{15, 13, "dcb0000dc"}, Unquantising{18, 6, "edcb0000e"},
};
constexpr std::array kWeightRows = {
    Unquantising{4, 50, "0000000"}, Unquantising{7, 23, "b000b0b"}, Unquantising{10, 11, "cb000cb"},
    Unquantising{6, 28, "0000000"}, Unquantising{9, 13, "b0000b0"},
};

template <size_t kCount>
int unquantise(const std::array<Unquantising, kCount>& table, int value, int range) {
  const int bits = kAstcRanges[static_cast<size_t>(range)].bits;
  for (const Unquantising& row : table) {
    if (row.range != range) continue;
    int b = 0, width = 0;
    for (const char* letter = row.b; *letter != 0; ++letter, ++width)
      b = 2 * b + (*letter == '0' ? 0 : value >> (*letter - 'a') & 1);
    const int all = (1 << width) - 1, top = 1 << (width - 2);  // a result has two bits fewer
    int t = (value >> bits) * row.c + b;
    if (value & 1) t ^= all;
    return (value & 1 ? top : 0) | t >> 2;
  }
  ENSURE(false);
  return 0;
}

}  // namespace

int astc_color(int value, int range) {
  const AstcRange& r = kAstcRanges[static_cast<size_t>(range)];
  ENSURE(value >= 0 && value < r.count && range >= kAstcFirstColorRange);
  if (!r.has_trit && !r.has_quint) return repeat(value, r.bits, 8);
  return unquantise(kColorRows, value, range);
}

int astc_weight(int value, int range) {
  const AstcRange& r = kAstcRanges[static_cast<size_t>(range)];
  ENSURE(value >= 0 && value < r.count && range < kAstcWeightRanges);
  int weight = 0;
  if (!r.has_trit && !r.has_quint)
    weight = repeat(value, r.bits, 6);
  else if (r.count == 3)
    weight = std::array{0, 32, 63}[static_cast<size_t>(value)];
  else if (r.count == 5)
    weight = std::array{0, 16, 32, 47, 63}[static_cast<size_t>(value)];
  else
    weight = unquantise(kWeightRows, value, range);
  return weight > 32 ? weight + 1 : weight;
}

}  // namespace texcast::ref
