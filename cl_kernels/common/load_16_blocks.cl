// load_16_blocks.cl — 16 blocks side by side to R'G'B' and finished ones to memory, one lane a block: the layout in
// which nothing is ever added up across lanes, for processors whose vectors are wide and whose lanes are dear to cross.
//   in        source bytes as texcast_source says; reads stay inside width x height (edge texels repeated)
//   out       texel i (column i % 4, row i / 4) of all 16 blocks in r[i], g[i], b[i], values 0..255
//   defines   as common/load.cl; SOURCE_FORMAT one of YUV420P, NV12, RGBA, BGRA
//   exactness whole numbers; equals codec/ref/convert.cpp bit for bit on every device
#include "common/load.cl"

typedef struct {
  float16 r[16], g[16], b[16];
} blocks16;

// Rows start at multiples of 64 bytes (stages::place_source) and so do 16 blocks of 8-bit samples.
static uint16 load_words(global const uchar *p) { return vload16(0, (global const uint *)p); }

#define BYTE(v, n) convert_float16((v) >> (8 * (n)) & 255)
#define BYTE16(v) (ROUNDED(v) - ROUND)

#if !IS_RGB
// The conversion of common/load.cl with the chroma terms worked out once for the texels that share them.
static void convert_texel16(const texcast_source *s, float16 y, float16 red, float16 green, float16 blue, int i,
                            blocks16 *out) {
  const float16 luma = LUMA(y);
  out->r[i] = BYTE16(luma + red);
  out->g[i] = BYTE16(luma + green);
  out->b[i] = BYTE16(luma + blue);
}

// Two rows of four texels over two chroma samples each.
static void convert_rows16(const texcast_source *s, uint16 top, uint16 bottom, float16 u0, float16 v0, float16 u1,
                           float16 v1, int first, blocks16 *out) {
  const float zero = (float)s->chroma_offset;
  u0 -= zero;
  v0 -= zero;
  u1 -= zero;
  v1 -= zero;
  const float16 red0 = s->red_v * v0, green0 = s->green_u * u0 + s->green_v * v0, blue0 = s->blue_u * u0;
  const float16 red1 = s->red_v * v1, green1 = s->green_u * u1 + s->green_v * v1, blue1 = s->blue_u * u1;
  convert_texel16(s, BYTE(top, 0), red0, green0, blue0, first, out);
  convert_texel16(s, BYTE(top, 1), red0, green0, blue0, first + 1, out);
  convert_texel16(s, BYTE(top, 2), red1, green1, blue1, first + 2, out);
  convert_texel16(s, BYTE(top, 3), red1, green1, blue1, first + 3, out);
  convert_texel16(s, BYTE(bottom, 0), red0, green0, blue0, first + 4, out);
  convert_texel16(s, BYTE(bottom, 1), red0, green0, blue0, first + 5, out);
  convert_texel16(s, BYTE(bottom, 2), red1, green1, blue1, first + 6, out);
  convert_texel16(s, BYTE(bottom, 3), red1, green1, blue1, first + 7, out);
}
#endif

