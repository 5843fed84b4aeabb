// range.cl — BC1 by range fit, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    integer; equals codec/ref/bc1_range.cpp bit for bit on every device
//   source       J.M.P. van Waveren, "Real-Time DXT Compression", 2006; diagonal by covariance signs
#include "bc1/palette.cl"

kernel void bc1_range(SOURCE source, global uint2 *blocks, const texcast_source s,
                      const texcast_target t) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  int widest;
  ends565 ends;
  range_ends(p, &widest, &ends);
  blocks[place_of(&t, block)] = pack_bc1(p.r, p.g, p.b, ends.a, ends.b);
}
