// line_fit.cl — the colours of a block and the least-squares line through them, for the refining methods.
//   exactness single precision. Values are whole numbers below 2^24 wherever sums are taken in any order and wherever
//             mad is used (fused or not, it is exact there); everything else is in a defined order without contraction,
//             division or a built-in that may round freely. Equals codec/ref/bc/bc1_line.cpp and bc1_refine.cpp bit for
//             bit on every device.
//   style     results are returned through pointers (see common/load.cl)
//
// Single precision is used because GPUs have at least twice as many units for it as for integers, and because its
// additions can clamp to 0..1 at no cost.
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "common/lanes.cl"
#include "bc1/flat_tables.cl"
#include "common/reciprocal.cl"

#pragma OPENCL FP_CONTRACT OFF

#define FIRST_INSET 0.18f
// Up to these ranges along the principal axis a block is nearly flat, and its exact colour matters more than its slope.
#define SLOPE 64.0f  // the unit of an axis
#define FLAT_ONCE 14.0f
#define FLAT 24.0f  // for methods whose later steps may still find the slope
#define THIRDS_CUT 0.2f  // how far the palette's truncated inner colours are below the exact thirds, on average

typedef struct {
  float16 r, g, b;  // 0..255
  float3 sum;
} line_block;

typedef struct {
  float3 code_a, code_b;  // 0..31, 0..63, 0..31
  float3 a, b;            // expanded to 8 bits
} line_ends;

// A texel's weight w is its place in thirds from end point b (0) to end point a (3).
typedef struct {
  float w, ww;  // sum of the weights, of their squares
  float3 wv;    // sum of weight times value
} line_sums;

static float whole_dot3(float3 a, float3 b) { return mad(a.x, b.x, mad(a.y, b.y, a.z * b.z)); }
static float16 along(const line_block *p, float3 axis) { return mad(p->r, axis.x, mad(p->g, axis.y, p->b * axis.z)); }

static void make_line_block(rgb_block t, line_block *p) {
  p->r = t.r;
  p->g = t.g;
  p->b = t.b;
  p->sum = (float3)(add16(p->r), add16(p->g), add16(p->b));
}

// 2^-e for a positive value of exponent e.
static float power_of_two_under(float value) { return as_float((254u << 23) - (as_uint(value) & 0x7F800000u)); }

// The upper 7 or 6 bits of a number's significand, so that the product with a place along an axis (17 bits) or between
// end points (18 bits) is exact, and mad may be used.
#define ROUNDED_BITS_7(v) as_float((as_uint(v) + 0x10000u) & 0xFFFE0000u)
#define ROUNDED_BITS_6(v) as_float((as_uint(v) + 0x20000u) & 0xFFFC0000u)

// The axis in whole numbers, the largest component from SLOPE to 2 SLOPE; zero if all components are below 1. Places
// along it have 17 bits.
static float3 unit_axis(float3 v) {
  const float largest = max(max(fabs(v.x), fabs(v.y)), fabs(v.z));
  return (v * (power_of_two_under(max(largest, 1.0f)) * SLOPE) + ROUND) - ROUND;
}

// The principal axis by two steps of the power method; zero for a flat block.
static float3 line_axis(const line_block *p) {
  const float3 sum = p->sum;
  const float crr = mad(16.0f, dot16(p->r, p->r), -(sum.x * sum.x));
  const float crg = mad(16.0f, dot16(p->r, p->g), -(sum.x * sum.y));
  const float crb = mad(16.0f, dot16(p->r, p->b), -(sum.x * sum.z));
  const float cgg = mad(16.0f, dot16(p->g, p->g), -(sum.y * sum.y));
  const float cgb = mad(16.0f, dot16(p->g, p->b), -(sum.y * sum.z));
  const float cbb = mad(16.0f, dot16(p->b, p->b), -(sum.z * sum.z));
  // Start with the row of the largest variance, which cannot be orthogonal to the axis.
  float3 v = (float3)(crg, cgg, cgb);
  if (crr > cgg && crr >= cbb) v = (float3)(crr, crg, crb);
  if (cbb > cgg && cbb > crr) v = (float3)(crb, cgb, cbb);
  for (int step = 0; step < 2; ++step) {
    const float largest = max(max(fabs(v.x), fabs(v.y)), fabs(v.z));
    v *= power_of_two_under(max(largest, 1.0f));
    v = (float3)((crr * v.x + crg * v.y) + crb * v.z, (crg * v.x + cgg * v.y) + cgb * v.z,
                 (crb * v.x + cgb * v.y) + cbb * v.z);
  }
  return unit_axis(v);
}

