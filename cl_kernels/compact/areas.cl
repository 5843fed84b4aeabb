// areas.cl — areas of 16 x 16 pixels that are looked for in planes of a byte a pixel, and the best vector so far.
#include "compact/places.cl"

// Four texels from byte `x` of a row on, which need not begin a number; `x` + 3 lies in it.
static uint four_texels(global const uint *row, int x) {
  const uint shift = (uint)(x & 3) * 8;
  return shift == 0 ? row[x >> 2] : row[x >> 2] >> shift | row[(x >> 2) + 1] << (32 - shift);
}

// Differences of four texels, added up.
static int four_differences(uint a, uint b) {
  const uint4 d = (uint4)(abs_diff(a & 255, b & 255), abs_diff(a >> 8 & 255, b >> 8 & 255),
                          abs_diff(a >> 16 & 255, b >> 16 & 255), abs_diff(a >> 24, b >> 24));
  return (int)(d.x + d.y + d.z + d.w);
}

// An area in pixels, and the planes that it is looked for in; rows of `columns` times four texels.
typedef struct area {
  global const uint *now, *then;
  int columns, rows;
  int x, y, width, height;
} area;

#define SEARCH_ITEMS 32
#define MOST_LOOKS 8

typedef struct found {
  int2 v;
  int least;
} found;
static bool is_same(int2 a, int2 b) { return a.x == b.x && a.y == b.y; }
static bool take(found *best, int2 v, int difference, int price) {
  if (is_same(v, best->v) || best->least <= price || price + difference >= best->least) return false;
  best->v = v;
  best->least = price + difference;
  return true;
}
