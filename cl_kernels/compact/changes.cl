// changes.cl — which sub-blocks of a lossy stream's tiles differ from the previous source; and copies of a frame's
// tiles, with which the next frame is compared.
//   defines      CHANNEL=1
//   work-items   one for each sub-block of a component; global = tiles times tile_columns times tile_rows, rounded up
//   in   tiles   numbers of tiles: `count` of them from `first` on
#include "compact/sub_block_index.cl"

// find_changes:
//   in   source, previous   textures: the current source, and the previous one
//        all                not 0: there is no previous source, and every sub-block has changed
//        is_first           not 0: it is the first component, whose partitions have a bit each
//   out  changes            uint[tile number]: sets TEXCAST_CHANGED, and the bit of each changed partition
kernel void find_changes(const texcast_component c, global const uint *tiles, int first, uint count,
                         global const ulong *source, global const ulong *previous, int all, int is_first,
                         volatile global uint *changes) {
  int2 at;
  if (!find_sub_block(&c, tiles + first, count, &at)) return;
  const int position = position_of(&c, at.x, at.y);
  if (all == 0 && source[position] == previous[position]) return;
  int2 in_tile;
  const uint tile = tiles[first + (int)slot_of_item(&c, &in_tile)];
  const uint partition = (uint)(in_tile.y / 4 * 4 + in_tile.x / 4);
  atomic_or(changes + tile, is_first != 0 ? TEXCAST_CHANGED | 1u << partition : TEXCAST_CHANGED);
}

// copy_sub_blocks: copies the sub-blocks of tiles from one texture to another.
kernel void copy_sub_blocks(const texcast_component c, global const uint *tiles, int first, uint count,
                            global const ulong *from, global ulong *to) {
  int2 at;
  if (!find_sub_block(&c, tiles + first, count, &at)) return;
  const int position = position_of(&c, at.x, at.y);
  to[position] = from[position];
}

// copy_plane: copies the pixels of tiles from one plane to another.
kernel void copy_plane(const texcast_component c, global const uint *tiles, int first, uint count,
                       global const uint *from, global uint *to) {
  int2 at;
  if (!find_sub_block(&c, tiles + first, count, &at)) return;
  for (int j = 0; j < 4; ++j) {
    const int position = (4 * at.y + j) * c.blocks_x + at.x;
    to[position] = from[position];
  }
}
