// fit.cl — encodes one channel of 16 texels, in twelfths of a code, as BC4, by least squares from several starts.
//   in        bytes converted by BC4_VALUE, to 0..3060, or to 0..3048 with SIGNED_CODES
//   defines   METHOD, which sets the effort · SIGNED_CODES=1: codes of -127..127, which are fitted as 0..254 · set by
//             the
//             including file: BC4_SIX_VALUES=1: the six-value order is tried if texels are near 0 or 255
//   exactness integers, and single precision in a defined order as in bc1/integer_fit.cl; equals
//             codec/ref/bc/bc4_fit.cpp bit for bit on every device
#include "bc4/eight_values.cl"
#include "include/kernels/bc4_starts.h"
#include "include/kernels/effort.h"
#include "common/reciprocal.cl"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif
#ifndef BC4_SIX_VALUES
#define BC4_SIX_VALUES 0
#endif
#define BC4_STARTS TEXCAST_BC4_STARTS(METHOD)
#define BC4_WINDOW TEXCAST_BC4_WINDOW(METHOD)

#define BC4_UNIT 12  // units of a value per 8-bit step
#if SIGNED_CODES
#define BC4_TOP 254
// 254/255 of twelfths, rounded: t / 255 is (t + (t >> 8)) >> 8 if t includes 128 for rounding.
#define BC4_VALUE(byte) (BC4_UNIT * (byte) - ((BC4_UNIT * (byte) + 128 + ((BC4_UNIT * (byte) + 128) >> 8)) >> 8))
#else
#define BC4_TOP 255
#define BC4_VALUE(byte) (BC4_UNIT * (byte))
#endif
#define BC4_NEAR_BLACK (4 * BC4_UNIT)
#define BC4_NEAR_WHITE ((BC4_TOP - 4) * BC4_UNIT)
#define BC4_SIX_VALUE_PENALTY 9216.0f  // 64 squared steps: hardware interpolates this order more coarsely
#define BC4_NO_ERROR 3e38f

#define BC4_START(scale, offset) (float2)(scale, offset),
constant float2 bc4_starts[BC4_START_COUNT] = {FOR_EACH_BC4_START(BC4_START)};
#undef BC4_START

typedef struct {
  int low, high;
  float error;
} bc4_ends;

static int to_code(int twelfths) { return (twelfths + BC4_UNIT / 2) / BC4_UNIT; }
static int held_code(float code) { return (int)(min(max(code, 0.0f), (float)BC4_TOP) + 0.5f); }

// Least squares from `count` starts, for the `texels` texels whose lanes of `inside` are -1, all between low and high,
// low < high. Returns the best end points, or the error BC4_NO_ERROR if no start gave two different ones.
static void fit_bc4(int16 v, int16 inside, int texels, int low, int high, int steps, int count, bc4_ends *best) {
  best->error = BC4_NO_ERROR;
  const int low_code = to_code(low), base = BC4_UNIT * low_code;
  const float float_steps = (float)steps;
  const float to_place = float_steps * reciprocal((float)(high - low));
  const float16 above = convert_float16(v - low);
  const int16 value = v - base;
  const int sum_v = sum16(value & inside);
  const int square = steps * steps;
  for (int n = 0; n < count; ++n) {
    const float2 start = bc4_starts[n];
    const float16 at = above * (to_place * start.x) + float_steps * start.y;
    // Adding 2^23 rounds to an integer, which is then in the lowest bits.
    const float16 held = min(max(at, (float16)(0.0f)), (float16)(float_steps)) + 8388608.0f;
    const int16 place = as_int16(held) & 7 & inside;
    const int places = sum16(place * (place << 8 | 1));  // sum of squares in the upper bits: the sum is below 256
    const int p = places & 255, pp = places >> 8, pv = sum16(place * value);
    const int determinant = texels * pp - p * p;
    if (determinant == 0) continue;
    const float inverse = reciprocal((float)determinant) * 0.0833333333f /* 1 / BC4_UNIT */;
    const float low_step = (float)(pp * sum_v - p * pv) * inverse;
    const float rise = (float)(texels * pv - p * sum_v) * inverse * float_steps;
    const float first = (float)low_code + low_step;
    const int low_end = held_code(first), high_end = held_code(first + rise);
    if (high_end <= low_end) continue;
    // steps^2 times the squared error for these places, minus what all candidates have in common.
    const int b = BC4_UNIT * low_end - base, d = BC4_UNIT * (high_end - low_end);
    const int with_b = square * texels * b + 2 * steps * d * p - 2 * square * sum_v;
    const int with_d = d * pp - 2 * steps * pv;
    const float error = (float)b * (float)with_b + (float)d * (float)with_d;
    if (error < best->error) {
      best->low = low_end;
      best->high = high_end;
      best->error = error;
    }
  }
}

