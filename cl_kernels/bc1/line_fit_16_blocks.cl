// line_fit_16_blocks.cl — axes, first weights and sums as in bc1/line_fit.cl, for 16 blocks side by side, one lane a
// block.
//   exactness as bc1/line_fit.cl; the same numbers in another order of lanes
#define LOAD_FLOATS 1
#include "common/load_16_blocks.cl"  // first: in what comes after it nothing is contracted, which would cost it time
#include "bc1/line_fit.cl"

typedef struct {
  float16 x, y, z;
} float16x3;
typedef struct {
  float16x3 code_a, code_b, a, b;  // as line_ends
} ends16;
typedef struct {
  float16 w, ww;  // as line_sums
  float16x3 wv;
} sums16;
typedef struct {
  ends16 ends;
  float16 places[16];
  float16 error;
} candidate16;

static float16 reciprocal16(float16 value) {
  float16 r = as_float16(0x7EF311C7u - as_uint16(value));
  r = r * (2.0f - value * r);
  r = r * (2.0f - value * r);
  return r * (2.0f - value * r);
}

// As ROUNDED_BITS_7 and _6: all but `drop` bits.
static float16 rounded_bits16(float16 value, int drop) {
  return as_float16((as_uint16(value) + (1u << (drop - 1))) & ~((1u << drop) - 1u));
}

static float16 along16(const blocks16 *p, const float16x3 *axis, int i) {
  return mad(p->r[i], axis->x, mad(p->g[i], axis->y, p->b[i] * axis->z));
}
static float16 whole_dot16(const float16x3 *a, const float16x3 *b) { return mad(a->x, b->x, mad(a->y, b->y, a->z * b->z)); }

static float16 power_of_two_under16(float16 value) { return as_float16((254u << 23) - (as_uint16(value) & 0x7F800000u)); }

static void unit_axis16(float16x3 *axis) {
  const float16 largest = max(max(fabs(axis->x), fabs(axis->y)), fabs(axis->z));
  const float16 scale = power_of_two_under16(max(largest, (float16)(1.0f))) * SLOPE;
  axis->x = (axis->x * scale + ROUND) - ROUND;
  axis->y = (axis->y * scale + ROUND) - ROUND;
  axis->z = (axis->z * scale + ROUND) - ROUND;
}

// As line_axis; also the sums of the texels.
static void line_axis16(const blocks16 *p, float16x3 *axis, float16x3 *sum) {
  float16 r = p->r[0], g = p->g[0], b = p->b[0];
  float16 rr = r * r, rg = r * g, rb = r * b, gg = g * g, gb = g * b, bb = b * b;
  sum->x = r;
  sum->y = g;
  sum->z = b;
  for (int i = 1; i < 16; ++i) {
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
  const float16 crr = mad((float16)(16.0f), rr, -(sum->x * sum->x)), crg = mad((float16)(16.0f), rg, -(sum->x * sum->y)),
                crb = mad((float16)(16.0f), rb, -(sum->x * sum->z)), cgg = mad((float16)(16.0f), gg, -(sum->y * sum->y)),
                cgb = mad((float16)(16.0f), gb, -(sum->y * sum->z)), cbb = mad((float16)(16.0f), bb, -(sum->z * sum->z));
  // The differences of whole numbers have the sign that the comparisons of line_axis want; zero counts as at least.
  const int16 red = as_int16(cgg - crr) & ~as_int16(crr - cbb);
  const int16 blue = as_int16(cgg - cbb) & as_int16(crr - cbb);
  axis->x = select(select(crg, crr, red), crb, blue);
  axis->y = select(select(cgg, crg, red), cgb, blue);
  axis->z = select(select(cgb, crb, red), cbb, blue);
  for (int step = 0; step < 2; ++step) {
    const float16 largest = max(max(fabs(axis->x), fabs(axis->y)), fabs(axis->z));
    const float16 scale = power_of_two_under16(max(largest, (float16)(1.0f)));
    const float16 x = axis->x * scale, y = axis->y * scale, z = axis->z * scale;
    axis->x = (crr * x + crg * y) + crb * z;
    axis->y = (crg * x + cgg * y) + cgb * z;
    axis->z = (crb * x + cgb * y) + cbb * z;
  }
  unit_axis16(axis);
}

// As leaning_axis; also the sums of the texels.
static void leaning_axis16(const blocks16 *p, float16x3 *axis, float16x3 *sum) {
  float16 r = (float16)(0.0f), g = r, b = r, lr = r, lg = r, lb = r;
  for (int i = 0; i < 16; ++i) {
    const float16 lean = mad(p->g[i], (float16)(4.0f), mad(p->r[i], (float16)(2.0f), p->b[i]));
    r += p->r[i];
    g += p->g[i];
    b += p->b[i];
    lr = mad(lean, p->r[i], lr);
    lg = mad(lean, p->g[i], lg);
    lb = mad(lean, p->b[i], lb);
  }
  const float16 lean = mad(g, (float16)(4.0f), mad(r, (float16)(2.0f), b));
  axis->x = 16.0f * lr - lean * r;
  axis->y = 16.0f * lg - lean * g;
  axis->z = 16.0f * lb - lean * b;
  sum->x = r;
  sum->y = g;
  sum->z = b;
  unit_axis16(axis);
}

static void add_weight(const blocks16 *p, int i, float16 w, sums16 *s) {
  s->w += w;
  s->ww = mad(w, w, s->ww);
  s->wv.x = mad(w, p->r[i], s->wv.x);
  s->wv.y = mad(w, p->g[i], s->wv.y);
  s->wv.z = mad(w, p->b[i], s->wv.z);
}

static void clear_sums(sums16 *s) {
  s->w = (float16)(0.0f);
  s->ww = s->w;
  s->wv.x = s->w;
  s->wv.y = s->w;
  s->wv.z = s->w;
}

// As first_weights, summed up at once; returns the range.
static float16 first_sums16(const blocks16 *p, const float16x3 *axis, sums16 *s) {
  float16 at[16];
  at[0] = along16(p, axis, 0);
  float16 low = at[0], high = at[0];
  for (int i = 1; i < 16; ++i) {
    at[i] = along16(p, axis, i);
    low = min(low, at[i]);
    high = max(high, at[i]);
  }
  const float16 range = high - low;
  const float16 scale = rounded_bits16(reciprocal16(max(range, (float16)(1.0f))) * (3.0f + 2.0f * FIRST_INSET), 17);
  const float16 offset = -mad(low, scale, (float16)(FIRST_INSET));
  clear_sums(s);
  for (int i = 0; i < 16; ++i) add_weight(p, i, (mad(at[i], scale, offset) + ROUND) - ROUND, s);
  return range;
}
