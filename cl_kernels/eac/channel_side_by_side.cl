// channel_side_by_side.cl — alpha or luma of the source frame to blocks of EAC R11, LANES blocks an item, one lane a block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as common/load_side_by_side.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
//   defines      CODED = CODED_ALPHA, CODED_LUMA · METHOD, but for the search of all settings · SIGNED_CODES
//   exactness    as eac/fit.cl; the bytes of eac/channel.cl
#define CODED_ALPHA 1  // as bc4/channel.cl
#define CODED_LUMA 2
#ifndef CODED
#define CODED CODED_ALPHA
#endif
#if CODED == CODED_LUMA
#define LOAD_LUMA 1
#define LOAD_FINE 1
#endif
// First: in what comes after it nothing is contracted.
#include "common/load_side_by_side.cl"
#include "eac/fit.cl"

#define LANE_VALUE(fine) TO_FLOAT(mul_hi(AS_UINT(fine) + TEXCAST_EAC_HALF, (lane_uint)(EAC_SCALE)))

static void load_channel(global const uchar *source, const texcast_source *s, int x, int y, lane_float *v) {
  global const uchar *p = source + s->offset0 + y * s->stride0;
#if CODED == CODED_ALPHA
  if (x + 4 * LANES <= s->width && y + 4 <= s->height) {
    UNROLLED for (int row = 0; row < 4; ++row) {
      global const uint *texels = (global const uint*)(p + row * s->stride0 + 4 * x);
      LOAD_FOUR_WORDS(texels);
#define COLUMN(n) v[4 * row + n] = LANE_VALUE(FINE_STEP * AS_INT(WORD_##n(a, b, c, d) >> 24));
      COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3)
#undef COLUMN
    }
    return;
  }
  EACH_TEXEL {
    int a[LANES];
    for (int lane = 0; lane < LANES; ++lane)
      a[lane] = source[s->offset0 + min(y + (i >> 2), s->height - 1) * s->stride0 +
                       4 * min(x + 4 * lane + (i & 3), s->width - 1) + 3];
    v[i] = LANE_VALUE(FINE_STEP * LOAD_LANES(a));
  }
#elif IS_RGB
  lane_blocks texels;
  load_lanes(source, s, x, y, &texels);
  EACH_TEXEL {
    const lane_int sum = 13933 * TO_INT(texels.r[i]) + 46871 * TO_INT(texels.g[i]) + 4732 * TO_INT(texels.b[i]);
    v[i] = LANE_VALUE(mul_hi(AS_UINT(sum) << 7, (lane_uint)(FINE_STEP << 9)));
  }
#else
  if (x + 4 * LANES <= s->width && y + 4 <= s->height) {
    UNROLLED for (int row = 0; row < 4; ++row) {
      const lane_uint words = LOAD_LANES((global const uint*)(p + row * s->stride0 + x));
#define COLUMN(n)                                                                                                \
  {                                                                                                              \
    const lane_float luma = mad(BYTE(words, n), (lane_float)(s->luma_scale), (lane_float)(s->luma_constant));    \
    v[4 * row + n] =                                                                                             \
        LANE_VALUE(clamp(TO_INT(luma * 4194304.0f) - 1, (lane_int)(0), (lane_int)(FINE_WHITE)));                 \
  }
      COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3)
#undef COLUMN
    }
    return;
  }
  EACH_TEXEL {
    int a[LANES];
    for (int lane = 0; lane < LANES; ++lane)
      a[lane] = load_rgb_texel(source, s, x + 4 * lane + (i & 3), y + (i >> 2)).y;
    v[i] = LANE_VALUE(LOAD_LANES(a));
  }
#endif
}

typedef struct {
  lane_int base, multiplier, table;
  lane_float error;
} lane_eac_fit;

static lane_float lane_step(lane_int multiplier) {
  return CHOOSE(4.0f * TO_FLOAT(multiplier), (lane_float)(0.5f), multiplier - 1);
}
static lane_float lane_middle(lane_int base, lane_float step) {
  return TO_FLOAT(8 * base + EAC_OFFSET) - step;
}

