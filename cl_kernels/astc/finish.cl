// finish.cl — the second of two kernels that encode ASTC blocks: fits what the first one chose, and writes the best.
//   in         source, as in common/load.cl · tables, as in include/kernels/astc.h · blocks, written by astc/choices.cl
//   out        16 bytes per block
//   items      one per block
//   exactness  defined float order, equals codec/ref/astc/astc_encode.cpp
#include "astc/handed_over.cl"
#include "astc/write.cl"

kernel void astc_finish(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t,
                        astc_tables tables CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  astc_texels x;
  float4 flat;
  const int place = place_of(&t, block);
  if (load_texels(source, &s, SIDE * bx, SIDE * by, &x, &flat)) {
    blocks[place] = write_flat(flat);
    return;
  }
  astc_moments all;
  moments_of(&x, (float)TEXELS, &all);
  const uint4 words = blocks[place];
  astc_fitted best;
  best.error = UNKNOWN;
#if KEPT == 1
  astc_decoded ends;
  fit(&x, &all, tables, taken_over(&x, words, &ends), &ends, &best);
#else
#pragma unroll 1
  for (int n = 0; n < KEPT; ++n) {
    const uint choice = n == 0 ? words.x : n == 1 ? words.y : n == 2 ? words.z : words.w;
    if (choice == NO_CHOICE) break;
    fit_along_lines(&x, &all, tables, choice, &best);
  }
#endif
  blocks[place] = write_block(tables, &best);
}
