// fit_side_by_side.cl — encodes one channel of LANES blocks side by side as BC4, one lane per block, as in bc4/fit.cl.
// Conditions are represented by the sign of numbers: negative if true.
//   defines   as in bc4/fit.cl
//   exactness as bc4/fit.cl, with the same bytes
// Must come first: code after it is compiled without contraction, which would slow this file down.
#include "common/load_side_by_side.cl"
#include "bc4/fit.cl"

typedef struct {
  lane_int low, high;
  lane_float error;
} lane_bc4_ends;

static lane_int lane_code(lane_int twelfths) { return (twelfths + BC4_UNIT / 2) / BC4_UNIT; }
static lane_int lane_held_code(lane_float code) {
  return TO_INT(min(max(code, (lane_float)(0.0f)), (lane_float)((float)BC4_TOP)) + 0.5f);
}

// Adds in the order of add16.
static lane_float tree_sum(const lane_float *f) {
  lane_float a[8];
  UNROLLED for (int i = 0; i < 8; ++i) a[i] = f[i] + f[i + 8];
  UNROLLED for (int i = 0; i < 4; ++i) a[i] += a[i + 4];
  return (a[0] + a[2]) + (a[1] + a[3]);
}

// `inside`: the texels' masks, or null for all texels.
static void lane_fit_bc4(const lane_int *v, const lane_int *inside, lane_int texels, lane_int low, lane_int high,
                         int steps, int count, lane_bc4_ends *best) {
  best->low = low;
  best->high = high;
  best->error = (lane_float)(BC4_NO_ERROR);
  const lane_int low_code = lane_code(low), base = BC4_UNIT * low_code;
  const float float_steps = (float)steps;
  const lane_float to_place = float_steps * lane_reciprocal(TO_FLOAT(max(high - low, (lane_int)(1))));
  const lane_int is_range = low - high;  // negative if there is something to fit
  lane_int sum_v = (lane_int)(0);
  EACH_TEXEL sum_v += inside ? (v[i] - base) & inside[i] : v[i] - base;
  const int square = steps * steps;
#pragma unroll 1
  for (int n = 0; n < count; ++n) {
    const float2 start = bc4_starts[n];
    const lane_float scale = to_place * start.x;
    const float offset = float_steps * start.y;
    lane_int places = (lane_int)(0), pv = places;
    EACH_TEXEL {
      const lane_float at = TO_FLOAT(v[i] - low) * scale + offset;
      const lane_float held = min(max(at, (lane_float)(0.0f)), (lane_float)(float_steps)) + 8388608.0f;
      lane_int place = AS_INT(held) & 7;
      if (inside) place &= inside[i];
      places += place * (place << 8 | 1);
      pv += place * (v[i] - base);
    }
    const lane_int p = places & 255, pp = places >> 8;
    const lane_int determinant = texels * pp - p * p;
    const lane_float inverse = lane_reciprocal(TO_FLOAT(determinant)) * 0.0833333333f /* 1 / BC4_UNIT */;
    const lane_float low_step = TO_FLOAT(pp * sum_v - p * pv) * inverse;
    const lane_float rise = TO_FLOAT(texels * pv - p * sum_v) * inverse * float_steps;
    const lane_float first = TO_FLOAT(low_code) + low_step;
    const lane_int low_end = lane_held_code(first), high_end = lane_held_code(first + rise);
    const lane_int b = BC4_UNIT * low_end - base, d = BC4_UNIT * (high_end - low_end);
    const lane_int with_b = square * texels * b + 2 * steps * d * p - 2 * square * sum_v;
    const lane_int with_d = d * pp - 2 * steps * pv;
    const lane_float error = TO_FLOAT(b) * TO_FLOAT(with_b) + TO_FLOAT(d) * TO_FLOAT(with_d);
    const lane_int better = is_range & ~(determinant - 1) & (low_end - high_end) & AS_INT(error - best->error);
    best->low = CHOOSE(best->low, low_end, better);
    best->high = CHOOSE(best->high, high_end, better);
    best->error = CHOOSE(best->error, error, better);
  }
}

