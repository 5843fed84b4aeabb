// load_side_by_side.cl — loads LANES blocks side by side as R'G'B', and stores finished blocks, one lane per block.
// This layout never adds across lanes, for processors with wide vectors on which crossing lanes is expensive. One
// source for any number of lanes (common/lane_types.cl).
//   in        source bytes, described by texcast_source; reads stay inside width x height (edge texels repeated)
//   out       texel i (column i % 4, row i / 4) of all blocks in r[i], g[i], b[i], values 0..255
//   defines   as in common/lane_types.cl; as in common/load.cl, SOURCE_FORMAT one of YUV420P, NV12, RGBA, BGRA
//   exactness whole numbers; equals codec/ref/convert.cpp bit for bit on every device
#include "common/lane_types.cl"
#include "common/load.cl"

typedef struct {
  lane_float r[16], g[16], b[16];
} lane_blocks;

typedef struct {
  lane_float x, y, z;
} lane_float3;

#define BYTE(v, n) TO_FLOAT((v) >> (8 * (n)) & 255)
#define LANE_ROUNDED(v) \
  (mad(clamp(v, (lane_float)(0.0f), (lane_float)(1.0f)), (lane_float)(FULL_SCALE), (lane_float)(ROUND)) - ROUND)

#if !IS_RGB
// The conversion of load.cl, with the chroma terms computed once for the texels that share them.
static void convert_lanes(const texcast_source *s, lane_float y, lane_float red, lane_float green, lane_float blue,
                          int i, lane_blocks *out) {
  const lane_float luma = mad(y, (lane_float)(s->luma_scale), (lane_float)(s->luma_constant));
  out->r[i] = LANE_ROUNDED(luma + red);
  out->g[i] = LANE_ROUNDED(luma + green);
  out->b[i] = LANE_ROUNDED(luma + blue);
}

// Two rows of four texels with two chroma samples.
static void convert_rows(const texcast_source *s, lane_uint top, lane_uint bottom, lane_float u0, lane_float v0,
                         lane_float u1, lane_float v1, int first, lane_blocks *out) {
  const float zero = (float)s->chroma_offset;
  u0 -= zero;
  v0 -= zero;
  u1 -= zero;
  v1 -= zero;
  const lane_float red0 = s->red_v * v0, green0 = s->green_u * u0 + s->green_v * v0, blue0 = s->blue_u * u0;
  const lane_float red1 = s->red_v * v1, green1 = s->green_u * u1 + s->green_v * v1, blue1 = s->blue_u * u1;
  convert_lanes(s, BYTE(top, 0), red0, green0, blue0, first, out);
  convert_lanes(s, BYTE(top, 1), red0, green0, blue0, first + 1, out);
  convert_lanes(s, BYTE(top, 2), red1, green1, blue1, first + 2, out);
  convert_lanes(s, BYTE(top, 3), red1, green1, blue1, first + 3, out);
  convert_lanes(s, BYTE(bottom, 0), red0, green0, blue0, first + 4, out);
  convert_lanes(s, BYTE(bottom, 1), red0, green0, blue0, first + 5, out);
  convert_lanes(s, BYTE(bottom, 2), red1, green1, blue1, first + 6, out);
  convert_lanes(s, BYTE(bottom, 3), red1, green1, blue1, first + 7, out);
}
#endif

// Declares a, b, c, d: four words of each block, which are adjacent in memory from p on. WORD_n of these is word n of
// each block's four.
#if LANES == 1
#define LOAD_FOUR_WORDS(p)           \
  const uint4 four = vload4(0, p);   \
  const uint a = four.x, b = four.y, c = four.z, d = four.w
#else
#define LOAD_FOUR_WORDS(p)                                                         \
  const lane_uint a = LOAD_LANES(p), b = LOAD_LANES(p + LANES), c = LOAD_LANES(p + 2 * LANES), \
                  d = LOAD_LANES(p + 3 * LANES)
