#include "astc_integers.h"

#include <algorithm>
#include <cstddef>

#include "astc_bits.h"
#include "astc_ranges.h"

namespace texcast::ref {
namespace {

constexpr int field(int value, int from, int to) { return value >> from & ((1 << (to - from + 1)) - 1); }
constexpr int bit(int value, int at) { return value >> at & 1; }

}  // namespace

std::array<int, 5> astc_trits(int packed) {
  std::array<int, 5> t{};
  int rest = field(packed, 0, 4);
  if (field(packed, 2, 4) == 7) {
    rest = field(packed, 5, 7) << 2 | field(packed, 0, 1);
    t[4] = t[3] = 2;
  } else if (field(packed, 5, 6) == 3) {
    t[4] = 2;
    t[3] = bit(packed, 7);
  } else {
    t[4] = bit(packed, 7);
    t[3] = field(packed, 5, 6);
  }
  if (field(rest, 0, 1) == 3) {
    t[2] = 2;
    t[1] = bit(rest, 4);
    t[0] = bit(rest, 3) << 1 | (bit(rest, 2) & ~bit(rest, 3));
  } else if (field(rest, 2, 3) == 3) {
    t[2] = t[1] = 2;
    t[0] = field(rest, 0, 1);
  } else {
    t[2] = bit(rest, 4);
    t[1] = field(rest, 2, 3);
    t[0] = bit(rest, 1) << 1 | (bit(rest, 0) & ~bit(rest, 1));
  }
  return t;
}

std::array<int, 3> astc_quints(int packed) {
  std::array<int, 3> q{};
  const bool is_high = field(packed, 1, 2) == 3;
  if (is_high && field(packed, 5, 6) == 0) {
    const int low = bit(packed, 0);
    return {4, 4, low << 2 | (bit(packed, 4) & ~low) << 1 | (bit(packed, 3) & ~low)};
  }
  int rest = field(packed, 0, 4);
  if (is_high) {
    q[2] = 4;
    rest = field(packed, 3, 4) << 3 | (~field(packed, 5, 6) & 3) << 1 | bit(packed, 0);
  } else {
    q[2] = field(packed, 5, 6);
  }
  if (field(rest, 0, 2) == 5) {
    q[1] = 4;
    q[0] = field(rest, 3, 4);
  } else {
    q[1] = field(rest, 3, 4);
    q[0] = field(rest, 0, 2);
  }
  return q;
}

void read_astc_integers(std::span<const uint8_t, 16> block, int first, int range, std::span<int> values) {
  const AstcRange& r = kAstcRanges[static_cast<size_t>(range)];
  const int end = first + astc_sequence_bits(static_cast<int>(values.size()), range);
  int at = first;
  const auto take = [&](int count) {  // bits after the sequence's end are zeros
    const int there = std::clamp(end - at, 0, count);
    const int value = bits_at(block, at, there);
    at += count;
    return value;
  };
  const std::span<const int> packed_bits =
      r.has_trit ? std::span<const int>(kAstcTritBits) : std::span<const int>(kAstcQuintBits);
  const size_t group = r.has_trit ? 5 : r.has_quint ? 3 : 1;
  for (size_t begin = 0; begin < values.size(); begin += group) {
    std::array<int, 5> low{}, digits{};
    int packed = 0, have = 0;
    for (size_t i = 0; i < group; ++i) {
      low[i] = take(r.bits);
      if (group == 1) continue;
      packed |= take(packed_bits[i]) << have;
      have += packed_bits[i];
    }
    if (r.has_trit) digits = astc_trits(packed);
    if (r.has_quint) std::ranges::copy(astc_quints(packed), digits.begin());
    for (size_t i = 0; i < group && begin + i < values.size(); ++i) values[begin + i] = digits[i] << r.bits | low[i];
  }
}

}  // namespace texcast::ref
