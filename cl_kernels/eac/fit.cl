// fit.cl — one channel of 16 texels to a block of EAC R11.
//   in        whole numbers of 0..EAC_TOP, in single precision
//   defines   METHOD, whose effort it has · SIGNED_CODES=1  values of -1023..1023, which are counted from 0 here
//   exactness whole numbers, halves where the multiplier is 0, in single precision. Sums of squares are exact below 2^24;
//             those above it come from settings that are never the best. Equals codec/ref/bc/eac.cpp bit for bit on every
//             device
#include "common/lanes.cl"
#include "include/kernels/eac.h"
#include "include/kernels/effort.h"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif
#ifndef SIGNED_CODES
#define SIGNED_CODES 0
#endif

#if SIGNED_CODES
#define EAC_TOP 2046.0f
#define EAC_LAST_BASE 254
#define EAC_OFFSET 7  // the value of base 0
#define EAC_SCALE TEXCAST_EAC_SIGNED_SCALE
#else
#define EAC_TOP 2047.0f
#define EAC_LAST_BASE 255
#define EAC_OFFSET 4
#define EAC_SCALE TEXCAST_EAC_SCALE
#endif

// Samples in steps of 1 / FINE_STEP of a byte.
#define EAC_VALUE(fine) convert_float16(mul_hi(as_uint16(fine) + TEXCAST_EAC_HALF, (uint16)(EAC_SCALE)))

// How far a table's values lie from the middle, on either side, in steps.
#define EAC_SIDES(a, b, c, d) (float4)(2 * (a) + 1, 2 * (b) + 1, 2 * (c) + 1, 2 * (d) + 1),
constant float4 eac_sides[TEXCAST_EAC_TABLES] = {FOR_EACH_EAC_TABLE(EAC_SIDES)};
#undef EAC_SIDES
constant int eac_order[TEXCAST_EAC_TABLES] = {TEXCAST_EAC_ORDER};

// What a block says beside its indices; a base counts from 0.
typedef struct {
  int base, multiplier, table;
  float error;
} eac_fit;

// Half of what a modifier of 1 is.
static float eac_step(int multiplier) { return multiplier == 0 ? 0.5f : 4.0f * (float)multiplier; }
static float eac_middle(int base, float step) { return (float)(8 * base + EAC_OFFSET) - step; }

// The squared error of a setting, each texel taking the nearest of its values, which are held to 0..EAC_TOP.
static float eac_error(float16 v, int base, float step, float4 sides) {
  const float middle = eac_middle(base, step);
  const float4 level = step * sides;
  const float16 far = fabs(v - middle);
  float16 off = min(min(fabs(far - level.x), fabs(far - level.y)), min(fabs(far - level.z), fabs(far - level.w)));
  // Then 0 is one of the values, or the largest is.
  if (middle < level.w) off = min(off, v);
  if (EAC_TOP - middle < level.w) off = min(off, EAC_TOP - v);
  return add16(off * off);
}

// The base moved to where the texels want it that keep the values that they have now, and the error that they then have.
// What is held to the range is not looked at. How far it moved.
static int eac_follow(float16 v, float step, float4 sides, eac_fit *fit) {
  const float16 offset = v - eac_middle(fit->base, step);
  const float4 level = step * sides;
  const float4 between = 0.5f * (level + level.yzww);
  const float16 far = fabs(offset);
  float16 near = select((float16)(level.x), (float16)(level.y), far >= between.x);
  near = select(near, (float16)(level.z), far >= between.y);
  near = select(near, (float16)(level.w), far >= between.z);
  const float16 rest = far - near;
  const float sum = add16(select(rest, -rest, offset < 0.0f));
  int moved = (int)floor((sum + 64.0f) * 0.0078125f);
  if (fit->base + moved < 0 || fit->base + moved > EAC_LAST_BASE) moved = 0;
  const float by = (float)moved;
  fit->base += moved;
  fit->error = add16(rest * rest) - 16.0f * by * sum + 1024.0f * by * by;
  return moved;
}

// The best of the likely settings, by what eac_follow tells.
static void eac_likely(float16 v, float low, float high, eac_fit *best) {
  best->error = 3e38f;
  best->base = best->multiplier = best->table = 0;
#pragma unroll 1
  for (int n = 0; n < TEXCAST_EAC_TRIED(METHOD); ++n) {
    eac_fit fit;
    fit.table = eac_order[n];
    const float4 sides = eac_sides[fit.table];
    const int first = (int)(high - low) / (8 * (int)sides.w);
    const int last = min(first + TEXCAST_EAC_MULTIPLIERS(METHOD), 16);
#pragma unroll 1
    for (fit.multiplier = first; fit.multiplier < last; ++fit.multiplier) {
      const float step = eac_step(fit.multiplier);
#pragma unroll 1
      for (int start = 0; start < TEXCAST_EAC_STARTS(METHOD); ++start) {
        const float middle = 0.5f * (low + high) + (float)(start - TEXCAST_EAC_STARTS(METHOD) / 2) * 3.0f * step;
        fit.base = clamp((int)floor((middle - (float)EAC_OFFSET + step + 4.0f) * 0.125f), 0, EAC_LAST_BASE);
#pragma unroll 1
        for (int round = 0; round < TEXCAST_EAC_ROUNDS(METHOD); ++round) {
          const int moved = eac_follow(v, step, sides, &fit);
          if (fit.error < best->error) *best = fit;
          if (moved == 0) break;
        }
      }
    }
  }
}

