// load.cl — converts source frames to full-range R'G'B', one texel or one 4x4 block at a time.
//   in        source bytes, described by texcast_source; reads stay inside width x height (edge texels repeated)
//   out       16 lanes per channel, lane i = column i % 4 of row i / 4, values 0..255
//   defines   SOURCE_FORMAT=TEXCAST_… (required) · SOURCE_IS_FULL_RGB=1: R, G, B need no conversion ·
//             SOURCE_IS_IMAGE=1:
//             the frame is an image (common/load_image.cl) · ONLY_CHANGED=1 · set by the including file: LOAD_FLOATS=1,
//             LOAD_LUMA=1, LOAD_FINE=1
//   exactness whole numbers; equals codec/ref/convert.cpp bit for bit on every device
//   style     blocks are returned through pointers: Oclgrind 21.10 stops at the code that clang generates for a
//             returned
//             structure beside a pointer argument
#include "include/kernels/layout.h"
#include "include/kernels/srgb_steps.h"

#ifndef SOURCE_FORMAT
#define SOURCE_FORMAT TEXCAST_RGBA
#endif
#if SOURCE_FORMAT == TEXCAST_RGBA_HALF
#undef SOURCE_IS_FULL_RGB
#define SOURCE_IS_FULL_RGB 1
#endif
#ifndef SOURCE_IS_FULL_RGB
#define SOURCE_IS_FULL_RGB 0
#endif
#ifndef LOAD_FLOATS
#define LOAD_FLOATS 0
#endif

// 1: loads only luma of Y'CbCr sources, R = G = B = Y'.
#ifndef LOAD_LUMA
#define LOAD_LUMA 0
#endif

// 1, with LOAD_LUMA: Y' of Y'CbCr sources before it is rounded to a byte, 0..FINE_WHITE in steps of 1 / FINE_STEP of a
// byte.
#ifndef LOAD_FINE
#define LOAD_FINE 0
#endif

#ifndef SOURCE_IS_IMAGE
#define SOURCE_IS_IMAGE 0
#endif

#ifndef ONLY_CHANGED
#define ONLY_CHANGED 0
#endif

// The type of the source frame. "SOURCE source" is the first parameter of every kernel that loads through this file.
#if SOURCE_IS_IMAGE
#define SOURCE read_only image2d_t
#else
#define SOURCE global const uchar *
#endif

// 1: encodes only the blocks of changed tiles. Then the last parameter of every kernel that loads through this file is
// the map of these, a byte per tile, 0 for unchanged ones.
#if ONLY_CHANGED
#define CHANGED_TILES , global const uchar *changed
// For the block of plane 0 in column bx and row by.
#define IN_CHANGED_TILE(t, bx, by) \
  (changed[((by) >> TEXCAST_TILE_DOWN_BITS) * (((t)->blocks_x + (1 << TEXCAST_TILE_ACROSS_BITS) - 1) >> TEXCAST_TILE_ACROSS_BITS) + \
           ((bx) >> TEXCAST_TILE_ACROSS_BITS)] != 0)
// For kernels with one work-item per block, before they load it.
#define SKIP_UNCHANGED(t) \
  if (!own_block_changed(t, changed)) return
#else
#define CHANGED_TILES
#define IN_CHANGED_TILE(t, bx, by) true
#define SKIP_UNCHANGED(t)
#endif

#define IS_RGB \
  (SOURCE_FORMAT == TEXCAST_RGB24 || SOURCE_FORMAT == TEXCAST_RGBA || SOURCE_FORMAT == TEXCAST_BGRA || \
   SOURCE_FORMAT == TEXCAST_RGBA_HALF)

// Texels as whole numbers in single precision, for kernels that compute in it (LOAD_FLOATS=1), else as integers.
#if LOAD_FLOATS
typedef float16 channel16;
#else
typedef int16 channel16;
#endif

typedef struct {
  channel16 r, g, b;
} rgb_block;

// x + ROUND rounds x to the nearest whole number; its low bits hold that number. |x| < 2^22.
#define ROUND 12582912.0f

