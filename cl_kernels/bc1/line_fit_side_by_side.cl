// line_fit_side_by_side.cl — axes, first weights and sums as in bc1/line_fit.cl, for LANES blocks side by side, one
// lane per block.
//   exactness as bc1/line_fit.cl; the same numbers in another order of lanes
#define LOAD_FLOATS 1
// Must come first: code after it is compiled without contraction, which would slow this file down.
#include "common/load_side_by_side.cl"
#include "bc1/line_fit.cl"

typedef struct {
  lane_float3 code_a, code_b, a, b;  // see line_ends
} lane_ends;
typedef struct {
  lane_float w, ww;  // see line_sums
  lane_float3 wv;
} lane_sums;
typedef struct {
  lane_ends ends;
  lane_float places[16];
  lane_float error;
} lane_candidate;

// Drops the `drop` lowest bits, rounded; see ROUNDED_BITS_7 and _6.
static lane_float lane_rounded_bits(lane_float value, int drop) {
  return AS_FLOAT((AS_UINT(value) + (1u << (drop - 1))) & ~((1u << drop) - 1u));
}

static lane_float lane_along(const lane_blocks *p, const lane_float3 *axis, int i) {
  return mad(p->r[i], axis->x, mad(p->g[i], axis->y, p->b[i] * axis->z));
}
static lane_float lane_whole_dot(const lane_float3 *a, const lane_float3 *b) {
  return mad(a->x, b->x, mad(a->y, b->y, a->z * b->z));
}

static lane_float lane_power_of_two_under(lane_float value) {
  return AS_FLOAT((254u << 23) - (AS_UINT(value) & 0x7F800000u));
}

static void lane_unit_axis(lane_float3 *axis) {
  const lane_float largest = max(max(fabs(axis->x), fabs(axis->y)), fabs(axis->z));
  const lane_float scale = lane_power_of_two_under(max(largest, (lane_float)(1.0f))) * SLOPE;
  axis->x = (axis->x * scale + ROUND) - ROUND;
  axis->y = (axis->y * scale + ROUND) - ROUND;
  axis->z = (axis->z * scale + ROUND) - ROUND;
}

// See line_axis; also returns the sums of the texels.
static void lane_line_axis(const lane_blocks *p, lane_float3 *axis, lane_float3 *sum) {
  lane_float r = p->r[0], g = p->g[0], b = p->b[0];
  lane_float rr = r * r, rg = r * g, rb = r * b, gg = g * g, gb = g * b, bb = b * b;
  sum->x = r;
  sum->y = g;
  sum->z = b;
  UNROLLED for (int i = 1; i < 16; ++i) {
    r = p->r[i];
    g = p->g[i];
    b = p->b[i];
    sum->x += r;
    sum->y += g;
    sum->z += b;
    rr = mad(r, r, rr);
    rg = mad(r, g, rg);
    rb = mad(r, b, rb);
    gg = mad(g, g, gg);
    gb = mad(g, b, gb);
    bb = mad(b, b, bb);
  }
  const lane_float crr = mad((lane_float)(16.0f), rr, -(sum->x * sum->x)),
                   crg = mad((lane_float)(16.0f), rg, -(sum->x * sum->y)),
                   crb = mad((lane_float)(16.0f), rb, -(sum->x * sum->z)),
                   cgg = mad((lane_float)(16.0f), gg, -(sum->y * sum->y)),
                   cgb = mad((lane_float)(16.0f), gb, -(sum->y * sum->z)),
                   cbb = mad((lane_float)(16.0f), bb, -(sum->z * sum->z));
  // Differences of whole numbers have the signs that the comparisons of line_axis need; zero counts as "at least".
  const lane_int red = AS_INT(cgg - crr) & ~AS_INT(crr - cbb);
  const lane_int blue = AS_INT(cgg - cbb) & AS_INT(crr - cbb);
  axis->x = CHOOSE(CHOOSE(crg, crr, red), crb, blue);
  axis->y = CHOOSE(CHOOSE(cgg, crg, red), cgb, blue);
  axis->z = CHOOSE(CHOOSE(cgb, crb, red), cbb, blue);
  for (int step = 0; step < 2; ++step) {
    const lane_float largest = max(max(fabs(axis->x), fabs(axis->y)), fabs(axis->z));
    const lane_float scale = lane_power_of_two_under(max(largest, (lane_float)(1.0f)));
    const lane_float x = axis->x * scale, y = axis->y * scale, z = axis->z * scale;
    axis->x = (crr * x + crg * y) + crb * z;
    axis->y = (crg * x + cgg * y) + cgb * z;
    axis->z = (crb * x + cgb * y) + cbb * z;
  }
  lane_unit_axis(axis);
}

// See leaning_axis; also returns the sums of the texels.
static void lane_leaning_axis(const lane_blocks *p, lane_float3 *axis, lane_float3 *sum) {
  lane_float r = (lane_float)(0.0f), g = r, b = r, lr = r, lg = r, lb = r;
  EACH_TEXEL {
    const lane_float lean = mad(p->g[i], (lane_float)(4.0f), mad(p->r[i], (lane_float)(2.0f), p->b[i]));
    r += p->r[i];
    g += p->g[i];
    b += p->b[i];
    lr = mad(lean, p->r[i], lr);
    lg = mad(lean, p->g[i], lg);
    lb = mad(lean, p->b[i], lb);
  }
  const lane_float lean = mad(g, (lane_float)(4.0f), mad(r, (lane_float)(2.0f), b));
  axis->x = 16.0f * lr - lean * r;
  axis->y = 16.0f * lg - lean * g;
  axis->z = 16.0f * lb - lean * b;
  sum->x = r;
  sum->y = g;
  sum->z = b;
  lane_unit_axis(axis);
}

static void add_lane_weight(const lane_blocks *p, int i, lane_float w, lane_sums *s) {
  s->w += w;
  s->ww = mad(w, w, s->ww);
  s->wv.x = mad(w, p->r[i], s->wv.x);
  s->wv.y = mad(w, p->g[i], s->wv.y);
  s->wv.z = mad(w, p->b[i], s->wv.z);
}

static void clear_lane_sums(lane_sums *s) {
  s->w = (lane_float)(0.0f);
  s->ww = s->w;
  s->wv.x = s->w;
  s->wv.y = s->w;
  s->wv.z = s->w;
}

// See first_weights, which are summed at once. Returns the range.
static lane_float lane_first_sums(const lane_blocks *p, const lane_float3 *axis, lane_sums *s) {
  lane_float at[16];
  at[0] = lane_along(p, axis, 0);
  lane_float low = at[0], high = at[0];
  UNROLLED for (int i = 1; i < 16; ++i) {
    at[i] = lane_along(p, axis, i);
    low = min(low, at[i]);
    high = max(high, at[i]);
  }
  const lane_float range = high - low;
  const lane_float scale =
      lane_rounded_bits(lane_reciprocal(max(range, (lane_float)(1.0f))) * (3.0f + 2.0f * FIRST_INSET), 17);
  const lane_float offset = -mad(low, scale, (lane_float)(FIRST_INSET));
  clear_lane_sums(s);
  EACH_TEXEL add_lane_weight(p, i, (mad(at[i], scale, offset) + ROUND) - ROUND, s);
  return range;
}
