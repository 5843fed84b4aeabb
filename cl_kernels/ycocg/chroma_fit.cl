// chroma_fit.cl — the colour half of a scaled-YCoCg block: end points for Co and Cg, the scale, and each texel's place.
//   defines   METHOD, which sets the effort
//   exactness integers, and single precision in a defined order as in bc1/integer_fit.cl; equals
//             codec/ref/ycocg/ycocg_chroma.cpp bit for bit on every device
#include "common/lanes.cl"
#include "bc1/flat_tables.cl"
#include "common/reciprocal.cl"
#include "include/kernels/effort.h"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif
#define CHROMA_LINE_FITS TEXCAST_CHROMA_LINE_FITS(METHOD)
#define CHROMA_FITS TEXCAST_CHROMA_FITS(METHOD)
#define CHROMA_WALK TEXCAST_CHROMA_WALK(METHOD)

// Twice Co and four times Cg, so that both are integers. As luma compensates its part of the error, the errors of R, G
// and B together are (3 dCo2^2 + dCg4^2) / 6, which is the metric here.
typedef struct {
  int16 co2, cg4;
  int16 both;      // co2 + (cg4 << 16): one sum for two; weighted sums are below 1 << 15
  int co, cg;      // sums
} chroma_block;

typedef struct {
  int w, ww, wco, wcg;
} chroma_sums;

typedef struct {
  int2 co, cg;  // codes of 5 and 6 bits: end point a, end point b
  int scale;    // 1, 2, 4
} chroma_ends;

typedef struct {
  chroma_ends ends;
  int16 weights;  // each texel's place in thirds from b (0) to a (3)
} chroma_fit;

// co2 -256..255, cg4 -512..510.
static void make_chroma_block(int16 co2, int16 cg4, chroma_block *c) {
  c->co2 = co2;
  c->cg4 = cg4;
  c->both = c->co2 + (c->cg4 << 16);
  c->co = sum16(c->co2);
  c->cg = sum16(c->cg4);
}

static void sum_chroma(const chroma_block *c, int16 w, chroma_sums *s) {
  const int weights = sum16(w * (w << 8 | 1)), both = sum16(w * c->both);
  s->w = weights & 255;
  s->ww = weights >> 8;
  s->wco = (short)(both & 0xFFFF);
  s->wcg = (both - s->wco) >> 16;
}

static int chroma_determinant(chroma_sums s) { return 16 * s.ww - s.w * s.w; }

// (Co, Cg) of the end points before rounding, in the block's units.
typedef struct {
  float2 a, b;
} chroma_line;

// The corners of the bounding box along the diagonal that the texels follow.
static void box_line(const chroma_block *c, chroma_line *line) {
  const bool falls = 16 * sum16(c->co2 * c->cg4) - c->co * c->cg < 0;
  const float low = (float)min16(c->cg4), high = (float)max16(c->cg4);
  line->a = (float2)((float)max16(c->co2), falls ? low : high);
  line->b = (float2)((float)min16(c->co2), falls ? high : low);
}

static int16 weights_along(const chroma_block *c, chroma_line line) {
  const float2 rise = line.a - line.b;
  const float co_axis = 3.0f * rise.x;
  const float length = co_axis * rise.x + rise.y * rise.y;
  const float start = line.b.x * co_axis + line.b.y * rise.y;
  const float sixth = length * 0.166666667f;
  const float first = start + sixth, second = start + 3.0f * sixth, third_ = start + 5.0f * sixth;
  const float16 at = convert_float16(c->co2) * co_axis + convert_float16(c->cg4) * rise.y;
  return 3 + (as_int16(at - first) >> 31) + (as_int16(at - second) >> 31) + (as_int16(at - third_) >> 31);
}

// Least squares for the sums' weights; the determinant must not be 0.
static void line_through(const chroma_block *c, chroma_sums s, chroma_line *line) {
  const float inverse = reciprocal((float)chroma_determinant(s));
  const int2 sum = (int2)(c->co, c->cg), weighted = (int2)(s.wco, s.wcg);
  const int2 at_b = s.ww * sum - s.w * weighted;
  line->a = convert_float2(at_b + 3 * (16 * weighted - s.w * sum)) * inverse;
  line->b = convert_float2(at_b) * inverse;
}

static int4 co_values(int4 code) { return 2 * ((code << 3 | code >> 2) - 128); }  // times scale
static int4 cg_values(int4 code) { return 4 * ((code << 2 | code >> 4) - 128); }