static lane_float lane_eac_error(const lane_float *v, lane_int base, lane_float step, const lane_float *sides) {
  const lane_float middle = lane_middle(base, step);
  const lane_float a = step * sides[0], b = step * sides[1], c = step * sides[2], d = step * sides[3];
  // Where 0 is one of the values, or the largest is, they count from there; else from far away.
  const lane_float bottom = CHOOSE((lane_float)(8192.0f), (lane_float)(0.0f), AS_INT(middle - d));
  const lane_float top = CHOOSE((lane_float)(8192.0f), (lane_float)(0.0f), AS_INT(EAC_TOP - middle - d));
  lane_float sum = (lane_float)(0.0f);
  EACH_TEXEL {
    const lane_float far = fabs(v[i] - middle);
    lane_float off = min(min(fabs(far - a), fabs(far - b)), min(fabs(far - c), fabs(far - d)));
    off = min(off, min(v[i] + bottom, EAC_TOP - v[i] + top));
    sum += off * off;
  }
  return sum;
}

// As eac_follow. What moved is added to the base.
static lane_int lane_follow(const lane_float *v, lane_float step, float4 sides, lane_eac_fit *fit) {
  const lane_float middle = lane_middle(fit->base, step);
  const lane_float a = step * sides.x, b = step * sides.y, c = step * sides.z, d = step * sides.w;
  lane_float sum = (lane_float)(0.0f), squares = sum;
  EACH_TEXEL {
    const lane_float offset = v[i] - middle;
    const lane_float far = fabs(offset);
    // Of two equally near values the outer one: rests of equal size take the second.
    lane_float rest = far - a;
    lane_float other = far - b;
    rest = CHOOSE(other, rest, AS_INT(fabs(rest) - fabs(other)));
    other = far - c;
    rest = CHOOSE(other, rest, AS_INT(fabs(rest) - fabs(other)));
    other = far - d;
    rest = CHOOSE(other, rest, AS_INT(fabs(rest) - fabs(other)));
    sum += AS_FLOAT(AS_INT(rest) ^ (AS_INT(offset) & (int)0x80000000));
    squares += rest * rest;
  }
  lane_int moved = TO_INT(floor((sum + 64.0f) * 0.0078125f));
  const lane_int base = fit->base + moved;
  moved = CHOOSE(moved, (lane_int)(0), base | (EAC_LAST_BASE - base));
  const lane_float by = TO_FLOAT(moved);
  fit->base += moved;
  fit->error = squares - 16.0f * by * sum + 1024.0f * by * by;
  return moved;
}

// Of the lanes where `take` is negative.
static void take_fit(lane_eac_fit *to, const lane_eac_fit *from, lane_int take) {
  to->base = CHOOSE(to->base, from->base, take);
  to->multiplier = CHOOSE(to->multiplier, from->multiplier, take);
  to->table = CHOOSE(to->table, from->table, take);
  to->error = CHOOSE(to->error, from->error, take);
}

static void lane_likely(const lane_float *v, lane_float low, lane_float high, lane_eac_fit *best) {
  best->error = (lane_float)(3e38f);
  best->base = best->multiplier = best->table = (lane_int)(0);
  const lane_int range = TO_INT(high - low);
#pragma unroll 1
  for (int n = 0; n < TEXCAST_EAC_TRIED(METHOD); ++n) {
    const int table = eac_order[n];
    const float4 sides = eac_sides[table];
    // range / widest, cut off: 2^20 / widest, rounded up, is near enough for 2047.
    const int widest = 8 * (int)sides.w, inverse = ((1 << 20) + widest - 1) / widest;
    const lane_int first = (range * inverse) >> 20;
#pragma unroll 1
    for (int more = 0; more < TEXCAST_EAC_MULTIPLIERS(METHOD); ++more) {
      lane_eac_fit fit;
      fit.table = (lane_int)(table);
      fit.multiplier = first + more;
      const lane_int allowed = fit.multiplier - 16;  // negative
      const lane_float step = lane_step(fit.multiplier);
#pragma unroll 1
      for (int start = 0; start < TEXCAST_EAC_STARTS(METHOD); ++start) {
        const lane_float middle = 0.5f * (low + high) + (float)(start - TEXCAST_EAC_STARTS(METHOD) / 2) * 3.0f * step;
        fit.base = TO_INT(floor((middle - (float)EAC_OFFSET + step + 4.0f) * 0.125f));
        fit.base = min(max(fit.base, (lane_int)(0)), (lane_int)(EAC_LAST_BASE));
        // A lane whose base stays gets the same again, which is no better.
#pragma unroll 1
        for (int round = 0; round < TEXCAST_EAC_ROUNDS(METHOD); ++round) {
          lane_follow(v, step, sides, &fit);
          take_fit(best, &fit, allowed & AS_INT(fit.error - best->error));
        }
      }
    }
  }
}

