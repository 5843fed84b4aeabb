// astc_integers.cl — ASTC's integers: packed sequences of one range, and the meaning of their values as colours and
// weights.
//   slots        an item has a byte per integer in local memory, GROUP_ITEMS apart: on GPUs private arrays that are
//                indexed are in scratch memory
//   exactness    integer; equals codec/ref/astc/astc_integers.cpp and astc_ranges.cpp
//   source       Khronos Data Format 1.3, sections 23.12, 23.13 and 23.17
#include "decode/bits.cl"

#define SLOT(slots, i) (slots)[(i) * GROUP_ITEMS]

// For the 21 ranges: the number of bits below the digit, and the kind of digit: trit (3), quint (5) or none (0).
constant uchar astc_bits[21] = {1, 0, 2, 0, 1, 3, 1, 2, 4, 2, 3, 5, 3, 4, 6, 4, 5, 7, 5, 6, 8};
constant uchar astc_digits[21] = {0, 3, 0, 5, 3, 0, 5, 3, 0, 5, 3, 0, 5, 3, 0, 5, 3, 0, 5, 3, 0};
#define ASTC_FIRST_COLOUR_RANGE 4
#define ASTC_LAST_COLOUR_RANGE 20

// Five trits take 8 bits, three quints 7, and the last group is truncated where its integers end.
static int sequence_bits(int count, int range) {
  const int digits = astc_digits[range];
  const int packed = digits == 3 ? (8 * count + 4) / 5 : digits == 5 ? (7 * count + 2) / 3 : 0;
  return packed + count * astc_bits[range];
}

// The digits of a packed group, four bits each.
static uint trits_of(uint packed) {
  uint rest = packed & 31, high;
  if ((packed >> 2 & 7) == 7) {
    rest = (packed >> 5 & 7) << 2 | (packed & 3);
    high = 0x22;
  } else if ((packed >> 5 & 3) == 3) {
    high = 0x20 | (packed >> 7 & 1);
  } else {
    high = (packed >> 7 & 1) << 4 | (packed >> 5 & 3);
  }
  uint low;
  if ((rest & 3) == 3)
    low = 0x200 | (rest >> 4 & 1) << 4 | (rest >> 3 & 1 ? 2 : rest >> 2 & 1);
  else if ((rest >> 2 & 3) == 3)
    low = 0x220 | (rest & 3);
  else
    low = (rest >> 4 & 1) << 8 | (rest >> 2 & 3) << 4 | (rest >> 1 & 1 ? 2 : rest & 1);
  return high << 12 | low;
}
static uint quints_of(uint packed) {
  uint rest = packed & 31, high = packed >> 5 & 3;
  if ((packed >> 1 & 3) == 3) {
    const uint low = packed & 1;
    if ((packed >> 5 & 3) == 0) return 0x44 | (low ? 4 : packed >> 3 & 3) << 8;
    rest = (packed >> 3 & 3) << 3 | (~packed >> 5 & 3) << 1 | low;
    high = 4;
  }
  const uint two = (rest & 7) == 5 ? 0x40 | (rest >> 3 & 3) : (rest >> 3 & 3) << 4 | (rest & 7);
  return high << 8 | two;
}

// Reads the sequence from bit `first` on. Its last group ends with the last integer's bits; the missing bits of its
// digits are zeros.
static void read_integers(uint4 block, int first, int count, int range, local uchar *slots) {
  const int bits = astc_bits[range], digits = astc_digits[range], group = digits == 3 ? 5 : digits == 5 ? 3 : 1;
  // How many bits of the group's digits follow the low bits of each of its integers, four bits each.
  const int pieces = digits == 3 ? 0x12122 : digits == 5 ? 0x223 : 0;
  int at = first;
  for (int begin = 0; begin < count; begin += group) {
    const int in_group = min(group, count - begin);
    uint packed = 0;
    int have = 0;
    for (int i = 0; i < in_group; ++i) {
      SLOT(slots, begin + i) = (uchar)(bits_at(block, at, bits));
      at += bits;
      const int piece = pieces >> 4 * i & 15;
      packed |= (uint)(bits_at(block, at, piece)) << have;
      at += piece;
      have += piece;
    }
    if (digits == 0) continue;
    const uint unpacked = digits == 3 ? trits_of(packed) : quints_of(packed);
    for (int i = 0; i < in_group; ++i) SLOT(slots, begin + i) |= (uchar)((unpacked >> 4 * i & 15) << bits);
  }
}

// Converts a range's values to colours or weights. Without digits, or without bits below them, the result is
// (value * factor + add) >> cut. Else it is the digit times `step`, plus (the bits above the lowest * factor) >> cut,
// which repeats these bits at the standard's positions. If the lowest bit is set, it becomes the result's top bit and
// all others are inverted.
//   step, factor, cut, add
constant ushort astc_colour_rows[4 * 17] = {
    204, 0,   0, 0,  // 6 values: ASTC_FIRST_COLOUR_RANGE
    0,   73,  1, 0,  // 8
    113, 0,   0, 0,  // 10
    93,  278, 0, 0,  // 12
    0,   17,  0, 0,  // 16
    54,  268, 0, 0,  // 20
    44,  133, 0, 0,  // 24
    0,   33,  2, 0,  // 32
    26,  261, 1, 0,  // 40
    22,  65,  0, 0,  // 48
    0,   65,  4, 0,  // 64
    13,  129, 1, 0,  // 80
    11,  129, 2, 0,  // 96
    0,   129, 6, 0,  // 128
    6,   257, 3, 0,  // 160
    5,   257, 4, 0,  // 192
    0,   1,   0, 0,  // 256
};
constant ushort astc_weight_rows[4 * 12] = {
    0,  63, 0, 0,  // 2 values
    0,  63, 1, 1,  // 3: 0, 32, 63
    0,  21, 0, 0,  // 4
    0,  63, 2, 2,  // 5: 0, 16, 32, 47, 63
    50, 0,  0, 0,  // 6
    0,  9,  0, 0,  // 8
    28, 0,  0, 0,  // 10
    23, 69, 0, 0,  // 12
    0,  17, 2, 0,  // 16
    13, 66, 0, 0,  // 20
    11, 33, 0, 0,  // 24
    0,  33, 4, 0,  // 32
};

// `width`: bits of the result.
static int unquantised(int value, int bits, constant ushort *row, int width) {
  const int step = row[0], factor = row[1], cut = row[2];
  if (step == 0) return (value * factor + row[3]) >> cut;
  const int above = value >> 1 & ((1 << (bits - 1)) - 1), all = (2 << width) - 1;
  const int t = (value >> bits) * step + (above * factor >> cut);
  return (value & 1) == 0 ? t >> 2 : 1 << (width - 1) | (t ^ all) >> 2;
}

// 0..255.
static int colour_of(int value, int range) {
  return unquantised(value, astc_bits[range], astc_colour_rows + 4 * (range - ASTC_FIRST_COLOUR_RANGE), 8);
}
// 0..64.
static int weight_of(int value, int range) {
  const int weight = unquantised(value, astc_bits[range], astc_weight_rows + 4 * range, 6);
  return weight > 32 ? weight + 1 : weight;
}
