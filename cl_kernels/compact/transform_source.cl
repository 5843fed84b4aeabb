// transform_source.cl — the texels that transform slices approximate if there is no picture: those of the block
// encoder's sub-blocks, rounded to the nearest, as TransformSource in codec/compact/encode reads them. Block coding
// truncates them (source_texels.cl).
//   defines      CHANNEL=1
//   work-items   one for each sub-block of a component; global = tiles times tile_columns times tile_rows, rounded up
//   in   tiles    texcast_lossy_tile[]: `count` of them, from `first` on
//        texture  ulong[sub-blocks]
//   out  texels   uint4[sub-blocks]: a byte for each texel, the left one lowest
//   exactness    integer; equals the CPU's result on every device
#include "compact/sub_block_index.cl"
#include "compact/transform_blocks.cl"

kernel void decode_blocks(const texcast_component c, global const texcast_lossy_tile *tiles, int first, uint count,
                          global const ulong *texture, global uint4 *texels) {
  int2 in_tile;
  const uint slot = slot_of_item(&c, &in_tile);
  if (slot >= count) return;
  const int2 at = tile_origin(&c, (uint)tiles[first + (int)slot].tile) + in_tile;
  if (!has_sub_block(&c, at.x, at.y)) return;
  const int position = position_of(&c, at.x, at.y);
  texels[position] = nearest_texels(texture[position]);
}