// 9 scale^2 times the squared error of one channel for end points with these values and the sums' weights, minus that
// of all-zero colours. Below 2^31 for every scale.
static int4 channel_errors(chroma_sums s, int sum, int weighted, int scale, int4 a, int4 b) {
  const int4 d = a - b;
  return b * (144 * b + 6 * s.w * d - 18 * scale * sum) + d * (s.ww * d - 6 * scale * weighted);
}

// The codes below and above each end point, for all pairs.
static int4 codes_around(float code, float largest, int4 steps) {
  return min((int)min(max(code, 0.0f), largest) + steps, (int4)((int)largest));
}

// The first of the smallest errors.
static int keep_smallest(int4 errors, int4 a, int4 b, int2 *codes) {
  int best = errors.x;
  *codes = (int2)(a.x, b.x);
  if (errors.y < best) {
    best = errors.y;
    *codes = (int2)(a.y, b.y);
  }
  if (errors.z < best) {
    best = errors.z;
    *codes = (int2)(a.z, b.z);
  }
  if (errors.w < best) {
    best = errors.w;
    *codes = (int2)(a.w, b.w);
  }
  return best;
}

static float scaled_error(int co, int cg, int scale) {
  return (3.0f * (float)co + (float)cg) * (scale == 1 ? 1.0f : scale == 2 ? 0.25f : 0.0625f);
}

static float round_line(const chroma_block *c, chroma_sums s, chroma_line line, int scale, chroma_ends *ends) {
  const int4 steps_a = (int4)(0, 0, 1, 1), steps_b = (int4)(0, 1, 0, 1);
  const float per_co = (float)scale * 0.5f, per_cg = (float)scale * 0.25f;
  const float to_5_bits = 0.121568627f, to_6_bits = 0.247058824f;  // 31, 63 over 255
  const int4 co_a = codes_around((line.a.x * per_co + 128.0f) * to_5_bits, 31.0f, steps_a);
  const int4 co_b = codes_around((line.b.x * per_co + 128.0f) * to_5_bits, 31.0f, steps_b);
  const int4 cg_a = codes_around((line.a.y * per_cg + 128.0f) * to_6_bits, 63.0f, steps_a);
  const int4 cg_b = codes_around((line.b.y * per_cg + 128.0f) * to_6_bits, 63.0f, steps_b);
  ends->scale = scale;
  const int co = keep_smallest(channel_errors(s, c->co, s.wco, scale, co_values(co_a), co_values(co_b)), co_a, co_b,
                               &ends->co);
  const int cg = keep_smallest(channel_errors(s, c->cg, s.wcg, scale, cg_values(cg_a), cg_values(cg_b)), cg_a, cg_b,
                               &ends->cg);
  return scaled_error(co, cg, scale);
}

static int2 co_pair(chroma_ends e) { return 2 * ((e.co << 3 | e.co >> 2) - 128); }
static int2 cg_pair(chroma_ends e) { return 4 * ((e.cg << 2 | e.cg >> 4) - 128); }

// The exactly nearest of the four colours, with exact thirds.
static int16 nearest_weights(const chroma_block *c, chroma_ends e) {
  const int2 co = co_pair(e), cg = cg_pair(e);
  const int co_rise = co.x - co.y, cg_rise = cg.x - cg.y;
  const int length = 3 * co_rise * co_rise + cg_rise * cg_rise;
  // 6 (3 (scale co2 - co.y) co_rise + (scale cg4 - cg.y) cg_rise)
  const int16 at = c->co2 * (18 * e.scale * co_rise) + c->cg4 * (6 * e.scale * cg_rise) -
                   (18 * co.y * co_rise + 6 * cg.y * cg_rise);
  return 3 + ((at - length) >> 31) + ((at - 3 * length) >> 31) + ((at - 5 * length) >> 31);
}

static float error_of(const chroma_block *c, chroma_sums s, chroma_ends e) {
  const int2 co = co_pair(e), cg = cg_pair(e);
  const int co_error = channel_errors(s, c->co, s.wco, e.scale, (int4)(co.x), (int4)(co.y)).x;
  const int cg_error = channel_errors(s, c->cg, s.wcg, e.scale, (int4)(cg.x), (int4)(cg.y)).x;
  return scaled_error(co_error, cg_error, e.scale);
}