static lane_int lane_sevenths(lane_int above, lane_int range) {
  const lane_int at = 14 * above;
  return 7 + ((at - range) >> 31) + ((at - 3 * range) >> 31) + ((at - 5 * range) >> 31) + ((at - 7 * range) >> 31) +
         ((at - 9 * range) >> 31) + ((at - 11 * range) >> 31) + ((at - 13 * range) >> 31);
}

static lane_float lane_eight_value_error(const lane_int *v, lane_int low, lane_int high) {
  const lane_int range = BC4_UNIT * (high - low), start = BC4_UNIT * low;
  lane_float f[16];
  EACH_TEXEL {
    const lane_int above = v[i] - start;
    const lane_float off = TO_FLOAT(7 * above - lane_sevenths(above, range) * range);
    f[i] = off * off;
  }
  return tree_sum(f) * 0.0204081633f /* 1 / 49 */;
}

#if BC4_WINDOW
static void lane_search_bc4(const lane_int *v, lane_bc4_ends *best) {
  const lane_int low0 = best->low, high0 = best->high;
#pragma unroll 1
  for (int low_step = -BC4_WINDOW; low_step <= BC4_WINDOW; ++low_step)
#pragma unroll 1
    for (int high_step = -BC4_WINDOW; high_step <= BC4_WINDOW; ++high_step) {
      const lane_int low = low0 + low_step, high = high0 + high_step;
      const lane_float error = lane_eight_value_error(v, low, high);
      const lane_int better = ~low & (high - (BC4_TOP + 1)) & (low - high) & AS_INT(error - best->error);
      best->low = CHOOSE(best->low, low, better);
      best->high = CHOOSE(best->high, high, better);
      best->error = CHOOSE(best->error, error, better);
    }
}
#endif

typedef struct {
  lane_uint x, y;
} lane_block;

static void lane_pack(lane_int a0, lane_int a1, const lane_int *index, lane_block *block) {
  lane_uint top = (lane_uint)(0u), bottom = top;
  UNROLLED for (int i = 0; i < 8; ++i) {
    top |= AS_UINT(index[i]) << (3 * i);
    bottom |= AS_UINT(index[i + 8]) << (3 * i);
  }
  block->x = AS_UINT(BC4_CODES(a0, a1)) | top << 16;
  block->y = top >> 16 | bottom << 8;
}

static void take_block(lane_block *to, const lane_block *from, lane_int take) {
  to->x = CHOOSE(to->x, from->x, take);
  to->y = CHOOSE(to->y, from->y, take);
}

