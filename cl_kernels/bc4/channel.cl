// channel.cl — alpha or luma of the source frame to BC4 blocks, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
//   defines      CODED  what is coded · METHOD
//   exactness    as bc4/fit.cl; equals codec/ref/bc/bc4_fit.cpp bit for bit on every device
#define CODED_OPAQUE 0  // 255 everywhere: alpha where the source has none
#define CODED_ALPHA 1   // the fourth byte of RGBA and BGRA
#define CODED_LUMA 2    // Y' of Y'CbCr and of gray; of RGB by the weights of BT.709
#ifndef CODED
#define CODED CODED_OPAQUE
#endif

#if CODED == CODED_LUMA
#define LOAD_LUMA 1
#endif
#include "common/load.cl"
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit.cl"

#if CODED == CODED_ALPHA
// The block with its top left texel at (x, y); texels outside the frame repeat its edge.
static int16 load_alpha(global const uchar *source, const texcast_source *s, int x, int y) {
  if (x + 4 <= s->width && y + 4 <= s->height) {
    // Rows start at multiples of 64 bytes.
    global const uchar *p = source + s->offset0 + y * s->stride0 + 4 * x;
#define ROW(n) (*(global const uint4 *)(p + n * s->stride0) >> 24)
    return convert_int16((uint16)(ROW(0), ROW(1), ROW(2), ROW(3)));
#undef ROW
  }
  const int4 steps = (int4)(0, 1, 2, 3);
  const int4 column = 4 * min(x + steps, (int4)(s->width - 1)) + 3;
  const int4 row = s->offset0 + s->stride0 * min(y + steps, (int4)(s->height - 1));
#define ROW(n) source[row.n + column.x], source[row.n + column.y], source[row.n + column.z], source[row.n + column.w]
  return (int16)(ROW(x), ROW(y), ROW(z), ROW(w));
#undef ROW
}
#endif

#if CODED == CODED_LUMA
static int16 luma_of(rgb_block p) {
#if IS_RGB
  return (13933 * p.r + 46871 * p.g + 4732 * p.b + 32768) >> 16;  // 0.2126, 0.7152, 0.0722
#else
  return p.g;
#endif
}
#endif

kernel void bc4_channel(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
#if CODED == CODED_LUMA
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  blocks[place_of(&t, block)] = encode_bc4_fitted(BC4_UNIT * luma_of(p));
#else
  int bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
#if CODED == CODED_ALPHA
  blocks[place_of(&t, block)] = encode_bc4_fitted(BC4_UNIT * load_alpha(source, &s, 4 * bx, 4 * by));
#else
  blocks[place_of(&t, block)] = (uint2)(0xFFFF, 0);
#endif
#endif
}
