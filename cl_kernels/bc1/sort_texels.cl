// sort_texels.cl — texels in the order of their places on an axis: M. W. Green's network of 60 comparators in ten steps.
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

// Of places within +-2^21, whole numbers: keys in rising order, a texel's lane in the low 4 bits, so that texels at one
// place keep their order.
static int16 ordered_keys(float16 at) {
  int16 key = (as_int16(at + ROUND) << 4) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  sort16(&key);
  return key;
}
#define LANE_OF(key) ((key) & 15)
static float16 places_of(int16 key) { return as_float16((key >> 4 & 0x007FFFFF) | 0x4B000000) - ROUND; }
