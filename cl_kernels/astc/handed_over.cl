// handed_over.cl — the choices that one kernel selects and another fits, packed into the block's own 16 bytes: up to
// four choices, or one with its first end points.
#include "astc/choose.cl"

#define NO_CHOICE 0xFFFFFFFFu  // kind 7, which does not exist

#if KEPT == 1
// Without alpha the end points take twelve bytes. With alpha they take sixteen times six bits, the last of which share
// the word of the choice.
static uint4 handed_over(const astc_texels *x, const astc_kept *kept) {
  const astc_decoded *e = &kept->ends;
#if HAS_ALPHA
  if (x->has_alpha) {
    const uint4 low = convert_uint4(e->low) >> 2, high = convert_uint4(e->high) >> 2;
    const uint4 other_low = convert_uint4(e->other_low) >> 2, other_high = convert_uint4(e->other_high) >> 2;
    const uint4 words = low | high << 6 | other_low << 12 | other_high << 18;
    return (uint4)(kept->choice[0] | (words.w >> 18) << 26, words.x | words.w << 24, words.y | (words.w >> 8 & 255) << 24,
                   words.z | (words.w >> 16 & 3) << 24);
  }
#endif
  return (uint4)(kept->choice[0],
                 (uint)e->low.x | (uint)e->low.y << 8 | (uint)e->low.z << 16 | (uint)e->high.x << 24,
                 (uint)e->high.y | (uint)e->high.z << 8 | (uint)e->other_low.x << 16 | (uint)e->other_low.y << 24,
                 (uint)e->other_low.z | (uint)e->other_high.x << 8 | (uint)e->other_high.y << 16 |
                     (uint)e->other_high.z << 24);
}
#if HAS_ALPHA
static color of_six_bits(uint4 v) { return convert_float4((v & 63) << 2 | (v >> 4 & 3)); }
#endif
static color of_bytes(uint r, uint g, uint b) {
  return COLOR((float)(r & 255), (float)(g & 255), (float)(b & 255), 0.0f);
}
// Returns the choice.
static uint taken_over(const astc_texels *x, uint4 words, astc_decoded *e) {
#if HAS_ALPHA
  if (x->has_alpha) {
    const uint4 v = (uint4)(words.y, words.z, words.w,
                            words.y >> 24 | words.z >> 24 << 8 | (words.w >> 24 & 3) << 16 | words.x >> 26 << 18);
    e->low = of_six_bits(v);
    e->high = of_six_bits(v >> 6);
    e->other_low = of_six_bits(v >> 12);
    e->other_high = of_six_bits(v >> 18);
    return words.x & 0x3FFFFFFu;
  }
#endif
  e->low = of_bytes(words.y, words.y >> 8, words.y >> 16);
  e->high = of_bytes(words.y >> 24, words.z, words.z >> 8);
  e->other_low = of_bytes(words.z >> 16, words.z >> 24, words.w);
  e->other_high = of_bytes(words.w >> 8, words.w >> 16, words.w >> 24);
  return words.x;
}
#else
static uint4 handed_over(const astc_texels *x, const astc_kept *kept) {
  uint4 words = (uint4)(NO_CHOICE);
  words.x = kept->choice[0];
#if KEPT > 1
  if (kept->estimate[1] < UNKNOWN) words.y = kept->choice[1];
#endif
#if KEPT > 2
  if (kept->estimate[2] < UNKNOWN) words.z = kept->choice[2];
#endif
#if KEPT > 3
  if (kept->estimate[3] < UNKNOWN) words.w = kept->choice[3];
#endif
  return words;
}
#endif