#endif
#if LANES == 1
#define WORD_0(a, b, c, d) (a)
#define WORD_1(a, b, c, d) (b)
#define WORD_2(a, b, c, d) (c)
#define WORD_3(a, b, c, d) (d)
#elif LANES == 4
#define WORD_0(a, b, c, d) (uint4)(a.s0, b.s0, c.s0, d.s0)
#define WORD_1(a, b, c, d) (uint4)(a.s1, b.s1, c.s1, d.s1)
#define WORD_2(a, b, c, d) (uint4)(a.s2, b.s2, c.s2, d.s2)
#define WORD_3(a, b, c, d) (uint4)(a.s3, b.s3, c.s3, d.s3)
#elif LANES == 8
#define WORD_0(a, b, c, d) (uint8)(a.s04, b.s04, c.s04, d.s04)
#define WORD_1(a, b, c, d) (uint8)(a.s15, b.s15, c.s15, d.s15)
#define WORD_2(a, b, c, d) (uint8)(a.s26, b.s26, c.s26, d.s26)
#define WORD_3(a, b, c, d) (uint8)(a.s37, b.s37, c.s37, d.s37)
#else
#define WORD_0(a, b, c, d) (uint16)(a.s048c, b.s048c, c.s048c, d.s048c)
#define WORD_1(a, b, c, d) (uint16)(a.s159d, b.s159d, c.s159d, d.s159d)
#define WORD_2(a, b, c, d) (uint16)(a.s26ae, b.s26ae, c.s26ae, d.s26ae)
#define WORD_3(a, b, c, d) (uint16)(a.s37bf, b.s37bf, c.s37bf, d.s37bf)
#endif

// All 4 LANES x 4 texels from (x, y) on are inside the frame.
static void load_inner_lanes(global const uchar *source, const texcast_source *s, int x, int y, lane_blocks *out) {
  global const uchar *p = source + s->offset0 + y * s->stride0;
#if SOURCE_FORMAT == TEXCAST_NV12
  UNROLLED for (int pair = 0; pair < 2; ++pair) {
    global const uchar *rows = p + 2 * pair * s->stride0 + x;
    const lane_uint uv = LOAD_LANES((global const uint*)(source + s->offset1 + ((y >> 1) + pair) * s->stride1 + x));
    convert_rows(s, LOAD_LANES((global const uint*)rows), LOAD_LANES((global const uint*)(rows + s->stride0)),
                 BYTE(uv, 0), BYTE(uv, 1), BYTE(uv, 2), BYTE(uv, 3), 8 * pair, out);
  }
#elif SOURCE_FORMAT == TEXCAST_YUV420P
  UNROLLED for (int pair = 0; pair < 2; ++pair) {
    global const uchar *rows = p + 2 * pair * s->stride0 + x;
    const int row = (y >> 1) + pair, column = x >> 1;
    const lane_uint u = LOAD_SHORTS((global const ushort*)(source + s->offset1 + row * s->stride1 + column));
    const lane_uint v = LOAD_SHORTS((global const ushort*)(source + s->offset2 + row * s->stride2 + column));
    convert_rows(s, LOAD_LANES((global const uint*)rows), LOAD_LANES((global const uint*)(rows + s->stride0)),
                 BYTE(u, 0), BYTE(v, 0), BYTE(u, 1), BYTE(v, 1), 8 * pair, out);
  }
#elif SOURCE_FORMAT == TEXCAST_RGBA || SOURCE_FORMAT == TEXCAST_BGRA
  UNROLLED for (int row = 0; row < 4; ++row) {
    global const uint *texels = (global const uint*)(p + row * s->stride0 + 4 * x);
    LOAD_FOUR_WORDS(texels);
#define COLUMN(n)                                                         \
  {                                                                       \
    const lane_uint v = WORD_##n(a, b, c, d);                             \
    out->r[4 * row + n] = BYTE(v, SOURCE_FORMAT == TEXCAST_RGBA ? 0 : 2); \
    out->g[4 * row + n] = BYTE(v, 1);                                     \
    out->b[4 * row + n] = BYTE(v, SOURCE_FORMAT == TEXCAST_RGBA ? 2 : 0); \
  }
    COLUMN(0)
    COLUMN(1)
    COLUMN(2)
    COLUMN(3)
#undef COLUMN
  }
#if !SOURCE_IS_FULL_RGB
  EACH_TEXEL {
    out->r[i] = LANE_ROUNDED(LUMA(out->r[i]));
    out->g[i] = LANE_ROUNDED(LUMA(out->g[i]));
    out->b[i] = LANE_ROUNDED(LUMA(out->b[i]));
  }
#endif
#endif
}

