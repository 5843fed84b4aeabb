// texels.cl — a block of SIDE x SIDE texels from the source frame, less whole numbers near its mean.
//   defines   as common/load.cl and astc/tables.cl · HAS_ALPHA=1 for RGBA or BGRA whose fourth byte is coded too
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "common/reciprocal.cl"
#include "astc/tables.cl"

#ifndef HAS_ALPHA
#define HAS_ALPHA 0
#endif

typedef struct {
  bool has_alpha;  // else the fourth channel is 0 throughout
  float4 center;
  float4 v[TEXELS];
} astc_texels;

static float dot_of(float4 a, float4 b) { return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w; }

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
#endif

// The block with its top left texel at (x, y), as it is; texels outside the frame repeat its edge.
static void load_colors(SOURCE source, const texcast_source *s, int x, int y, float4 *v) {
#if SIDE % 4 == 0
  for (int part = 0; part < TEXELS / 16; ++part) {
    const int left = part % (SIDE / 4) * 4, top = part / (SIDE / 4) * 4;
    rgb_block p;
    load_rgb_block(source, s, x + left, y + top, &p);
    float r[16], g[16], b[16];
    vstore16(p.r, 0, r);
    vstore16(p.g, 0, g);
    vstore16(p.b, 0, b);
    for (int i = 0; i < 16; ++i) v[(top + i / 4) * SIDE + left + i % 4] = (float4)(r[i], g[i], b[i], 255.0f);
  }
#else
  for (int i = 0; i < TEXELS; ++i) {
    const int4 texel = load_rgb_texel(source, s, x + i % SIDE, y + i / SIDE);
    v[i] = (float4)((float)texel.x, (float)texel.y, (float)texel.z, 255.0f);
  }
#endif
#if HAS_ALPHA
  for (int i = 0; i < TEXELS; ++i) v[i].w = load_alpha_texel(source, s, x + i % SIDE, y + i / SIDE);
#endif
}

// Whether all texels are of one colour, which is then `flat`.
static bool load_texels(SOURCE source, const texcast_source *s, int x, int y, astc_texels *out, float4 *flat) {
  load_colors(source, s, x, y, out->v);
  float4 least = out->v[0], greatest = out->v[0], sum = out->v[0];
  for (int i = 1; i < TEXELS; ++i) {
    least = fmin(least, out->v[i]);
    greatest = fmax(greatest, out->v[i]);
    sum += out->v[i];
  }
  out->has_alpha = HAS_ALPHA && least.w < 255.0f;
  const int4 center = (convert_int4(sum) + TEXELS / 2) / TEXELS;
  out->center = convert_float4(center);
  if (!out->has_alpha) out->center.w = 0.0f;
  for (int i = 0; i < TEXELS; ++i) {
    out->v[i] -= out->center;
    if (!out->has_alpha) out->v[i].w = 0.0f;
  }
  *flat = least;
  return least.x == greatest.x && least.y == greatest.y && least.z == greatest.z && least.w == greatest.w;
}
