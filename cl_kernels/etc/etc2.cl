// etc2.cl — ETC2 RGB: every mode is tried, the one with the least error is written; one work-item a block, one lane a
// texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says
//   defines      METHOD
//   exactness    as etc/colors.cl; equals codec/ref/etc/etc2_encode.cpp bit for bit on every device
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "etc/halves.cl"
#include "etc/pairs.cl"
#include "etc/planar.cl"

kernel void etc2(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  etc_halves halves;
  fit_halves(&p, &halves);
  uint2 best = pack_halves(&p, &halves);
  int error = halves.error, planar_error;
  const uint2 planar = encode_planar(&p, &planar_error);
  if (planar_error < error) {
    error = planar_error;
    best = planar;
  }
  etc_pair pair;
  fit_pairs(&p, &pair);
  if (pair.error < error) best = pack_pair(&p, &pair);
  blocks[place_of(&t, block)] = best;
}
