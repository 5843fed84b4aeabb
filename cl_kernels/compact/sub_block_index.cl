// sub_block_index.cl — sub-blocks of tiles and slices; and the positions of a texture's sub-blocks, by hash, as in
// codec/compact/motion/include/compact/sub_block_index.h.
//   defines      CHANNEL
#include "compact/sub_block.cl"

// An entry has the number of a position, counted row by row, and below it a part of the hash (the tag). Empty entries
// are 0, which is no tag.
#define INDEX_WAYS 8
#define TAG_BITS 6
static ulong hash_of(ulong sub_block) { return sub_block * 0x9E3779B97F4A7C15UL; }
static uint tag_of(ulong hash) { return max((uint)(hash >> 32) & 63u, 1u); }
static bool has_tag(uint entry, uint tag) { return (entry & ((1u << TAG_BITS) - 1)) == tag; }
static uint way_of(int x, int y) { return (uint)(x ^ 3 * y) & (INDEX_WAYS - 1); }

// The first sub-block of a tile.
static int2 tile_origin(const texcast_component *c, uint tile) {
  const int y = (int)tile / c->tiles_across, x = (int)tile - y * c->tiles_across;
  return (int2)(x * c->tile_columns, y * c->tile_rows);
}

// The sub-blocks of a component in a tile.
typedef struct tile_blocks {
  int x0, y0, columns, count;
} tile_blocks;
static tile_blocks blocks_of(const texcast_component *c, int tile) {
  const int2 origin = tile_origin(c, (uint)tile);
  tile_blocks h = {origin.x, origin.y, clamp(c->blocks_x - origin.x, 0, c->tile_columns), 0};
  h.count = h.columns * clamp(c->blocks_y - origin.y, 0, c->tile_rows);
  return h;
}

// For items that are the sub-blocks of one tile after the other: the place of the item's tile in the list, and the
// position of its sub-block in the tile.
static uint slot_of_item(const texcast_component *c, int2 *in_tile) {
  const uint item = (uint)get_global_id(0), sub_blocks = (uint)(c->tile_columns * c->tile_rows),
             slot = item / sub_blocks;
  const int at = (int)(item - slot * sub_blocks), row = at / c->tile_columns;
  *in_tile = (int2)(at - row * c->tile_columns, row);
  return slot;
}
// The item's sub-block in the first `tile_count` tiles of a list. False: it has none.
static bool find_sub_block(const texcast_component *c, global const uint *tiles, uint tile_count, int2 *at) {
  int2 in_tile;
  const uint slot = slot_of_item(c, &in_tile);
  if (slot >= tile_count) return false;
  *at = tile_origin(c, tiles[slot]) + in_tile;
  return has_sub_block(c, at->x, at->y);
}

// The sub-blocks of a component in a slice.
typedef struct slice_rect {
  uint tile;
  bool intra, whole;  // intra: the slice is; whole: it is not a sub-slice
  int x0, y0, columns, rows;
  int first_partition;  // its first partition, counted in the tile
} slice_rect;
static void find_slice(const texcast_component *c, uint slice, slice_rect *u) {
  const uint sub_slices = slice >> TEXCAST_SLICE_SUB_SLICES_AT & 3;
  const int sub_slice = (int)(slice >> TEXCAST_SLICE_SUB_SLICE_AT & 7), rows = c->tile_rows >> sub_slices;
  u->tile = slice & TEXCAST_SLICE_TILE;
  u->intra = (slice & TEXCAST_SLICE_INTRA) != 0;
  u->whole = sub_slices == 0;
  const int2 origin = tile_origin(c, u->tile);
  u->x0 = origin.x;
  u->y0 = origin.y + sub_slice * rows;
  u->columns = min(c->blocks_x - u->x0, c->tile_columns);
  u->rows = min(c->blocks_y - u->y0, rows);
  u->first_partition = (sub_slice * 2 >> sub_slices) * 4;
}

// The item's sub-block in the first `slice_count` slices of a list, by its position in the slice. False: it has none.
static bool find_sub_block_of_slice(const texcast_component *c, global const uint *slices, uint slice_count, uint *slot,
                                    slice_rect *u, int2 *in_slice) {
  *slot = slot_of_item(c, in_slice);
  if (*slot >= slice_count) return false;
  find_slice(c, slices[*slot], u);
  return in_slice->x < u->columns && in_slice->y < u->rows;
}

// index_sub_blocks: inserts the sub-blocks of changed tiles that differ from the reference frame into the index. It
// runs twice for each component: first all their slots are emptied, then the last position in the picture remains.
//   work-items   one for each sub-block; global = tiles times tile_columns times tile_rows, rounded up
//   in   source, reference   textures: the source, and the reference frame; tiles: numbers of tiles
//        all                 not 0: there is no reference frame
//        empties             not 0: the first run
//   out  index               uint[bucket][8]
kernel void index_sub_blocks(global const ulong *source, global const ulong *reference, const texcast_component c,
                             global const uint *tiles, uint tile_count, int all, int empties,
                             volatile global uint *index) {
  int2 at;
  if (!find_sub_block(&c, tiles, tile_count, &at)) return;
  const int x = at.x, y = at.y;
  const ulong value = source[position_of(&c, x, y)];
  if (all == 0 && reference[position_of(&c, x, y)] == value) return;
  const ulong hash = hash_of(value);
  volatile global uint *entry = index + (uint)(hash >> c.index_shift) * INDEX_WAYS + way_of(x, y);
  if (empties != 0)
    *entry = 0;
  else
    atomic_max(entry, (uint)(y * c.blocks_x + x) << TAG_BITS | tag_of(hash));
}
