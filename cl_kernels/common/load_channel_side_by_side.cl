// load_channel_side_by_side.cl — loads alpha or luma of LANES blocks side by side, one lane per block.
//   in        source, as in common/load_side_by_side.cl
//   out       texel i of all blocks in v[i], with the values of common/load_channel.cl
//   defines   CODED = CODED_ALPHA, CODED_LUMA · LOAD_FINE as in common/load_channel.cl
//   exactness whole numbers; equals codec/ref/convert.cpp bit for bit on every device
#include "common/load_channel.cl"
#include "common/load_side_by_side.cl"

static void load_channel(global const uchar *source, const texcast_source *s, int x, int y, lane_int *v) {
  global const uchar *p = source + s->offset0 + y * s->stride0;
#if CODED == CODED_ALPHA
  if (x + 4 * LANES <= s->width && y + 4 <= s->height) {
    UNROLLED for (int row = 0; row < 4; ++row) {
      global const uint *texels = (global const uint*)(p + row * s->stride0 + 4 * x);
      LOAD_FOUR_WORDS(texels);
#define COLUMN(n) v[4 * row + n] = FROM_BYTE(AS_INT(WORD_##n(a, b, c, d) >> 24));
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
    v[i] = FROM_BYTE(LOAD_LANES(a));
  }
#elif IS_RGB
  lane_blocks texels;
  load_lanes(source, s, x, y, &texels);
  EACH_TEXEL v[i] = FROM_LUMA(LUMA_OF(TO_INT(texels.r[i]), TO_INT(texels.g[i]), TO_INT(texels.b[i])), AS_UINT, AS_INT,
                              lane_uint);
#else
  if (x + 4 * LANES <= s->width && y + 4 <= s->height) {
    UNROLLED for (int row = 0; row < 4; ++row) {
      const lane_uint words = LOAD_LANES((global const uint*)(p + row * s->stride0 + x));
#if LOAD_FINE
#define FROM_SAMPLE(luma) clamp(TO_INT((luma) * 4194304.0f) - 1, (lane_int)(0), (lane_int)(FINE_WHITE))
#else
#define FROM_SAMPLE(luma) TO_INT(LANE_ROUNDED(luma))
#endif
#define COLUMN(n) \
  v[4 * row + n] = FROM_SAMPLE(mad(BYTE(words, n), (lane_float)(s->luma_scale), (lane_float)(s->luma_constant)));
      COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3)
#undef COLUMN
#undef FROM_SAMPLE
    }
    return;
  }
  EACH_TEXEL {
    int a[LANES];
    for (int lane = 0; lane < LANES; ++lane)
      a[lane] = load_rgb_texel(source, s, x + 4 * lane + (i & 3), y + (i >> 2)).y;
    v[i] = LOAD_LANES(a);
  }
#endif
}