// A cheaper axis: the covariance of the channels with 2 R + 4 G + B, which few lines of colours are orthogonal to. In
// effect one step of the power method from there.
static float3 leaning_axis(const line_block *p) {
  const float16 lean = mad(p->g, (float16)(4.0f), mad(p->r, (float16)(2.0f), p->b));
  const float sum = mad(p->sum.y, 4.0f, mad(p->sum.x, 2.0f, p->sum.z));
  return unit_axis(16.0f * (float3)(dot16(lean, p->r), dot16(lean, p->g), dot16(lean, p->b)) - sum * p->sum);
}

static void line_sums_of(const line_block *p, float16 w, line_sums *s) {
  s->w = add16(w);
  s->ww = dot16(w, w);
  s->wv = (float3)(dot16(w, p->r), dot16(w, p->g), dot16(w, p->b));
}

static float line_determinant(const line_sums *s) { return mad(16.0f, s->ww, -(s->w * s->w)); }

static float3 expand_codes(float3 code) {
  const float3 low = mad(code, (float3)(0.25f, 0.0625f, 0.25f), (float3)(-0.375f, -0.46875f, -0.375f));
  return mad(code, (float3)(8.0f, 4.0f, 8.0f), (low + ROUND) - ROUND);
}
static float3 to_codes(float3 unit) {
  return (clamp(unit, (float3)(0.0f), (float3)(1.0f)) * (float3)(31.0f, 63.0f, 31.0f) + ROUND) - ROUND;
}

// End points that minimise the squared error for the sums' weights, in 0..1 and beyond. Undefined if the determinant is
// 0.
static void line_unrounded(float3 sum, const line_sums *s, float3 *a, float3 *b) {
  const float inverse = reciprocal(max(line_determinant(s), 1.0f));
  const float3 q = mad((float3)(16.0f), s->wv, -(s->w * sum));
  const float3 step = (q * inverse) * 0.00392156863f;             // 1 / 255; a third of the line
  *b = sum * 0.00024509803922f - (s->w * 0.0625f) * step;         // 1 / 4080
  *a = *b + 3.0f * step;
}

// The same, rounded to 5-6-5.
static void line_fit(float3 sum, const line_sums *s, line_ends *ends) {
  float3 a, b;
  line_unrounded(sum, s, &a, &b);
  ends->code_a = to_codes(a);
  ends->code_b = to_codes(b);
  ends->a = expand_codes(ends->code_a);
  ends->b = expand_codes(ends->code_b);
}

// Finds the best b for each channel of ends->a. Returns 9 times the squared error of each channel, minus terms that do
// not depend on the end points.
static float3 line_answer(float3 sum, const line_sums *s, line_ends *ends) {
  const float aa = s->ww, ab = mad(3.0f, s->w, -s->ww), bb = mad(-6.0f, s->w, 144.0f + s->ww);  // sums of w w, w (3 - w), (3 - w)^2
  const float inverse = reciprocal(max(bb, 1.0f)) * 0.00392156863f;  // 1 / 255
  const float3 vb = mad((float3)(9.0f), sum, -3.0f * s->wv);
  const float3 x = ends->a;
  ends->code_b = to_codes(mad((float3)(-ab), x, vb) * inverse);
  const float3 y = expand_codes(ends->code_b);
  ends->b = y;
  const float3 ex = mad((float3)(aa), x, mad((float3)(2.0f * ab), y, -6.0f * s->wv));
  const float3 ey = mad((float3)(bb), y, -2.0f * vb);
  return x * ex + y * ey;
}

// As line_fit, but each channel of a is rounded down and up, the best b for each is found, and the better pair is kept.
// Rounding end points independently misses the best pair of codes, as an error in one can compensate that of the other.
static void line_fit_closely(float3 sum, const line_sums *s, line_ends *ends) {
  float3 a, b;
  line_unrounded(sum, s, &a, &b);
  const float3 largest = (float3)(31.0f, 63.0f, 31.0f);
  const float3 place = clamp(a, (float3)(0.0f), (float3)(1.0f)) * largest;
  line_ends up;
  ends->code_a = min(((place - 0.5f) + ROUND) - ROUND, largest - 1.0f);
  up.code_a = ends->code_a + 1.0f;
  ends->a = expand_codes(ends->code_a);
  up.a = expand_codes(up.code_a);
  const float3 error = line_answer(sum, s, ends);
  const int3 better = as_int3(line_answer(sum, s, &up) - error);
  ends->code_a = select(ends->code_a, up.code_a, better);
  ends->code_b = select(ends->code_b, up.code_b, better);
  ends->a = select(ends->a, up.a, better);
  ends->b = select(ends->b, up.b, better);
}

static bool equal_line_ends(const line_ends *e) {
  return e->code_a.x == e->code_b.x && e->code_a.y == e->code_b.y && e->code_a.z == e->code_b.z;
}

