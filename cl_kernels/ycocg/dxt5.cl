// dxt5.cl — encodes the source frame as scaled YCoCg in BC3 blocks, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint4[blocks_y][blocks_x], little-endian: luma as BC4, then Co, Cg and scale as BC1
//   defines      METHOD
//   exactness    as bc4/fit.cl and ycocg/chroma_fit.cl; equals codec/ref/ycocg/ycocg_dxt5.cpp bit for bit on every
//                device
//   source       the format: J.M.P. van Waveren and I. Castano, "Real-Time YCoCg-DXT Compression", 2007. They use
//                bounding boxes; here end points are fitted, first those of chroma, then those of luma to the remaining
//                errors of R, G and B.
#include "bc1/palette.cl"
#define BC4_SIX_VALUES TEXCAST_LUMA_SIX_VALUES(METHOD)
#include "bc4/fit.cl"
#include "ycocg/chroma_fit.cl"
#include "ycocg/held_luma.cl"

// Each texel's palette value as in decoders (8 bits, truncated thirds), minus the 128 that represents 0.
static int16 decoded_chroma(int a, int b, int16 weights) {
  const int third_b = third((int3)(a + 2 * b)).x, third_a = third((int3)(2 * a + b)).x;
  return select(select(select((int16)(b), (int16)(third_b), weights == 1), (int16)(third_a), weights == 2), (int16)(a),
                weights == 3) - 128;
}

// The luma that, with the decoded chroma, brings R, G and B nearest to the source; in twelfths.
static int16 luma_targets(rgb_block p, const chroma_fit *fit) {
  const chroma_ends e = fit->ends;
  const int2 co_ends = e.co << 3 | e.co >> 2, cg_ends = e.cg << 2 | e.cg >> 4;
  const int quarters = 4 / e.scale;
  const int16 cg = quarters * decoded_chroma(cg_ends.x, cg_ends.y, fit->weights);
  int16 luma = 4 * (p.r + p.g + p.b) + cg;
  const int darkest = min16(min(min(p.r, p.g), p.b)), lightest = max16(max(max(p.r, p.g), p.b));
  if (darkest == 0 || lightest == 255)
    luma = held_luma(p, quarters * decoded_chroma(co_ends.x, co_ends.y, fit->weights), cg, luma);
  return clamp(luma, (int16)(0), (int16)(3060));
}

kernel void ycocg_dxt5(SOURCE source, global uint4 *blocks, const texcast_source s,
                       const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  chroma_block chroma;
  make_chroma_block(p.r - p.b, 2 * p.g - p.r - p.b, &chroma);
  chroma_fit fit;
  fit_chroma(&chroma, &fit);
  blocks[block] = (uint4)(encode_bc4_fitted(luma_targets(p, &fit)), pack_chroma(&fit));
}
