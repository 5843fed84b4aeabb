// channel.cl — encodes alpha or luma of the source frame as EAC R11, one work-item per block.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target, little-endian
//   defines      CODED = CODED_ALPHA, CODED_LUMA (common/load_channel.cl) · METHOD · SIGNED_CODES
//   exactness    as eac/fit.cl; equals codec/ref/bc/eac.cpp bit for bit on every device
#define LOAD_FINE 1
#define LANES 1
// Must come first: code after it is compiled without contraction.
#include "common/load_channel.cl"
#include "common/lanes.cl"
#include "eac/fit.cl"

kernel void eac_r11(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  int16 fine;
  if (!load_own_channel(source, &s, &t, &block, &fine)) return;
  float v[16];
#define SPREAD(n) v[0x##n] = EAC_VALUE(fine.s##n);
  EACH_LANE(SPREAD)
#undef SPREAD
  uint first, second;
  encode_eac(v, &first, &second);
  blocks[place_of(&t, block)] = (uint2)(first, second);
}
