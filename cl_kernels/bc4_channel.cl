// bc4_channel.cl — alpha or luma of the source frame to BC4 blocks, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
//   defines      CODED  what is coded; those of bc4_fit.cl
//   exactness    as bc4_fit.cl; equals codec/ref/bc4_channel.cpp bit for bit on every device
#define CODED_OPAQUE 0  // 255 everywhere: alpha where the source has none
#define CODED_ALPHA 1   // the fourth byte of RGBA and BGRA
#ifndef CODED
#define CODED CODED_OPAQUE
#endif

#if CODED == CODED_ALPHA
// The block with its top left texel at (x, y); texels outside the frame repeat its edge.
static int16 load_alpha(global const uchar *source, const texcast_source *s, int x, int y) {
  global const uchar *row = source + s->offset0 + y * s->stride0 + 4 * x + 3;
  if (x + 4 <= s->width && y + 4 <= s->height) {
#define ROW(n) row[n * s->stride0], row[n * s->stride0 + 4], row[n * s->stride0 + 8], row[n * s->stride0 + 12]
    return (int16)(ROW(0), ROW(1), ROW(2), ROW(3));
#undef ROW
  }
  const int x1 = min(1, s->width - 1 - x) * 4, x2 = min(2, s->width - 1 - x) * 4, x3 = min(3, s->width - 1 - x) * 4;
#define ROW(n) row[y##n], row[y##n + x1], row[y##n + x2], row[y##n + x3]
  const int y0 = 0, y1 = min(1, s->height - 1 - y) * s->stride0, y2 = min(2, s->height - 1 - y) * s->stride0,
            y3 = min(3, s->height - 1 - y) * s->stride0;
  return (int16)(ROW(0), ROW(1), ROW(2), ROW(3));
#undef ROW
}
#endif

kernel void bc4_channel(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t) {
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
#if CODED == CODED_OPAQUE
  blocks[place_of(&t, block)] = (uint2)(0xFFFF, 0);
#else
  blocks[place_of(&t, block)] = encode_bc4_fitted(BC4_UNIT * load_alpha(source, &s, 4 * bx, 4 * by));
#endif
}