// The conversion, on vectors of any width. It represents 2^22 / 16420 = 255.4387 as 1 (texcast/color.h), so that
// clamping to 0..1, which is free on GPUs, clamps to 0..255. Every sum and product before that is exact, and so far
// from halfway between two bytes that mad may or may not fuse there. It uses single precision because GPUs have twice
// as many units for it as for integers. min, max and clamp always get bounds of the vector's own type, as Oclgrind
// 21.10 misreads scalar ones.
#define LUMA(y) mad(y, s->luma_scale, s->luma_constant)
#define FULL_SCALE 255.43873f
#define FINE_STEP 16420  // kByteStep of texcast/color.h
#define FINE_WHITE (255 * FINE_STEP)
// Exact. The unit of LUMA is 2^22, and it includes an offset of 1.
#define TO_FINE(v, convert, type) clamp(convert((v) * 4194304.0f) - 1, (type)(0), (type)(FINE_WHITE))
#define TO_BYTE(v) (as_int(mad(clamp(v, 0.0f, 1.0f), FULL_SCALE, ROUND)) & 255)
#define ROUNDED(v) mad(clamp(v, (float16)(0.0f), (float16)(1.0f)), (float16)(FULL_SCALE), (float16)(ROUND))
#if LOAD_FLOATS
#define TO_CHANNEL(v) (ROUNDED(v) - ROUND)
#define WHOLE_CHANNEL(v) convert_float16(v)
#else
#define TO_CHANNEL(v) (as_int16(ROUNDED(v)) & 255)
#define WHOLE_CHANNEL(v) (v)
#endif

#if SOURCE_FORMAT == TEXCAST_GRAY16
// Sums of 16-bit samples would not be exact in single precision.
#define FINE_GRAY(y, type) \
  clamp((((y) - (int)s->luma_constant) * (int)s->luma_scale + 128) >> 8, (type)(0), (type)(FINE_WHITE))
#if LOAD_LUMA && LOAD_FINE
#define GRAY_SAMPLE(y, type) FINE_GRAY(y, type)
#else
#define GRAY_SAMPLE(y, type) ((FINE_GRAY(y, type) + FINE_STEP / 2) / FINE_STEP)
#endif
#endif

static int4 convert_texel(const texcast_source *s, int y, int u, int v) {
#if SOURCE_FORMAT == TEXCAST_GRAY16
  return (int4)(GRAY_SAMPLE(y, int));
#elif IS_RGB
#if SOURCE_IS_FULL_RGB
  return (int4)(y, u, v, 0);
#else
  return (int4)(TO_BYTE(LUMA((float)y)), TO_BYTE(LUMA((float)u)), TO_BYTE(LUMA((float)v)), 0);
#endif
#elif LOAD_LUMA && LOAD_FINE
  return (int4)(TO_FINE(LUMA((float)y), convert_int, int));
#else
#if LOAD_LUMA
  u = v = s->chroma_offset;
#endif
  const float luma = LUMA((float)y);
  const float cb = (float)(u - s->chroma_offset), cr = (float)(v - s->chroma_offset);
  return (int4)(TO_BYTE(mad(cr, s->red_v, luma)), TO_BYTE(mad(cb, s->green_u, mad(cr, s->green_v, luma))),
                TO_BYTE(mad(cb, s->blue_u, luma)), 0);
#endif
}

static void convert_block(const texcast_source *s, int16 y, int16 u, int16 v, rgb_block *out) {
#if SOURCE_FORMAT == TEXCAST_GRAY16
  out->r = WHOLE_CHANNEL(GRAY_SAMPLE(y, int16));
  out->g = out->r;
  out->b = out->r;
#elif IS_RGB
#if SOURCE_IS_FULL_RGB
  out->r = WHOLE_CHANNEL(y);
  out->g = WHOLE_CHANNEL(u);
  out->b = WHOLE_CHANNEL(v);
#else
  out->r = TO_CHANNEL(LUMA(convert_float16(y)));
  out->g = TO_CHANNEL(LUMA(convert_float16(u)));
  out->b = TO_CHANNEL(LUMA(convert_float16(v)));
#endif
#elif LOAD_LUMA && LOAD_FINE
  out->r = TO_FINE(LUMA(convert_float16(y)), convert_int16, int16);
  out->g = out->r;
  out->b = out->r;
#else
#if LOAD_LUMA
  u = v = (int16)(s->chroma_offset);
#endif
  const float16 luma = LUMA(convert_float16(y));
  const float16 cb = convert_float16(u - s->chroma_offset), cr = convert_float16(v - s->chroma_offset);
  out->r = TO_CHANNEL(mad(cr, s->red_v, luma));
  out->g = TO_CHANNEL(mad(cb, s->green_u, mad(cr, s->green_v, luma)));
  out->b = TO_CHANNEL(mad(cb, s->blue_u, luma));
#endif
}

