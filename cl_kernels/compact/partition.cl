// partition.cl — partitions of 16 x 16 pixels for motion search, in planes of a byte per pixel, and the best vector so
// far.
#include "compact/sub_block_index.cl"

// Four texels of a row, from byte `x` on, which need not be aligned. `x` + 3 must lie in the row.
static uint four_texels(global const uint *row, int x) {
  const uint shift = (uint)(x & 3) * 8;
  return shift == 0 ? row[x >> 2] : row[x >> 2] >> shift | row[(x >> 2) + 1] << (32 - shift);
}

// The sum of absolute differences (SAD) of four texels.
static int sad_of_four(uint a, uint b) {
  const uint4 d = (uint4)(abs_diff(a & 255, b & 255), abs_diff(a >> 8 & 255, b >> 8 & 255),
                          abs_diff(a >> 16 & 255, b >> 16 & 255), abs_diff(a >> 24, b >> 24));
  return (int)(d.x + d.y + d.z + d.w);
}

// A partition in pixels, and the planes of the source (`source`) and of the reference frame (`reference`). Each of
// their `rows` has `columns` numbers of four texels.
typedef struct partition_view {
  global const uint *source, *reference;
  int columns, rows;
  int x, y, width, height;
} partition_view;

#define SEARCH_ITEMS 32  // work-items of a tile
#define MOST_VECTORS 8   // vectors whose SADs are computed at once

// The best vector so far, and its cost.
typedef struct found {
  int2 v;
  int least;
} found;
static bool is_same(int2 a, int2 b) { return a.x == b.x && a.y == b.y; }
// Takes the vector if its SAD and the cost of its bits together are less than the least cost so far. Returns whether it
// did.
static bool take(found *best, int2 v, int difference, int cost) {
  if (is_same(v, best->v) || best->least <= cost || cost + difference >= best->least) return false;
  best->v = v;
  best->least = cost + difference;
  return true;
}
