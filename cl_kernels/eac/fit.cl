// fit.cl — encodes one channel of LANES blocks side by side as EAC R11, one lane per block.
//   in        texel i of all blocks in v[i]: whole numbers of 0..EAC_TOP, in single precision
//   defines   LANES (common/lane_types.cl) · METHOD, which sets the effort; only LANES=1 can try all settings ·
//             SIGNED_CODES=1  values of -1023..1023, which are represented as 0..2046
//   exactness whole numbers, halves if the multiplier is 0, in single precision. Sums of squares are exact below 2^24;
//             larger ones come from settings that are never the best. Equals codec/ref/bc/eac.cpp bit for bit on every
//             device
#include "common/lane_types.cl"
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

// From samples in steps of 1 / FINE_STEP of a byte.
#define EAC_VALUE(fine) TO_FLOAT(mul_hi(AS_UINT(fine) + TEXCAST_EAC_HALF, (lane_uint)(EAC_SCALE)))

// The distances of a table's values from the middle, on either side, in steps.
#define EAC_SIDES(a, b, c, d) (float4)(2 * (a) + 1, 2 * (b) + 1, 2 * (c) + 1, 2 * (d) + 1),
constant float4 eac_sides[TEXCAST_EAC_TABLES] = {FOR_EACH_EAC_TABLE(EAC_SIDES)};
#undef EAC_SIDES

// A block without its indices. The base counts from 0.
typedef struct {
  lane_int base, multiplier, table;
  lane_float error;
} eac_fit;

// Half of the value of a modifier of 1.
static lane_float eac_step(lane_int multiplier) {
  return CHOOSE(4.0f * TO_FLOAT(multiplier), (lane_float)(0.5f), multiplier - 1);
}
static lane_float eac_middle(lane_int base, lane_float step) { return TO_FLOAT(8 * base + EAC_OFFSET) - step; }
// The base whose middle is nearest to `middle`.
static lane_int eac_base(lane_float middle, lane_float step) {
  const lane_int base = TO_INT(floor((middle - (float)EAC_OFFSET + step + 4.0f) * 0.125f));
  return min(max(base, (lane_int)(0)), (lane_int)(EAC_LAST_BASE));
}
// The first multiplier to try, for a table of that width. A reciprocal in 2^20ths, rounded up, is accurate enough for
// 2047.
static lane_int eac_first_multiplier(lane_int range, int side) {
  const int widest = 8 * side, inverse = ((1 << 20) + widest - 1) / widest;
  return ((range + TEXCAST_EAC_ADDED(METHOD) * side) * inverse) >> 20;
}

// Returns the sides of each lane's own table.
static void own_sides(lane_int table, lane_float *sides) {
#if LANES == 1
  const float4 own = eac_sides[table];
  sides[0] = own.x;
  sides[1] = own.y;
  sides[2] = own.z;
  sides[3] = own.w;
#else
  for (int i = 0; i < 4; ++i) sides[i] = (lane_float)(0.0f);
#pragma unroll 1
  for (int n = 0; n < TEXCAST_EAC_TABLES; ++n) {
    const float4 one = eac_sides[n];
    const lane_int other = (table - n) | (n - table);  // negative if it is another table
    sides[0] = CHOOSE((lane_float)(one.x), sides[0], other);
    sides[1] = CHOOSE((lane_float)(one.y), sides[1], other);
    sides[2] = CHOOSE((lane_float)(one.z), sides[2], other);
    sides[3] = CHOOSE((lane_float)(one.w), sides[3], other);
  }
#endif
}

