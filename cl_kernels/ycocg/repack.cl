// repack.cl — converts planes of YCoCg-BC4 to scaled YCoCg in BC3 blocks (Hap Q), one work-item per block, one lane per
// texel. Luma halves are the luma blocks, unchanged; colour halves are fitted to Co and Cg as decoders show them.
//   work-group   any, one-dimensional; global = luma blocks rounded up; items past the last block return early
//   in   planes  uint2: Y at 0, Co and Cg at the positions of texcast_planes
//   out  blocks  uint4[blocks_y][blocks_x], little-endian; every block is written
//   defines      CHROMA_ACROSS, CHROMA_DOWN = 1 or 2 luma texels per chroma texel; METHOD
//   exactness    as ycocg/chroma_fit.cl; equals codec/ref/ycocg/ycocg_repack.cpp bit for bit on every device
//   source       docs/format.md, "Chroma placement" and "Hap Q from YCoCg-BC4"
#include "include/kernels/layout.h"
#include "bc4/decode.cl"
#include "ycocg/chroma_fit.cl"

#ifndef CHROMA_ACROSS
#define CHROMA_ACROSS 2
#endif
#ifndef CHROMA_DOWN
#define CHROMA_DOWN 2
#endif

// Co in the lower half, Cg in the upper one.
static int16 decode_chroma(global const uint2 *planes, const texcast_planes *t, int block) {
  return decode_bc4(planes[t->plane1 + block]) | decode_bc4(planes[t->plane2 + block]) << 16;
}

// Repeats a plane's edge outside of it: four columns or rows, of which `inside`, at least 1, are in the plane.
static int16 hold_columns(int16 v, int inside) {
  if (inside < 2) v.s159d = v.s048c;
  if (inside < 3) v.s26ae = v.s159d;
  if (inside < 4) v.s37bf = v.s26ae;
  return v;
}
static int16 hold_rows(int16 v, int inside) {
  if (inside < 2) v.s4567 = v.s0123;
  if (inside < 3) v.s89ab = v.s4567;
  if (inside < 4) v.scdef = v.s89ab;
  return v;
}

#if CHROMA_ACROSS == 2
// Four columns from two blocks side by side: the two that the luma block covers, and one more on each side.
//   block 2k:    . . . l | r r r .        block 2k + 1:    . l l l | r . . .
static int16 four_columns(global const uint2 *planes, const texcast_planes *t, int bx, int row_of_blocks) {
  const int left_block = (bx - 1) >> 1, row = row_of_blocks * t->chroma_blocks_x;
  const int16 left = decode_chroma(planes, t, row + max(left_block, 0));
  const int16 right = decode_chroma(planes, t, row + min(left_block + 1, t->chroma_blocks_x - 1));
  int16 columns = bx & 1 ? (int16)(left.s123, right.s0, left.s567, right.s4, left.s9ab, right.s8, left.sdef, right.sc)
                         : (int16)(left.s3, right.s012, left.s7, right.s456, left.sb, right.s89a, left.sf, right.scde);
  if (bx == 0) columns.s048c = columns.s159d;
  return hold_columns(columns, t->chroma_width - (2 * bx - 1));
}
#define OWN_AND_SIDE_COLUMN(v) (3 * v.s1122556699aaddee + v.s021346578a9bcedf)
#endif

// Interpolates the chroma of the luma block's texels, in sixteenths: Co and Cg at once, each 4080 at most.
static int16 load_chroma(global const uint2 *planes, const texcast_planes *t, int bx, int by) {
#if CHROMA_ACROSS == 2 && CHROMA_DOWN == 2
  const int top_block = (by - 1) >> 1;
  const int16 top = four_columns(planes, t, bx, max(top_block, 0));
  const int16 bottom = four_columns(planes, t, bx, min(top_block + 1, t->chroma_blocks_y - 1));
  int16 rows = by & 1 ? (int16)(top.s4567, top.s89ab, top.scdef, bottom.s0123)
                      : (int16)(top.scdef, bottom.s0123, bottom.s4567, bottom.s89ab);
  if (by == 0) rows.s0123 = rows.s4567;
  rows = hold_rows(rows, t->chroma_height - (2 * by - 1));
  const int16 v = OWN_AND_SIDE_COLUMN(rows);
  return 3 * (int16)(v.s4567, v.s4567, v.s89ab, v.s89ab) + (int16)(v.s0123, v.s89ab, v.s4567, v.scdef);
#elif CHROMA_ACROSS == 2
  const int16 v = hold_rows(four_columns(planes, t, bx, by), t->chroma_height - 4 * by);
  return 4 * OWN_AND_SIDE_COLUMN(v);
#else
  const int16 v = hold_columns(decode_chroma(planes, t, by * t->chroma_blocks_x + bx), t->chroma_width - 4 * bx);
  return 16 * hold_rows(v, t->chroma_height - 4 * by);
#endif
}

kernel void ycocg_repack(global const uint2 *planes, global uint4 *blocks, const texcast_planes t) {
  const int block = get_global_id(0);
  if (block >= t.blocks_x * t.blocks_y) return;
  const int by = block / t.blocks_x, bx = block - by * t.blocks_x;
  // Converts to twice Co and four times Cg, rounded halves up.
  const int16 both = load_chroma(planes, &t, bx, by);
  chroma_block chroma;
  make_chroma_block(((both & 0xFFFF) - (16 * 128 - 4)) >> 3, ((both >> 16) - (16 * 128 - 2)) >> 2, &chroma);
  chroma_fit fit;
  fit_chroma(&chroma, &fit);
  blocks[block] = (uint4)(planes[block], pack_chroma(&fit));
}
