// refine.cl — BC1 by least squares along the principal axis, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl, with LOAD_FLOATS
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    as bc1/line_fit.cl; equals codec/ref/bc/bc1_refine.cpp bit for bit on every device
//   source       principal axis: I. Castano, "High Quality DXT Compression using CUDA", 2007; least squares with fixed
//                indices: S. Brown, "DXT Compression Techniques", 2006
#include "bc1/line_fit.cl"

kernel void bc1_refine_once(SOURCE source, global uint2 *blocks, const texcast_source s,
                            const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block texels;
  if (!load_own_block(source, &s, &t, &block, &texels)) return;
  line_block p;
  make_line_block(texels, &p);
  float16 w;
  const float range = first_weights(&p, leaning_axis(&p), &w);
  line_sums sums;
  line_sums_of(&p, w, &sums);
  line_ends ends;
  line_fit(p.sum, &sums, &ends);
  if (range <= FLAT_ONCE * SLOPE || line_determinant(&sums) == 0.0f || equal_line_ends(&ends)) line_flat(p.sum, &ends);
  blocks[place_of(&t, block)] = pack_line(&ends, line_places(&p, &ends));
}

kernel void bc1_refine(SOURCE source, global uint2 *blocks, const texcast_source s,
                       const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block texels;
  if (!load_own_block(source, &s, &t, &block, &texels)) return;
  line_block p;
  make_line_block(texels, &p);
  line_candidate best;
  line_sums sums;
  start_line(&p, line_axis(&p), &sums, &best);
  polish_line(&p, &sums, &best);
  blocks[place_of(&t, block)] = pack_line(&best.ends, best.places);
}
