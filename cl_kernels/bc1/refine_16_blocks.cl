// refine_16_blocks.cl — BC1 by least squares along the principal axis, 16 blocks an item, one lane a block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of 16 blocks across; items past the last
//                return early
//   in   source  as common/load_16_blocks.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      METHOD = TEXCAST_REFINE_ONCE, TEXCAST_REFINE
//   exactness    as bc1/line_fit.cl; the bytes of bc1/refine.cl
#include "bc1/end_points_16_blocks.cl"
#include "include/kernels/effort.h"

#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif

kernel void bc1_refine16(global const uchar *source, global uint2 *blocks, const texcast_source s,
                         const texcast_target t) {
  const int groups = (t.blocks_x + 15) / 16;
  const int by = (int)get_global_id(0) / groups, bx = 16 * ((int)get_global_id(0) - by * groups);
  if (by >= t.blocks_y) return;
  blocks16 p;
  load_blocks16(source, &s, 4 * bx, 4 * by, &p);
  float16x3 axis, sum;
#if METHOD == TEXCAST_REFINE_ONCE
  leaning_axis16(&p, &axis, &sum);
#else
  line_axis16(&p, &axis, &sum);
#endif
  sums16 sums;
  const float16 range = first_sums16(&p, &axis, &sums);
  ends16 ends, flat;
  fit16(&sum, &sums, &ends);
  const int16 useless = as_int16(determinant16(&sums) - 1.0f) | equal16(&ends);
#if METHOD == TEXCAST_REFINE_ONCE
  const int16 is_flat = useless | as_int16(range - (FLAT_ONCE * SLOPE + 0.5f));
  if ((int)or16(as_uint16(is_flat)) < 0) {
    flat16(&sum, &flat);
    take16(&ends, &flat, is_flat);
  }
  float16 places[16];
  places16(&p, &ends, places);
  write16(&ends, places, blocks + place_of(&t, by * t.blocks_x + bx), t.step, min(16, t.blocks_x - bx));
#else
  const int16 is_flat = useless | as_int16(range - (FLAT * SLOPE + 0.5f));
  if ((int)or16(as_uint16(is_flat)) < 0) {
    flat16(&sum, &flat);
    take16(&ends, &flat, is_flat);
  }
  candidate16 best;
  best.ends = ends;
  best.error = (float16)(INFINITY);
  try16(&p, &sum, &ends, (int16)(-1), &sums, &best);
  const int16 again = ~as_int16(determinant16(&sums) - 1.0f);
  fit_closely16(&sum, &sums, &ends);
  try16(&p, &sum, &ends, again, &sums, &best);
  write16(&best.ends, best.places, blocks + place_of(&t, by * t.blocks_x + bx), t.step, min(16, t.blocks_x - bx));
#endif
}