static int16 nearest_of_ends(int16 v, int low, int high) {
  return nearest_sevenths(v, BC4_UNIT * low, BC4_UNIT * (high - low));
}

static float16 squares(int16 v) {
  const float16 f = convert_float16(v);
  return f * f;
}

static float eight_value_error(int16 v, int low, int high) {
  const int range = BC4_UNIT * (high - low);
  return add16(squares(7 * (v - BC4_UNIT * low) - nearest_of_ends(v, low, high) * range)) *
         0.0204081633f /* 1 / 49 */;
}

#if BC4_WINDOW
// Tries all end points up to BC4_WINDOW steps away.
static void search_bc4(int16 v, bc4_ends *best) {
  const int low0 = best->low, high0 = best->high;
  for (int low = low0 - BC4_WINDOW; low <= low0 + BC4_WINDOW; ++low)
    for (int high = high0 - BC4_WINDOW; high <= high0 + BC4_WINDOW; ++high) {
      if (low < 0 || high > BC4_TOP || high <= low) continue;
      const float error = eight_value_error(v, low, high);
      if (error < best->error) {
        best->low = low;
        best->high = high;
        best->error = error;
      }
    }
}
#endif

#if BC4_SIX_VALUES
// Each texel's place from low (0) to high (5), or 6 (black) or 7 (white) if these are nearer; and the squared error.
static int16 six_value_places(int16 v, int low, int high, float *error) {
  const int range = BC4_UNIT * (high - low);
  const int16 above = v - BC4_UNIT * low, at = 10 * above;
  int16 place = 5 + ((at - range) >> 31) + ((at - 3 * range) >> 31) + ((at - 5 * range) >> 31) +
                ((at - 7 * range) >> 31) + ((at - 9 * range) >> 31);
  float16 off = squares(5 * above - place * range);
  const float16 black = squares(5 * v), white = squares(5 * (BC4_TOP * BC4_UNIT - v));
  place = select(place, (int16)(6), black < off);
  off = select(off, black, black < off);
  place = select(place, (int16)(7), white < off);
  off = select(off, white, white < off);
  *error = add16(off) * 0.04f /* 1 / 25 */;
  return place;
}

// Encodes the block in six-value order, if that beats `eight`. Texels inside are those that are not near black or
// white.
static bool encode_six_values(int16 v, int16 inside, int texels, bc4_ends eight, uint2 *block) {
  const int low = min16((v & inside) | (BC4_TOP * BC4_UNIT & ~inside)), high = max16(v & inside);
  bc4_ends ends;
  ends.error = BC4_NO_ERROR;
  if (texels > 0 && high > low) fit_bc4(v, inside, texels, low, high, 5, TEXCAST_SIX_VALUE_STARTS, &ends);
  if (ends.error == BC4_NO_ERROR) {
    ends.low = texels > 0 ? to_code((low + high) / 2) : (BC4_TOP + 1) / 2;
    ends.high = ends.low;
  }
  float error;
  const int16 place = six_value_places(v, ends.low, ends.high, &error);
  if (error + BC4_SIX_VALUE_PENALTY >= eight.error) return false;
  // Index 0 is the first end point (low), 1 the second, 2..5 the steps from the first to the second.
  int16 index = select(place + 1, (int16)(0), place == 0);
  index = select(index, (int16)(1), place == 5);
  *block = pack_bc4(ends.low, ends.high, select(index, place, place > 5));
  return true;
}
#endif

// Always inline: for a kernel that calls it twice, AMD's compiler would make it a function, whose calls spill registers
// to memory.
__attribute__((always_inline)) static uint2 encode_bc4_fitted(int16 v) {
  const int low = min16(v), high = max16(v);
  bc4_ends ends;
  ends.error = BC4_NO_ERROR;
  if (high > low) fit_bc4(v, (int16)(-1), 16, low, high, 7, BC4_STARTS, &ends);
  if (ends.error == BC4_NO_ERROR) {
    const int code = (sum16(v) + 8 * BC4_UNIT) / (16 * BC4_UNIT);
    return (uint2)((uint)BC4_CODES(code, code), 0);
  }
#if BC4_SIX_VALUES
  const int16 inside = ((BC4_NEAR_BLACK - v) & (v - BC4_NEAR_WHITE)) >> 31;
  const int texels = -sum16(inside);
#else
  const int texels = 16;
#endif
  if (texels < (BC4_WINDOW ? 17 : 16)) ends.error = eight_value_error(v, ends.low, ends.high);
#if BC4_WINDOW
  search_bc4(v, &ends);
#endif
#if BC4_SIX_VALUES
  uint2 block;
  if (texels < 16 && encode_six_values(v, inside, texels, ends, &block)) return block;
#endif
  return pack_sevenths(ends.high, ends.low, nearest_of_ends(v, ends.low, ends.high));
}
