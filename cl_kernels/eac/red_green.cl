// red_green.cl — encodes red and green of the source frame as EAC RG11 (two R11 blocks), one work-item per block.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint4[blocks_y][blocks_x], little-endian: red, then green
//   defines      METHOD · SIGNED_CODES
//   exactness    as eac/fit.cl; equals encode_eac_red_green of codec/ref/block_codecs.cpp bit for bit on every device
#define LANES 1
// Must come first: code after it is compiled without contraction.
#include "common/load.cl"
#include "common/lanes.cl"
#include "eac/fit.cl"

kernel void eac_rg11(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  uint4 words = (uint4)(0);
  // A loop, so that the long code exists only once.
#pragma unroll 1
  for (int green = 0; green < 2; ++green) {
    float v[16];
#define SPREAD(n) v[0x##n] = EAC_VALUE(FINE_STEP * (green ? p.g.s##n : p.r.s##n));
    EACH_LANE(SPREAD)
#undef SPREAD
    uint first, second;
    encode_eac(v, &first, &second);
    words = (uint4)(words.zw, first, second);
  }
  blocks[place_of(&t, block)] = words;
}
