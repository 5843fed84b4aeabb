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

// Single precision adds this and subtracts it again to round what is below 2^22 (common/load.cl).
#define TO_WHOLE(v) ((v) + ROUND - ROUND)
// v / 2^bits, cut off, of codes.
#define CUT_OFF(v, bits) TO_WHOLE((v) * (1.0f / (1 << (bits))) - (0.5f - 0.5f / (1 << (bits))))

typedef struct {
  float3 paint[4];
} etc_paints;

// The number of each texel's nearest paint, the first of those that are equally near; rows 0 and 1 have those of `top`,
// rows 2 and 3 those of `bottom`. |texel|^2, the same for all, is left out; four times the rest has the number added.
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

// Upper bits in the upper half, lower bits below, texels row by row.
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
// Column by column, as a block has them, instead of row by row.
static uint etc_columns(uint w) {
  SWAP_BITS(0x0A0A0A0Au, 3)
  SWAP_BITS(0x00CC00CCu, 6)
#undef SWAP_BITS
  return w;
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
