// choices.cl — the first of two kernels that encode ASTC blocks: selects the choices that are worth fitting, and stores
// them in the block's own bytes. Blocks of one colour are finished here.
//   in         source, as in common/load.cl · tables, as in include/kernels/astc.h
//   out        16 bytes per block, for astc/finish.cl (format: handed_over.cl)
//   items      one per block
//   exactness  defined float order, equals codec/ref/astc/astc_choose.cpp
#include "astc/flat.cl"
#include "astc/handed_over.cl"

kernel void astc_choices(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t,
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
  blocks[place_of(&t, block)] = handed_over(&x, &kept);
}
