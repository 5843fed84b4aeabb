// likely_splits.cl — the likely clusterings into four (bc1/split_tables.cl), judged by one number on the axis.
//   exactness  stated order; equals codec/ref/bc1_cuts.cpp bit for bit on every device
//
// 16 splits a step with their cuts as constant lane swizzles: four operations a split and no memory access.
#include "bc1/split_tables.cl"

#define ROW_MASK 63

// `below`: how far the first p texels in order lie below the mean place together, in any unit, cut p in lane p; the sum at
// cut 16 is that at cut 0: nothing. In each lane the row of the split that takes most of the spread along the axis away:
// what it takes is (sum of w * place)^2 / determinant for places centred on their mean, and its root orders splits as
// well. Its low bits give way to the row: the largest number then names its split.
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
