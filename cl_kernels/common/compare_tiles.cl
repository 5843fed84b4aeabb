// compare_tiles.cl — which tiles of a frame differ from the one before: all bytes of all planes that are the picture's.
//   work-group   TILE_ITEMS items, one-dimensional; global = tiles times TILE_ITEMS
//   in   frame, before   as common/load.cl says of a source in a buffer, both of one format
//   out  changed         uchar[rows][columns]: 1 where a byte differs, else 0
//   defines      TILE_ITEMS=1 (CPUs: they leave a tile at the first row that differs), or 16 and more
#include "include/kernels/layout.h"

#ifndef TILE_ITEMS
#define TILE_ITEMS 1
#endif

// Rows of a whole tile are a multiple of 32 bytes in every format.
#if TILE_ITEMS == 1
typedef uint8 piece;
#define LOAD_PIECE(p) vload8(0, (global const uint *)(p))
static uint any_bit(piece v) {
  const uint4 a = v.lo | v.hi;
  return a.x | a.y | a.z | a.w;
}
#else
typedef uint4 piece;
#define LOAD_PIECE(p) vload4(0, (global const uint *)(p))
static uint any_bit(piece v) { return v.x | v.y | v.z | v.w; }
#endif
#define PIECE_BYTES ((int)sizeof(piece))

// Whether the item's part of a tile differs in one plane.
static bool differs_in(global const uchar *frame, global const uchar *before, const texcast_tiles *t, int plane,
                       int column, int row, int item) {
  const int left = column * t->tile_bytes[plane], top = row * t->tile_rows[plane];
  const int bytes = min(t->tile_bytes[plane], t->row_bytes[plane] - left);
  const int rows = min(t->tile_rows[plane], t->plane_rows[plane] - top);
  const int first = t->offset[plane] + top * t->stride[plane] + left, stride = t->stride[plane];
  const int whole = bytes / PIECE_BYTES;
  // Items stand side by side in a row, then in the next ones.
#if TILE_ITEMS == 1
  const int first_row = 0, row_step = 1, first_piece = 0, piece_step = 1;
#else
  const int across = max(whole, 1), first_row = item / across, row_step = TILE_ITEMS / across,
            first_piece = item - first_row * across, piece_step = across;
  if (first_row >= row_step) return false;
#endif
  for (int y = first_row; y < rows; y += row_step) {
    const int at = first + y * stride;
    piece differs = (piece)(0);
    for (int i = first_piece; i < whole; i += piece_step)
      differs |= LOAD_PIECE(frame + at + PIECE_BYTES * i) ^ LOAD_PIECE(before + at + PIECE_BYTES * i);
    if (any_bit(differs) != 0) return true;
    // At the picture's right edge, where what is beside it does not count.
    for (int i = PIECE_BYTES * whole + first_piece; i < bytes; i += piece_step)
      if (frame[at + i] != before[at + i]) return true;
  }
  return false;
}

static bool differs(global const uchar *frame, global const uchar *before, const texcast_tiles *t, int tile, int item) {
  const int row = tile / t->columns, column = tile - row * t->columns;
  for (int plane = 0; plane < t->planes; ++plane)
    if (differs_in(frame, before, t, plane, column, row, item)) return true;
  return false;
}

#if TILE_ITEMS == 1
kernel void compare_tiles(global const uchar *frame, global const uchar *before, global uchar *changed,
                          const texcast_tiles t) {
  const int tile = get_global_id(0);
  changed[tile] = differs(frame, before, &t, tile, 0) ? 1 : 0;
}
#else
kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void compare_tiles(global const uchar *frame, global const uchar *before, global uchar *changed,
                   const texcast_tiles t) {
  local int found;
  const int tile = get_group_id(0), item = get_local_id(0);
  if (item == 0) found = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (differs(frame, before, &t, tile, item)) atomic_or(&found, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) changed[tile] = (uchar)found;
}
#endif
