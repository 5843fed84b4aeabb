// block.cl — encodes red, green and blue of the source frame as BC6H, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint4[blocks_y][blocks_x], little-endian
//   defines      METHOD · SIGNED_CODES as in bc6h/load_halves.cl
//   exactness    as bc6h/encode.cl; equals codec/ref/bc/bc6h.cpp bit for bit on every device
#include "bc6h/load_halves.cl"
#include "bc6h/encode.cl"

kernel void bc6h(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  half_block x;
  if (!load_own_halves(source, &s, &t, &block, &x)) return;
  uint4 coded;
  encode_bc6h(&x, &coded);
  blocks[block] = coded;
}