// Repeats 2x2 chroma samples for the 16 texels that they cover.
static int16 spread_2x2(int4 c) { return c.s0011001122332233; }

#include "common/load_image.cl"
#if !SOURCE_IS_IMAGE
static int word_at(global const uchar *p) { return p[0] | p[1] << 8; }

#if SOURCE_FORMAT == TEXCAST_RGBA_HALF
// Linear light as a byte in sRGB's curve: the last entry of include/kernels/srgb_steps.h that is not above it. Negative
// values and NaN are 0.
constant ushort srgb_steps[256] = {TEXCAST_SRGB_STEPS};
static int srgb_byte(int half_bits) {
  if (half_bits > TEXCAST_INFINITE_HALF) return 0;
  int byte = 0;
  for (int step = 128; step > 0; step >>= 1)
    if (half_bits >= srgb_steps[byte + step]) byte += step;
  return byte;
}
#endif

// R, G, B of a texel; coordinates outside the frame repeat its edge.
static int4 load_rgb_texel(SOURCE source, const texcast_source *s, int x, int y) {
  x = min(x, s->width - 1);
  y = min(y, s->height - 1);
  global const uchar *p0 = source + s->offset0 + y * s->stride0;
#if SOURCE_FORMAT == TEXCAST_YUV420P || SOURCE_FORMAT == TEXCAST_YUV420P10
  global const uchar *p1 = source + s->offset1 + (y >> 1) * s->stride1;
  global const uchar *p2 = source + s->offset2 + (y >> 1) * s->stride2;
#elif SOURCE_FORMAT == TEXCAST_YUV422P || SOURCE_FORMAT == TEXCAST_YUV444P
  global const uchar *p1 = source + s->offset1 + y * s->stride1;
  global const uchar *p2 = source + s->offset2 + y * s->stride2;
#elif SOURCE_FORMAT == TEXCAST_NV12 || SOURCE_FORMAT == TEXCAST_P010
  global const uchar *p1 = source + s->offset1 + (y >> 1) * s->stride1;
#endif
  const int half_x = x >> 1;
#if SOURCE_FORMAT == TEXCAST_YUV420P || SOURCE_FORMAT == TEXCAST_YUV422P
  return convert_texel(s, p0[x], p1[half_x], p2[half_x]);
#elif SOURCE_FORMAT == TEXCAST_YUV444P
  return convert_texel(s, p0[x], p1[x], p2[x]);
#elif SOURCE_FORMAT == TEXCAST_NV12
  return convert_texel(s, p0[x], p1[2 * half_x], p1[2 * half_x + 1]);
#elif SOURCE_FORMAT == TEXCAST_YUYV422
  return convert_texel(s, p0[2 * x], p0[4 * half_x + 1], p0[4 * half_x + 3]);
#elif SOURCE_FORMAT == TEXCAST_UYVY422
  return convert_texel(s, p0[2 * x + 1], p0[4 * half_x], p0[4 * half_x + 2]);
#elif SOURCE_FORMAT == TEXCAST_YUV420P10
  return convert_texel(s, word_at(p0 + 2 * x) & 1023, word_at(p1 + 2 * half_x) & 1023, word_at(p2 + 2 * half_x) & 1023);
#elif SOURCE_FORMAT == TEXCAST_P010
  return convert_texel(s, word_at(p0 + 2 * x) >> 6, word_at(p1 + 4 * half_x) >> 6, word_at(p1 + 4 * half_x + 2) >> 6);
#elif SOURCE_FORMAT == TEXCAST_RGB24
  return convert_texel(s, p0[3 * x], p0[3 * x + 1], p0[3 * x + 2]);
#elif SOURCE_FORMAT == TEXCAST_RGBA
  return convert_texel(s, p0[4 * x], p0[4 * x + 1], p0[4 * x + 2]);
#elif SOURCE_FORMAT == TEXCAST_BGRA
  return convert_texel(s, p0[4 * x + 2], p0[4 * x + 1], p0[4 * x]);
#elif SOURCE_FORMAT == TEXCAST_GRAY
  return convert_texel(s, p0[x], s->chroma_offset, s->chroma_offset);
#elif SOURCE_FORMAT == TEXCAST_GRAY16
  return convert_texel(s, word_at(p0 + 2 * x), 0, 0);
#elif SOURCE_FORMAT == TEXCAST_RGBA_HALF
  return convert_texel(s, srgb_byte(word_at(p0 + 8 * x)), srgb_byte(word_at(p0 + 8 * x + 2)),
                       srgb_byte(word_at(p0 + 8 * x + 4)));
#else
#error "SOURCE_FORMAT is not one of include/kernels/layout.h"
#endif
}