// The squared error of a setting if each texel takes its nearest value. Values are clamped to 0..EAC_TOP.
static lane_float eac_error(const lane_float *v, lane_int base, lane_float step, const lane_float *sides) {
  const lane_float middle = eac_middle(base, step), half_step = 0.5f * step;
  // Distances to two values follow from the distance to their midpoint.
  const lane_float ab = half_step * (sides[0] + sides[1]), to_ab = half_step * (sides[1] - sides[0]);
  const lane_float cd = half_step * (sides[2] + sides[3]), to_cd = half_step * (sides[3] - sides[2]);
  // If the lowest or the highest value is clamped, 0 or EAC_TOP is a value too; else these two are set far away.
  const lane_float reach = step * sides[3];
  const lane_float bottom = CHOOSE((lane_float)(8192.0f), (lane_float)(0.0f), AS_INT(middle - reach));
  const lane_float top = EAC_TOP + CHOOSE((lane_float)(8192.0f), (lane_float)(0.0f), AS_INT(EAC_TOP - middle - reach));
  lane_float sum = (lane_float)(0.0f);
  EACH_TEXEL {
    const lane_float far = fabs(v[i] - middle);
    const lane_float off = min(fabs(fabs(far - ab) - to_ab), fabs(fabs(far - cd) - to_cd));
    const lane_float held = min(off, min(v[i] + bottom, top - v[i]));
    sum = mad(held, held, sum);
  }
  return sum;
}

// Only in lanes where `take` is negative.
static void take_fit(eac_fit *to, const eac_fit *from, lane_int take) {
  to->base = CHOOSE(to->base, from->base, take);
  to->multiplier = CHOOSE(to->multiplier, from->multiplier, take);
  to->table = CHOOSE(to->table, from->table, take);
  to->error = CHOOSE(to->error, from->error, take);
}

#define HELD(x) clamp(x, (lane_float)(0.0f), (lane_float)(1.0f))

// Moves the base to the optimum for the texels' present values, and computes the resulting error. Clamping to the range
// is ignored. In further rounds a lane whose base does not move gets the same result again, which is not better.
static void eac_follow(const lane_float *v, lane_float step, const lane_float *sides, eac_fit *fit, eac_fit *best) {
  // The distances between neighbouring values, and the thresholds between them, in quarters. Texels beyond a threshold
  // exceed it by 1 or more, so clamping to 0..1, which is free on GPUs, replaces a selection, which would take two
  // instructions at half the rate.
  const lane_float a = step * sides[0], b = step * (sides[1] - sides[0]), c = step * (sides[2] - sides[1]),
                   d = step * (sides[3] - sides[2]);
  const lane_float twice = -2.0f * step;
  const lane_float ab = mad(twice, sides[0] + sides[1], (lane_float)(1.0f)),
                   bc = mad(twice, sides[1] + sides[2], (lane_float)(1.0f)),
                   cd = mad(twice, sides[2] + sides[3], (lane_float)(1.0f));
#pragma unroll 1
  for (int round = 0; round < TEXCAST_EAC_ROUNDS(METHOD); ++round) {
    const lane_float middle = eac_middle(fit->base, step);
    lane_float sum = (lane_float)(0.0f), squares = sum;
    EACH_TEXEL {
      const lane_float offset = v[i] - middle;
      const lane_float far = fabs(offset);
      lane_float rest = far - a;
      rest = mad(-b, HELD(mad(far, (lane_float)(4.0f), ab)), rest);
      rest = mad(-c, HELD(mad(far, (lane_float)(4.0f), bc)), rest);
      rest = mad(-d, HELD(mad(far, (lane_float)(4.0f), cd)), rest);
      sum += AS_FLOAT(AS_INT(rest) ^ (AS_INT(offset) & (int)0x80000000));
      squares = mad(rest, rest, squares);
    }
    lane_int moved = TO_INT(floor((sum + 64.0f) * 0.0078125f));
    const lane_int base = fit->base + moved;
    moved = CHOOSE(moved, (lane_int)(0), base | (EAC_LAST_BASE - base));
    const lane_float by = TO_FLOAT(moved);
    fit->base += moved;
    fit->error = squares - 16.0f * by * sum + 1024.0f * by * by;
    take_fit(best, fit, (fit->multiplier - 16) & AS_INT(fit->error - best->error));
  }
}

