// changes.cl — which sub-blocks of a lossy stream's tiles differ from the previous source; and copies of a frame's
// tiles, with which the next frame is compared.
//   defines      CHANNEL=1
//   in   tiles   numbers of tiles: `count` of them from `first` on
#include "compact/sub_block_index.cl"

// find_changes:
//   work-items   as of keep_tiles
//   in   components         texcast_lossy_component[]; the first one's partitions have a bit each
//        source, previous   textures: the current source, and the previous one
//        all                not 0: there is no previous source, and every sub-block has changed
//   out  changes            uint[tile number]: sets TEXCAST_CHANGED, and the bit of each changed partition
kernel void find_changes(global const texcast_lossy_component *components, global const uint *tiles, int first,
                         uint count, global const ulong *source, global const ulong *previous, int all,
                         volatile global uint *changes) {
  const int number = (int)get_global_id(1);
  const texcast_component c = components[number].component;
  int2 at;
  if (!find_sub_block(&c, tiles + first, count, &at)) return;
  const int position = position_of(&c, at.x, at.y);
  if (all == 0 && source[position] == previous[position]) return;
  int2 in_tile;
  const uint tile = tiles[first + (int)slot_of_item(&c, &in_tile)];
  const uint partition = (uint)(in_tile.y / 4 * 4 + in_tile.x / 4);
  atomic_or(changes + tile, number == 0 ? TEXCAST_CHANGED | 1u << partition : TEXCAST_CHANGED);
}

// keep_tiles: keeps what the next frame is compared with and refers to.
//   work-items   one for each sub-block of a component, which the second coordinate is: global = (tiles times the
//                sub-blocks of a tile in the first component, rounded up, components). Others have fewer
//   in   components               texcast_lossy_component[]
//        tiles                    numbers of coded tiles, with TEXCAST_KEPT_REDRAWN if the source changed
//        source, reconstruction   textures
//        source_plane             luma of the source
//   out  previous, previous_plane     the source of redrawn tiles
//        reference, reference_plane   the reconstruction, and its luma
kernel void keep_tiles(global const texcast_lossy_component *components, global const uint *tiles, int first,
                       uint count, global const ulong *source, global const uint *source_plane,
                       global const ulong *reconstruction, global ulong *previous, global uint *previous_plane,
                       global ulong *reference, global uint *reference_plane) {
  const int number = (int)get_global_id(1);
  const texcast_component c = components[number].component;
  int2 in_tile;
  const uint slot = slot_of_item(&c, &in_tile);
  if (slot >= count) return;
  const uint tile = tiles[first + (int)slot];
  const bool is_redrawn = (tile & TEXCAST_KEPT_REDRAWN) != 0;
  const int2 at = tile_origin(&c, tile & TEXCAST_KEPT_TILE) + in_tile;
  if (!has_sub_block(&c, at.x, at.y)) return;
  const int position = position_of(&c, at.x, at.y);
  const ulong value = reconstruction[position];
  reference[position] = value;
  if (is_redrawn) previous[position] = source[position];
  if (number > 0) return;
  const palette shades = palette_of(c.kind, value);
  ulong indices = indices_of(value);
  for (int j = 0; j < 4; ++j) {
    const int row = (4 * at.y + j) * c.blocks_x + at.x;
    uint texels = 0;
    for (int i = 0; i < 4; ++i, indices >>= INDEX_BITS) texels |= shade(shades, (uint)indices & (LEVELS - 1)) << 8 * i;
    reference_plane[row] = texels;
    if (is_redrawn) previous_plane[row] = source_plane[row];
  }
}
