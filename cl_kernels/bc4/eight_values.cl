// eight_values.cl — encodes one channel of 16 texels as a BC4 block in eight-value order.
//   exactness integer; equals codec/ref/bc/bc4.cpp bit for bit on every device
//   defines   set by the including file: BC4_REFINE=0..1 least-squares fits · SIGNED_CODES as in bc4/fit.cl
#include "common/lanes.cl"

#ifndef BC4_REFINE
#define BC4_REFINE 0
#endif
#ifndef SIGNED_CODES
#define SIGNED_CODES 0
#endif

// End points of 0..255 as stored in a block; with SIGNED_CODES those of 0..254, where 127 is code 0.
#if SIGNED_CODES
#define BC4_CODES(a0, a1) ((((a0) - 127) & 255) | (((a1) - 127) & 255) << 8)
#else
#define BC4_CODES(a0, a1) ((a0) | (a1) << 8)
#endif

// Each texel's exactly nearest place from low (0) to high (7); midpoints are rounded up.
static int16 nearest_sevenths(int16 v, int low, int range) {
  const int16 at = 14 * (v - low);
  // 7 minus one for each threshold above: the shift spreads the sign. (Sums of comparisons would be more readable, but
  // Oclgrind 21.10 widens true in a vector to 255.)
  return 7 + ((at - range) >> 31) + ((at - 3 * range) >> 31) + ((at - 5 * range) >> 31) + ((at - 7 * range) >> 31) +
         ((at - 9 * range) >> 31) + ((at - 11 * range) >> 31) + ((at - 13 * range) >> 31);
}

static int sevenths_error(int16 v, int16 place, int low, int range) {
  const int16 difference = 7 * (v - low) - place * range;
  return sum16(difference * difference);
}

// Two end points, then indices of 3 bits.
static uint2 pack_bc4(int a0, int a1, int16 index) {
  const uint16 shift = (uint16)(0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21);
  const uint16 bits = as_uint16(index) << shift;
  const uint4 a = bits.s0123 | bits.s4567, b = bits.s89ab | bits.scdef;
  const uint top = a.x | a.y | a.z | a.w;          // texels 0..7: 24 bits
  const uint bottom = b.x | b.y | b.z | b.w;       // texels 8..15: 24 bits
  return (uint2)((uint)BC4_CODES(a0, a1) | top << 16, top >> 16 | bottom << 8);
}

// Eight-value order: index 0 is the first end point (high), 1 the second, 2..7 the steps from the first to the second.
static uint2 pack_sevenths(int high, int low, int16 place) {
  return pack_bc4(high, low, select(select(8 - place, (int16)(0), place == 7), (int16)(1), place == 0));
}

static uint2 encode_bc4(int16 v) {
  int low = min16(v), high = max16(v);
  if (low == high) return (uint2)((uint)(high | low << 8), 0);
  int16 place = nearest_sevenths(v, low, high - low);
#if BC4_REFINE
  // End points that minimise the squared error for these places. Places 0 and 7 both occur, so the determinant is never
  // 0. The largest product is 784 * 4080.
  const int sum_w = sum16(place), sum_ww = sum16(place * place), sum_v = sum16(v), sum_wv = sum16(place * v);
  const int determinant = 16 * sum_ww - sum_w * sum_w;
  const int low_numerator = sum_ww * sum_v - sum_w * sum_wv;
  const int high_numerator = low_numerator + 7 * (16 * sum_wv - sum_w * sum_v);
  const int2 fitted =
      min((2 * max((int2)(low_numerator, high_numerator), (int2)(0)) + determinant) / (2 * determinant), (int2)(255));
  if (fitted.y > fitted.x) {
    const int16 refined = nearest_sevenths(v, fitted.x, fitted.y - fitted.x);
    if (sevenths_error(v, refined, fitted.x, fitted.y - fitted.x) < sevenths_error(v, place, low, high - low)) {
      place = refined;
      low = fitted.x;
      high = fitted.y;
    }
  }
#endif
  return pack_sevenths(high, low, place);
}
