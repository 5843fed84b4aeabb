// etc2.cl — encodes ETC2 RGB: tries every mode and writes the one with the least error; one work-item per block, one
// lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target
//   defines      METHOD
//   exactness    as etc/colors.cl; equals codec/ref/etc/etc2_encode.cpp bit for bit on every device
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "etc/halves_estimate.cl"
#include "etc/halves_fit.cl"
#include "etc/pairs_estimate.cl"
#include "etc/pairs_fit.cl"
#include "etc/planar.cl"

#if TEXCAST_ETC_ESTIMATES(METHOD)
static uint2 encode_etc2(rgb_block *p) {
  etc_known known;
  know_halves(p, &known);
  etc_halves halves;
  estimate_halves(&known, &halves);
  int planar_error;
  const uint2 planar = encode_planar(p, &planar_error);
  etc_pair pair;
  estimate_pairs(p, &known, &pair);
  const int other_error = min(halves.error, planar_error);
  // One search for the nearest palette colours serves both.
  etc_paints first, second;
  uint upper;
  int flip = 1, crossed = 0;
  if (pair.error < other_error) {
    pair_paints(&pair, &first);
    second = first;
    upper = pair_word(&pair, &crossed);
  } else {
    half_paints(halves.first, halves.bits, &first);
    half_paints(halves.second, halves.bits, &second);
    upper = halves_word(&halves);
    flip = halves.flip;
  }
  const uint2 painted = etc_bytes(upper, paint_halves(p, flip, &first, &second) ^ (crossed != 0 ? 0xFFFF0000u : 0u));
  return planar_error < halves.error && planar_error <= pair.error ? planar : painted;
}
#else
static uint2 encode_etc2(rgb_block *p) {
  etc_halves halves;
  fit_halves(p, &halves);
  uint2 best = pack_halves(p, &halves);
  int error = halves.error, planar_error;
  const uint2 planar = encode_planar(p, &planar_error);
  if (planar_error < error) {
    error = planar_error;
    best = planar;
  }
  etc_pair pair;
  fit_pairs(p, &pair);
  if (pair.error < error) best = pack_pair(p, &pair);
  return best;
}
#endif

kernel void etc2(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  blocks[place_of(&t, block)] = encode_etc2(&p);
}