#if TEXCAST_EAC_KEPT(METHOD)
#define EAC_KEPT TEXCAST_EAC_KEPT(METHOD)
#define EAC_MULTIPLIERS TEXCAST_EAC_MULTIPLIERS(METHOD)
#define EAC_NEVER 0x7F000000  // in a key: more than any error

// The least errors so far, as floats whose lowest 8 bits are replaced by the block's second byte: multiplier and table.
static void keep_least(lane_int key, lane_int *kept) {
  UNROLLED for (int i = 0; i < EAC_KEPT; ++i) {
    const lane_int other = max(key, kept[i]);
    kept[i] = min(key, kept[i]);
    key = other;
  }
}

// The best of the likely settings, by eac_follow, which is applied to those with the least error before it.
static void eac_likely(const lane_float *v, lane_float low, lane_float high, eac_fit *best) {
  const lane_int range = TO_INT(high - low);
  const lane_float centre = 0.5f * (low + high);
  lane_int kept[EAC_KEPT];
  UNROLLED for (int i = 0; i < EAC_KEPT; ++i) kept[i] = (lane_int)(EAC_NEVER);
  // Tables with the same widest modifier share multiplier and base. The distance to the nearest of two values takes two
  // subtractions and no selection: to their midpoint, then to either of them. The pairs are chosen so that most
  // midpoints are shared; if both pairs of a table have the same one, the rest is a pair again.
#define EAC_PAIR(a, b) fabs(fabs(far - step * (float)(a + b + 1)) - step * (float)(b - a))
#define EAC_PAIRS(a, b, c, d) min(EAC_PAIR(a, b), EAC_PAIR(c, d))
#define EAC_EVEN(a, b, c, d)                                                                                        \
  fabs(fabs(fabs(far - step * (float)(a + d + 1)) - step * (0.5f * (float)(d - a + c - b))) - \
       step * (0.5f * (float)(d - a - c + b)))
#define EAC_NEAREST_0(a, b, c, d) EAC_PAIRS(a, c, b, d)
#define EAC_NEAREST_1(a, b, c, d) EAC_PAIRS(a, c, b, d)
#define EAC_NEAREST_2(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_3(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_4(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_5(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_6(a, b, c, d) EAC_EVEN(a, b, c, d)
#define EAC_NEAREST_7(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_8(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_9(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_10(a, b, c, d) EAC_EVEN(a, b, c, d)
#define EAC_NEAREST_11(a, b, c, d) EAC_EVEN(a, b, c, d)
#define EAC_NEAREST_12(a, b, c, d) EAC_PAIRS(a, d, b, c)
#define EAC_NEAREST_13(a, b, c, d) EAC_PAIRS(c, d, a, b)
#define EAC_NEAREST_14(a, b, c, d) EAC_PAIRS(a, c, b, d)
#define EAC_NEAREST_15(a, b, c, d) EAC_EVEN(a, b, c, d)
#define EAC_SUM(n) lane_float sum_##n = (lane_float)(0.0f);
#define EAC_ADD(n)                                                  \
  {                                                                 \
    const lane_float off = TEXCAST_EAC_TABLE_##n(EAC_NEAREST_##n);     \
    sum_##n = mad(off, off, sum_##n);                               \
  }
#define EAC_KEEP(n) keep_least((AS_INT(sum_##n) & ~255) | (number + n), kept);
#define TRY_TABLES(TABLES, WIDEST)                                                                        \
  {                                                                                                       \
    lane_int multiplier = eac_first_multiplier(range, 2 * WIDEST + 1);                                    \
    _Pragma("unroll 1") for (int more = 0; more < EAC_MULTIPLIERS && ANY_NEGATIVE(multiplier - 16); ++more) {             \
      const lane_int number = multiplier << 4 | (((15 - multiplier) >> 31) & EAC_NEVER);                  \
      const lane_float step = eac_step(multiplier);                                                       \
      const lane_float middle = eac_middle(eac_base(centre, step), step);                                 \
      TABLES(EAC_SUM)                                                                                     \
      EACH_TEXEL {                                                                                        \
        const lane_float far = fabs(v[i] - middle);                                                       \
        TABLES(EAC_ADD)                                                                                   \
      }                                                                                                   \
      TABLES(EAC_KEEP)                                                                                    \
      multiplier += 1;                                                                                    \
    }                                                                                                     \
  }
#define OF_WIDTH_8(DO) DO(14) DO(15)
#define OF_WIDTH_9(DO) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define OF_WIDTH_10(DO) DO(5) DO(6) DO(7)
#define OF_WIDTH_11(DO) DO(4)
#define OF_WIDTH_12(DO) DO(1) DO(2) DO(3)
#define OF_WIDTH_14(DO) DO(0)
  TRY_TABLES(OF_WIDTH_8, 8)
  TRY_TABLES(OF_WIDTH_9, 9)
  TRY_TABLES(OF_WIDTH_10, 10)
  TRY_TABLES(OF_WIDTH_11, 11)
  TRY_TABLES(OF_WIDTH_12, 12)
  TRY_TABLES(OF_WIDTH_14, 14)
#pragma unroll 1
  for (int n = 0; n < EAC_KEPT; ++n) {
    const lane_int key = kept[0];
    UNROLLED for (int i = 1; i < EAC_KEPT; ++i) kept[i - 1] = kept[i];
    eac_fit fit;
    fit.table = key & 15;
    fit.multiplier = key >> 4 & 15;
    const lane_float step = eac_step(fit.multiplier);
    fit.base = eac_base(centre, step);
    lane_float sides[4];
    own_sides(fit.table, sides);
    eac_follow(v, step, sides, &fit, best);
  }
}
#else
// The best of the likely settings, by eac_follow, which is applied to all of them.
static void eac_likely(const lane_float *v, lane_float low, lane_float high, eac_fit *best) {
  const lane_int range = TO_INT(high - low);
#pragma unroll 1
  for (int table = 0; table < TEXCAST_EAC_TABLES; ++table) {
    const float4 one = eac_sides[table];
    const lane_float sides[4] = {(lane_float)(one.x), (lane_float)(one.y), (lane_float)(one.z), (lane_float)(one.w)};
    eac_fit fit;
    fit.table = (lane_int)(table);
    fit.multiplier = eac_first_multiplier(range, (int)one.w);
#pragma unroll 1
    for (int more = 0; more < TEXCAST_EAC_MULTIPLIERS(METHOD) && ANY_NEGATIVE(fit.multiplier - 16); ++more) {
      const lane_float step = eac_step(fit.multiplier);
#pragma unroll 1
      for (int start = 0; start < TEXCAST_EAC_STARTS(METHOD); ++start) {
        const float steps = 3.0f * (float)(start - TEXCAST_EAC_STARTS(METHOD) / 2);
        fit.base = eac_base(0.5f * (low + high) + steps * step, step);
        eac_follow(v, step, sides, &fit, best);
      }
      fit.multiplier += 1;
    }
  }
}
#endif

