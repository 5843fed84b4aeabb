// channel.cl — alpha or luma of the source frame to blocks of EAC R11, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says
//   out  blocks  uint2[blocks_y][blocks_x] as texcast_target says, little-endian
//   defines      CODED  what is coded · METHOD · SIGNED_CODES
//   exactness    as eac/fit.cl; equals codec/ref/bc/eac.cpp bit for bit on every device
#define CODED_ALPHA 1  // as bc4/channel.cl
#define CODED_LUMA 2   // with what the source has of it beyond 8 bits
#ifndef CODED
#define CODED CODED_ALPHA
#endif

#if CODED == CODED_LUMA
#define LOAD_LUMA 1
#define LOAD_FINE 1
#endif
#include "common/load.cl"
#if CODED == CODED_ALPHA
#include "common/load_alpha.cl"
#endif
#include "eac/fit.cl"

#if CODED == CODED_LUMA
static int16 fine_luma_of(rgb_block p) {
#if IS_RGB
  // 65536ths of a byte by 0.2126, 0.7152, 0.0722, then FINE_STEP of them, cut off: 2^7 and 2^9 take the place of 2^16.
  const uint16 sum = as_uint16(13933 * p.r + 46871 * p.g + 4732 * p.b);
  return as_int16(mul_hi(sum << 7, (uint16)(FINE_STEP << 9)));
#else
  return p.g;
#endif
}
#endif

kernel void eac_r11(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
#if CODED == CODED_LUMA
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  const int16 fine = fine_luma_of(p);
#else
  int bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  const int16 fine = FINE_STEP * load_alpha(source, &s, 4 * bx, 4 * by);
#endif
  blocks[place_of(&t, block)] = encode_eac(EAC_VALUE(fine));
}
