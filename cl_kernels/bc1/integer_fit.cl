// integer_fit.cl — least squares between a block and the line between two end points, in integers.
//   exactness integers, and single precision in a defined order: no contraction, no division, no built-in that may
//             round freely; equals codec/ref/bc/bc1_fit.cpp and bc1_nearest.cpp (Bc1Order::four) bit for bit on every
//             device
//   style     results are returned through pointers (see common/load.cl)
#include "bc1/palette.cl"
#include "bc1/flat_tables.cl"
#include "common/reciprocal.cl"

#pragma OPENCL FP_CONTRACT OFF

// Two channels share a lane, so that one sum adds both: R | G << 16 and B | 1 << 16. Sums of 16 texels times a weight
// of at most 3 are below 1 << 16.
typedef struct {
  int16 r, g, b;
  int16 rg, b1;
  int3 sum;  // over the 16 texels
} fit_block;

static void make_fit_block(rgb_block p, fit_block *f) {
  f->r = p.r;
  f->g = p.g;
  f->b = p.b;
  f->rg = p.r | p.g << 16;
  f->b1 = p.b | (1 << 16);
  const int rg = sum16(f->rg);
  f->sum = (int3)(rg & 0xFFFF, rg >> 16, sum16(p.b));
}

typedef struct {
  int w, ww;  // sum of the weights, of their squares
  int3 wv;    // sum of weight times value
} fit_sums;

static void sums_of(const fit_block *f, int16 w, fit_sums *s) {
  const int rg = sum16(w * f->rg), b1 = sum16(w * f->b1);
  s->w = b1 >> 16;
  s->ww = sum16(w * w);
  s->wv = (int3)(rg & 0xFFFF, rg >> 16, b1 & 0xFFFF);
}

static int3 expanded(int3 c) { return c << (int3)(3, 2, 3) | c >> (int3)(2, 4, 2); }

static bool equal_ends(ends565 e) { return e.a.x == e.b.x && e.a.y == e.b.y && e.a.z == e.b.z; }

// Each texel's place in thirds from b (0) to a (3), by projection on the line.
static int16 project_weights(const fit_block *f, ends565 ends) {
  const int3 a = expanded(ends.a), b = expanded(ends.b), axis = a - b;
  const int3 p1 = third(a + 2 * b), p2 = third(2 * a + b);
  const int half_0_1 = dot3(b + p1, axis), half_1_2 = dot3(p1 + p2, axis), half_2_3 = dot3(p2 + a, axis);
  const int16 at = 2 * (f->r * axis.x + f->g * axis.y + f->b * axis.z);
  return 3 + ((at - half_0_1) >> 31) + ((at - half_1_2) >> 31) + ((at - half_2_3) >> 31);
}

static int determinant(fit_sums s) { return 16 * s.ww - s.w * s.w; }

// End points that minimise the squared error for the sums' weights, rounded to 5-6-5. The determinant must not be 0.
static void fit_ends(int3 sum, fit_sums s, ends565 *ends) {
  const float3 to_code = reciprocal((float)determinant(s)) * (float3)(0.121568627f, 0.247058824f, 0.121568627f)  /* 31, 63, 31 over 255 */;
  const int3 b = s.ww * sum - s.w * s.wv;
  const int3 a = b + 3 * (16 * s.wv - s.w * sum);
  const float3 zero = (float3)(0.0f), largest = (float3)(31.0f, 63.0f, 31.0f);
  ends->a = convert_int3(min(max(convert_float3(a) * to_code + 0.5f, zero), largest));
  ends->b = convert_int3(min(max(convert_float3(b) * to_code + 0.5f, zero), largest));
}

// End points whose 2/3 point is the nearest to each channel's mean.
static void flat_ends(int3 sum, ends565 *ends) {
  const int3 mean = (sum + 8) >> 4;
  const int3 pair = (int3)(flat_ends_5[mean.x], flat_ends_6[mean.y], flat_ends_5[mean.z]);
  ends->a = pair >> 8;
  ends->b = pair & 255;
}

// The palette of a block of four colours, whose texels take the nearest one.
typedef struct {
  int3 p0, p1, p2, p3;
} nearest_palette;

static void make_nearest_palette(ends565 ends, nearest_palette *p) {
  p->p0 = expanded(ends.a);
  p->p1 = expanded(ends.b);
  p->p2 = third(2 * p->p0 + p->p1);
  p->p3 = third(p->p0 + 2 * p->p1);
}

static int packed565(int3 c) { return c.x << 11 | c.y << 5 | c.z; }

static void to_block_order(ends565 *e) {
  if (packed565(e->a) >= packed565(e->b)) return;
  const int3 a = e->a;
  e->a = e->b;
  e->b = a;
}

// Squared distances from a colour, minus the texels' own squares: three products per texel.
static int16 distance16(const fit_block *f, int3 p) {
  return dot3(p, p) - (f->r * (2 * p.x) + f->g * (2 * p.y) + f->b * (2 * p.z));
}

// The block's squared error as it will be decoded, minus the texels' squares.
static int nearest_error(const fit_block *f, ends565 ends) {
  nearest_palette p;
  make_nearest_palette(ends, &p);
  return sum16(min(min(distance16(f, p.p0), distance16(f, p.p1)), min(distance16(f, p.p2), distance16(f, p.p3))));
}

// The finished block. Among equally near colours the smallest index wins.
static uint2 pack_nearest(const fit_block *f, ends565 ends) {
  to_block_order(&ends);
  nearest_palette p;
  make_nearest_palette(ends, &p);
  int16 best = distance16(f, p.p0), index = (int16)(0);
#define NEARER(n)                                  \
  {                                                \
    const int16 other = distance16(f, p.p##n);     \
    index = select(index, (int16)(n), other < best); \
    best = min(best, other);                       \
  }
  NEARER(1) NEARER(2) NEARER(3)
#undef NEARER
  const uint16 shift = (uint16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return (uint2)((uint)(packed565(ends.a) | packed565(ends.b) << 16), or16(as_uint16(index) << shift));
}
