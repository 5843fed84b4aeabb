// bc1_order.cl — 16 keys in rising order, one a lane: M. W. Green's network of 60 comparators in ten steps.
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
