// colors.cl — shared by the modes of ETC: tables, sums, the nearest of four palette colours, a block's two words.
//   exactness whole numbers below 2^24 in single precision (GPUs have twice as many units for it) or integers: any
//             order and mad give the same result; equals codec/ref/etc bit for bit on every device
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

// Expands codes of 4 or 5 bits per channel to bytes.
static int4 etc_expanded(int4 code, int bits) { return bits == 4 ? code * 17 : (code << 3 | code >> 2); }

static float3 etc_moved(float3 color, float by) { return clamp(color + by, (float3)(0.0f), (float3)(255.0f)); }

static float16 off_paint(rgb_block *p, float3 paint) {
  const float16 r = p->r - paint.x, g = p->g - paint.y, b = p->b - paint.z;
  return r * r + g * g + b * b;
}

// Rounds values below 2^22: single precision adds ROUND and subtracts it again (common/load.cl).
#define TO_WHOLE(v) ((v) + ROUND - ROUND)
// v / 2^bits of codes, truncated.
#define CUT_OFF(v, bits) TO_WHOLE((v) * (1.0f / (1 << (bits))) - (0.5f - 0.5f / (1 << (bits))))

typedef struct {
  float3 paint[4];
} etc_paints;

// The number of each texel's nearest palette colour, the first of equally near ones; those of `top` for rows 0 and 1,
// those of `bottom` for rows 2 and 3. |texel|^2, the same for all, is left out; the number is added to four times the
// rest.
static int16 nearest_paints(rgb_block *p, etc_paints *top, etc_paints *bottom) {
  float16 least;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float3 a = top->paint[k], b = bottom->paint[k];
#define BOTH(a, b) (float16)((float8)(a), (float8)(b))
    const float16 squares = BOTH(4.0f * (a.x * a.x + a.y * a.y + a.z * a.z) + (float)k,
                                 4.0f * (b.x * b.x + b.y * b.y + b.z * b.z) + (float)k);
    const float16 off = p->r * BOTH(-8.0f * a.x, -8.0f * b.x) +
                        (p->g * BOTH(-8.0f * a.y, -8.0f * b.y) + (p->b * BOTH(-8.0f * a.z, -8.0f * b.z) + squares));
#undef BOTH
    least = k == 0 ? off : min(least, off);
  }
  return as_int16(least + ROUND) & 3;
}

// Upper bits in the upper half, lower bits below; texels row by row.
static uint etc_index_planes(int16 index) {
  uint w = or16(as_uint16(index) << (uint16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
#define SWAP_BITS(mask, by)             \
  {                                     \
    const uint t = (w ^ w >> by) & mask; \
    w ^= t ^ t << by;                   \
  }
  SWAP_BITS(0x22222222u, 1)
  SWAP_BITS(0x0C0C0C0Cu, 2)
  SWAP_BITS(0x00F000F0u, 4)
  SWAP_BITS(0x0000FF00u, 8)
  return w;
}
// Reorders bits from row by row to column by column, as in a block.
static uint etc_columns(uint w) {
  SWAP_BITS(0x0A0A0A0Au, 3)
  SWAP_BITS(0x00CC00CCu, 6)
#undef SWAP_BITS
  return w;
}

// The standard's bits 63 to 32 and 31 to 0, in memory order.
static uint2 etc_bytes(uint upper, uint lower) {
  return (uint2)(as_uint(as_uchar4(upper).wzyx), as_uint(as_uchar4(lower).wzyx));
}

// Eight bits: five and a difference of three, whose lower bits `a` and `b` are given. The others are set so that the
// sum is invalid.
static uint etc_invalid(int a, int b) {
  return a + b < 4 ? (uint)(a << 3 | 4 | b) : (uint)(7 << 5 | a << 3 | b);
}
// The same for a sum that must be valid: `a` has four bits, `b` the three of the difference.
static uint etc_valid(int a, int b) { return (uint)((b >> 2) << 7 | a << 3 | b); }
