// bc4_planes.cl — encodes the source frame as three planes of BC4: Y, Co, Cg. One work-item encodes one block of Co,
// one of Cg and the one, two or four blocks of Y under them, so that each texel is read once.
//   work-group   any, one-dimensional; global = chroma blocks rounded up; items past the last return early
//   in   source  as in common/load.cl
//   out  blocks  uint2: plane 0 at 0, planes 1 and 2 at the positions of texcast_target; every block is written
//   defines      CHROMA_ACROSS, CHROMA_DOWN = 1 or 2 luma texels per chroma texel · METHOD
//   exactness    integer; equals codec/ref/ycocg/ycocg_planes.cpp and bc/bc4.cpp bit for bit on every device
//   source       docs/format.md, "YCoCg-BC4"
#include "common/load.cl"
#include "include/kernels/effort.h"
#ifndef METHOD
#define METHOD TEXCAST_RANGE
#endif
#define BC4_REFINE TEXCAST_PLANE_FITS(METHOD)
#include "bc4/eight_values.cl"

#ifndef CHROMA_ACROSS
#define CHROMA_ACROSS 2
#endif
#ifndef CHROMA_DOWN
#define CHROMA_DOWN 2
#endif

// Sums of horizontal and vertical neighbours of a 4x4 block, by the subsampling.
#if CHROMA_ACROSS == 2 && CHROMA_DOWN == 2
typedef int4 chroma_part;  // 2x2 chroma texels
static chroma_part gather(int16 v) {
  const int8 across = v.even + v.odd;            // 2 columns x 4 rows
  return across.s0145 + across.s2367;
}
#elif CHROMA_ACROSS == 2
typedef int8 chroma_part;  // 2 columns x 4 rows
static chroma_part gather(int16 v) { return v.even + v.odd; }
#else
typedef int16 chroma_part;
static chroma_part gather(int16 v) { return v; }
#endif

typedef struct {
  chroma_part co, cg;
} chroma;

// Writes one luma block (if it exists) and returns its part of the chroma sums: R - B and 2G - R - B.
static chroma luma_block(SOURCE source, global uint2 *blocks, const texcast_source *s,
                         const texcast_target *t, int bx, int by) {
  rgb_block p;
  load_rgb_block(source, s, 4 * bx, 4 * by, &p);
  if (bx < t->blocks_x && by < t->blocks_y) blocks[by * t->blocks_x + bx] = encode_bc4((p.r + 2 * p.g + p.b + 2) >> 2);
  chroma c;
  c.co = gather(p.r - p.b);
  c.cg = gather(2 * p.g - p.r - p.b);
  return c;
}

kernel void ycocg_bc4(SOURCE source, global uint2 *blocks, const texcast_source s,
                      const texcast_target t CHANGED_TILES) {
  const int block = get_global_id(0);
  if (block >= t.chroma_blocks_x * t.chroma_blocks_y) return;
  const int cy = block / t.chroma_blocks_x, cx = block - cy * t.chroma_blocks_x;
  const int bx = CHROMA_ACROSS * cx, by = CHROMA_DOWN * cy;
  if (!IN_CHANGED_TILE(&t, bx, by)) return;

#if CHROMA_ACROSS == 2 && CHROMA_DOWN == 2
  // A loop, so that only one block is in registers at a time: four at once spill on AMD.
  const int16 owner = (int16)(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3);
  int16 co = 0, cg = 0;
  __attribute__((opencl_unroll_hint(1)))
  for (int i = 0; i < 4; ++i) {
    const chroma c = luma_block(source, blocks, &s, &t, bx + (i & 1), by + (i >> 1));
    co = select(co, (int16)(c.co.lo, c.co.lo, c.co.hi, c.co.hi, c.co.lo, c.co.lo, c.co.hi, c.co.hi), owner == i);
    cg = select(cg, (int16)(c.cg.lo, c.cg.lo, c.cg.hi, c.cg.hi, c.cg.lo, c.cg.lo, c.cg.hi, c.cg.hi), owner == i);
  }
#elif CHROMA_ACROSS == 2
  const chroma a = luma_block(source, blocks, &s, &t, bx, by);
  const chroma b = luma_block(source, blocks, &s, &t, bx + 1, by);
  const int16 co = (int16)(a.co.s01, b.co.s01, a.co.s23, b.co.s23, a.co.s45, b.co.s45, a.co.s67, b.co.s67);
  const int16 cg = (int16)(a.cg.s01, b.cg.s01, a.cg.s23, b.cg.s23, a.cg.s45, b.cg.s45, a.cg.s67, b.cg.s67);
#else
  const chroma a = luma_block(source, blocks, &s, &t, bx, by);
  const int16 co = a.co, cg = a.cg;
#endif
  // Means of CHROMA_ACROSS * CHROMA_DOWN texels: (R - B) / 2 and (2G - R - B) / 4, halves up, offset by 128. The values
  // before the shift are never negative; 255.5 is limited to 255.
  const int log2_count = CHROMA_ACROSS / 2 + CHROMA_DOWN / 2;
  const int co_shift = 1 + log2_count, cg_shift = 2 + log2_count;
  blocks[t.plane1 + block] = encode_bc4(min((co + (128 << co_shift) + (1 << (co_shift - 1))) >> co_shift, (int16)(255)));
  blocks[t.plane2 + block] = encode_bc4(min((cg + (128 << cg_shift) + (1 << (cg_shift - 1))) >> cg_shift, (int16)(255)));
}
