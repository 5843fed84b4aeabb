// range.cl — BC1 range fit in the paper's form (paper/group.cl describes work-items and layout).
//   local mem    BLOCKS_PER_GROUP x (16 x (WORDS_PER_TEXEL + 1) + 15) words
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    integer; equals codec/ref/bc/bc1_fit.cpp bit for bit on every device
#include "paper/group.cl"

kernel __attribute__((reqd_work_group_size(16 * BLOCKS_PER_GROUP, 1, 1)))
void bc1_range_group(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t) {
  local int texels[BLOCKS_PER_GROUP][16][WORDS_PER_TEXEL];
  local channel_range ranges[BLOCKS_PER_GROUP][3];
  local int ends[BLOCKS_PER_GROUP][2][3];
  local uint indices[BLOCKS_PER_GROUP][16];
  group_place p;
  own_place(&t, &p);
  const int4 rgb = own_texel(source, &s, &t, p.block, p.item);
  put_texel(texels[p.slot], p.item, rgb);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (p.item < 3) find_range(texels[p.slot], p.item, &ranges[p.slot][p.item]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (p.item < 3) {
    const bool down = falls(texels[p.slot], p.item, ranges[p.slot]);
    const int low = ranges[p.slot][p.item].low, high = ranges[p.slot][p.item].high, inset = (high - low) >> 4;
    const int low_code = p.item == 1 ? to_6_bits(low + inset) : to_5_bits(low + inset);
    const int high_code = p.item == 1 ? to_6_bits(high - inset) : to_5_bits(high - inset);
    ends[p.slot][0][p.item] = down ? low_code : high_code;
    ends[p.slot][1][p.item] = down ? high_code : low_code;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  write_block(blocks, p.block, p.inside, indices[p.slot], p.item, rgb.xyz, three_at(ends[p.slot][0]),
              three_at(ends[p.slot][1]));
}
