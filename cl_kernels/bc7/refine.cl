// refine.cl — encodes the source frame as BC7 with few modes, each fitted once; one work-item per block, one lane per
// texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl; with HAS_ALPHA=1 RGBA or BGRA, whose fourth byte is coded too
//   out  blocks  uint4[blocks_y][blocks_x], little-endian
//   defines      METHOD · HAS_ALPHA=1
//   exactness    whole numbers in single precision, and single precision in a defined order; equals
//                codec/ref/bc/bc7_refine.cpp bit for bit on every device
//
// The control flow does not depend on the block's contents, as the lanes of a GPU wait for the slowest.
#include "include/kernels/effort.h"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif
#define SUBSETS 2
#define ESTIMATES TEXCAST_BC7_ESTIMATES(METHOD)
#define MODE_1 TEXCAST_BC7_MODE_1(METHOD)
#define MODE_3 TEXCAST_BC7_MODE_3(METHOD)
#define MODE_7 TEXCAST_BC7_MODE_7(METHOD)
#define LAST_FITS TEXCAST_BC7_LAST_FITS(METHOD)

#include "bc7/texels.cl"
#include "bc7/modes.cl"
#include "bc7/moments.cl"
#include "bc7/keys.cl"
#include "bc7/likely.cl"
#include "bc7/least_squares.cl"
#include "bc7/indices.cl"
#include "bc7/bits.cl"

// A fitted set of indices.
typedef struct {
  uint low[SUBSETS], high[SUBSETS];
  ulong indices;
  float error;
} bc7_fitted;

// The best so far, with its indices, and those of the separate alpha.
typedef struct {
  bc7_choice choice;
  ulong indices, apart;
} bc7_best;

static void keep_better(const bc7_fitted *now, int mode, int partition, int selector, ulong apart, bc7_best *best) {
  if (now->error >= best->choice.error) return;
  best->choice.error = now->error;
  best->choice.mode = mode;
  best->choice.partition = partition;
  best->choice.selector = selector;
  for (int s = 0; s < SUBSETS; ++s) {
    best->choice.low[s] = now->low[s];
    best->choice.high[s] = now->high[s];
  }
  best->indices = now->indices;
  best->apart = apart;
}

// Always inline, like all functions that take texels: LLVM 15 for AMD would pass them in scratch memory.
__attribute__((always_inline)) static void fit(const bc7_texels *x, int16 second, int subsets,
                                               const bc7_moments *moments, float16 index, const bc7_fields *fields,
                                               bc7_fitted *out) {
  bc7_sums sums[SUBSETS];
  sum_indices(x, index, second, subsets, sums);
  for (int s = 0; s < SUBSETS; ++s) out->low[s] = out->high[s] = 0;
  for (int s = 0; s < subsets; ++s) fit_ends(&moments[s], &sums[s], fields, &out->low[s], &out->high[s]);
  out->error = measure(x, second, subsets, moments, fields, out->low, out->high, &index);
  out->indices = placed(index, fields->index_bits);
}

static float16 first_indices(float16 places, const bc7_fields *fields) {
  return (places * last_index(fields->index_bits) + ROUND) - ROUND;
}

#if HAS_ALPHA
// Modes 4 and 5 without rotation: colours, then the separate alpha.
__attribute__((always_inline)) static void try_apart(const bc7_texels *block, int mode, int selector, bc7_best *best) {
  const float16 none = (float16)(0.0f);
  bc7_fitted colors;
#pragma unroll 1
  for (int apart = 0; apart < 2; ++apart) {
    const bc7_texels x = {apart ? block->a : block->r, apart ? none : block->g, apart ? none : block->b, none};
    bc7_moments moments[SUBSETS];
    bc7_matrix matrix;
    take_moments(&x, (int16)(-1), &moments[0]);
    const float4 axis = axis_of(&moments[0], TEXCAST_BC7_POWERS, &matrix);
    bc7_fields fields;
    set_fields(mode, selector, apart, false, &fields);
    bc7_fitted now;
    const float16 places = places_of(&x, (int16)(0), 1, axis, axis);
    fit(&x, (int16)(0), 1, moments, first_indices(places, &fields), &fields, &now);
    if (apart) {
      colors.low[0] |= now.low[0] << 24;
      colors.high[0] |= now.high[0] << 24;
      colors.error += now.error;
      keep_better(&colors, mode, 0, selector, now.indices, best);
    } else {
      colors = now;
    }
  }
}
#endif

