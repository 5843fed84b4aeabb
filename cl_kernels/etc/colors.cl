// colors.cl — what the modes of ETC share: tables, sums, the nearest of four paints, a block's two words.
//   exactness whole numbers below 2^24 in single precision (GPUs have twice as many units for it) or integers: any order and
//             mad give the same; equals codec/ref/etc bit for bit on every device
#include "common/lanes.cl"
#include "include/kernels/effort.h"
#include "include/kernels/etc_tables.h"

#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif

#define ETC_PAIR(small, large) (float2)(small, large),
constant float2 etc_modifiers[ETC_TABLE_COUNT] = {FOR_EACH_ETC_TABLE(ETC_PAIR)};
#undef ETC_PAIR

#define ETC_NO_ERROR (1 << 30)

static float sum_of_eight(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

// Codes of 4 or 5 bits a channel as bytes.
static int4 etc_expanded(int4 code, int bits) { return bits == 4 ? code * 17 : (code << 3 | code >> 2); }

static float3 etc_moved(float3 color, float by) { return clamp(color + by, (float3)(0.0f), (float3)(255.0f)); }

static float16 off_paint(rgb_block *p, float3 paint) {
  const float16 r = p->r - paint.x, g = p->g - paint.y, b = p->b - paint.z;
  return r * r + g * g + b * b;
}

// The number of each texel's nearest paint, the first of those that are equally near.
static int16 nearest_paints(rgb_block *p, float3 p0, float3 p1, float3 p2, float3 p3) {
  float16 least = off_paint(p, p0);
  const float16 off1 = off_paint(p, p1), off2 = off_paint(p, p2), off3 = off_paint(p, p3);
  int16 number = (int16)(0);
  number = select(number, (int16)(1), off1 < least);
  least = min(least, off1);
  number = select(number, (int16)(2), off2 < least);
  least = min(least, off2);
  return select(number, (int16)(3), off3 < least);
}

// Upper bits in the upper half, lower bits below, texels column by column.
static uint pack_etc_indices(int16 index) {
  const uint16 at = (uint16)(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const uint16 bits = as_uint16(index);
  return or16((bits & 1) << at | (bits >> 1) << (at + 16));
}

// The standard's bits 63 to 32 and 31 to 0 as they lie in memory.
static uint2 etc_bytes(uint upper, uint lower) {
  return (uint2)(as_uint(as_uchar4(upper).wzyx), as_uint(as_uchar4(lower).wzyx));
}

// Eight bits: five and a difference of three of which `a` and `b` are the lower two, the others so that the sum is none.
static uint etc_invalid(int a, int b) {
  return a + b < 4 ? (uint)(a << 3 | 4 | b) : (uint)(7 << 5 | a << 3 | b);
}
// The same where the sum has to be one: `a` has four bits, `b` the three of the difference.
static uint etc_valid(int a, int b) { return (uint)((b >> 2) << 7 | a << 3 | b); }
