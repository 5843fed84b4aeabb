// red_green_side_by_side.cl — encodes red and green of the source frame as EAC RG11, LANES blocks per item, one lane
// per block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as in common/load_side_by_side.cl
//   out  blocks  uint2[blocks_y][blocks_x][2], little-endian: red, then green
//   defines      METHOD, except the one that tries all settings · SIGNED_CODES
//   exactness    as eac/fit.cl; the bytes of eac/red_green.cl
// Must come first: code after it is compiled without contraction.
#include "common/load_side_by_side.cl"
#include "eac/fit.cl"

kernel void eac_rg11_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                           const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_blocks texels;
  load_lanes(source, &s, 4 * bx, 4 * by, &texels);
#pragma unroll 1
  for (int green = 0; green < 2; ++green) {
    lane_float v[16];
    EACH_TEXEL v[i] = EAC_VALUE(FINE_STEP * TO_INT(green ? texels.g[i] : texels.r[i]));
    lane_uint first, second;
    encode_eac(v, &first, &second);
    store_lanes(first, second, blocks + 2 * place_of(&t, by * t.blocks_x + bx) + green, 2 * t.step, count);
  }
}
