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

// A value per texel, row by row; zeros after the last one. The values of large blocks do not fit into registers, so loops
// over their groups of 16 are not unrolled, and only one group is in registers.
#define GROUPS ((TEXELS + 15) / 16)
#if SIDE == 4
#define EACH_GROUP for (int n = 0; n < GROUPS; ++n)
#else
#define EACH_GROUP _Pragma("unroll 1") for (int n = 0; n < GROUPS; ++n)
#endif
#define EACH_GROUP_AT_ONCE _Pragma("unroll") for (int n = 0; n < GROUPS; ++n)
typedef struct {
  float16 of[GROUPS];
} astc_lanes;
// The same as bytes.
typedef struct {
  uint4 of[GROUPS];
} astc_bytes;
static float16 floats_of(uint4 bytes) { return convert_float16(as_uchar16(bytes)); }
#define EACH_BYTE 0x01010101u
static uint4 bytes_of(float16 whole) {
  const uint16 w = as_uint16(whole + ROUND);
  // Without the sum of the bits of ROUND.
  return (w.s048c + w.s159d * 256 + w.s26ae * 65536 + w.s37bf * 16777216) - 0x4B400000u * EACH_BYTE;
}

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

// A channel less its center: in large blocks bytes, from which it is subtracted when they are used. CHANNEL(x, r, n):
// the values of group n.
#if SIDE == 4
typedef astc_lanes astc_channel;
#define CHANNEL_OF(x, channel, n) ((x)->channel.of[n])
#else
typedef astc_bytes astc_channel;
#define CENTER_r x
#define CENTER_g y
#define CENTER_b z
#define CENTER_a w
#define CHANNEL_OF(texels, channel, n) (floats_of((texels)->channel.of[n]) - (texels)->center.CENTER_##channel)
#endif

