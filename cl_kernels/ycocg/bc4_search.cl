// bc4_search.cl — encodes the source frame as three planes of BC4 by BC4's search. With chroma at half width, luma
// compensates its error. With chroma at full height, Cg compensates the error of luma, which is encoded before it and,
// at half width, once more after it. One work-item encodes one block of Co, one of Cg and the one, two or four blocks
// of Y under them.
//   work-group   any, one-dimensional; global = chroma blocks rounded up; items past the last return early
//   in   source  as in common/load.cl
//   out  blocks  uint2: plane 0 at 0, planes 1 and 2 at the positions of texcast_target; every block is written
//   defines      CHROMA_ACROSS, CHROMA_DOWN = 1 or 2 luma texels per chroma texel · METHOD
//   exactness    as bc4/fit.cl; equals codec/ref/ycocg/ycocg_search.cpp bit for bit on every device
//   source       docs/format.md, "YCoCg-BC4"
#include "common/load.cl"
#include "include/kernels/chroma_weights.h"
#include "include/kernels/effort.h"
#ifndef METHOD
#define METHOD TEXCAST_CLUSTER
#endif
#define BC4_SIX_VALUES TEXCAST_CHANNEL_SIX_VALUES(METHOD)
#include "bc4/fit.cl"
#include "bc4/decode.cl"
#include "ycocg/held_luma.cl"

#ifndef CHROMA_ACROSS
#define CHROMA_ACROSS 2
#endif
#ifndef CHROMA_DOWN
#define CHROMA_DOWN 2
#endif
#define LUMA_BLOCKS (CHROMA_ACROSS * CHROMA_DOWN)
// Cg compensates a part of luma's error; with chroma at half height that is not worth the time.
#define LUMA_FIRST (CHROMA_DOWN == 1)

#if LUMA_BLOCKS > 1
// The contribution of luma block number `block` of the area to the 16 chroma texels: weighted across, then down.
static int16 gathered(int16 v, int block) {
  const bool right = block & 1;
  const int4 a0 = right ? (int4)(TEXCAST_CHROMA_WEIGHTS_4) : (int4)(TEXCAST_CHROMA_WEIGHTS_0);
  const int4 a1 = right ? (int4)(TEXCAST_CHROMA_WEIGHTS_5) : (int4)(TEXCAST_CHROMA_WEIGHTS_1);
  const int4 a2 = right ? (int4)(TEXCAST_CHROMA_WEIGHTS_6) : (int4)(TEXCAST_CHROMA_WEIGHTS_2);
  const int4 a3 = right ? (int4)(TEXCAST_CHROMA_WEIGHTS_7) : (int4)(TEXCAST_CHROMA_WEIGHTS_3);
  v = v.s000044448888cccc * (int16)(a0, a0, a0, a0) + v.s111155559999dddd * (int16)(a1, a1, a1, a1) +
      v.s22226666aaaaeeee * (int16)(a2, a2, a2, a2) + v.s33337777bbbbffff * (int16)(a3, a3, a3, a3);
#if CHROMA_DOWN == 2
  const bool lower = block & 2;
  const int4 d0 = lower ? (int4)(TEXCAST_CHROMA_WEIGHTS_4) : (int4)(TEXCAST_CHROMA_WEIGHTS_0);
  const int4 d1 = lower ? (int4)(TEXCAST_CHROMA_WEIGHTS_5) : (int4)(TEXCAST_CHROMA_WEIGHTS_1);
  const int4 d2 = lower ? (int4)(TEXCAST_CHROMA_WEIGHTS_6) : (int4)(TEXCAST_CHROMA_WEIGHTS_2);
  const int4 d3 = lower ? (int4)(TEXCAST_CHROMA_WEIGHTS_7) : (int4)(TEXCAST_CHROMA_WEIGHTS_3);
  v = v.s0123012301230123 * (int16)(d0.xxxx, d0.yyyy, d0.zzzz, d0.wwww) +
      v.s4567456745674567 * (int16)(d1.xxxx, d1.yyyy, d1.zzzz, d1.wwww) +
      v.s89ab89ab89ab89ab * (int16)(d2.xxxx, d2.yyyy, d2.zzzz, d2.wwww) +
      v.scdefcdefcdefcdef * (int16)(d3.xxxx, d3.yyyy, d3.zzzz, d3.wwww);
#endif
  return v;
}