// Uses bitselect, as Oclgrind 21.10 lacks llvm.bswap of vectors and llvm.fshl, which compilers make of combined shifts.
static lane_uint big_endian(lane_uint word) {
  const lane_uint odd = bitselect(word << 24, word >> 8, (lane_uint)(0xFF00u));
  const lane_uint even = bitselect(word >> 24, word << 8, (lane_uint)(0xFF0000u));
  return bitselect(odd, even, (lane_uint)(0xFF00FFu));
}

// A block's two words. Among equally near values the one of the smaller modifier wins, above the middle before below
// it.
static void pack_eac(const lane_float *v, const eac_fit *fit, lane_uint *first, lane_uint *second) {
  const lane_float step = eac_step(fit->multiplier), middle = eac_middle(fit->base, step);
  lane_float sides[4], below[4], above[4];
  own_sides(fit->table, sides);
  UNROLLED for (int k = 0; k < 4; ++k) {
    below[k] = max(middle - step * sides[k], (lane_float)(0.0f));
    above[k] = min(middle + step * sides[k], (lane_float)(EAC_TOP));
  }
  // Twice the thresholds between neighbouring values. These are whole numbers, so texels beyond one exceed it by 1 or
  // more.
  const lane_float from_above = 1.0f - (above[0] + below[0]);
  lane_float from_below[3], up[3];
  UNROLLED for (int k = 0; k < 3; ++k) {
    from_below[k] = below[k] + below[k + 1];
    up[k] = -(above[k] + above[k + 1]);
  }
  // Column by column, the first texel in the highest of 24 bits: two columns per number, in single precision.
  lane_float indices[2];
  UNROLLED for (int side = 0; side < 2; ++side) {
    lane_float bits = (lane_float)(0.0f);
    UNROLLED for (int n = 0; n < 8; ++n) {
      const lane_float twice = 2.0f * v[4 * (n & 3) + 2 * side + (n >> 2)];
      lane_float index = HELD(twice + from_above) * 4.0f;
      UNROLLED for (int k = 0; k < 3; ++k) index += HELD(twice + up[k]) + HELD(from_below[k] - twice);
      bits = mad(bits, (lane_float)(8.0f), index);
    }
    indices[side] = bits;
  }
  // The masks also keep compilers from llvm.fshl.
  const lane_uint top = AS_UINT(TO_INT(indices[0])) & 0xFFFFFFu, bottom = AS_UINT(TO_INT(indices[1])) & 0xFFFFFFu;
  const lane_uint base = AS_UINT(SIGNED_CODES ? fit->base - 127 : fit->base) & 255u;
  const lane_uint head = base << 24 | AS_UINT(fit->multiplier) << 20 | AS_UINT(fit->table) << 16 | top >> 8;
  const lane_uint tail = top << 24 | bottom;
  *first = big_endian(head);
  *second = big_endian(tail);
}

