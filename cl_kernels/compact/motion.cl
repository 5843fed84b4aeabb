// motion.cl — motion search in the reference frame for partitions of 16 x 16 pixels, as in
// codec/compact/motion/motion_search.cpp: in planes with a byte for each texel of the first component. For colours this
// is approximately the luma.
//   defines      CHANNEL of the first component
//
// Local memory is passed as arguments: PoCL 3.1 shares local memory that a kernel declares itself between threads, if
// pointers to it are passed on.
#include "compact/partition.cl"
#include "compact/candidates.cl"

// draw_plane: decodes the texels of tiles.
//   work-items   one for each sub-block; global = tiles times tile_columns times tile_rows, rounded up
//   in   texture; tiles: numbers of tiles, from `first` on
//   out  plane   uchar[blocks_y · 4][blocks_x · 4]
kernel void draw_plane(global const ulong *texture, const texcast_component c, global const uint *tiles, int first,
                       uint tile_count, global uint *plane) {
  int2 at;
  if (!find_sub_block(&c, tiles + first, tile_count, &at)) return;
  const int x = at.x, y = at.y;
  const ulong value = texture[position_of(&c, x, y)];
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
static int sad_of_rows(const partition_view *a, int2 v, int first_row, int step) {
  const int tx = a->x + v.x, ty = a->y + v.y;
  const bool inside = tx >= 0 && ty >= 0 && tx + a->width <= 4 * a->columns && ty + a->height <= a->rows;
  int sum = 0;
  for (int j = first_row; j < a->height; j += step) {
    global const uint *source = a->source + (a->y + j) * a->columns + a->x / 4;
    if (inside) {
      // Four texels of the reference frame may lie across two numbers.
      global const uint *reference = a->reference + (ty + j) * a->columns + (tx >> 2);
      const uint shift = (uint)(tx & 3) * 8;
      uint low = reference[0];
      for (int i = 0; i < a->width / 4; ++i) {
        const uint high = shift != 0 || i + 1 < a->width / 4 ? reference[i + 1] : 0;
        sum += sad_of_four(source[i], shift != 0 ? low >> shift | high << (32 - shift) : low);
        low = high;
      }
    } else {
      global const uchar *reference = (global const uchar *)(a->reference + clamp(ty + j, 0, a->rows - 1) * a->columns);
      for (int i = 0; i < a->width; ++i)
        sum +=
            (int)abs_diff((int)((global const uchar *)source)[i], (int)reference[clamp(tx + i, 0, 4 * a->columns - 1)]);
    }
  }
  return sum;
}

#include "compact/sad.cl"

// search_vectors: finds the vectors of the partitions of tiles.
//   work-group   SEARCH_ITEMS items for each tile; global = tiles times SEARCH_ITEMS
//   in   texture, reference   textures: the source, and the reference frame; source_plane, reference_plane: theirs
//        tiles                tiles, TEXCAST_SLICE_…
//        own                  uint[tile number]: the tile's best motion candidate, in sub-blocks
//        global_vectors       global_count motion vectors of the frame, in pixels
//   both field                int2[tile][8]: vectors of the previous frame, then those of this one
//   local vector_memory       int2[16]; partial: int[SEARCH_ITEMS]
kernel __attribute__((reqd_work_group_size(SEARCH_ITEMS, 1, 1)))
void search_vectors(global const ulong *texture, global const ulong *reference, const texcast_component c,
                    global const uint *tiles, global const uint *source_plane, global const uint *reference_plane,
                    global const uint *own, const int8 global_vectors, int global_count, global int2 *field,
                    local int2 *vector_memory, local int *partial) {
  local int2 *vectors = vector_memory, *old = vector_memory + 8;
  const uint slot = (uint)get_group_id(0), tile = tiles[slot] & TEXCAST_SLICE_TILE;
  const bool intra = (tiles[slot] & TEXCAST_SLICE_INTRA) != 0;
  const int item = (int)get_local_id(0);
  field += tile * 8;
  if (item < 8) {
    old[item] = field[item];
    vectors[item] = (int2)(0, 0);
  }
  const int2 origin = tile_origin(&c, tile);
  const int columns = min(c.blocks_x - origin.x, c.tile_columns), rows = min(c.blocks_y - origin.y, c.tile_rows);
  const int2 own_candidate = intra ? (int2)(0, 0) : 4 * unpack_vector(own[tile]);
  partition_view a = {source_plane, reference_plane, c.blocks_x, 4 * c.blocks_y, 0, 0, 0, 0};
  for (int y = 0; y < rows && !intra; y += 4) {
    for (int x = 0; x < columns; x += 4) {
      const int number = y + x / 4, partition_columns = min(4, columns - x), partition_rows = min(4, rows - y);
      barrier(CLK_LOCAL_MEM_FENCE);
      int differs = 0;
      if (item < 16 && item % 4 < partition_columns && item / 4 < partition_rows) {
        const int at = position_of(&c, origin.x + x + item % 4, origin.y + y + item / 4);
        differs = texture[at] != reference[at] ? 1 : 0;
      }
      partial[item] = differs;
      barrier(CLK_LOCAL_MEM_FENCE);
      differs = 0;
      for (int i = 0; i < 16; ++i) differs += partial[i];
      if (differs == 0) continue;
      a.x = (origin.x + x) * 4;
      a.y = (origin.y + y) * 4;
      a.width = partition_columns * 4;
      a.height = partition_rows * 4;
      // Candidates: vectors of neighbours, of the tile, of the frame, and of this partition in the previous frame.
      int sads[MOST_VECTORS];
      found best = {(int2)(0, 0), 0};
      const int which = item / (SEARCH_ITEMS / MOST_VECTORS);
      const int2 left = x > 0 ? vectors[max(number - 1, 0)] : (int2)(0, 0);
      const int2 above = y > 0 ? vectors[max(number - 4, 0)] : (int2)(0, 0);
      const bool has_corner = y > 0 && x + 4 < columns;
      const int2 corner = has_corner ? vectors[max(number - 3, 0)] : (int2)(0, 0);
      int2 mine = which == 1   ? left
                  : which == 2 ? above
                  : which == 3 ? own_candidate
                  : which == 4 ? global_vectors.s01
                  : which == 5 ? global_vectors.s23
                  : which == 6 ? global_vectors.s45
                  : which == 7 ? global_vectors.s67
                               : (int2)(0, 0);
      find_sads(&a, mine, MOST_VECTORS, partial, sads);
      best.least = sads[0] - 64;
      if (x > 0) take(&best, left, sads[1], 16);
      if (y > 0) take(&best, above, sads[2], 16);
      take(&best, own_candidate, sads[3], 48);
      if (global_count > 0) take(&best, global_vectors.s01, sads[4], 48);
      if (global_count > 1) take(&best, global_vectors.s23, sads[5], 48);
      if (global_count > 2) take(&best, global_vectors.s45, sads[6], 48);
      if (global_count > 3) take(&best, global_vectors.s67, sads[7], 48);
      find_sads(&a, item < SEARCH_ITEMS / 2 ? old[number] : corner, 2, partial, sads);
      take(&best, old[number], sads[0], 48);
      if (has_corner) take(&best, corner, sads[1], 48);
      // A local search from the best one, in smaller and smaller steps.
      for (int step = 4; step >= 1; step /= 2) {
        for (int tries = 0; tries < 3; ++tries) {
          const int2 from = best.v;
          const int direction = item / (SEARCH_ITEMS / 4), d = (direction & 1) != 0 ? step : -step;
          find_sads(&a, from + (direction < 2 ? (int2)(d, 0) : (int2)(0, d)), 4, partial, sads);
          bool better = take(&best, from + (int2)(-step, 0), sads[0], 68);
          better |= take(&best, from + (int2)(step, 0), sads[1], 68);
          better |= take(&best, from + (int2)(0, -step), sads[2], 68);
          better |= take(&best, from + (int2)(0, step), sads[3], 68);
          if (!better) break;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item == 0) vectors[number] = best.v;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 8) field[item] = vectors[item];
}

// find_candidates: finds motion candidates for changed tiles. It looks up samples of their sub-blocks in the reference
// frame; the vectors with the most matches are the candidates, in sub-blocks.
//   work-group   CANDIDATE_ITEMS items for each tile; global = tiles times CANDIDATE_ITEMS
//   in   source, reference   textures: the source, and the reference frame
//        tiles               numbers of tiles, from `first` on; index: as in sub_block_index.cl
//   out  candidates          uint4[tile in the list]: two, each packed by pack_vector() and followed by its number of matches
//        own                 uint[tile number]: the first one
//   local best               uint2[2 · CANDIDATE_ITEMS]; matches: uint[2 · CANDIDATE_ITEMS]
#define CANDIDATE_ITEMS 64
kernel __attribute__((reqd_work_group_size(CANDIDATE_ITEMS, 1, 1)))
void find_candidates(global const ulong *source, global const ulong *reference, const texcast_component c,
                     global const uint *tiles, int first, global const uint *index, global uint4 *candidates,
                     global uint *own, local uint2 *best, local uint *matches) {
  const int item = (int)get_local_id(0), place = first + (int)get_group_id(0);
  const int2 origin = tile_origin(&c, tiles[place]);
  const int row = item / 8, column = item % 8 * 2 + (row & 1);
  const int x = origin.x + column, y = origin.y + row;
  uint found[2] = {NO_VECTOR, NO_VECTOR};
  if (has_sub_block(&c, x, y)) {
    const int position = position_of(&c, x, y);
    const ulong value = source[position];
    if (reference[position] != value && !(column > 0 && source[position - c.step] == value)) {
      const ulong hash = hash_of(value);
      const uint tag = tag_of(hash);
      global const uint *bucket = index + (uint)(hash >> c.index_shift) * INDEX_WAYS;
      int count = 0;
      for (int way = 0; way < INDEX_WAYS && count < 2; ++way) {
        const uint entry = bucket[way];
        if (!has_tag(entry, tag)) continue;
        const int from = (int)(entry >> TAG_BITS);
        if (reference[c.first + from * c.step] != value) continue;
        const int fy = from / c.blocks_x, fx = from - fy * c.blocks_x;
        const uint v = pack_vector((int2)(fx - x, fy - y));
        if (count++ == 0)
          found[0] = v;
        else
          found[1] = v;
      }
    }
  }
  matches[2 * item] = found[0];
  matches[2 * item + 1] = found[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int which = 0; which < 2; ++which) {
    uint count = 0;
    for (int i = 0; i < 2 * CANDIDATE_ITEMS; ++i) count += matches[i] == found[which] ? 1 : 0;
    best[2 * item + which] = (uint2)(found[which], found[which] != NO_VECTOR ? count : 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  uint2 most[2] = {(uint2)(NO_VECTOR, 0), (uint2)(NO_VECTOR, 0)};
  for (int i = 0; i < 2 * CANDIDATE_ITEMS; ++i) take_candidate(most, best[i]);
  candidates[place] = (uint4)(most[0], most[1]);
  own[tiles[place]] = most[0].x;
}
