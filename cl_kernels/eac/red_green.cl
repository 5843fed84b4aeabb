// red_green.cl — red and green of the source frame to blocks of EAC RG11, which are two of R11, one work-item a block, one
// lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint4[blocks_y][blocks_x], little-endian: red, then green
//   defines      METHOD · SIGNED_CODES
//   exactness    as eac/fit.cl; equals encode_eac_red_green of codec/ref/block_codecs.cpp bit for bit on every device
#include "common/load.cl"
#include "eac/fit.cl"

kernel void eac_rg11(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  const uint2 red = encode_eac(EAC_VALUE(FINE_STEP * p.r)), green = encode_eac(EAC_VALUE(FINE_STEP * p.g));
  blocks[place_of(&t, block)] = (uint4)(red, green);
}