#if TEXCAST_EAC_ALL(METHOD)
#include "eac/search.cl"
#endif

// Always inline: if two kernels or a loop call it, AMD's compiler would make it a function, whose calls spill registers
// to memory.
__attribute__((always_inline)) static void encode_eac(const lane_float *v, lane_uint *first, lane_uint *second) {
  lane_float low = v[0], high = v[0];
  UNROLLED for (int i = 1; i < 16; ++i) {
    low = min(low, v[i]);
    high = max(high, v[i]);
  }
  eac_fit best;
  best.error = (lane_float)(3e38f);
  best.base = best.multiplier = best.table = (lane_int)(0);
  eac_likely(v, low, high, &best);
  const lane_float step = eac_step(best.multiplier);
  lane_float sides[4];
  own_sides(best.table, sides);
  const lane_int around = best.base;
  best.error = eac_error(v, around, step, sides);
#pragma unroll 1
  for (int by = -TEXCAST_EAC_WINDOW(METHOD); by <= TEXCAST_EAC_WINDOW(METHOD); ++by) {
    if (by == 0) continue;
    const lane_int base = around + by;
    const lane_float error = eac_error(v, base, step, sides);
    const lane_int better = ~(base | (EAC_LAST_BASE - base)) & AS_INT(error - best.error);
    best.base = CHOOSE(best.base, base, better);
    best.error = CHOOSE(best.error, error, better);
  }
#if TEXCAST_EAC_ALL(METHOD)
  if (best.error > 0.0f) eac_search(v, low, high, &best);
#endif
  pack_eac(v, &best, first, second);
}
