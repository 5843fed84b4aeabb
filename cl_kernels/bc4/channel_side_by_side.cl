// channel_side_by_side.cl — encodes alpha or luma of the source frame as BC4, LANES blocks per item, a lane per block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as in common/load_side_by_side.cl
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target, little-endian
//   defines      CODED = CODED_ALPHA, CODED_LUMA · METHOD · SIGNED_CODES
//   exactness    as bc4/fit.cl; the bytes of bc4/channel.cl
#include "common/load_channel_side_by_side.cl"
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit_side_by_side.cl"

kernel void bc4_channel_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                              const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_int v[16];
  load_channel(source, &s, 4 * bx, 4 * by, v);
  EACH_TEXEL v[i] = BC4_VALUE(v[i]);
  lane_block block;
  lane_encode_bc4(v, &block);
  store_lanes(block.x, block.y, blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
}
