// compare_tiles.cl — finds the tiles in which a frame differs from the previous one: compares all bytes of the picture
// in all planes.
//   work-group   TILE_ITEMS items, one-dimensional; global = tiles times TILE_ITEMS. With TILE_ITEMS=0, for CPUs, any;
//                global = rows of tiles
//   in   frame, before   the frame and the previous one: sources in buffers, as in common/load.cl, both of one format
//   out  changed         uchar[rows][columns]: 1 if a byte differs, else 0
//   defines      TILE_ITEMS=0, or 16 and more
#include "include/kernels/layout.h"

#ifndef TILE_ITEMS
#define TILE_ITEMS 0
#endif

// The row of a whole tile is a multiple of 32 bytes in every format.
#if TILE_ITEMS
typedef uint4 piece;
#define LOAD_PIECE(p) vload4(0, (global const uint *)(p))
static uint any_bit(piece v) { return v.x | v.y | v.z | v.w; }
#else
typedef uint8 piece;
#define LOAD_PIECE(p) vload8(0, (global const uint *)(p))
static uint any_bit(piece v) {
  const uint4 a = v.lo | v.hi;
  return a.x | a.y | a.z | a.w;
}
#endif
#define PIECE_BYTES ((int)sizeof(piece))

// Compares a tile's part of a row: pieces `first`, `first + step` and so on. At the picture's right edge, the last
// bytes are compared one by one, as those beside the picture do not count.
static bool row_differs(global const uchar *frame, global const uchar *before, int bytes, int first, int step) {
  const int whole = bytes / PIECE_BYTES;
  piece differs = (piece)(0);
  for (int i = first; i < whole; i += step)
    differs |= LOAD_PIECE(frame + PIECE_BYTES * i) ^ LOAD_PIECE(before + PIECE_BYTES * i);
  if (any_bit(differs) != 0) return true;
  for (int i = PIECE_BYTES * whole + first; i < bytes; i += step)
    if (frame[i] != before[i]) return true;
  return false;
}

#if TILE_ITEMS
// Neighbouring items compare neighbouring pieces of a row, then of the next rows.
static bool differs_in(global const uchar *frame, global const uchar *before, const texcast_tiles *t, int plane,
                       int column, int row, int item) {
  const int left = column * t->tile_bytes[plane], top = row * t->tile_rows[plane];
  const int bytes = min(t->tile_bytes[plane], t->row_bytes[plane] - left);
  const int rows = min(t->tile_rows[plane], t->plane_rows[plane] - top);
  const int across = min(max(bytes / PIECE_BYTES, 1), TILE_ITEMS), down = TILE_ITEMS / across;
  const int y0 = item / across, x = item - y0 * across;
  if (y0 >= down) return false;
  for (int y = y0; y < rows; y += down) {
    const int at = t->offset[plane] + (top + y) * t->stride[plane] + left;
    if (row_differs(frame + at, before + at, bytes, x, across)) return true;
  }
  return false;
}

kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void compare_tiles(global const uchar *frame, global const uchar *before, global uchar *changed,
                   const texcast_tiles t) {
  local int found;
  const int tile = get_group_id(0), item = get_local_id(0);
  const int row = tile / t.columns, column = tile - row * t.columns;
  if (item == 0) found = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // One call per plane, so that no member of `t` is indexed in memory.
  if (differs_in(frame, before, &t, 0, column, row, item) ||
      (t.planes > 1 && differs_in(frame, before, &t, 1, column, row, item)) ||
      (t.planes > 2 && differs_in(frame, before, &t, 2, column, row, item)))
    atomic_or(&found, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) changed[tile] = (uchar)found;
}
#else
// Row by row of the picture, in memory order: tile by tile takes CPUs twice as long.
kernel void compare_tiles(global const uchar *frame, global const uchar *before, global uchar *changed,
                          const texcast_tiles t) {
  const int row = get_global_id(0);
  global uchar *mine = changed + row * t.columns;
  for (int column = 0; column < t.columns; ++column) mine[column] = 0;
  for (int plane = 0; plane < t.planes; ++plane) {
    const int top = row * t.tile_rows[plane], bottom = min(top + t.tile_rows[plane], t.plane_rows[plane]);
    for (int y = top; y < bottom; ++y)
      for (int column = 0; column < t.columns; ++column) {
        if (mine[column] != 0) continue;
        const int left = column * t.tile_bytes[plane], at = t.offset[plane] + y * t.stride[plane] + left;
        const int bytes = min(t.tile_bytes[plane], t.row_bytes[plane] - left);
        if (row_differs(frame + at, before + at, bytes, 0, 1)) mine[column] = 1;
      }
  }
}
#endif