typedef struct {
  bool has_alpha;  // else the fourth channel is 0
  bool is_grey;    // red, green and blue are equal in every texel
  color center;
  astc_channel r, g, b;
#if HAS_ALPHA
  astc_channel a;
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
static float dot_lanes(const astc_lanes *a, const astc_lanes *b) {
  float sum = 0.0f;
  EACH_GROUP sum += dot16(a->of[n], b->of[n]);
  return sum;
}

// The bit of each lane in its group of 16.
#define LANE_BITS \
  ((int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768))

// -1 in the lanes of a set's texels, else 0.
static int16 mask_of(astc_set set, int n) {
  return ((int16)((int)(set >> 16 * n & 0xFFFF)) & LANE_BITS) != (int16)(0);
}
// 1 instead of -1. Lanes are masked and selected by products, which are exact, where registers allow it: GPUs have half as
// many units for selections, minima and maxima as for products and sums.
static float16 inside_of(astc_set set, int n) {
  return select((float16)(0.0f), (float16)(1.0f), mask_of(set, n));
}
static float16 either(float16 outside, float16 inside, float16 is_inside) {
  return mad(inside, is_inside, outside * (1.0f - is_inside));
}
// 1 where a value is positive and not tiny, else 0.
static float16 is_positive(float16 v) { return clamp(v * 1e30f, (float16)(0.0f), (float16)(1.0f)); }

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
static uint4 two_rows(float8 left, float8 right) {
  return bytes_of((float16)(left.lo, right.lo, left.hi, right.hi));
}
static void load_colors(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out) {
#pragma unroll 1
  for (int part = 0; part < 2; ++part) {
    rgb_block left, right;
    load_rgb_block(source, s, x, y + 4 * part, &left);
    load_rgb_block(source, s, x + 4, y + 4 * part, &right);
    out->r.of[2 * part] = two_rows(left.r.lo, right.r.lo);
    out->r.of[2 * part + 1] = two_rows(left.r.hi, right.r.hi);
    out->g.of[2 * part] = two_rows(left.g.lo, right.g.lo);
    out->g.of[2 * part + 1] = two_rows(left.g.hi, right.g.hi);
    out->b.of[2 * part] = two_rows(left.b.lo, right.b.lo);
    out->b.of[2 * part + 1] = two_rows(left.b.hi, right.b.hi);
  }
}
#else
static void load_colors(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out) {
  uchar *r = (uchar *)out->r.of, *g = (uchar *)out->g.of, *b = (uchar *)out->b.of;
#pragma unroll 1
  for (int row = 0; row < SIDE; ++row)
    for (int column = 0; column < SIDE; ++column) {
      const int4 texel = load_rgb_texel(source, s, x + column, y + row);
      r[SIDE * row + column] = (uchar)texel.x;
      g[SIDE * row + column] = (uchar)texel.y;
      b[SIDE * row + column] = (uchar)texel.z;
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

#if SIDE == 4
static void load_alpha(SOURCE source, const texcast_source *s, int x, int y, astc_channel *out) {
  float a[16];
  for (int i = 0; i < 16; ++i) a[i] = load_alpha_texel(source, s, x + i % 4, y + i / 4);
  out->of[0] = vload16(0, a);
}
#else
static void load_alpha(SOURCE source, const texcast_source *s, int x, int y, astc_channel *out) {
  uchar *a = (uchar *)out->of;
#pragma unroll 1
  for (int row = 0; row < SIDE; ++row)
    for (int column = 0; column < SIDE; ++column)
      a[SIDE * row + column] = (uchar)load_alpha_texel(source, s, x + column, y + row);
}
#endif
#endif

// Returns the mean, rounded, and subtracts it.
#if SIDE == 4
static float less_mean(astc_channel *v) {
  const float center = (float)(((int)add16(v->of[0]) + TEXELS / 2) / TEXELS);
  v->of[0] -= center;
  return center;
}
static bool is_opaque(const astc_channel *a) { return !(least16(a->of[0]) < 255.0f); }
static void clear_channel(astc_channel *v) { v->of[0] = (float16)(0.0f); }
static float first_of(const astc_channel *v) { return v->of[0].s0; }
#else
// Lanes after the last texel get the mean, and so become 0 when it is subtracted.
static float less_mean(astc_channel *v) {
  uchar *bytes = (uchar *)v->of;
  for (int i = TEXELS; i < 16 * GROUPS; ++i) bytes[i] = 0;
  float sum = 0.0f;
  EACH_GROUP sum += add16(floats_of(v->of[n]));
  const int center = ((int)sum + TEXELS / 2) / TEXELS;
  for (int i = TEXELS; i < 16 * GROUPS; ++i) bytes[i] = (uchar)center;
  return (float)center;
}
static bool is_opaque(const astc_channel *a) {
  float sum = 0.0f;
  EACH_GROUP sum += add16(floats_of(a->of[n]) * inside_of(ALL_TEXELS, n));
  return sum == 255.0f * TEXELS;
}
static void clear_channel(astc_channel *v) { EACH_GROUP v->of[n] = (uint4)(0); }
static float first_of(const astc_channel *v) { return (float)(v->of[0].x & 255); }
#endif

// All but `is_grey`, which set_grey() finds. `flat`: the first texel.
static void load_texels(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out, float4 *flat) {
  load_colors(source, s, x, y, out);
  *flat = (float4)(first_of(&out->r), first_of(&out->g), first_of(&out->b), 255.0f);
  out->has_alpha = false;
#if HAS_ALPHA
  load_alpha(source, s, x, y, &out->a);
  out->has_alpha = !is_opaque(&out->a);
  flat->w = first_of(&out->a);
#endif
  out->center.x = less_mean(&out->r);
  out->center.y = less_mean(&out->g);
  out->center.z = less_mean(&out->b);
#if HAS_ALPHA
  out->center.w = out->has_alpha ? less_mean(&out->a) : 0.0f;
  if (!out->has_alpha) clear_channel(&out->a);
#endif
}
