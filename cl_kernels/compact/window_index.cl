// window_index.cl — motion candidates of a lossy stream's tiles, and the index of the windows of 8 x 8 pixels by which
// they are found, as in codec/compact/motion/window_index.cpp.
//   in   c       the first component; planes have four of its texels in a number
//        tiles   numbers of tiles, from `first` on
//        shift   right shift of a window's hash that gives its bucket
//   exactness    integer; equals the CPU's result on every device
#include "compact/candidates.cl"
#include "compact/half_pel_sad.cl"

#define WINDOW_SIDE 8
#define SAMPLE_BITS 5
#define WINDOW_WAYS 4
#define MOST_SAMPLES 128
#define MOST_MATCHES (2 * MOST_SAMPLES)
#define WINDOW_ITEMS 64
#define RUN 32  // windows of a row that an item looks at; a tile has WINDOW_ITEMS such runs

// Eight pixels, which need not be aligned.
static ulong row_at(global const uint *plane, int columns, int x, int y) {
  global const uint *row = plane + y * columns;
  return (ulong)four_texels(row, x) | (ulong)four_texels(row, x + 4) << 32;
}
static bool is_sampled(ulong row) {
  return row * 0x9E3779B97F4A7C15UL >> (64 - SAMPLE_BITS) == 0 && row != (row & 0xFF) * 0x0101010101010101UL;
}
static ulong hash_of_window(global const uint *plane, int columns, int x, int y) {
  ulong hash = 0;
  for (int j = 0; j < WINDOW_SIDE; ++j) {
    const ulong mixed = hash ^ row_at(plane, columns, x, y + j);
    // bitselect() rotates by 29, as Oclgrind does not support funnel shifts.
    hash = bitselect(mixed >> 35, mixed << 29, ~0UL << 29) * 0x9E3779B97F4A7C15UL;
  }
  return hash;
}

// The match of partition `item`, of 8, with the least SAD; of several the first one. `keys` has each match's partition
// in the upper 8 bits, its SAD in 16, and its number in 8.
static uint best_match(int count, local const uint *keys, local const uint *matches) {
  const uint item = (uint)get_local_id(0);
  uint least = ~0u, vector = NO_VECTOR;
  for (int i = 0; i < count; ++i) {
    if (keys[i] >> 24 != item || keys[i] >= least) continue;
    least = keys[i];
    vector = matches[i];
  }
  return vector;
}
// Whether a window of one plane equals one of another. Most of those that differ do so in the first row; the others are
// loaded together.
static bool is_same_window(global const uint *a, int ax, int ay, global const uint *b, int bx, int by, int columns) {
  if (row_at(a, columns, ax, ay) != row_at(b, columns, bx, by)) return false;
  ulong off = 0;
  for (int j = 1; j < WINDOW_SIDE; ++j) off |= row_at(a, columns, ax, ay + j) ^ row_at(b, columns, bx, by + j);
  return off == 0;
}

