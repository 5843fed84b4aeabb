// channel.cl — alpha or luma of the source frame to BC4 blocks, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
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
