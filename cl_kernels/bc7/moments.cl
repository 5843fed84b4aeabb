// moments.cl — the moments of a subset's texels, and their principal axis.
#include "common/reciprocal.cl"

#define TINY 1e-20f

typedef struct {
  float count;
  float4 sum, square, product;  // product: red green, red blue, green blue
#if HAS_ALPHA
  float4 alpha;  // with red, green, blue
#endif
} bc7_moments;

// Sums over the texels whose lanes are -1. Whole numbers: that of a product is at most 16 * 255^2.
static void take_moments(const bc7_texels *x, int16 inside, bc7_moments *m) {
#define INSIDE(v) as_float16(as_int16(v) & inside)
  const float16 r = INSIDE(x->r), g = INSIDE(x->g), b = INSIDE(x->b);
  m->count = add16(INSIDE((float16)(1.0f)));
  m->sum = (float4)(add16(r), add16(g), add16(b), 0.0f);
  m->square = (float4)(dot16(r, r), dot16(g, g), dot16(b, b), 0.0f);
  m->product = (float4)(dot16(r, g), dot16(r, b), dot16(g, b), 0.0f);
#if HAS_ALPHA
  const float16 a = INSIDE(x->a);
  m->sum.w = add16(a);
  m->square.w = dot16(a, a);
  m->alpha = (float4)(dot16(r, a), dot16(g, a), dot16(b, a), 0.0f);
#endif
#undef INSIDE
}

static void leave_out(bc7_moments *m, const bc7_moments *part) {
  m->count -= part->count;
  m->sum -= part->sum;
  m->square -= part->square;
  m->product -= part->product;
#if HAS_ALPHA
  m->alpha -= part->alpha;
#endif
}

// The covariance, scaled to a trace of 1.
typedef struct {
  float trace;
  float4 r, g, b;
#if HAS_ALPHA
  float4 a;
#endif
} bc7_matrix;

static float4 times(const bc7_matrix *m, float4 v) {
#if HAS_ALPHA
  return (float4)(dot_of(m->r, v), dot_of(m->g, v), dot_of(m->b, v), dot_of(m->a, v));
#else
  return (float4)(dot_of(m->r, v), dot_of(m->g, v), dot_of(m->b, v), 0.0f);
#endif
}

// Its principal axis by `steps` steps of the power method.
static float4 axis_of(const bc7_moments *m, int steps, bc7_matrix *matrix) {
  const float n = m->count;
  const float4 s = m->sum;
  float4 square = n * m->square - s * s;
  float4 product = n * m->product - s.xxyx * s.yzzw;
  float trace = (square.x + square.y) + square.z;
#if HAS_ALPHA
  float4 alpha = n * m->alpha - s * s.w;
  trace += square.w;
#endif
  const float scale = reciprocal(max(trace, 1.0f));
  matrix->trace = trace;
  float widest = square.x;
  square *= scale;
  product *= scale;
  float wx = 0.0f, wy = 0.0f, wz = 0.0f;
#if HAS_ALPHA
  const float widest_alpha = n * m->square.w - s.w * s.w;
  alpha *= scale;
  wx = alpha.x;
  wy = alpha.y;
  wz = alpha.z;
  matrix->a = (float4)(wx, wy, wz, square.w);
#endif
  matrix->r = (float4)(square.x, product.x, product.y, wx);
  matrix->g = (float4)(product.x, square.y, product.z, wy);
  matrix->b = (float4)(product.y, product.z, square.z, wz);
  float4 v = matrix->r;
  const float green = n * m->square.y - s.y * s.y, blue = n * m->square.z - s.z * s.z;
  if (green > widest) {
    widest = green;
    v = matrix->g;
  }
  if (blue > widest) {
    widest = blue;
    v = matrix->b;
  }
#if HAS_ALPHA
  if (widest_alpha > widest) v = matrix->a;
#endif
  for (int step = 0; step < steps; ++step) v = times(matrix, v);
  return v;
}