// find_window_candidates: finds the vectors with the most matches for each tile, and the best one of each partition, in
// pixels.
//   work-group   WINDOW_ITEMS items for each tile; global = tiles times WINDOW_ITEMS
//   in   source, previous   planes: the source, and the previous source, whose windows are in `entries`
//        entries            uint[bucket][4]: the number of a window's upper left pixel, plus 1
//        changes            uint[tile number], not 0 if the tile changed; only_changed: not 0: others have no matches
//   out  candidates         uint4[tile]: two, each packed by pack_vector() and followed by its number of matches
//        matched            uint[tile number][8]: for each partition the vector with the least SAD, packed
//   local masks             uint[WINDOW_ITEMS + 1]; matches, keys: uint[MOST_MATCHES]; best: uint2[MOST_MATCHES]
kernel __attribute__((reqd_work_group_size(WINDOW_ITEMS, 1, 1)))
void find_window_candidates(const texcast_component c, global const uint *tiles, int first,
                            global const uint *changes, int only_changed, global const uint *source,
                            global const uint *previous, global const uint *entries, int shift,
                            global uint4 *candidates, global uint *matched, local uint *masks, local uint *matches,
                            local uint *keys, local uint2 *best) {
  const int item = (int)get_local_id(0), width = 4 * c.blocks_x;
  const uint tile = tiles[first + get_group_id(0)];
  const int2 origin = 4 * tile_origin(&c, tile);
  const int runs = 4 * c.tile_columns / RUN;
  const int x0 = origin.x + item % runs * RUN, y = origin.y + item / runs;
  const int end_x = min(min(x0 + RUN, origin.x + 4 * c.tile_columns), width - WINDOW_SIDE + 1);
  int end_y = min(origin.y + 4 * c.tile_rows, 4 * c.blocks_y - WINDOW_SIDE + 1);
  if (only_changed != 0 && changes[tile] == 0) end_y = 0;
  uint mask = 0;
  if (y < end_y) {
    for (int x = x0; x < end_x; ++x) {
      const ulong row = row_at(source, c.blocks_x, x, y);
      if (is_sampled(row) && row != row_at(previous, c.blocks_x, x, y)) mask |= 1u << (x - x0);
    }
  }
  masks[item] = mask;
  if (item == 0) masks[WINDOW_ITEMS] = 0;  // counts the matches
  barrier(CLK_LOCAL_MEM_FENCE);
  int sample = 0;
  for (int i = 0; i < item; ++i) sample += (int)popcount(masks[i]);
  for (int i = 0; i < RUN && sample < MOST_SAMPLES; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const int x = x0 + i;
    global const uint *bucket = entries + (size_t)(hash_of_window(source, c.blocks_x, x, y) >> shift) * WINDOW_WAYS;
    int found = 0;
    for (int way = 0; way < WINDOW_WAYS && found < 2; ++way) {
      if (bucket[way] == 0) continue;
      const int position = (int)bucket[way] - 1, from_y = position / width, from_x = position - from_y * width;
      if (!is_same_window(source, x, y, previous, from_x, from_y, c.blocks_x)) continue;
      const uint at = atomic_inc(masks + WINDOW_ITEMS);
      keys[at] = (uint)((y - origin.y) / 16 * 4 + (x - origin.x) / 16) << 24 | (uint)(2 * sample + found++);
      matches[at] = pack_vector((int2)(from_x - x, from_y - y));
    }
    ++sample;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int count = (int)masks[WINDOW_ITEMS];
  for (int i = item; i < count; i += WINDOW_ITEMS) {
    const uint match = matches[i], partition = keys[i] >> 24;
    partition_view a = {source, previous, c.blocks_x, 4 * c.blocks_y, origin.x + (int)(partition & 3) * 16,
                        origin.y + (int)(partition >> 2) * 16, 0, 0};
    a.width = min(16, width - a.x);
    a.height = min(min(16, origin.y + 4 * c.tile_rows - a.y), 4 * c.blocks_y - a.y);
    keys[i] |= (uint)sad_of_rows(&a, 2 * unpack_vector(match), 0, 1) << 8;
    uint same = 0;
    for (int j = 0; j < count; ++j) same += matches[j] == match ? 1 : 0;
    best[i] = (uint2)(match, same);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 8) matched[8 * tile + (uint)item] = best_match(count, keys, matches);
  if (item > 0) return;
  uint2 most[2] = {(uint2)(NO_VECTOR, 0), (uint2)(NO_VECTOR, 0)};
  for (int i = 0; i < count; ++i) take_candidate(most, best[i]);
  candidates[get_group_id(0)] = (uint4)(most[0], most[1]);
}

// index_windows: inserts the sampled windows of tiles into the index. If several have the same entry the last one
// remains, by the number of the tile and then row by row. It runs twice: first the last window of each entry is found,
// then it is inserted.
//   work-items   one for each pixel of a tile; global = tiles times their pixels, rounded up
//   in   changes, only_changed   as of find_window_candidates: only windows of these tiles are inserted
//        settles   not 0: the second run
//   both latest    uint[bucket][4]: 0 before the first run and after the second
//   out  entries
kernel void index_windows(const texcast_component c, global const uint *tiles, int first, uint count,
                          global const uint *changes, int only_changed, global const uint *plane, int shift,
                          int settles, volatile global uint *latest, global uint *entries) {
  const int columns = 4 * c.tile_columns, pixels = columns * 4 * c.tile_rows, width = 4 * c.blocks_x;
  const int item = (int)get_global_id(0), slot = item / pixels, in_tile = item - slot * pixels;
  if (slot >= (int)count) return;
  const uint tile = tiles[first + slot];
  if (only_changed != 0 && changes[tile] == 0) return;
  const int2 origin = 4 * tile_origin(&c, tile);
  const int x = origin.x + in_tile % columns, y = origin.y + in_tile / columns;
  if (x > width - WINDOW_SIDE || y > 4 * c.blocks_y - WINDOW_SIDE) return;
  if (!is_sampled(row_at(plane, c.blocks_x, x, y))) return;
  const size_t at =
      (size_t)(hash_of_window(plane, c.blocks_x, x, y) >> shift) * WINDOW_WAYS + (size_t)(y & (WINDOW_WAYS - 1));
  const uint order = tile * (uint)pixels + (uint)in_tile + 1;
  if (settles == 0) {
    atomic_max(latest + at, order);
  } else if (atomic_cmpxchg(latest + at, order, 0u) == order) {
    entries[at] = (uint)(y * width + x) + 1;
  }
}
