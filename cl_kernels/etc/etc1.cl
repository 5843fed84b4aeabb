// etc1.cl — encodes ETC1 with its two modes, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target
//   defines      METHOD
//   exactness    as etc/colors.cl; equals codec/ref/etc/etc1_estimate.cpp, etc1_fit.cpp bit for bit on every device
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "etc/halves_estimate.cl"
#include "etc/halves_fit.cl"

kernel void etc1(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  etc_halves best;
#if TEXCAST_ETC_ESTIMATES(METHOD)
  etc_known known;
  know_halves(&p, &known);
  estimate_halves(&known, &best);
#else
  fit_halves(&p, &best);
#endif
  blocks[place_of(&t, block)] = pack_halves(&p, &best);
}
