// places.cl — sub-blocks of tiles and slices; and the positions of a texture's sub-blocks, by hash, as in
// codec/compact/motion/include/compact/sub_block_index.h.
//   defines   CHANNEL
#include "compact/half_block.cl"

// An entry has the number of a position, counted row by row, and below it a part of the hash (the tag). Empty entries
// are 0, which is no tag.
#define PLACE_WAYS 8
#define TAG_BITS 6
static ulong hash_of(ulong half_block) { return half_block * 0x9E3779B97F4A7C15UL; }
static uint tag_of(ulong hash) { return max((uint)(hash >> 32) & 63u, 1u); }
static bool has_tag(uint entry, uint tag) { return (entry & ((1u << TAG_BITS) - 1)) == tag; }
static uint way_of(int x, int y) { return (uint)(x ^ 3 * y) & (PLACE_WAYS - 1); }

// The first sub-block of a tile.
static int2 tile_origin(const texcast_component *c, uint tile) {
  const int y = (int)tile / c->tiles_across, x = (int)tile - y * c->tiles_across;
  return (int2)(x * c->tile_columns, y * c->tile_rows);
}

// For items that are the sub-blocks of one tile after the other: the place of the item's tile in the list, and the
// position of its sub-block in the tile.
static uint slot_of_item(const texcast_component *c, int2 *in_tile) {
  const uint item = (uint)get_global_id(0), halves = (uint)(c->tile_columns * c->tile_rows), slot = item / halves;
  const int at = (int)(item - slot * halves), row = at / c->tile_columns;
  *in_tile = (int2)(at - row * c->tile_columns, row);
  return slot;
}
// The item's sub-block in the first `tile_count` tiles of a list. False: it has none.
static bool find_half_block(const texcast_component *c, global const uint *tiles, uint tile_count, int2 *at) {
  int2 in_tile;
  const uint slot = slot_of_item(c, &in_tile);
  if (slot >= tile_count) return false;
  *at = tile_origin(c, tiles[slot]) + in_tile;
  return has_place(c, at->x, at->y);
}

// The sub-blocks of a component in a slice.
typedef struct unit_place {
  uint tile;
  bool alone, whole;  // alone: the slice is intra; whole: it is not a sub-slice
  int x0, y0, columns, rows;
  int first_area;  // its first partition, counted in the tile
} unit_place;
static void find_unit(const texcast_component *c, uint unit, unit_place *u) {
  const uint strips = unit >> TEXCAST_UNIT_STRIPS_AT & 3;
  const int strip = (int)(unit >> TEXCAST_UNIT_STRIP_AT & 7), rows = c->tile_rows >> strips;
  u->tile = unit & TEXCAST_UNIT_TILE;
  u->alone = (unit & TEXCAST_UNIT_ALONE) != 0;
  u->whole = strips == 0;
  const int2 origin = tile_origin(c, u->tile);
  u->x0 = origin.x;
  u->y0 = origin.y + strip * rows;
  u->columns = min(c->blocks_x - u->x0, c->tile_columns);
  u->rows = min(c->blocks_y - u->y0, rows);
  u->first_area = (strip * 2 >> strips) * 4;
}

// The item's sub-block in the first `due_count` slices of a list, by its position in the slice. False: it has none.
static bool find_half_block_of_unit(const texcast_component *c, global const uint *due, uint due_count, uint *slot,
                                    unit_place *u, int2 *in_unit) {
  *slot = slot_of_item(c, in_unit);
  if (*slot >= due_count) return false;
  find_unit(c, due[*slot], u);
  return in_unit->x < u->columns && in_unit->y < u->rows;
}

// put_places: inserts the sub-blocks of changed tiles that differ from the reference frame into the index. It runs
// twice for each component: first all their slots are emptied, then the last position in the picture remains.
//   work-items   one for each sub-block; global = tiles times tile_columns times tile_rows, rounded up
//   in   now, before   textures: the source, and the reference frame; tiles: numbers of tiles
//        all           not 0: there is no reference frame
//        empties       not 0: the first run
//   out  places        uint[bucket][8]
kernel void put_places(global const ulong *now, global const ulong *before, const texcast_component c,
                       global const uint *tiles, uint tile_count, int all, int empties, volatile global uint *places) {
  int2 at;
  if (!find_half_block(&c, tiles, tile_count, &at)) return;
  const int x = at.x, y = at.y;
  const ulong value = now[place_of(&c, x, y)];
  if (all == 0 && before[place_of(&c, x, y)] == value) return;
  const ulong hash = hash_of(value);
  volatile global uint *entry = places + (uint)(hash >> c.places_shift) * PLACE_WAYS + way_of(x, y);
  if (empties != 0)
    *entry = 0;
  else
    atomic_max(entry, (uint)(y * c.blocks_x + x) << TAG_BITS | tag_of(hash));
}