// Blocks that extend beyond the frame's edge, texel by texel.
static void load_edge_lanes(global const uchar *source, const texcast_source *s, int x, int y, lane_blocks *out) {
  EACH_TEXEL {
    float r[LANES], g[LANES], b[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
      const int4 rgb = load_rgb_texel(source, s, x + 4 * lane + (i & 3), y + (i >> 2));
      r[lane] = (float)rgb.x;
      g[lane] = (float)rgb.y;
      b[lane] = (float)rgb.z;
    }
    out->r[i] = LOAD_LANES(r);
    out->g[i] = LOAD_LANES(g);
    out->b[i] = LOAD_LANES(b);
  }
}

static void load_lanes(global const uchar *source, const texcast_source *s, int x, int y, lane_blocks *out) {
  if (x + 4 * LANES <= s->width && y + 4 <= s->height)
    load_inner_lanes(source, s, x, y, out);
  else
    load_edge_lanes(source, s, x, y, out);
}

// Stores finished blocks `step` positions apart (texcast_target), or the first `count` of them.
static void store_lanes(lane_uint colors, lane_uint indices, global uint2 *out, int step, int count) {
#if LANES == 1
  *out = (uint2)(colors, indices);
#else
#if LANES == 16
  if (count == 16 && step == 1) {
    const uint16 c = colors, n = indices;
    const uint16 first =
        (uint16)(c.s0, n.s0, c.s1, n.s1, c.s2, n.s2, c.s3, n.s3, c.s4, n.s4, c.s5, n.s5, c.s6, n.s6, c.s7, n.s7);
    const uint16 second =
        (uint16)(c.s8, n.s8, c.s9, n.s9, c.sa, n.sa, c.sb, n.sb, c.sc, n.sc, c.sd, n.sd, c.se, n.se, c.sf, n.sf);
    vstore16(first, 0, (global uint*)out);
    vstore16(second, 1, (global uint*)out);
    return;
  }
#elif LANES == 8
  if (count == 8 && step == 1) {
    const uint8 c = colors, n = indices;
    vstore16((uint16)(c.s0, n.s0, c.s1, n.s1, c.s2, n.s2, c.s3, n.s3, c.s4, n.s4, c.s5, n.s5, c.s6, n.s6, c.s7, n.s7),
             0, (global uint*)out);
    return;
  }
#elif LANES == 4
  if (count == 4 && step == 1) {
    const uint4 c = colors, n = indices;
    vstore8((uint8)(c.s0, n.s0, c.s1, n.s1, c.s2, n.s2, c.s3, n.s3), 0, (global uint*)out);
    return;
  }
#endif
  uint c[LANES], n[LANES];
  STORE_LANES(colors, c);
  STORE_LANES(indices, n);
  for (int lane = 0; lane < count; ++lane) out[step * lane] = (uint2)(c[lane], n[lane]);
#endif
}

// The work-item's blocks: column and row of the first, and their number; false past the last. Items are in rows, and
// the last item of a row may have fewer blocks.
static bool own_lanes(const texcast_target *t, int *bx, int *by, int *count) {
#if LANES == 1
  int block;
  *count = 1;
  return own_block(t, &block, bx, by);
#else
  const int groups = (t->blocks_x + LANES - 1) / LANES;
  *by = (int)get_global_id(0) / groups;
  *bx = LANES * ((int)get_global_id(0) - *by * groups);
  *count = min(LANES, t->blocks_x - *bx);
  return *by < t->blocks_y;
#endif
}