// Four bytes at a multiple of four: rows start at multiples of 64 (stages::place_source).
static uchar4 load4(global const uchar *p) { return as_uchar4(*(global const uint *)p); }
// Four rows of four 8-bit samples, `step` bytes per row, as 16 lanes.
static int16 load_rows(global const uchar *p, int step) {
  return convert_int16((uchar16)(load4(p), load4(p + step), load4(p + 2 * step), load4(p + 3 * step)));
}
static int16 load_word_rows(global const uchar *p, int step) {
  const uchar8 a = vload8(0, p), b = vload8(0, p + step), c = vload8(0, p + 2 * step), d = vload8(0, p + 3 * step);
  return convert_int16((uchar16)(a.even, b.even, c.even, d.even)) |
         convert_int16((uchar16)(a.odd, b.odd, c.odd, d.odd)) << 8;
}
// Repeats chroma samples of 2 columns and 4 rows.
static int16 spread_2x4(int8 c) { return c.s0011223344556677; }

#if SOURCE_FORMAT != TEXCAST_RGBA_HALF
// The block whose top left texel is at (x, y), all of it inside the frame.
static void load_inner_block(SOURCE source, const texcast_source *s, int x, int y, rgb_block *out) {
  int16 c0, c1, c2;
#if SOURCE_FORMAT == TEXCAST_YUV420P
  global const uchar *u = source + s->offset1 + (y >> 1) * s->stride1 + (x >> 1);
  global const uchar *v = source + s->offset2 + (y >> 1) * s->stride2 + (x >> 1);
  c0 = load_rows(source + s->offset0 + y * s->stride0 + x, s->stride0);
  c1 = spread_2x2(convert_int4((uchar4)(vload2(0, u), vload2(0, u + s->stride1))));
  c2 = spread_2x2(convert_int4((uchar4)(vload2(0, v), vload2(0, v + s->stride2))));
#elif SOURCE_FORMAT == TEXCAST_NV12
  global const uchar *uv = source + s->offset1 + (y >> 1) * s->stride1 + x;
  const uchar4 top = load4(uv), bottom = load4(uv + s->stride1);
  c0 = load_rows(source + s->offset0 + y * s->stride0 + x, s->stride0);
  c1 = spread_2x2(convert_int4((uchar4)(top.even, bottom.even)));
  c2 = spread_2x2(convert_int4((uchar4)(top.odd, bottom.odd)));
#elif SOURCE_FORMAT == TEXCAST_YUV422P
  global const uchar *u = source + s->offset1 + y * s->stride1 + (x >> 1);
  global const uchar *v = source + s->offset2 + y * s->stride2 + (x >> 1);
  c0 = load_rows(source + s->offset0 + y * s->stride0 + x, s->stride0);
  c1 = spread_2x4(convert_int8((uchar8)(vload2(0, u), vload2(0, u + s->stride1), vload2(0, u + 2 * s->stride1),
                                        vload2(0, u + 3 * s->stride1))));
  c2 = spread_2x4(convert_int8((uchar8)(vload2(0, v), vload2(0, v + s->stride2), vload2(0, v + 2 * s->stride2),
                                        vload2(0, v + 3 * s->stride2))));
#elif SOURCE_FORMAT == TEXCAST_YUV444P
  c0 = load_rows(source + s->offset0 + y * s->stride0 + x, s->stride0);
  c1 = load_rows(source + s->offset1 + y * s->stride1 + x, s->stride1);
  c2 = load_rows(source + s->offset2 + y * s->stride2 + x, s->stride2);
#elif SOURCE_FORMAT == TEXCAST_YUYV422 || SOURCE_FORMAT == TEXCAST_UYVY422
  global const uchar *p = source + s->offset0 + y * s->stride0 + 2 * x;
  const uchar8 r0 = vload8(0, p), r1 = vload8(0, p + s->stride0), r2 = vload8(0, p + 2 * s->stride0),
               r3 = vload8(0, p + 3 * s->stride0);
#if SOURCE_FORMAT == TEXCAST_YUYV422
  c0 = convert_int16((uchar16)(r0.even, r1.even, r2.even, r3.even));
  c1 = spread_2x4(convert_int8((uchar8)(r0.s15, r1.s15, r2.s15, r3.s15)));
  c2 = spread_2x4(convert_int8((uchar8)(r0.s37, r1.s37, r2.s37, r3.s37)));
#else
  c0 = convert_int16((uchar16)(r0.odd, r1.odd, r2.odd, r3.odd));
  c1 = spread_2x4(convert_int8((uchar8)(r0.s04, r1.s04, r2.s04, r3.s04)));
  c2 = spread_2x4(convert_int8((uchar8)(r0.s26, r1.s26, r2.s26, r3.s26)));
#endif
#elif SOURCE_FORMAT == TEXCAST_YUV420P10
  global const uchar *u = source + s->offset1 + (y >> 1) * s->stride1 + x;
  global const uchar *v = source + s->offset2 + (y >> 1) * s->stride2 + x;
  c0 = load_word_rows(source + s->offset0 + y * s->stride0 + 2 * x, s->stride0) & 1023;
  c1 = spread_2x2((int4)(word_at(u), word_at(u + 2), word_at(u + s->stride1), word_at(u + s->stride1 + 2)) & 1023);
  c2 = spread_2x2((int4)(word_at(v), word_at(v + 2), word_at(v + s->stride2), word_at(v + s->stride2 + 2)) & 1023);
#elif SOURCE_FORMAT == TEXCAST_P010
  global const uchar *uv = source + s->offset1 + (y >> 1) * s->stride1 + 2 * x;
  global const uchar *below = uv + s->stride1;
  c0 = load_word_rows(source + s->offset0 + y * s->stride0 + 2 * x, s->stride0) >> 6;
  c1 = spread_2x2((int4)(word_at(uv), word_at(uv + 4), word_at(below), word_at(below + 4)) >> 6);
  c2 = spread_2x2((int4)(word_at(uv + 2), word_at(uv + 6), word_at(below + 2), word_at(below + 6)) >> 6);
#elif SOURCE_FORMAT == TEXCAST_RGB24
  global const uchar *p = source + s->offset0 + y * s->stride0 + 3 * x;
  const uchar16 r0 = (uchar16)(vload8(0, p), vload4(0, p + 8), (uchar4)(0));
  p += s->stride0;
  const uchar16 r1 = (uchar16)(vload8(0, p), vload4(0, p + 8), (uchar4)(0));
  p += s->stride0;
  const uchar16 r2 = (uchar16)(vload8(0, p), vload4(0, p + 8), (uchar4)(0));
  p += s->stride0;
  const uchar16 r3 = (uchar16)(vload8(0, p), vload4(0, p + 8), (uchar4)(0));
  c0 = convert_int16((uchar16)(r0.s0369, r1.s0369, r2.s0369, r3.s0369));
  c1 = convert_int16((uchar16)(r0.s147a, r1.s147a, r2.s147a, r3.s147a));
  c2 = convert_int16((uchar16)(r0.s258b, r1.s258b, r2.s258b, r3.s258b));
#elif SOURCE_FORMAT == TEXCAST_RGBA || SOURCE_FORMAT == TEXCAST_BGRA
  global const uchar *p = source + s->offset0 + y * s->stride0 + 4 * x;
  const uchar16 r0 = vload16(0, p), r1 = vload16(0, p + s->stride0), r2 = vload16(0, p + 2 * s->stride0),
                r3 = vload16(0, p + 3 * s->stride0);
  c1 = convert_int16((uchar16)(r0.s159d, r1.s159d, r2.s159d, r3.s159d));
#if SOURCE_FORMAT == TEXCAST_RGBA
  c0 = convert_int16((uchar16)(r0.s048c, r1.s048c, r2.s048c, r3.s048c));
  c2 = convert_int16((uchar16)(r0.s26ae, r1.s26ae, r2.s26ae, r3.s26ae));
#else
  c0 = convert_int16((uchar16)(r0.s26ae, r1.s26ae, r2.s26ae, r3.s26ae));
  c2 = convert_int16((uchar16)(r0.s048c, r1.s048c, r2.s048c, r3.s048c));
#endif
#elif SOURCE_FORMAT == TEXCAST_GRAY
  c0 = load_rows(source + s->offset0 + y * s->stride0 + x, s->stride0);
  c1 = (int16)(s->chroma_offset);
  c2 = c1;
#elif SOURCE_FORMAT == TEXCAST_GRAY16
  c0 = load_word_rows(source + s->offset0 + y * s->stride0 + 2 * x, s->stride0);
  c1 = (int16)(0);
  c2 = c1;
#endif
  convert_block(s, c0, c1, c2, out);
}
#endif
#endif  // !SOURCE_IS_IMAGE

