// texels.cl — loads a block's texels in four channels from the source frame.
//   defines   as in common/load.cl · HAS_ALPHA=1: RGBA or BGRA whose fourth byte is coded too
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "common/lanes.cl"

#ifndef HAS_ALPHA
#define HAS_ALPHA 0
#endif

// 16 texels, 0..255. Without alpha there is no fourth channel.
typedef struct {
  float16 r, g, b;
#if HAS_ALPHA
  float16 a;
#endif
} bc7_texels;

static float dot_of(float4 a, float4 b) {
#if HAS_ALPHA
  return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
#else
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
#endif
}

#if HAS_ALPHA
// The alpha of the block whose top left texel is at (x, y); texels outside the frame repeat its edge.
static float16 load_block_alpha(SOURCE source, const texcast_source *s, int x, int y) {
#if SOURCE_IS_IMAGE
#define ALPHA(i, j) (int)(pick(load_row(source, min(x + i, s->width - 1) >> 2, min(y + j, s->height - 1)), \
                               min(x + i, s->width - 1)) >> 24 & 255)
#else
#define ALPHA(i, j) \
  source[s->offset0 + min(y + j, s->height - 1) * s->stride0 + 4 * min(x + i, s->width - 1) + 3]
#endif
#define ROW(j) ALPHA(0, j), ALPHA(1, j), ALPHA(2, j), ALPHA(3, j)
  return convert_float16((int16)(ROW(0), ROW(1), ROW(2), ROW(3)));
#undef ROW
#undef ALPHA
}
#endif

// The block whose top left texel is at (x, y), whether it is opaque, and whether it has one colour.
static void load_texels(SOURCE source, const texcast_source *s, int x, int y, bc7_texels *out, bool *is_opaque,
                        bool *is_flat) {
  rgb_block p;
  load_rgb_block(source, s, x, y, &p);
  out->r = p.r;
  out->g = p.g;
  out->b = p.b;
  *is_flat = least16(p.r) == greatest16(p.r) && least16(p.g) == greatest16(p.g) && least16(p.b) == greatest16(p.b);
  *is_opaque = true;
#if HAS_ALPHA
  out->a = load_block_alpha(source, s, x, y);
  const float least = least16(out->a);
  *is_opaque = least == 255.0f;
  *is_flat = *is_flat && least == greatest16(out->a);
#endif
}