// Interpolates the chroma of a luma block's texels from 16 chroma texels, whose edge is repeated. In sixteenths.
static int16 spread_chroma(int16 c, int block) {
  c = block & 1 ? 3 * c.s22336677aabbeeff + c.s132357679babdfef : 3 * c.s001144558899ccdd + c.s01024546898acdce;
#if CHROMA_DOWN == 2
  return block & 2 ? 3 * (int16)(c.s89ab, c.s89ab, c.scdef, c.scdef) + (int16)(c.s4567, c.scdef, c.s89ab, c.scdef)
                   : 3 * (int16)(c.s0123, c.s0123, c.s4567, c.s4567) + (int16)(c.s0123, c.s4567, c.s0123, c.s89ab);
#else
  return 4 * c;
#endif
}

// Four times Co or Cg.
static int16 quarters(int16 chroma, int block) { return (spread_chroma(chroma, block) - (16 * 128 - 2)) >> 2; }

// In twelfths.
static int16 luma_targets(rgb_block p, int16 co, int16 cg, int block) {
  const int16 green = quarters(cg, block);
  const int16 luma = held_luma(p, quarters(co, block), green, 4 * (p.r + p.g + p.b) + green);
  return clamp(luma, (int16)(0), (int16)(3060));
}

#else
static int16 gathered(int16 v, int block) { return v; }
#endif

// Twelfths, from weighted sums of twice Co, four times Cg or three times Cg; 128 represents 0.
#define SUM_BITS (TEXCAST_CHROMA_WEIGHT_BITS * (CHROMA_ACROSS / 2 + CHROMA_DOWN / 2))
#define TWELFTHS(scale, sum) \
  clamp((scale * (sum) + ((1536 << SUM_BITS) + ((1 << SUM_BITS) >> 1))) >> SUM_BITS, (int16)(0), (int16)(3060))

kernel void ycocg_bc4_search(SOURCE source, global uint2 *blocks, const texcast_source s,
                             const texcast_target t CHANGED_TILES) {
  const int block = get_global_id(0);
  if (block >= t.chroma_blocks_x * t.chroma_blocks_y) return;
  const int cy = block / t.chroma_blocks_x, cx = block - cy * t.chroma_blocks_x;
  const int bx = CHROMA_ACROSS * cx, by = CHROMA_DOWN * cy;
  if (!IN_CHANGED_TILE(&t, bx, by)) return;

  // Loops, so that only one block is in registers at a time, and the code of the search exists once.
  int16 co = 0, cg = 0;
#if !LUMA_FIRST
  __attribute__((opencl_unroll_hint(1)))
  for (int i = 0; i < LUMA_BLOCKS; ++i) {
    rgb_block p;
    load_rgb_block(source, &s, 4 * (bx + i % CHROMA_ACROSS), 4 * (by + i / CHROMA_ACROSS), &p);
    co += gathered(p.r - p.b, i);
    cg += gathered(2 * p.g - p.r - p.b, i);
  }
  co = TWELFTHS(6, co);
  cg = TWELFTHS(3, cg);
#endif
  // The order: luma as the basis for Cg; Co at -2; Cg at -1; luma.
  __attribute__((opencl_unroll_hint(1)))
  for (int i = LUMA_FIRST ? -2 - LUMA_BLOCKS : -2; i < (LUMA_BLOCKS == 1 ? 0 : LUMA_BLOCKS); ++i) {
    const int n = i < -2 ? i + 2 + LUMA_BLOCKS : i;
    const int x = bx + n % CHROMA_ACROSS, y = by + n / CHROMA_ACROSS;
    int16 target = i == -2 ? co : cg;
    int place = block + (i == -2 ? t.plane1 : t.plane2);
    rgb_block p;
    if (i < -2 || i >= 0) {
      const bool is_there = x < t.blocks_x && y < t.blocks_y;
      if (i >= 0 && !is_there) continue;
      load_rgb_block(source, &s, 4 * x, 4 * y, &p);
      place = y * t.blocks_x + x;
#if LUMA_BLOCKS > 1
      if (i >= 0) target = luma_targets(p, co, cg, i);
#endif
      if (i < -2) target = 3 * (p.r + 2 * p.g + p.b);
    }
    const uint2 made = encode_bc4_fitted(target);
    if (i >= -2 || LUMA_BLOCKS == 1) blocks[place] = made;
    if (i == -2) co = decode_bc4(made);
    if (i == -1) cg = decode_bc4(made);
#if LUMA_FIRST
    if (i < -2) {
      co += gathered(p.r - p.b, n);
      // G needs G - Y, R and B together twice Y - (R + B) / 2: the mean has thirds.
      cg += gathered(decode_bc4(made) + p.g - p.r - p.b, n);
      if (i == -3) {
        co = TWELFTHS(6, co);
        cg = TWELFTHS(4, cg);
      }
    }
#endif
  }
}
