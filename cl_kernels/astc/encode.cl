// encode.cl — encodes ASTC blocks of SIDE x SIDE texels, LDR profile, in one kernel: any number of choices is fitted.
//   in         source, as in common/load.cl · tables, as in include/kernels/astc.h
//   out        16 bytes per block
//   items      one per block
//   exactness  defined float order, equals codec/ref/astc/astc_encode.cpp
#include "astc/flat.cl"
#include "astc/write.cl"

kernel void astc_encode(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t,
                        astc_tables tables CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  astc_texels x;
  float4 flat;
  load_texels(source, &s, SIDE * bx, SIDE * by, &x, &flat);
  astc_moments all;
  moments_of_block(&x, &all);
  if (has_one_color(&all)) {
    blocks[place_of(&t, block)] = write_flat(flat);
    return;
  }
  astc_kept kept;
  choose(&x, &all, tables, &kept);
  astc_fitted best;
  best.error = UNKNOWN;
#pragma unroll 1
  for (int n = 0; n < KEPT; ++n)
    if (kept.estimate[n] < UNKNOWN) fit_along_lines(&x, &all, tables, kept.choice[n], &best);
  blocks[place_of(&t, block)] = write_block(tables, &best);
}
