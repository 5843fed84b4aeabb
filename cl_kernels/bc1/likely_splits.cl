// likely_splits.cl — texels sorted along an axis, and the likely ways to split them into four clusters
// (bc1/split_tables.cl), judged by one number on the axis.
//   exactness  defined order; equals codec/ref/bc/bc1_cuts.cpp bit for bit on every device
//   source     the sorting network of 60 comparators in ten steps: M. W. Green
#include "bc1/split_tables.cl"

static void compare_lanes(int16 partner, int16 takes_larger, int16 *key) {
  *key = select(min(*key, partner), max(*key, partner), takes_larger);
}

static void sort16(int16 *key) {
#define STEP(partner, takes_larger) compare_lanes(key->partner, takes_larger, key);
#define LANES(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) (int16)(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  // clang-format off
  STEP(s1032547698badcfe, LANES(0, -1,  0, -1,  0, -1,  0, -1,  0, -1,  0, -1,  0, -1,  0, -1))
  STEP(s23016745ab89efcd, LANES(0,  0, -1, -1,  0,  0, -1, -1,  0,  0, -1, -1,  0,  0, -1, -1))
  STEP(s45670123cdef89ab, LANES(0,  0,  0,  0, -1, -1, -1, -1,  0,  0,  0,  0, -1, -1, -1, -1))
  STEP(s89abcdef01234567, LANES(0,  0,  0,  0,  0,  0,  0,  0, -1, -1, -1, -1, -1, -1, -1, -1))
  STEP(s021c8a9b46573edf, LANES(0,  0, -1,  0,  0,  0,  0,  0, -1, -1, -1, -1, -1,  0, -1,  0))
  STEP(s0483156d29aec7bf, LANES(0,  0,  0,  0, -1,  0,  0,  0, -1,  0,  0,  0,  0, -1, -1,  0))
  STEP(s0148265c3a9d7bef, LANES(0,  0,  0,  0, -1,  0, -1,  0, -1,  0, -1,  0, -1, -1,  0,  0))
  STEP(s0125438967cbadef, LANES(0,  0,  0,  0,  0, -1,  0,  0, -1, -1,  0,  0, -1,  0,  0,  0))
  STEP(s012436587a9cbdef, LANES(0,  0,  0,  0, -1,  0, -1,  0, -1,  0, -1,  0, -1,  0,  0,  0))
  STEP(s0123457698abcdef, LANES(0,  0,  0,  0,  0,  0,  0, -1,  0, -1,  0,  0,  0,  0,  0,  0))
  // clang-format on
#undef LANES
#undef STEP
}

// Sorted keys of places, which are whole numbers within +-2^21. A texel's lane is in the low 4 bits, so that texels at
// the same place keep their order.
static int16 ordered_keys(float16 at) {
  int16 key = (as_int16(at + ROUND) << 4) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  sort16(&key);
  return key;
}
#define LANE_OF(key) ((key) & 15)
static float16 places_of(int16 key) { return as_float16((key >> 4 & 0x007FFFFF) | 0x4B000000) - ROUND; }

#define ROW_MASK 63

// Judges 16 splits per step. Their cuts are constant lane swizzles: four operations per split and no memory access.
//
// `below` has in lane p how far the first p texels in order are below the mean place in total, in any unit; the sum at
// cut 16 is 0, as at cut 0. Each lane returns the row of the split that explains most of the variance along the axis.
// That part is (sum of w * place)^2 / determinant for places relative to their mean, and its square root orders splits
// as well. Its low bits are replaced by the row, so that the largest number names its split.
static int16 likely_rows(float16 below) {
  int16 gain = (int16)(0);
#define ROW(n, i, j, k)                                                             \
  {                                                                                 \
    const float16 g = ((below.i + below.j) + below.k) * vload16(n, likely_weights); \
    gain = max(gain, (as_int16(g) & ~ROW_MASK) | n);                                \
  }
  FOR_EACH_SPLIT_ROW(ROW)
#undef ROW
  return gain & ROW_MASK;
}
