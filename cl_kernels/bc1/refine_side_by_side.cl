// refine_side_by_side.cl — BC1 by least squares along the principal axis, LANES blocks per item, one lane per block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as in common/load_side_by_side.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      METHOD = TEXCAST_REFINE_ONCE, TEXCAST_REFINE
//   exactness    as bc1/line_fit.cl; the bytes of bc1/refine.cl
#include "bc1/end_points_side_by_side.cl"
#include "include/kernels/effort.h"

#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif

kernel void bc1_refine_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                             const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_blocks p;
  load_lanes(source, &s, 4 * bx, 4 * by, &p);
  lane_float3 axis, sum;
#if METHOD == TEXCAST_REFINE_ONCE
  lane_leaning_axis(&p, &axis, &sum);
#else
  lane_line_axis(&p, &axis, &sum);
#endif
  lane_sums sums;
  const lane_float range = lane_first_sums(&p, &axis, &sums);
  lane_ends ends, flat;
  lane_fit(&sum, &sums, &ends);
  const lane_int useless = AS_INT(lane_determinant(&sums) - 1.0f) | lane_equal(&ends);
#if METHOD == TEXCAST_REFINE_ONCE
  const lane_int is_flat = useless | AS_INT(range - (FLAT_ONCE * SLOPE + 0.5f));
  if (ANY_NEGATIVE(is_flat)) {
    lane_flat(&sum, &flat);
    take_lane_ends(&ends, &flat, is_flat);
  }
  lane_float places[16];
  lane_places(&p, &ends, places);
  write_lanes(&ends, places, blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
#else
  const lane_int is_flat = useless | AS_INT(range - (FLAT * SLOPE + 0.5f));
  if (ANY_NEGATIVE(is_flat)) {
    lane_flat(&sum, &flat);
    take_lane_ends(&ends, &flat, is_flat);
  }
  lane_candidate best;
  best.ends = ends;
  best.error = (lane_float)(INFINITY);
  try_lane_ends(&p, &sum, &ends, (lane_int)(-1), &sums, &best);
  const lane_int again = ~AS_INT(lane_determinant(&sums) - 1.0f);
  lane_fit_closely(&sum, &sums, &ends);
  try_lane_ends(&p, &sum, &ends, again, &sums, &best);
  write_lanes(&best.ends, best.places, blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
#endif
}
