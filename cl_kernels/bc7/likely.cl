// likely.cl — the projection of a block's texels onto the plane of its two widest axes, and the partitions into two
// that are likely by it.
//   defines   ESTIMATES: how many of BC7_LIKELY_PARTITIONS
#include "include/kernels/bc7_likely.h"

// 1 / sqrt(value) from a seed made of the number's bits and two Newton steps. value > 0.
static float inverse_root(float value) {
  float r = as_float(0x5F3759DFu - (as_uint(value) >> 1));
  r = r * (1.5f - (0.5f * value * r) * r);
  return r * (1.5f - (0.5f * value * r) * r);
}

// Scales the sum of squares of all texels' distances from their mean to 2^22.
#define PROJECTED_SIZE 2048.0f

// Whole numbers, so that their sums are the same in any order, with a common offset removed.
static float16 project(const bc7_texels *x, const bc7_moments *all, float4 axis, float trace) {
  const float4 way = axis * (PROJECTED_SIZE * inverse_root(max(dot_of(axis, axis), TINY) * (trace * 0.0625f)));
  const float from = ROUND - dot_of(way, all->sum) * 0.0625f;
#if HAS_ALPHA
  const float16 along = ((way.x * x->r + way.y * x->g) + way.z * x->b) + way.w * x->a;
#else
  const float16 along = (way.x * x->r + way.y * x->g) + way.z * x->b;
#endif
  return (along + from) - ROUND;
}

// The second axis is the largest column of the covariance after removing the first.
static float4 second_axis(const bc7_matrix *m, float4 v) {
  const float inverse = reciprocal(max(dot_of(v, v), TINY));
  const float share = (dot_of(v, times(m, v)) * inverse) * inverse;
  const float red = m->r.x - share * (v.x * v.x), green = m->g.y - share * (v.y * v.y);
  const float blue = m->b.z - share * (v.z * v.z);
  float widest = red, by = v.x;
  float4 column = m->r;
  if (green > widest) {
    widest = green;
    by = v.y;
    column = m->g;
  }
  if (blue > widest) {
    widest = blue;
    by = v.z;
    column = m->b;
  }
#if HAS_ALPHA
  if (m->a.w > 0.0f && m->a.w - share * (v.w * v.w) > widest) {
    by = v.w;
    column = m->a;
  }
#endif
  return column - share * (by * v);
}

// Sums over one side of a cut; t and u are the places along and across.
typedef struct {
  float t, u, tt, tu, uu;
} bc7_patch;

// One side's residual beside a line on the plane (x / y), and its extent (y). `squares` are its sums of products,
// `of_sums` the products of its sums.
static float2 spread_of_side(float3 squares, float3 of_sums, float count) {
  const float3 v = squares - of_sums * reciprocal(count);
  return (float2)(v.x * v.z - v.y * v.y, max(v.x + v.z, 1.0f));
}

// The residual of two lines. The two sides' sums are practically opposite, as those of all texels are near 0.
static float left_by_cut(float3 all, const bc7_patch *inside, float count) {
  const float3 squares = (float3)(inside->tt, inside->tu, inside->uu);
  const float3 of_sums = (float3)(inside->t * inside->t, inside->t * inside->u, inside->u * inside->u);
  const float2 p = spread_of_side(squares, of_sums, count), q = spread_of_side(all - squares, of_sums, 16.0f - count);
  return (p.x * q.y + q.x * p.y) * reciprocal(p.y * q.y) + (p.y + q.y) * BC7_SHARE_ALONG;
}

// The `count` likeliest partitions, as keys.
static void likely_pairs(const bc7_texels *x, const bc7_moments *moments, const bc7_matrix *m, float4 axis,
                             uint *keys, int count) {
  const float16 t = project(x, moments, axis, m->trace), u = project(x, moments, second_axis(m, axis), m->trace);
  const float3 all = (float3)(dot16(t, t), dot16(t, u), dot16(u, u));
  for (int n = 0; n < count; ++n) keys[n] = 0xFFFFFFFFu;
  bc7_patch inside = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  int number = 0;
#define MOVE(texel, sign)                                          \
  {                                                                \
    const float st = sign t.s##texel, su = sign u.s##texel;        \
    inside.t += st;                                                \
    inside.u += su;                                                \
    inside.tt = mad(st, t.s##texel, inside.tt);                    \
    inside.tu = mad(st, u.s##texel, inside.tu);                    \
    inside.uu = mad(su, u.s##texel, inside.uu);                    \
  }
#define IN(texel) MOVE(texel, +)
#define OUT(texel) MOVE(texel, -)
#define RANK(partition, texels) \
  if (number++ < ESTIMATES) insert_key(keys, count, left_by_cut(all, &inside, texels##.0f), partition);
  BC7_LIKELY_PARTITIONS(IN, OUT, RANK)
#undef RANK
#undef OUT
#undef IN
#undef MOVE
}
