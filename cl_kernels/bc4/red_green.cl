// red_green.cl — encodes red and green of the source frame as BC5 (two BC4 blocks), one work-item per block, one lane
// per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint4[blocks_y][blocks_x], little-endian: red, then green
//   defines      METHOD · SIGNED_CODES
//   exactness    as bc4/fit.cl; equals encode_red_green of codec/ref/block_codecs.cpp bit for bit on every device
#include "common/load.cl"
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit.cl"

kernel void bc5(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  const uint2 red = encode_bc4_fitted(BC4_VALUE(p.r)), green = encode_bc4_fitted(BC4_VALUE(p.g));
  blocks[place_of(&t, block)] = (uint4)(red, green);
}
