// channel.cl — encodes alpha or luma of the source frame as BC4, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target, little-endian
//   defines      CODED (common/load_channel.cl) · METHOD · SIGNED_CODES
//   exactness    as bc4/fit.cl; equals codec/ref/bc/bc4_fit.cpp bit for bit on every device
#include "common/load_channel.cl"
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit.cl"

kernel void bc4_channel(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
#if CODED == CODED_OPAQUE
  int bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  blocks[place_of(&t, block)] = (uint2)(0xFFFF, 0);
#else
  int16 v;
  if (!load_own_channel(source, &s, &t, &block, &v)) return;
  blocks[place_of(&t, block)] = encode_bc4_fitted(BC4_VALUE(v));
#endif
}