// Three times each texel's place u from b to a, in the low bits: 3 u + ROUND.
static float16 line_places(const line_block *p, const line_ends *ends) {
  const float3 line = ends->a - ends->b;
  const float scale = ROUNDED_BITS_6(reciprocal(max(whole_dot3(line, line), 1.0f)));
  const float start = whole_dot3(ends->b, line) - THIRDS_CUT * ((line.x + line.y) + line.z);
  const float offset = -(start * scale);
  const float16 u = clamp(mad(along(p, line), (float16)(scale), (float16)(offset)), (float16)(0.0f), (float16)(1.0f));
  return u * 3.0f + ROUND;
}

// 9 times the squared error for these end points and the sums' weights, minus 9 times the sum of squares of the texels.
static float line_error(float3 sum, const line_sums *s, const line_ends *ends) {
  const float3 b = ends->b, d = ends->a - b;
  const float3 t1 = mad((float3)(48.0f), b, mad((float3)(2.0f * s->w), d, -6.0f * sum));
  const float3 t2 = mad((float3)(s->ww), d, -6.0f * s->wv);
  const float3 e = (3.0f * b) * t1 + d * t2;
  return (e.x + e.y) + e.z;
}

// End points whose 2/3 point is the nearest to each channel's mean.
static void line_flat(float3 sum, line_ends *ends) {
  const int3 mean = (convert_int3(sum) + 8) >> 4;
  const int3 pair = (int3)(flat_ends_5[mean.x], flat_ends_6[mean.y], flat_ends_5[mean.z]);
  ends->code_a = convert_float3(pair >> 8);
  ends->code_b = convert_float3(pair & 255);
  ends->a = expand_codes(ends->code_a);
  ends->b = expand_codes(ends->code_b);
}

// Weights of the texels' places along the axis. Returns the range along it (in units of SLOPE and more).
static float first_weights(const line_block *p, float3 axis, float16 *w) {
  const float16 at = along(p, axis);
  const float low = least16(at);
  const float range = greatest16(at) - low;
  const float scale = ROUNDED_BITS_7(reciprocal(max(range, 1.0f)) * (3.0f + 2.0f * FIRST_INSET));
  const float offset = -mad(low, scale, FIRST_INSET);
  *w = (mad(at, (float16)(scale), (float16)(offset)) + ROUND) - ROUND;
  return range;
}

static uint packed_code(float3 code) {
  const uint3 c = as_uint3(code + ROUND);
  return (c.x & 31u) << 11 | (c.y & 63u) << 5 | (c.z & 31u);
}

// Packs the block from the result of line_places: weights 3, 2, 1, 0 are indices 0, 2, 3, 1.
static uint2 pack_line(const line_ends *ends, float16 places) {
  const uint16 v = as_uint16(places);
  const uint8 a = v.even + v.odd * 4u;
  const uint4 b = a.even + a.odd * 16u;
  const uint2 c = b.even + b.odd * 256u;
  // Removes the sum of the bits of ROUND, so that the weights remain.
  const uint weights = c.x + c.y * 65536u - 0x4B400000u * 0x55555555u;
  const uint turned = ~weights;
  uint indices = ((turned ^ turned << 1) & 0xAAAAAAAAu) | (turned >> 1 & 0x55555555u);
  const uint code_a = packed_code(ends->code_a), code_b = packed_code(ends->code_b);
  if (code_a < code_b) indices ^= 0x55555555u;
  if (code_a == code_b) indices = 0;
  return (uint2)(max(code_a, code_b) | min(code_a, code_b) << 16, indices);
}

// End points, the places that texels get between them, and their error.
typedef struct {
  line_ends ends;
  float16 places;
  float error;
} line_candidate;

static void try_ends(const line_block *p, const line_ends *ends, line_sums *sums, line_candidate *best) {
  const float16 places = line_places(p, ends);
  line_sums_of(p, places - ROUND, sums);
  const float error = line_error(p->sum, sums, ends);
  if (error >= best->error) return;
  best->ends = *ends;
  best->places = places;
  best->error = error;
}

// Finds the least-squares end points along the axis, or line_flat for a nearly flat block. `sums` returns those of
// their weights.
static void start_line(const line_block *p, float3 axis, line_sums *sums, line_candidate *best) {
  float16 w;
  const float range = first_weights(p, axis, &w);
  line_sums_of(p, w, sums);
  line_ends ends;
  line_fit(p->sum, sums, &ends);
  if (range <= FLAT * SLOPE || line_determinant(sums) == 0.0f || equal_line_ends(&ends)) line_flat(p->sum, &ends);
  best->error = INFINITY;
  try_ends(p, &ends, sums, best);
}

// One more fit, to the weights of the best candidate so far.
static void polish_line(const line_block *p, line_sums *sums, line_candidate *best) {
  if (line_determinant(sums) == 0.0f) return;
  line_ends ends;
  line_fit_closely(p->sum, sums, &ends);
  try_ends(p, &ends, sums, best);
}