// A block that extends beyond the frame's edge.
static void load_edge_block(SOURCE source, const texcast_source *s, int x, int y, rgb_block *out) {
#define TEXEL(i) const int4 t##i = load_rgb_texel(source, s, x + ((0x##i) & 3), y + ((0x##i) >> 2))
  TEXEL(0); TEXEL(1); TEXEL(2); TEXEL(3);
  TEXEL(4); TEXEL(5); TEXEL(6); TEXEL(7);
  TEXEL(8); TEXEL(9); TEXEL(a); TEXEL(b);
  TEXEL(c); TEXEL(d); TEXEL(e); TEXEL(f);
#undef TEXEL
#define CHANNEL(n)                                                                                             \
  WHOLE_CHANNEL((int16)(t0.n, t1.n, t2.n, t3.n, t4.n, t5.n, t6.n, t7.n, t8.n, t9.n, ta.n, tb.n, tc.n, td.n, te.n, \
                        tf.n))
  out->r = CHANNEL(x);
  out->g = CHANNEL(y);
  out->b = CHANNEL(z);
#undef CHANNEL
}

// The block whose top left texel is at (x, y); x and y may be outside the frame.
static void load_rgb_block(SOURCE source, const texcast_source *s, int x, int y, rgb_block *out) {
#if SOURCE_FORMAT != TEXCAST_RGBA_HALF
  if (x + 4 <= s->width && y + 4 <= s->height) {
    load_inner_block(source, s, x, y, out);
    return;
  }
#endif
  load_edge_block(source, s, x, y, out);
}