#if BC4_SIX_VALUES
// Replaces blocks that are better in the six-value order, in lanes where `some` is negative.
static void lane_six_values(const lane_int *v, lane_int texels, lane_int some, lane_float eight_error,
                            lane_block *block) {
  lane_int inside[16];
  lane_int low = (lane_int)(BC4_TOP * BC4_UNIT), high = (lane_int)(0);
  EACH_TEXEL {
    inside[i] = ((BC4_NEAR_BLACK - v[i]) & (v[i] - BC4_NEAR_WHITE)) >> 31;
    low = min(low, (v[i] & inside[i]) | (BC4_TOP * BC4_UNIT & ~inside[i]));
    high = max(high, v[i] & inside[i]);
  }
  lane_bc4_ends ends;
  lane_fit_bc4(v, inside, texels, low, high, 5, TEXCAST_SIX_VALUE_STARTS, &ends);
  const lane_int none = AS_INT((lane_float)(1e38f) - ends.error);
  const lane_int middle = CHOOSE(lane_code((low + high) / 2), (lane_int)((BC4_TOP + 1) / 2), texels - 1);
  ends.low = CHOOSE(ends.low, middle, none);
  ends.high = CHOOSE(ends.high, middle, none);
  const lane_int range = BC4_UNIT * (ends.high - ends.low), start = BC4_UNIT * ends.low;
  lane_int index[16];
  lane_float f[16];
  EACH_TEXEL {
    const lane_int above = v[i] - start, at = 10 * above;
    lane_int place = 5 + ((at - range) >> 31) + ((at - 3 * range) >> 31) + ((at - 5 * range) >> 31) +
                     ((at - 7 * range) >> 31) + ((at - 9 * range) >> 31);
    const lane_float fit = TO_FLOAT(5 * above - place * range), to_black = TO_FLOAT(5 * v[i]),
                     to_white = TO_FLOAT(5 * (BC4_TOP * BC4_UNIT - v[i]));
    lane_float off = fit * fit;
    const lane_float black = to_black * to_black, white = to_white * to_white;
    // Places 0..5 are indices 0, 2, 3, 4, 5, 1.
    lane_int n = CHOOSE(place + 1, (lane_int)(0), place - 1);
    n = CHOOSE(n, (lane_int)(1), 4 - place);
    const lane_int is_black = AS_INT(black - off);
    n = CHOOSE(n, (lane_int)(6), is_black);
    off = CHOOSE(off, black, is_black);
    const lane_int is_white = AS_INT(white - off);
    n = CHOOSE(n, (lane_int)(7), is_white);
    off = CHOOSE(off, white, is_white);
    index[i] = n;
    f[i] = off;
  }
  const lane_float error = tree_sum(f) * 0.04f /* 1 / 25 */;
  lane_block six;
  lane_pack(ends.low, ends.high, index, &six);
  take_block(block, &six, some & AS_INT(error + BC4_SIX_VALUE_PENALTY - eight_error));
}
#endif

static void lane_encode_bc4(const lane_int *v, lane_block *block) {
  lane_int low = v[0], high = v[0], sum = v[0];
  UNROLLED for (int i = 1; i < 16; ++i) {
    low = min(low, v[i]);
    high = max(high, v[i]);
    sum += v[i];
  }
  lane_bc4_ends ends;
  lane_fit_bc4(v, 0, (lane_int)(16), low, high, 7, BC4_STARTS, &ends);
  const lane_int none = AS_INT((lane_float)(1e38f) - ends.error);
#if BC4_SIX_VALUES
  lane_int texels = (lane_int)(16);
  EACH_TEXEL texels += ~(((BC4_NEAR_BLACK - v[i]) & (v[i] - BC4_NEAR_WHITE)) >> 31);
  const lane_int some = ~none & (texels - 16);  // has texels near black or white, and fitted end points
#else
  const lane_int some = (lane_int)(0);
#endif
#if BC4_WINDOW
  ends.error = lane_eight_value_error(v, ends.low, ends.high);
  lane_search_bc4(v, &ends);
#elif BC4_SIX_VALUES
  if (ANY_NEGATIVE(some)) ends.error = lane_eight_value_error(v, ends.low, ends.high);
#endif
  const lane_int range = BC4_UNIT * (ends.high - ends.low), start = BC4_UNIT * ends.low;
  lane_int index[16];
  EACH_TEXEL {
    const lane_int place = lane_sevenths(v[i] - start, range);
    // 7 is index 0, 0 is 1, else 8 - place.
    index[i] = CHOOSE(CHOOSE(8 - place, (lane_int)(0), 6 - place), (lane_int)(1), place - 1);
  }
  lane_pack(ends.high, ends.low, index, block);
#if BC4_SIX_VALUES
  if (ANY_NEGATIVE(some)) lane_six_values(v, texels, some, ends.error, block);
#endif
  const lane_int code = (sum + 8 * BC4_UNIT) / (16 * BC4_UNIT);
  lane_block flat;
  flat.x = AS_UINT(BC4_CODES(code, code));
  flat.y = (lane_uint)(0u);
  take_block(block, &flat, none);
}
