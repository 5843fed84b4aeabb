// channel_side_by_side.cl — alpha or luma of the source frame to BC4 blocks, LANES blocks an item, one lane a block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as common/load_side_by_side.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
//   defines      CODED = CODED_ALPHA, CODED_LUMA · METHOD · SIGNED_CODES
//   exactness    as bc4/fit.cl; the bytes of bc4/channel.cl
#define CODED_ALPHA 1  // as bc4/channel.cl
#define CODED_LUMA 2
#ifndef CODED
#define CODED CODED_ALPHA
#endif
#if CODED == CODED_LUMA
#define LOAD_LUMA 1
#endif
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit_side_by_side.cl"

// Twelfths.
static void load_channel(global const uchar *source, const texcast_source *s, int x, int y, lane_int *v) {
  global const uchar *p = source + s->offset0 + y * s->stride0;
#if CODED == CODED_ALPHA
  if (x + 4 * LANES <= s->width && y + 4 <= s->height) {
    UNROLLED for (int row = 0; row < 4; ++row) {
      global const uint *texels = (global const uint*)(p + row * s->stride0 + 4 * x);
      LOAD_FOUR_WORDS(texels);
#define COLUMN(n) v[4 * row + n] = BC4_VALUE(AS_INT(WORD_##n(a, b, c, d) >> 24));
      COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3)
#undef COLUMN
    }
    return;
  }
  EACH_TEXEL {
    int a[LANES];
    for (int lane = 0; lane < LANES; ++lane)
      a[lane] = source[s->offset0 + min(y + (i >> 2), s->height - 1) * s->stride0 +
                       4 * min(x + 4 * lane + (i & 3), s->width - 1) + 3];
    v[i] = BC4_VALUE(LOAD_LANES(a));
  }
#elif IS_RGB
  lane_blocks texels;
  load_lanes(source, s, x, y, &texels);
  EACH_TEXEL {
    const lane_int luma =
        (13933 * TO_INT(texels.r[i]) + 46871 * TO_INT(texels.g[i]) + 4732 * TO_INT(texels.b[i]) + 32768) >> 16;
    v[i] = BC4_VALUE(luma);
  }
#else
  if (x + 4 * LANES <= s->width && y + 4 <= s->height) {
    UNROLLED for (int row = 0; row < 4; ++row) {
      const lane_uint words = LOAD_LANES((global const uint*)(p + row * s->stride0 + x));
#define COLUMN(n)                                                                                          \
  {                                                                                                        \
    const lane_int luma =                                                                                  \
        TO_INT(LANE_ROUNDED(mad(BYTE(words, n), (lane_float)(s->luma_scale), (lane_float)(s->luma_constant)))); \
    v[4 * row + n] = BC4_VALUE(luma);                                                                      \
  }
      COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3)
#undef COLUMN
    }
    return;
  }
  EACH_TEXEL {
    int a[LANES];
    for (int lane = 0; lane < LANES; ++lane)
      a[lane] = load_rgb_texel(source, s, x + 4 * lane + (i & 3), y + (i >> 2)).y;
    v[i] = BC4_VALUE(LOAD_LANES(a));
  }
#endif
}

kernel void bc4_channel_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                              const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_int v[16];
  load_channel(source, &s, 4 * bx, 4 * by, v);
  lane_block block;
  lane_encode_bc4(v, &block);
  store_lanes(block.x, block.y, blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
}