// All 64x4 texels from (x, y) on lie inside the frame.
static void load_inner_blocks16(global const uchar *source, const texcast_source *s, int x, int y, blocks16 *out) {
  global const uchar *p = source + s->offset0 + y * s->stride0;
#if SOURCE_FORMAT == TEXCAST_NV12
  for (int pair = 0; pair < 2; ++pair) {
    global const uchar *rows = p + 2 * pair * s->stride0 + x;
    const uint16 uv = load_words(source + s->offset1 + ((y >> 1) + pair) * s->stride1 + x);
    convert_rows16(s, load_words(rows), load_words(rows + s->stride0), BYTE(uv, 0), BYTE(uv, 1), BYTE(uv, 2), BYTE(uv, 3),
                   8 * pair, out);
  }
#elif SOURCE_FORMAT == TEXCAST_YUV420P
  for (int pair = 0; pair < 2; ++pair) {
    global const uchar *rows = p + 2 * pair * s->stride0 + x;
    const int row = (y >> 1) + pair, column = x >> 1;
    const uint16 u = convert_uint16(vload16(0, (global const ushort *)(source + s->offset1 + row * s->stride1 + column)));
    const uint16 v = convert_uint16(vload16(0, (global const ushort *)(source + s->offset2 + row * s->stride2 + column)));
    convert_rows16(s, load_words(rows), load_words(rows + s->stride0), BYTE(u, 0), BYTE(v, 0), BYTE(u, 1), BYTE(v, 1),
                   8 * pair, out);
  }
#elif SOURCE_FORMAT == TEXCAST_RGBA || SOURCE_FORMAT == TEXCAST_BGRA
  for (int row = 0; row < 4; ++row) {
    global const uchar *texels = p + row * s->stride0 + 4 * x;
    const uint16 a = load_words(texels), b = load_words(texels + 64), c = load_words(texels + 128),
                 d = load_words(texels + 192);
#define COLUMN(n, lanes)                                                                    \
  {                                                                                         \
    const uint16 v = (uint16)(a.lanes, b.lanes, c.lanes, d.lanes);                          \
    out->r[4 * row + n] = BYTE(v, SOURCE_FORMAT == TEXCAST_RGBA ? 0 : 2);                   \
    out->g[4 * row + n] = BYTE(v, 1);                                                       \
    out->b[4 * row + n] = BYTE(v, SOURCE_FORMAT == TEXCAST_RGBA ? 2 : 0);                   \
  }
    COLUMN(0, s048c)
    COLUMN(1, s159d)
    COLUMN(2, s26ae)
    COLUMN(3, s37bf)
#undef COLUMN
  }
#if !SOURCE_IS_FULL_RGB
  for (int i = 0; i < 16; ++i) {
    out->r[i] = BYTE16(LUMA(out->r[i]));
    out->g[i] = BYTE16(LUMA(out->g[i]));
    out->b[i] = BYTE16(LUMA(out->b[i]));
  }
#endif
#endif
}

// Blocks that reach over the frame's edge: texel by texel.
static void load_edge_blocks16(global const uchar *source, const texcast_source *s, int x, int y, blocks16 *out) {
  for (int i = 0; i < 16; ++i) {
    float r[16], g[16], b[16];
    for (int lane = 0; lane < 16; ++lane) {
      const int4 rgb = load_rgb_texel(source, s, x + 4 * lane + (i & 3), y + (i >> 2));
      r[lane] = (float)rgb.x;
      g[lane] = (float)rgb.y;
      b[lane] = (float)rgb.z;
    }
    out->r[i] = vload16(0, r);
    out->g[i] = vload16(0, g);
    out->b[i] = vload16(0, b);
  }
}

static void load_blocks16(global const uchar *source, const texcast_source *s, int x, int y, blocks16 *out) {
  if (x + 64 <= s->width && y + 4 <= s->height)
    load_inner_blocks16(source, s, x, y, out);
  else
    load_edge_blocks16(source, s, x, y, out);
}

// 16 finished blocks `step` places apart (texcast_target), or the first `count` of them.
static void store_blocks16(uint16 colors, uint16 indices, global uint2 *out, int step, int count) {
  if (count == 16 && step == 1) {
    const uint16 c = colors, n = indices;
    const uint16 first = (uint16)(c.s0, n.s0, c.s1, n.s1, c.s2, n.s2, c.s3, n.s3, c.s4, n.s4, c.s5, n.s5, c.s6, n.s6,
                                  c.s7, n.s7);
    const uint16 second = (uint16)(c.s8, n.s8, c.s9, n.s9, c.sa, n.sa, c.sb, n.sb, c.sc, n.sc, c.sd, n.sd, c.se, n.se,
                                   c.sf, n.sf);
    vstore16(first, 0, (global uint *)out);
    vstore16(second, 1, (global uint *)out);
    return;
  }
  uint c[16], n[16];
  vstore16(colors, 0, c);
  vstore16(indices, 0, n);
  for (int lane = 0; lane < count; ++lane) out[step * lane] = (uint2)(c[lane], n[lane]);
}
