// lspiro_correct.cl — BC1 by LSpiro steps 1 and 2, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      LSPIRO_PASSES = 1..16
//   exactness    as bc1/integer_fit.cl; equals codec/ref/bc/bc1_lspiro.cpp bit for bit on every device
//   source       I. Perminov, "Online compression of visual data on GPU", section 2.3 (after L. Spiro 2011, 2012)
#include "bc1/lspiro_line.cl"
#include "bc1/integer_fit.cl"

#ifndef LSPIRO_PASSES
#define LSPIRO_PASSES 3
#endif
#define LSPIRO_FLAT_RANGE 6  // up to this range a block is nearly flat: its exact colour matters more than its slope

typedef struct {
  ends565 ends;
  int error;  // squared, minus the sum of squares of the texels
} lspiro_candidate;

static void keep_nearer(const fit_block *f, ends565 ends, lspiro_candidate *best) {
  const int error = nearest_error(f, ends);
  if (error >= best->error) return;
  best->ends = ends;
  best->error = error;
}

// The weights for the first pass: the line is clipped to the texels' own extent along it, reduced by 1/16 at each end.
static int16 extent_weights(const fit_block *f, ends565 line) {
  const int3 axis = expanded(line.a) - expanded(line.b);
  const int16 at = f->r * axis.x + f->g * axis.y + f->b * axis.z;
  const int lowest = min16(at), highest = max16(at);
  const int inset = (highest - lowest) >> 4;
  const int length = highest - lowest - 2 * inset;
  const int16 sixths = 6 * (at - (lowest + inset));
  return 3 + ((sixths - length) >> 31) + ((sixths - 3 * length) >> 31) + ((sixths - 5 * length) >> 31);
}

// Regression of the difference between the block as it will be decoded and its texels. With exact thirds it would give
// the least-squares fit itself. The contribution of the truncated thirds depends only on how many texels have weights 1
// and 2.
static void correct(const fit_block *f, int16 w, fit_sums s, ends565 *ends) {
  const int3 a = expanded(ends->a), b = expanded(ends->b), sum1 = a + 2 * b, sum2 = 2 * a + b;
  const int3 cut1 = sum1 - 3 * third(sum1), cut2 = sum2 - 3 * third(sum2);  // in thirds
  const int ones = sum16(min(w, (int16)(1)) & min(w ^ 2, (int16)(1)) & min(w ^ 3, (int16)(1)));
  const int twos = ((3 * s.w - s.ww) >> 1) - ones;  // 3 w - w w is 2 for weights 1 and 2, else 0
  const int3 cut = ones * cut1 + twos * cut2, weighted = ones * cut1 + 2 * twos * cut2;
  const int3 more_b = (s.ww * cut - s.w * weighted) / 3;  // exact: no remainder in either
  const int3 more_a = more_b + 16 * weighted - s.w * cut;
  const int3 at_b = s.ww * f->sum - s.w * s.wv;
  const int3 at_a = at_b + 3 * (16 * s.wv - s.w * f->sum);
  const float3 to_code = reciprocal((float)determinant(s)) * (float3)(0.121568627f, 0.247058824f, 0.121568627f);
  const float3 zero = (float3)(0.0f), largest = (float3)(31.0f, 63.0f, 31.0f);
  ends->a = convert_int3(min(max(convert_float3(at_a + more_a) * to_code + 0.5f, zero), largest));
  ends->b = convert_int3(min(max(convert_float3(at_b + more_b) * to_code + 0.5f, zero), largest));
}

// Steps 1 and 2. The end points are in the order that the block will have.
static void lspiro_correct(rgb_block p, const fit_block *f, lspiro_candidate *best) {
  ends565 ends;
  lspiro_line(p, &ends);
  best->error = 0x7FFFFFFF;
  keep_nearer(f, ends, best);
  int16 w = extent_weights(f, ends);
  fit_sums sums;
  sums_of(f, w, &sums);
  for (int pass = 0; pass < LSPIRO_PASSES && determinant(sums) != 0; ++pass) {
    if (pass == 0)
      fit_ends(f->sum, sums, &ends);
    else
      correct(f, w, sums, &ends);
    keep_nearer(f, ends, best);
    w = project_weights(f, ends);
    sums_of(f, w, &sums);
  }
  const int widest = max(max(max16(p.r) - min16(p.r), max16(p.g) - min16(p.g)), max16(p.b) - min16(p.b));
  if (equal_ends(best->ends) || widest <= LSPIRO_FLAT_RANGE) {
    flat_ends(f->sum, &ends);
    keep_nearer(f, ends, best);
  }
  to_block_order(&best->ends);
}

// The beginning of a kernel: loads the work-item's block and applies steps 1 and 2. False if the item has no block.
__attribute__((always_inline)) static bool load_corrected(SOURCE source, const texcast_source *s,
                                                          const texcast_target *t, int *block, fit_block *f,
                                                          lspiro_candidate *best) {
  rgb_block p;
  if (!load_own_block(source, s, t, block, &p)) return false;
  make_fit_block(p, f);
  lspiro_correct(p, f, best);
  return true;
}

kernel void bc1_lspiro2(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  fit_block f;
  lspiro_candidate best;
  if (!load_corrected(source, &s, &t, &block, &f, &best)) return;
  blocks[block] = pack_nearest(&f, best.ends);
}
