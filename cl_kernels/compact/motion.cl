// motion.cl — motion search in the reference frame for partitions of 16 x 16 pixels, as in
// codec/compact/motion/motion_search.cpp: in planes with a byte for each texel of the first component. For colours this
// is approximately the luma.
//   defines   CHANNEL of the first component
//
// Local memory is passed as arguments: PoCL 3.1 shares local memory that a kernel declares itself between threads, if
// pointers to it are passed on.
#include "compact/areas.cl"
#include "compact/votes.cl"

// draw_plane: decodes the texels of tiles.
//   work-items   one for each sub-block; global = tiles times tile_columns times tile_rows, rounded up
//   in   texture; tiles: numbers of tiles, from `first` on
//   out  plane    uchar[blocks_y · 4][blocks_x · 4]
kernel void draw_plane(global const ulong *texture, const texcast_component c, global const uint *tiles, int first,
                       uint tile_count, global uint *plane) {
  int2 at;
  if (!find_half_block(&c, tiles + first, tile_count, &at)) return;
  const int x = at.x, y = at.y;
  const ulong value = texture[place_of(&c, x, y)];
  ulong indices = indices_of(value);
#if CHANNEL
  const palette shades = palette_of(c.kind, value);
#else
  const uint ends = ends_of(value);
  const int3 c0 = color_of(ends & 0xFFFF), c1 = color_of(ends >> 16);
  const uint at_first = (uint)(c0.x + 2 * c0.y + c0.z), at_second = (uint)(c1.x + 2 * c1.y + c1.z);
  const bool full = is_full(c.kind, ends);
  const uint third = full ? (2 * at_first + at_second) / 12 : (at_first + at_second) / 8;
  const palette shades = (uint4)(at_first / 4, at_second / 4, third, full ? (at_first + 2 * at_second) / 12 : 0);
#endif
  for (int j = 0; j < 4; ++j) {
    uint texels = 0;
    for (int i = 0; i < 4; ++i, indices >>= INDEX_BITS) texels |= shade(shades, (uint)indices & (LEVELS - 1)) << 8 * i;
    plane[(y * 4 + j) * c.blocks_x + x] = texels;
  }
}

// The SAD of some rows of a partition and the reference frame at a vector in pixels.
static int difference_of_rows(const area *a, int2 v, int first_row, int step) {
  const int tx = a->x + v.x, ty = a->y + v.y;
  const bool inside = tx >= 0 && ty >= 0 && tx + a->width <= 4 * a->columns && ty + a->height <= a->rows;
  int sum = 0;
  for (int j = first_row; j < a->height; j += step) {
    global const uint *now = a->now + (a->y + j) * a->columns + a->x / 4;
    if (inside) {
      // Four texels of the reference frame may lie across two numbers.
      global const uint *then = a->then + (ty + j) * a->columns + (tx >> 2);
      const uint shift = (uint)(tx & 3) * 8;
      uint low = then[0];
      for (int i = 0; i < a->width / 4; ++i) {
        const uint high = shift != 0 || i + 1 < a->width / 4 ? then[i + 1] : 0;
        sum += four_differences(now[i], shift != 0 ? low >> shift | high << (32 - shift) : low);
        low = high;
      }
    } else {
      global const uchar *then = (global const uchar *)(a->then + clamp(ty + j, 0, a->rows - 1) * a->columns);
      for (int i = 0; i < a->width; ++i)
        sum += (int)abs_diff((int)((global const uchar *)now)[i], (int)then[clamp(tx + i, 0, 4 * a->columns - 1)]);
    }
  }
  return sum;
}

#include "compact/looks.cl"