// All texels at the 2/3 point nearest to the mean, with the largest scale that reaches it.
static void flat_chroma(const chroma_block *c, chroma_fit *fit) {
  const int co_size = max(c->co, -c->co), cg_size = max(c->cg, -c->cg);
  const int scale = co_size * 4 <= 127 * 32 && cg_size * 4 <= 127 * 64   ? 4
                    : co_size * 2 <= 127 * 32 && cg_size * 2 <= 127 * 64 ? 2
                                                                         : 1;
  const int co = flat_ends_5[clamp((c->co * scale + 128 * 32 + 16) >> 5, 0, 255)];
  const int cg = flat_ends_6[clamp((c->cg * scale + 128 * 64 + 32) >> 6, 0, 255)];
  fit->ends.co = (int2)(co >> 8, co & 255);
  fit->ends.cg = (int2)(cg >> 8, cg & 255);
  fit->ends.scale = scale;
  fit->weights = (int16)(2);
}

#if CHROMA_WALK
// Takes the best neighbour in each step: one channel of one end point up or down, or of both at once.
static void walk_chroma(const chroma_block *c, chroma_fit *best, float error) {
  for (int round = 0; round < CHROMA_WALK; ++round) {
    chroma_fit next = *best;
    float next_error = error;
    for (int green = 0; green < 2; ++green)
      for (int move = 0; move < 9; ++move) {
        const int2 step = (int2)(move / 3 - 1, move % 3 - 1);
        const int2 codes = (green ? best->ends.cg : best->ends.co) + step;
        const int largest = green ? 63 : 31;
        if (move == 4 || min(codes.x, codes.y) < 0 || max(codes.x, codes.y) > largest) continue;
        chroma_fit fit;
        fit.ends.co = green ? best->ends.co : codes;
        fit.ends.cg = green ? codes : best->ends.cg;
        fit.ends.scale = best->ends.scale;
        fit.weights = nearest_weights(c, fit.ends);
        chroma_sums s;
        sum_chroma(c, fit.weights, &s);
        const float e = error_of(c, s, fit.ends);
        if (e >= next_error) continue;
        next = fit;
        next_error = e;
      }
    if (next_error == error) return;
    *best = next;
    error = next_error;
  }
}
#endif

static void fit_chroma(const chroma_block *c, chroma_fit *best) {
  chroma_line line;
  chroma_sums s;
  box_line(c, &line);
  for (int n = 0; n < CHROMA_LINE_FITS; ++n) {
    sum_chroma(c, weights_along(c, line), &s);
    if (chroma_determinant(s) == 0) {
      flat_chroma(c, best);
      return;
    }
    line_through(c, s, &line);
  }
  float error = round_line(c, s, line, 4, &best->ends);
  for (int scale = 2; scale >= 1; --scale) {
    chroma_ends ends;
    const float e = round_line(c, s, line, scale, &ends);
    if (e >= error) continue;
    best->ends = ends;
    error = e;
  }
  best->weights = nearest_weights(c, best->ends);
#if CHROMA_FITS || CHROMA_WALK
  sum_chroma(c, best->weights, &s);
  error = error_of(c, s, best->ends);
  for (int n = 0; n < CHROMA_FITS && chroma_determinant(s) != 0; ++n) {
    chroma_fit fit;
    line_through(c, s, &line);
    round_line(c, s, line, best->ends.scale, &fit.ends);
    fit.weights = nearest_weights(c, fit.ends);
    sum_chroma(c, fit.weights, &s);
    const float e = error_of(c, s, fit.ends);
    if (e >= error) continue;
    *best = fit;
    error = e;
  }
#endif
#if CHROMA_WALK
  walk_chroma(c, best, error);
#endif
}

// The colour half of the block.
static uint2 pack_chroma(const chroma_fit *fit) {
  const int2 codes = fit->ends.co << 11 | fit->ends.cg << 5 | (int2)(fit->ends.scale - 1);
  const bool swapped = codes.x < codes.y;
  const uint c0 = swapped ? codes.y : codes.x, c1 = swapped ? codes.x : codes.y;
  const int16 place = swapped ? 3 - fit->weights : fit->weights;  // from c1 to c0
  const int16 index = select(select(select((int16)(1), (int16)(3), place == 1), (int16)(2), place == 2), (int16)(0),
                             place == 3);
  const uint16 shift = (uint16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return (uint2)(c0 | c1 << 16, c0 == c1 ? 0 : or16(as_uint16(index) << shift));
}
