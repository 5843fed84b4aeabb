// changes.cl — which half-blocks of a lossy stream's tiles are others than those that were given before, and what is kept of
// a frame for the next one.
//   defines   CHANNEL=1
//   work-items   one a half-block of a component; global = tiles times tile_columns times tile_rows, rounded up
//   in   tiles: by number, `count` of them from `first` on
#include "compact/places.cl"

// find_changes:
//   in   texture, given   textures: of the frame at hand, and the one before
//        all              not 0: there is none before, and every half-block is new
//        is_first         not 0: of the first component, whose areas are told apart
//   out  changes          uint[tile by number]: TEXCAST_CHANGED, and a bit for each area
kernel void find_changes(const texcast_component c, global const uint *tiles, int first, uint count,
                         global const ulong *texture, global const ulong *given, int all, int is_first,
                         volatile global uint *changes) {
  int2 at;
  if (!find_half_block(&c, tiles + first, count, &at)) return;
  const int place = place_of(&c, at.x, at.y);
  if (all == 0 && texture[place] == given[place]) return;
  int2 in_tile;
  const uint tile = tiles[first + (int)slot_of_item(&c, &in_tile)];
  const uint area = (uint)(in_tile.y / 4 * 4 + in_tile.x / 4);
  atomic_or(changes + tile, is_first != 0 ? TEXCAST_CHANGED | 1u << area : TEXCAST_CHANGED);
}

// keep_halves: half-blocks of tiles, from one texture to another.
kernel void keep_halves(const texcast_component c, global const uint *tiles, int first, uint count,
                        global const ulong *from, global ulong *to) {
  int2 at;
  if (!find_half_block(&c, tiles + first, count, &at)) return;
  const int place = place_of(&c, at.x, at.y);
  to[place] = from[place];
}

// keep_plane: pixels of tiles, from one plane to another.
kernel void keep_plane(const texcast_component c, global const uint *tiles, int first, uint count,
                       global const uint *from, global uint *to) {
  int2 at;
  if (!find_half_block(&c, tiles + first, count, &at)) return;
  for (int j = 0; j < 4; ++j) {
    const int place = (4 * at.y + j) * c.blocks_x + at.x;
    to[place] = from[place];
  }
}