kernel void eac_r11_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                          const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_float v[16];
  load_channel(source, &s, 4 * bx, 4 * by, v);
  lane_float low = v[0], high = v[0];
  UNROLLED for (int i = 1; i < 16; ++i) {
    low = min(low, v[i]);
    high = max(high, v[i]);
  }
  lane_eac_fit best;
  lane_likely(v, low, high, &best);
  const lane_float step = lane_step(best.multiplier);
  // Tables differ from lane to lane from here on.
  lane_float sides[4];
  UNROLLED for (int i = 0; i < 4; ++i) sides[i] = (lane_float)(0.0f);
#pragma unroll 1
  for (int table = 0; table < TEXCAST_EAC_TABLES; ++table) {
    const float4 one = eac_sides[table];
    const lane_int other = (best.table - table) | (table - best.table);  // negative
    sides[0] = CHOOSE((lane_float)(one.x), sides[0], other);
    sides[1] = CHOOSE((lane_float)(one.y), sides[1], other);
    sides[2] = CHOOSE((lane_float)(one.z), sides[2], other);
    sides[3] = CHOOSE((lane_float)(one.w), sides[3], other);
  }
  const lane_int around = best.base;
  best.error = lane_eac_error(v, around, step, sides);
#pragma unroll 1
  for (int by_bases = -TEXCAST_EAC_WINDOW(METHOD); by_bases <= TEXCAST_EAC_WINDOW(METHOD); ++by_bases) {
    const lane_int base = around + by_bases;
    const lane_float error = lane_eac_error(v, base, step, sides);
    const lane_int better = ~(base | (EAC_LAST_BASE - base)) & AS_INT(error - best.error);
    best.base = CHOOSE(best.base, base, better);
    best.error = CHOOSE(best.error, error, better);
  }
  // As pack_eac.
  const lane_float middle = lane_middle(best.base, step);
  lane_float value[8];
  UNROLLED for (int i = 0; i < 4; ++i) {
    value[i] = min(max(middle - step * sides[i], (lane_float)(0.0f)), (lane_float)(EAC_TOP));
    value[i + 4] = min(max(middle + step * sides[i], (lane_float)(0.0f)), (lane_float)(EAC_TOP));
  }
  lane_uint top = (lane_uint)(0u), bottom = top;
  EACH_TEXEL {
    lane_float nearest = (lane_float)(4096.0f);
    lane_int index = (lane_int)(0);
    UNROLLED for (int k = 0; k < 8; ++k) {
      const int number = k / 2 + 4 - k % 2 * 4;
      const lane_float off = fabs(v[i] - value[number]);
      index = CHOOSE(index, (lane_int)(number), AS_INT(off - nearest));
      nearest = min(nearest, off);
    }
    const int shift = 21 - 3 * (i >> 2) - ((i & 1) != 0 ? 12 : 0);
    if ((i & 2) == 0)
      top |= AS_UINT(index) << shift;
    else
      bottom |= AS_UINT(index) << shift;
  }
  const lane_uint base = AS_UINT(SIGNED_CODES ? best.base - 127 : best.base) & 255u;
  const lane_uint first = base << 24 | AS_UINT(best.multiplier) << 20 | AS_UINT(best.table) << 16 | top >> 8;
  const lane_uint second = top << 24 | bottom;
#define BIG_ENDIAN(w) ((w) >> 24 | ((w) >> 8 & 0xFF00u) | ((w) & 0xFF00u) << 8 | (w) << 24)
  store_lanes(BIG_ENDIAN(first), BIG_ENDIAN(second), blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
}
