// held_luma.cl — the luma of texels with a channel at 0 or 255, to which decoders clamp.
//   exactness integer; equals luma_target of codec/ref/ycocg/ycocg_luma.cpp bit for bit on every device

#include "common/load.cl"

// -1 if a channel is exact at this luma because it is clamped to 0..255.
static int16 held_channel(int16 source, int16 target, int16 mean3) {
  return (((254 - source) & (3 * target - mean3 - 1)) | ((source - 1) & (mean3 - 3 * target - 1))) >> 31;
}

// The luma that brings R, G and B nearest to the source if some of them are clamped; in twelfths. co, cg: 4 times the
// decoded ones; luma: 12 times the mean of the channels' targets.
static int16 held_luma(rgb_block p, int16 co, int16 cg, int16 luma) {
  const int16 r = 4 * p.r - co + cg, g = 4 * p.g - cg, b = 4 * p.b + co + cg;
  const int16 held_r = held_channel(p.r, r, luma), held_g = held_channel(p.g, g, luma),
              held_b = held_channel(p.b, b, luma);
  const int16 sum = (r & ~held_r) + (g & ~held_g) + (b & ~held_b), held = held_r + held_g + held_b;
  luma = select(luma, (3 * sum) >> 1, held == -1);
  return select(luma, 3 * sum, held == -2);
}
