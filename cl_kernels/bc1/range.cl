// range.cl — BC1 by range fit, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    integer; equals codec/ref/bc/bc1_fit.cpp bit for bit on every device
//   source       J.M.P. van Waveren, "Real-Time DXT Compression", 2006; diagonal by covariance signs
#include "bc1/palette.cl"

// Bounding box reduced by 1/16 at each end, along the channels' directions (codec/ref/bc/bc1_fit.cpp).
static void range_ends(rgb_block p, ends565 *ends) {
  int3 high = (int3)(max16(p.r), max16(p.g), max16(p.b));
  int3 low = (int3)(min16(p.r), min16(p.g), min16(p.b));
  const int3 range = high - low;
  const int3 direction = channel_directions(p.r, p.g, p.b, range);
  high -= range >> 4;
  low += range >> 4;
  const int3 high565 = (int3)(to_5_bits(high.x), to_6_bits(high.y), to_5_bits(high.z));
  const int3 low565 = (int3)(to_5_bits(low.x), to_6_bits(low.y), to_5_bits(low.z));
  ends->a = select(high565, low565, direction < 0);
  ends->b = select(low565, high565, direction < 0);
}

kernel void bc1_range(SOURCE source, global uint2 *blocks, const texcast_source s,
                      const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  ends565 ends;
  range_ends(p, &ends);
  blocks[place_of(&t, block)] = pack_bc1(p.r, p.g, p.b, ends.a, ends.b);
}
