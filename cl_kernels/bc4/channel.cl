// channel.cl — alpha or luma of the source frame to BC4 blocks, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
//   defines      CODED  what is coded · METHOD · SIGNED_CODES
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
#if CODED == CODED_ALPHA
#include "common/load_alpha.cl"
#endif
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit.cl"

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
  blocks[place_of(&t, block)] = encode_bc4_fitted(BC4_VALUE(luma_of(p)));
#else
  int bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
#if CODED == CODED_ALPHA
  blocks[place_of(&t, block)] = encode_bc4_fitted(BC4_VALUE(load_alpha(source, &s, 4 * bx, 4 * by)));
#else
  blocks[place_of(&t, block)] = (uint2)(0xFFFF, 0);
#endif
#endif
}
