// places.cl — where a texture has a half-block of given bytes, as codec/compact/sub_block_index.h has it.
//   defines   CHANNEL
#include "compact/half_block.cl"

// Of a place its number, row by row; below it part of the hash.
#define PLACE_WAYS 8
#define TAG_BITS 6
static ulong hash_of(ulong half_block) { return half_block * 0x9E3779B97F4A7C15UL; }
static uint tag_of(ulong hash) { return max((uint)(hash >> 32) & 63u, 1u); }
static bool has_tag(uint entry, uint tag) { return (entry & ((1u << TAG_BITS) - 1)) == tag; }
static uint way_of(int x, int y) { return (uint)(x ^ 3 * y) & (PLACE_WAYS - 1); }

// Where a tile begins, in half-blocks.
static int2 tile_origin(const texcast_component *c, uint tile) {
  const int y = (int)tile / c->tiles_across, x = (int)tile - y * c->tiles_across;
  return (int2)(x * c->tile_columns, y * c->tile_rows);
}

// Items are half-blocks of one tile after the other: which of these tiles an item's is in, and where there.
static uint slot_of_item(const texcast_component *c, int2 *in_tile) {
  const uint item = (uint)get_global_id(0), halves = (uint)(c->tile_columns * c->tile_rows), slot = item / halves;
  const int at = (int)(item - slot * halves), row = at / c->tile_columns;
  *in_tile = (int2)(at - row * c->tile_columns, row);
  return slot;
}
// The item's half-block of the first tiles in a list. False: it has none.
static bool find_half_block(const texcast_component *c, global const uint *tiles, uint tile_count, int2 *at) {
  int2 in_tile;
  const uint slot = slot_of_item(c, &in_tile);
  if (slot >= tile_count) return false;
  *at = tile_origin(c, tiles[slot]) + in_tile;
  return has_place(c, at->x, at->y);
}

// A component's half-blocks in a unit.
typedef struct unit_place {
  uint tile;
  bool alone, whole;  // whole: not a strip
  int x0, y0, columns, rows;
  int first_area;  // of its tile's
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

// The item's half-block of the first units in a list, by its place in the unit. False: it has none.
static bool find_half_block_of_unit(const texcast_component *c, global const uint *due, uint due_count, uint *slot,
                                    unit_place *u, int2 *in_unit) {
  *slot = slot_of_item(c, in_unit);
  if (*slot >= due_count) return false;
  find_unit(c, due[*slot], u);
  return in_unit->x < u->columns && in_unit->y < u->rows;
}

// put_places: the half-blocks of the tiles that changed take their slots, those that differ from the frame before. Twice
// for a component: first all those slots are emptied, then the last place in the picture stays.
//   work-items   one a half-block; global = tiles times tile_columns times tile_rows, rounded up
//   in   now, before   textures; tiles: by number
//        all           not 0: there is no frame before
//        empties       not 0: the first time
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
