// texels.cl — loads a block of SIDE x SIDE texels from the source frame, 16 texels per vector, and subtracts whole
// numbers near its mean.
//   defines   as in common/load.cl and astc/tables.cl · HAS_ALPHA=1: RGBA or BGRA whose fourth byte is coded too
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "common/lanes.cl"
#include "common/reciprocal.cl"
#include "astc/tables.cl"

#ifndef HAS_ALPHA
#define HAS_ALPHA 0
#endif

// A value per texel, row by row; zeros after the last one.
#define GROUPS ((TEXELS + 15) / 16)
#define EACH_GROUP for (int n = 0; n < GROUPS; ++n)
typedef struct {
  float16 of[GROUPS];
} astc_lanes;

// Red, green, blue, and alpha if there is any.
#if HAS_ALPHA
typedef float4 color;
typedef int4 color_int;
#define COLOR(r, g, b, a) ((float4)(r, g, b, a))
#define COLOR_INT(r, g, b, a) ((int4)(r, g, b, a))
#define convert_color convert_float4
#else
typedef float3 color;
typedef int3 color_int;
#define COLOR(r, g, b, a) ((float3)(r, g, b))
#define COLOR_INT(r, g, b, a) ((int3)(r, g, b))
#define convert_color convert_float3
#endif

typedef struct {
  bool has_alpha;  // else the fourth channel is 0
  bool is_grey;    // red, green and blue are equal in every texel
  color center;
  astc_lanes r, g, b;
#if HAS_ALPHA
  astc_lanes a;
#endif
} astc_texels;

static float dot_of(color a, color b) {
#if HAS_ALPHA
  return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
#else
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
#endif
}

// Whole numbers, so that the order does not matter.
static float add_lanes(const astc_lanes *v) {
  float sum = 0.0f;
  EACH_GROUP sum += add16(v->of[n]);
  return sum;
}
static float dot_lanes(const astc_lanes *a, const astc_lanes *b) {
  float sum = 0.0f;
  EACH_GROUP sum += dot16(a->of[n], b->of[n]);
  return sum;
}

// -1 in the lanes of a set's texels.
typedef struct {
  int16 of[GROUPS];
} astc_mask;

// The bit of each lane in its group of 16.
#define LANE_BITS \
  ((int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768))

static void mask_of(astc_set set, astc_mask *out) {
  EACH_GROUP out->of[n] = ((int16)((int)(set >> 16 * n & 0xFFFF)) & LANE_BITS) != (int16)(0);
}
static void keep_lanes(const astc_lanes *v, const astc_mask *inside, astc_lanes *out) {
  EACH_GROUP out->of[n] = as_float16(as_int16(v->of[n]) & inside->of[n]);
}

#if SIDE == 4
static void load_colors(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out) {
  rgb_block p;
  load_rgb_block(source, s, x, y, &p);
  out->r.of[0] = p.r;
  out->g.of[0] = p.g;
  out->b.of[0] = p.b;
}
#elif SIDE == 8
// A vector holds two rows.
static void load_colors(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out) {
#pragma unroll 1
  for (int part = 0; part < 2; ++part) {
    rgb_block left, right;
    load_rgb_block(source, s, x, y + 4 * part, &left);
    load_rgb_block(source, s, x + 4, y + 4 * part, &right);
    out->r.of[2 * part] = (float16)(left.r.lo.lo, right.r.lo.lo, left.r.lo.hi, right.r.lo.hi);
    out->r.of[2 * part + 1] = (float16)(left.r.hi.lo, right.r.hi.lo, left.r.hi.hi, right.r.hi.hi);
    out->g.of[2 * part] = (float16)(left.g.lo.lo, right.g.lo.lo, left.g.lo.hi, right.g.lo.hi);
    out->g.of[2 * part + 1] = (float16)(left.g.hi.lo, right.g.hi.lo, left.g.hi.hi, right.g.hi.hi);
    out->b.of[2 * part] = (float16)(left.b.lo.lo, right.b.lo.lo, left.b.lo.hi, right.b.lo.hi);
    out->b.of[2 * part + 1] = (float16)(left.b.hi.lo, right.b.hi.lo, left.b.hi.hi, right.b.hi.hi);
  }
}
#else
static void load_colors(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out) {
  float r[16 * GROUPS], g[16 * GROUPS], b[16 * GROUPS];
  for (int i = 0; i < TEXELS; ++i) {
    const int4 texel = load_rgb_texel(source, s, x + i % SIDE, y + i / SIDE);
    r[i] = (float)texel.x;
    g[i] = (float)texel.y;
    b[i] = (float)texel.z;
  }
  // Lanes after the last texel repeat the first one, until they become 0.
  for (int i = TEXELS; i < 16 * GROUPS; ++i) {
    r[i] = r[0];
    g[i] = g[0];
    b[i] = b[0];
  }
  EACH_GROUP {
    out->r.of[n] = vload16(n, r);
    out->g.of[n] = vload16(n, g);
    out->b.of[n] = vload16(n, b);
  }
}
#endif

#if HAS_ALPHA
static float load_alpha_texel(SOURCE source, const texcast_source *s, int x, int y) {
  x = min(x, s->width - 1);
  y = min(y, s->height - 1);
#if SOURCE_IS_IMAGE
  return (float)(pick(load_row(source, x >> 2, y), x) >> 24 & 255);
#else
  return (float)source[s->offset0 + y * s->stride0 + 4 * x + 3];
#endif
}

static void load_alpha(SOURCE source, const texcast_source *s, int x, int y, astc_lanes *out) {
  float a[16 * GROUPS];
  for (int i = 0; i < 16 * GROUPS; ++i)
    a[i] = i < TEXELS ? load_alpha_texel(source, s, x + i % SIDE, y + i / SIDE) : a[0];
  EACH_GROUP out->of[n] = vload16(n, a);
}
#endif

static float2 extremes_of(const astc_lanes *v) {
  float16 least = v->of[0], greatest = v->of[0];
  for (int n = 1; n < GROUPS; ++n) {
    least = min(least, v->of[n]);
    greatest = max(greatest, v->of[n]);
  }
  return (float2)(least16(least), greatest16(greatest));
}

static float less_mean(astc_lanes *v) {
  const float sum = add_lanes(v) - (float)(16 * GROUPS - TEXELS) * v->of[0].s0;
  const float center = (float)(((int)sum + TEXELS / 2) / TEXELS);
  EACH_GROUP v->of[n] -= center;
  if (TEXELS % 16 == 0) return center;
  astc_mask inside;
  mask_of(ALL_TEXELS, &inside);
  keep_lanes(v, &inside, v);
  return center;
}

// All but `is_grey`, which set_grey() finds. `flat`: the first texel.
static void load_texels(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out, float4 *flat) {
  load_colors(source, s, x, y, out);
  *flat = (float4)(out->r.of[0].s0, out->g.of[0].s0, out->b.of[0].s0, 255.0f);
  out->has_alpha = false;
#if HAS_ALPHA
  load_alpha(source, s, x, y, &out->a);
  out->has_alpha = extremes_of(&out->a).x < 255.0f;
  flat->w = out->a.of[0].s0;
#endif
  out->center.x = less_mean(&out->r);
  out->center.y = less_mean(&out->g);
  out->center.z = less_mean(&out->b);
#if HAS_ALPHA
  out->center.w = out->has_alpha ? less_mean(&out->a) : 0.0f;
  if (!out->has_alpha) EACH_GROUP out->a.of[n] = (float16)(0.0f);
#endif
}