// The position of a block in the output of a kernel that writes 8 bytes per block: BC1 and BC4 blocks are adjacent, but
// in BC3 they alternate.
static int place_of(const texcast_target *t, int block) { return t->first + t->step * block; }

// The column and row of a block in raster order.
static void block_at(const texcast_target *t, int block, int *bx, int *by) {
  // A division by multiplication; the result is at most one too large. Without the 1 it would be one too small for
  // pictures of one column, as their factor of 2^32 does not fit.
  *by = (int)mul_hi((uint)block + 1, t->inverse_blocks_x);
  *bx = block - *by * t->blocks_x;
  if (*bx < 0) {
    *by -= 1;
    *bx += t->blocks_x;
  }
}

// For kernels with one work-item per block: the item's block in raster order, its column and row; false past the last.
static bool own_block(const texcast_target *t, int *block, int *bx, int *by) {
  *block = get_global_id(0);
  if (*block >= t->blocks_x * t->blocks_y) return false;
  block_at(t, *block, bx, by);
  return true;
}

#if ONLY_CHANGED
static bool own_block_changed(const texcast_target *t, global const uchar *changed) {
  int block, bx, by;
  if (!own_block(t, &block, &bx, &by)) return false;
  return IN_CHANGED_TILE(t, bx, by);
}
#endif

// The same, and loads its texels. Always inline: LLVM 15 for AMD calls it if two kernels of a program use it, and the
// texels are passed in scratch memory.
__attribute__((always_inline)) static bool load_own_block(SOURCE source, const texcast_source *s,
                                                          const texcast_target *t, int *block, rgb_block *out) {
  int bx, by;
  if (!own_block(t, block, &bx, &by)) return false;
  load_rgb_block(source, s, 4 * bx, 4 * by, out);
  return true;
}