#if TEXCAST_EAC_ALL(METHOD)
// The best of all settings; of equally good ones that with the smallest multiplier, then table, then base. Moving the base
// by one moves each value by at most 8, so the square root of the error by at most 32: bases that near to one that is so much
// worse than the best are left out, as are those whose values end too far from the lowest or the highest texel. How exact a
// square root is does not matter for what is found.
static void eac_search(float16 v, float low, float high, eac_fit *best) {
#pragma unroll 1
  for (int setting = 0; setting < 256; ++setting) {
    const int multiplier = setting >> 4, table = setting & 15;
    const float step = eac_step(multiplier);
    const float4 sides = eac_sides[table];
    const float slack = sqrt(best->error) + step * sides.w + 0.1f;
    const float shift = step - (float)EAC_OFFSET;
    const int end = clamp((int)ceil((low + slack + shift) * 0.125f), 0, EAC_LAST_BASE);
    int base = max((int)floor((high - slack + shift) * 0.125f), 0);
#pragma unroll 1
    while (base <= end) {
      const float error = eac_error(v, base, step, sides);
      const int order = (setting - (best->multiplier << 4 | best->table)) * 256 + base - best->base;
      if (error < best->error || (error == best->error && order < 0)) {
        best->error = error;
        best->multiplier = multiplier;
        best->table = table;
        best->base = base;
      }
      const float worse = sqrt(error) - sqrt(best->error);
      base += 1 + max((int)((worse - 0.1f) * 0.03125f), 0);
    }
  }
}
#endif

// The bits of a texel's index where it is `far` from the middle on one side.
static uint2 pack_eac(float16 v, eac_fit fit) {
  const float step = eac_step(fit.multiplier), middle = eac_middle(fit.base, step);
  const float4 level = step * eac_sides[fit.table];
  float16 nearest = (float16)(4096.0f);
  int16 index = (int16)(0);
  // Of equally near values that of the smaller modifier, above the middle before below it.
#define NEAREST(value, number)                                                  \
  {                                                                             \
    const float16 off = fabs(v - clamp((value), 0.0f, EAC_TOP));                \
    index = select(index, (int16)(number), off < nearest);                      \
    nearest = min(nearest, off);                                                \
  }
#define NEAREST_PAIR(n, number)            \
  NEAREST(middle + level.n, number + 4)    \
  NEAREST(middle - level.n, number)
  NEAREST_PAIR(x, 0)
  NEAREST_PAIR(y, 1)
  NEAREST_PAIR(z, 2)
  NEAREST_PAIR(w, 3)
#undef NEAREST_PAIR
#undef NEAREST
  // Down the columns; the first texel in the highest bits: 16 of the first word's and all of the second's.
  const uint16 n = as_uint16(index);
  const uint top = n.s0 << 21 | n.s4 << 18 | n.s8 << 15 | n.sc << 12 | n.s1 << 9 | n.s5 << 6 | n.s9 << 3 | n.sd;
  const uint bottom = n.s2 << 21 | n.s6 << 18 | n.sa << 15 | n.se << 12 | n.s3 << 9 | n.s7 << 6 | n.sb << 3 | n.sf;
  const uint base = (uint)(SIGNED_CODES ? fit.base - 127 : fit.base) & 255u;
  const uint first = base << 24 | (uint)fit.multiplier << 20 | (uint)fit.table << 16 | top >> 8;
  const uint second = top << 24 | bottom;
  // Big-endian.
  return (uint2)(as_uint(as_uchar4(first).wzyx), as_uint(as_uchar4(second).wzyx));
}

// A kernel that calls it twice would have AMD's compiler make a function of it, whose calls keep registers in memory.
__attribute__((always_inline)) static uint2 encode_eac(float16 v) {
  const float8 lows = min(v.lo, v.hi), highs = max(v.lo, v.hi);
  const float4 lower = min(lows.lo, lows.hi), higher = max(highs.lo, highs.hi);
  const float low = min(min(lower.x, lower.y), min(lower.z, lower.w));
  const float high = max(max(higher.x, higher.y), max(higher.z, higher.w));
  eac_fit best;
  eac_likely(v, low, high, &best);
  const float step = eac_step(best.multiplier);
  const float4 sides = eac_sides[best.table];
  const int around = best.base;
  best.error = eac_error(v, around, step, sides);
#pragma unroll 1
  for (int base = around - TEXCAST_EAC_WINDOW(METHOD); base <= around + TEXCAST_EAC_WINDOW(METHOD); ++base) {
    if (base < 0 || base > EAC_LAST_BASE) continue;
    const float error = eac_error(v, base, step, sides);
    if (error < best.error) {
      best.error = error;
      best.base = base;
    }
  }
#if TEXCAST_EAC_ALL(METHOD)
  if (best.error > 0.0f) eac_search(v, low, high, &best);
#endif
  return pack_eac(v, best);
}