// search_vectors: finds the vectors of the partitions of tiles.
//   work-group   SEARCH_ITEMS items for each tile; global = tiles times SEARCH_ITEMS
//   in   texture, before   textures: the source, and the reference frame; now, then: their planes
//        due               tiles, TEXCAST_UNIT_…
//        own               uint[tile number]: the tile's best motion candidate, in sub-blocks
//        votes             vote_count motion vectors of the frame, in pixels
//   both field             int2[tile][8]: vectors of the previous frame, then those of this one
//   local areas            int2[16]; partial: int[SEARCH_ITEMS]
kernel __attribute__((reqd_work_group_size(SEARCH_ITEMS, 1, 1)))
void search_vectors(global const ulong *texture, global const ulong *before, const texcast_component c,
                    global const uint *due, global const uint *now, global const uint *then, global const uint *own,
                    const int8 votes, int vote_count, global int2 *field, local int2 *areas, local int *partial) {
  local int2 *vectors = areas, *old = areas + 8;
  const uint slot = (uint)get_group_id(0), tile = due[slot] & TEXCAST_UNIT_TILE;
  const bool alone = (due[slot] & TEXCAST_UNIT_ALONE) != 0;
  const int item = (int)get_local_id(0);
  field += tile * 8;
  if (item < 8) {
    old[item] = field[item];
    vectors[item] = (int2)(0, 0);
  }
  const int2 origin = tile_origin(&c, tile);
  const int columns = min(c.blocks_x - origin.x, c.tile_columns), rows = min(c.blocks_y - origin.y, c.tile_rows);
  const int2 by_itself = alone ? (int2)(0, 0) : 4 * unpack_vector(own[tile]);
  area a = {now, then, c.blocks_x, 4 * c.blocks_y, 0, 0, 0, 0};
  for (int y = 0; y < rows && !alone; y += 4) {
    for (int x = 0; x < columns; x += 4) {
      const int place = y + x / 4, area_columns = min(4, columns - x), area_rows = min(4, rows - y);
      barrier(CLK_LOCAL_MEM_FENCE);
      int differs = 0;
      if (item < 16 && item % 4 < area_columns && item / 4 < area_rows) {
        const int at = place_of(&c, origin.x + x + item % 4, origin.y + y + item / 4);
        differs = texture[at] != before[at] ? 1 : 0;
      }
      partial[item] = differs;
      barrier(CLK_LOCAL_MEM_FENCE);
      differs = 0;
      for (int i = 0; i < 16; ++i) differs += partial[i];
      if (differs == 0) continue;
      a.x = (origin.x + x) * 4;
      a.y = (origin.y + y) * 4;
      a.width = area_columns * 4;
      a.height = area_rows * 4;
      // Candidates: vectors of neighbours, of the tile, of the frame, and of this partition in the previous frame.
      int looks[MOST_LOOKS];
      found best = {(int2)(0, 0), 0};
      const int which = item / (SEARCH_ITEMS / MOST_LOOKS);
      const int2 left = x > 0 ? vectors[max(place - 1, 0)] : (int2)(0, 0);
      const int2 above = y > 0 ? vectors[max(place - 4, 0)] : (int2)(0, 0);
      const bool has_corner = y > 0 && x + 4 < columns;
      const int2 corner = has_corner ? vectors[max(place - 3, 0)] : (int2)(0, 0);
      int2 mine = which == 1   ? left
                  : which == 2 ? above
                  : which == 3 ? by_itself
                  : which == 4 ? votes.s01
                  : which == 5 ? votes.s23
                  : which == 6 ? votes.s45
                  : which == 7 ? votes.s67
                               : (int2)(0, 0);
      look_at(&a, mine, MOST_LOOKS, partial, looks);
      best.least = looks[0] - 64;
      if (x > 0) take(&best, left, looks[1], 16);
      if (y > 0) take(&best, above, looks[2], 16);
      take(&best, by_itself, looks[3], 48);
      if (vote_count > 0) take(&best, votes.s01, looks[4], 48);
      if (vote_count > 1) take(&best, votes.s23, looks[5], 48);
      if (vote_count > 2) take(&best, votes.s45, looks[6], 48);
      if (vote_count > 3) take(&best, votes.s67, looks[7], 48);
      look_at(&a, item < SEARCH_ITEMS / 2 ? old[place] : corner, 2, partial, looks);
      take(&best, old[place], looks[0], 48);
      if (has_corner) take(&best, corner, looks[1], 48);
      // A local search from the best one, in smaller and smaller steps.
      for (int step = 4; step >= 1; step /= 2) {
        for (int tries = 0; tries < 3; ++tries) {
          const int2 from = best.v;
          const int direction = item / (SEARCH_ITEMS / 4), d = (direction & 1) != 0 ? step : -step;
          look_at(&a, from + (direction < 2 ? (int2)(d, 0) : (int2)(0, d)), 4, partial, looks);
          bool better = take(&best, from + (int2)(-step, 0), looks[0], 68);
          better |= take(&best, from + (int2)(step, 0), looks[1], 68);
          better |= take(&best, from + (int2)(0, -step), looks[2], 68);
          better |= take(&best, from + (int2)(0, step), looks[3], 68);
          if (!better) break;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item == 0) vectors[place] = best.v;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 8) field[item] = vectors[item];
}

// vote: finds motion candidates for changed tiles. It looks up samples of their sub-blocks in the reference frame; the
// vectors with the most matches are the candidates, in sub-blocks.
//   work-group   VOTE_ITEMS items for each tile; global = tiles times VOTE_ITEMS
//   in   now, before   textures: the source, and the reference frame
//        tiles         numbers of tiles; places: as in places.cl
//   out  winners       uint4[tile]: two candidates, each packed by pack_vector() and followed by its number of matches
//        own           uint[tile number]: the first one
//   local best         uint2[2 · VOTE_ITEMS]; votes: uint[2 · VOTE_ITEMS]
#define VOTE_ITEMS 64
kernel __attribute__((reqd_work_group_size(VOTE_ITEMS, 1, 1)))
void vote(global const ulong *now, global const ulong *before, const texcast_component c, global const uint *tiles,
          global const uint *places, global uint4 *winners, global uint *own,
          local uint2 *best, local uint *votes) {
  const int item = (int)get_local_id(0);
  const int2 origin = tile_origin(&c, tiles[get_group_id(0)]);
  const int row = item / 8, column = item % 8 * 2 + (row & 1);
  const int x = origin.x + column, y = origin.y + row;
  uint found[2] = {NO_VOTE, NO_VOTE};
  if (has_place(&c, x, y)) {
    const int place = place_of(&c, x, y);
    const ulong value = now[place];
    if (before[place] != value && !(column > 0 && now[place - c.step] == value)) {
      const ulong hash = hash_of(value);
      const uint tag = tag_of(hash);
      global const uint *bucket = places + (uint)(hash >> c.places_shift) * PLACE_WAYS;
      int count = 0;
      for (int way = 0; way < PLACE_WAYS && count < 2; ++way) {
        const uint entry = bucket[way];
        if (!has_tag(entry, tag)) continue;
        const int from = (int)(entry >> TAG_BITS);
        if (before[c.first + from * c.step] != value) continue;
        const int fy = from / c.blocks_x, fx = from - fy * c.blocks_x;
        const uint v = pack_vector((int2)(fx - x, fy - y));
        if (count++ == 0)
          found[0] = v;
        else
          found[1] = v;
      }
    }
  }
  votes[2 * item] = found[0];
  votes[2 * item + 1] = found[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int which = 0; which < 2; ++which) {
    uint count = 0;
    for (int i = 0; i < 2 * VOTE_ITEMS; ++i) count += votes[i] == found[which] ? 1 : 0;
    best[2 * item + which] = (uint2)(found[which], found[which] != NO_VOTE ? count : 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  uint2 most[2] = {(uint2)(NO_VOTE, 0), (uint2)(NO_VOTE, 0)};
  for (int i = 0; i < 2 * VOTE_ITEMS; ++i) take_vote(most, best[i]);
  winners[get_group_id(0)] = (uint4)(most[0], most[1]);
  own[tiles[get_group_id(0)]] = most[0].x;
}