// The loops are not unrolled: code that exceeds a GPU's instruction cache is slow.
__attribute__((always_inline)) static uint4 encode_block(const bc7_texels *block, bool is_opaque) {
  bc7_texels x = *block;
#if HAS_ALPHA
  if (is_opaque) x.a = (float16)(0.0f);
#endif
  const int16 none = (int16)(0);
  bc7_best best;
  best.choice.error = 3e38f;
  best.choice.rotation = 0;
  bc7_fitted now;
  bc7_fields fields;
  bc7_moments all;
  take_moments(&x, (int16)(-1), &all);
  uint likely[MODE_1 > MODE_7 ? MODE_1 : MODE_7];
  {
    bc7_matrix matrix;
    const float4 axis = axis_of(&all, TEXCAST_BC7_POWERS, &matrix);
    set_fields(6, 0, false, is_opaque, &fields);
    fit(&x, none, 1, &all, first_indices(places_of(&x, none, 1, axis, axis), &fields), &fields, &now);
    keep_better(&now, 6, 0, 0, 0, &best);
    likely_pairs(&x, &all, &matrix, axis, likely, MODE_1 > MODE_7 ? MODE_1 : MODE_7);
  }
#if HAS_ALPHA
#pragma unroll 1
  for (int n = is_opaque ? 3 : 0; n < 3; ++n) try_apart(block, n == 0 ? 5 : 4, n == 2 ? 1 : 0, &best);
#endif
  // The likeliest partitions; then the best of all is fitted once more, unless it is of mode 4 or 5.
  const int tried = is_opaque ? MODE_1 : MODE_7;
#pragma unroll 1
  for (int n = 0; n < tried + LAST_FITS; ++n) {
    const bool again = n >= tried;
    const uint word = mode_words[again ? best.choice.mode : 1];
    if (MODE_ROTATION_BITS(word) > 0) break;
    const int subsets = MODE_SUBSETS(word);
    const int partition = again ? best.choice.partition : next_partition(likely, MODE_1 > MODE_7 ? MODE_1 : MODE_7);
    int16 second, third;
    set_subsets(subsets, partition, &second, &third);
    bc7_moments moments[SUBSETS];
    take_moments(&x, second, &moments[1]);
    moments[1].count = subsets == 2 ? whole(popcount((uint)partitions_of_2[partition])) : 0.0f;
    moments[0] = all;
    leave_out(&moments[0], &moments[1]);
    float16 places = (float16)(0.0f);
    if (!again) {
      bc7_matrix matrix;
      places = places_of(&x, second, 2, axis_of(&moments[0], TEXCAST_BC7_SUBSET_POWERS, &matrix),
                         axis_of(&moments[1], TEXCAST_BC7_SUBSET_POWERS, &matrix));
    }
#pragma unroll 1
    for (int k = 0; k < (is_opaque && n < MODE_3 ? 2 : 1); ++k) {
      const int mode = again ? best.choice.mode : !is_opaque ? 7 : k == 0 ? 1 : 3;
      set_fields(mode, 0, false, is_opaque, &fields);
      const float16 index =
          again ? indices_of(best.indices, fields.index_bits) : first_indices(places, &fields);
      fit(&x, second, 2, moments, index, &fields, &now);
      keep_better(&now, mode, partition, 0, 0, &best);
    }
  }
  if (is_opaque)
    for (int s = 0; s < SUBSETS; ++s) {
      best.choice.low[s] |= 0xFF000000u;
      best.choice.high[s] |= 0xFF000000u;
    }
  return pack(&best.choice, best.indices, best.apart);
}

kernel void bc7_refine(SOURCE source, global uint4 *blocks, const texcast_source s,
                       const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  bc7_texels x;
  bool is_opaque, is_flat;
  load_texels(source, &s, 4 * bx, 4 * by, &x, &is_opaque, &is_flat);
#if !HAS_ALPHA
  is_opaque = true;
#endif
  blocks[place_of(&t, block)] = is_flat ? flat_block(&x) : encode_block(&x, is_opaque);
}
