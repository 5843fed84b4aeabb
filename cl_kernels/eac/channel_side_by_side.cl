// channel_side_by_side.cl — encodes alpha or luma of the source frame as EAC R11, LANES blocks per item, a lane per
// block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as in common/load_side_by_side.cl
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target, little-endian
//   defines      CODED = CODED_ALPHA, CODED_LUMA · METHOD, except the one that tries all settings · SIGNED_CODES
//   exactness    as eac/fit.cl; the bytes of eac/channel.cl
#define LOAD_FINE 1
// Must come first: code after it is compiled without contraction.
#include "common/load_channel_side_by_side.cl"
#include "eac/fit.cl"

kernel void eac_r11_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                          const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_int fine[16];
  load_channel(source, &s, 4 * bx, 4 * by, fine);
  lane_float v[16];
  EACH_TEXEL v[i] = EAC_VALUE(fine[i]);
  lane_uint first, second;
  encode_eac(v, &first, &second);
  store_lanes(first, second, blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
}
