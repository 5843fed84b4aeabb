#include "etc2_pack.h"

#include "base/ensure.h"

namespace texcast::ref::etc {
namespace {

// Writes fields from the block's first bit on.
class BitWriter {
 public:
  void put(int value, int bits) {
    ENSURE(value >= 0 && value < 1 << bits);
    value_ = value_ << bits | static_cast<uint64_t>(value);
    count_ += bits;
  }
  Etc2Block block() const {
    ENSURE(count_ == 64);
    Etc2Block bytes{};
    for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(value_ >> (56 - 8 * i));
    return bytes;
  }

 private:
  uint64_t value_ = 0;
  int count_ = 0;
};

// The upper bits of all indices, then the lower; texels column by column, the first lowest.
void put_indices(BitWriter& out, const Indices& indices) {
  for (const int bit : {1, 0}) {
    int plane = 0;
    for (size_t i = 0; i < 16; ++i) {
      const size_t at = i % 4 * 4 + i / 4;
      plane |= static_cast<int>(indices[i] >> bit & 1) << at;
    }
    out.put(plane, 16);
  }
}

// Five bits and a difference of three, whose lower bits `a` and `b` are given. The other bits are set so that the sum
// is invalid: -4 + a + b < 0, or 28 + a + b > 31.
void put_invalid(BitWriter& out, int a, int b) {
  const bool below = a + b < 4;
  out.put(below ? 0 : 7, 3);
  out.put(a, 2);
  out.put(below ? 1 : 0, 1);
  out.put(b, 2);
}

// The same for a sum that must be valid: `a` has four bits, `b` the three of the difference.
void put_valid(BitWriter& out, int a, int b) {
  out.put(b >= 4 ? 1 : 0, 1);
  out.put(a, 4);
  out.put(b, 3);
}

}  // namespace

Etc2Block pack_halves(const HalvesCode& code, const Indices& indices) {
  BitWriter out;
  for (size_t c = 0; c < 3; ++c) {
    const int first = code.color[0][c], second = code.color[1][c];
    out.put(first, code.bits);
    out.put(code.bits == 4 ? second : (second - first) & 7, code.bits == 4 ? 4 : 3);
    ENSURE(code.bits == 4 || (second - first >= -4 && second - first <= 3));
  }
  for (const size_t table : code.table) out.put(static_cast<int>(table), 3);
  out.put(code.bits == 5, 1);
  out.put(code.is_flipped, 1);
  put_indices(out, indices);
  return out.block();
}

Etc2Block pack_t(const PairCode& code, const Indices& indices) {
  BitWriter out;
  put_invalid(out, code.first[0] >> 2, code.first[0] & 3);
  for (const int channel : {code.first[1], code.first[2], code.second[0], code.second[1], code.second[2]})
    out.put(channel, 4);
  out.put(static_cast<int>(code.distance >> 1), 2);
  out.put(1, 1);
  out.put(static_cast<int>(code.distance & 1), 1);
  put_indices(out, indices);
  return out.block();
}

Etc2Block pack_h(const PairCode& code, const Indices& indices) {
  const bool is_swapped = (code.first >= code.second) != ((code.distance & 1) != 0);
  ENSURE(!is_swapped || code.first != code.second);
  const Rgb &first = is_swapped ? code.second : code.first, &second = is_swapped ? code.first : code.second;
  BitWriter out;
  put_valid(out, first[0], first[1] >> 1);
  put_invalid(out, (first[1] & 1) << 1 | first[2] >> 3, first[2] >> 1 & 3);
  out.put(first[2] & 1, 1);
  for (const int channel : second) out.put(channel, 4);
  out.put(static_cast<int>(code.distance >> 2), 1);
  out.put(1, 1);
  out.put(static_cast<int>(code.distance >> 1 & 1), 1);
  Indices swapped = indices;
  if (is_swapped)
    for (size_t& index : swapped) index ^= 2;
  put_indices(out, swapped);
  return out.block();
}

Etc2Block pack_planar(const PlanarCode& code) {
  BitWriter out;
  put_valid(out, code.origin[0] >> 2, (code.origin[0] & 3) << 1 | code.origin[1] >> 6);
  put_valid(out, code.origin[1] >> 2 & 15, (code.origin[1] & 3) << 1 | code.origin[2] >> 5);
  put_invalid(out, code.origin[2] >> 3 & 3, code.origin[2] >> 1 & 3);
  out.put(code.origin[2] & 1, 1);
  out.put(code.across[0] >> 1, 5);
  out.put(1, 1);
  out.put(code.across[0] & 1, 1);
  out.put(code.across[1], 7);
  out.put(code.across[2], 6);
  out.put(code.down[0], 6);
  out.put(code.down[1], 7);
  out.put(code.down[2], 6);
  return out.block();
}

}  // namespace texcast::ref::etc
