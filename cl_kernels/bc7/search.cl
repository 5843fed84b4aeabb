// search.cl — encodes the source frame as BC7 with all modes and many partitions; one work-item per block, one lane per
// texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl; with HAS_ALPHA=1 RGBA or BGRA, whose fourth byte is coded too
//   out  blocks  uint4[blocks_y][blocks_x], little-endian
//   defines      METHOD · HAS_ALPHA=1
//   exactness    whole numbers in single precision, and single precision in a defined order; equals
//                codec/ref/bc/bc7_search.cpp bit for bit on every device
//
// One loop handles all candidates, so that the compiler sees the search of end points once. A pass is a set of indices:
// a mode with a partition, or one of the two sets of modes 4 and 5. A step of it is a pair of end points for each
// subset, which is measured for all 16 texels at once.
#include "include/kernels/effort.h"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_CLUSTER
#endif
#define SUBSETS 3
#define MODE_1 TEXCAST_BC7_MODE_1(METHOD)
#define MODE_3 TEXCAST_BC7_MODE_3(METHOD)
#define MODE_0 TEXCAST_BC7_MODE_0(METHOD)
#define MODE_2 TEXCAST_BC7_MODE_2(METHOD)
#define MODE_7 TEXCAST_BC7_MODE_7(METHOD)
#define FITS TEXCAST_BC7_FITS
#define WALKS TEXCAST_BC7_WALKS(METHOD)
#define LAST_WALKS TEXCAST_BC7_LAST_WALKS(METHOD)
#define NO_ERROR 1e9f

#include "bc7/texels.cl"
#include "bc7/modes.cl"
#include "bc7/moments.cl"
#include "bc7/keys.cl"
#include "bc7/rank.cl"
#include "bc7/ends.cl"
#include "bc7/fit.cl"
#include "bc7/walk.cl"
#include "bc7/measure.cl"
#include "bc7/bits.cl"

// The best so far, per subset. An end point is four bytes, red lowest, in 8 bits.
typedef struct {
  uint low[SUBSETS], high[SUBSETS];
  float error[SUBSETS];
} bc7_ends;

// Sets up a set of indices of a mode. `apart`: that of the separate channel of modes 4 and 5.
static void set_plane(const bc7_texels *block, bool is_opaque, int mode, int partition, int rotation, int selector,
                      bool apart, bc7_plane *plane, bc7_texels *x) {
  const uint word = mode_words[mode];
  *x = *block;
  plane->subsets = MODE_SUBSETS(word);
  set_subsets(plane->subsets, partition, &plane->second, &plane->third);
  const int p = MODE_P_BITS(word) > 0 ? 1 : 0;
  plane->p_bits = MODE_P_BITS(word);
  plane->color_bits = MODE_COLOR_BITS(word) + p;
  plane->alpha_bits = MODE_ALPHA_BITS(word) > 0 && !is_opaque ? MODE_ALPHA_BITS(word) + p : 0;
  plane->p_is_1 = MODE_ALPHA_BITS(word) > 0 && is_opaque && p > 0;
  plane->index_bits = MODE_INDEX_BITS(word);
  plane->one_channel = false;
  if (MODE_ROTATION_BITS(word) == 0) return;
#if HAS_ALPHA
  const float16 alpha = block->a;
  x->a = (float16)(0.0f);
#else
  const float16 alpha = (float16)(255.0f);
#endif
  plane->alpha_bits = 0;
  if (mode == 4 && (int)apart != selector) plane->index_bits = 3;
  if (apart) {
    plane->one_channel = true;
    plane->color_bits = MODE_ALPHA_BITS(word);
    if (rotation == 0) x->r = alpha;
    if (rotation == 2) x->r = block->g;
    if (rotation == 3) x->r = block->b;
    x->g = (float16)(0.0f);
    x->b = (float16)(0.0f);
  } else {
    if (rotation == 1) x->r = alpha;
    if (rotation == 2) x->g = alpha;
    if (rotation == 3) x->b = alpha;
  }
}

// The order of the passes: mode 6; for opaque blocks modes 1, 3, 0, 2 by partitions; for others mode 7; modes 5 and 4
// by rotations, each in two passes; then twice the best one again, for a neighbourhood search and its indices, the
// second time for its separate channel. The steps: the principal axis, FITS fits, moves.
static uint4 encode_block(const bc7_texels *block, bool is_opaque) {
  bc7_moments all;
  take_moments(block, (int16)(-1), &all);
  uint likely_1[MODE_1 > MODE_7 ? MODE_1 : MODE_7], likely_3[MODE_3];
  uint likely_0[MODE_0], likely_2[MODE_2];
  if (is_opaque) {
    rank_pairs(block, &all, likely_1, MODE_1, 3, likely_3, MODE_3, 2);
    rank_triples(block, &all, likely_0, likely_2);
  }
#if HAS_ALPHA
  else
    rank_pairs(block, &all, likely_1, MODE_7, 2, likely_3, 0, 2);
  const int partitioned = is_opaque ? MODE_1 + MODE_3 + MODE_0 + MODE_2 : MODE_7;
  #else
  const int partitioned = MODE_1 + MODE_3 + MODE_0 + MODE_2;
#endif
  const int trials = 1 + partitioned + 6 * TEXCAST_BC7_ROTATIONS;

  bc7_choice best, now;
  for (int s = 0; s < SUBSETS; ++s) now.low[s] = now.high[s] = 0;
  best = now;
  best.error = NO_ERROR;
  ulong indices = 0, indices_apart = 0;
  for (int pass = 0; pass < trials + 2; ++pass) {
    const bool is_last = pass >= trials;
    bool is_apart = false;
    if (is_last) {
      now = best;
      is_apart = pass > trials;
      if (is_apart && MODE_ROTATION_BITS(mode_words[best.mode]) == 0) continue;
    } else if (pass > partitioned) {
      const int n = pass - partitioned - 1, kind = n % 6;
      now.mode = kind < 2 ? 5 : 4;
      now.partition = 0;
      now.rotation = n / 6;
      now.selector = kind >= 4 ? 1 : 0;
      is_apart = kind & 1;
    } else {
      now.mode = 6;
      now.partition = 0;
      now.rotation = 0;
      now.selector = 0;
      int n = pass - 1;
      if (pass > 0 && is_opaque) {
        if (n < MODE_1) {
          now.mode = 1;
          now.partition = next_partition(likely_1, MODE_1);
        } else if ((n -= MODE_1) < MODE_3) {
          now.mode = 3;
          now.partition = next_partition(likely_3, MODE_3);
        } else if (n < MODE_3 + MODE_0) {
          now.mode = 0;
          now.partition = next_partition(likely_0, MODE_0);
        } else {
          now.mode = 2;
          now.partition = next_partition(likely_2, MODE_2);
        }
      } else if (pass > 0) {
        now.mode = 7;
        now.partition = next_partition(likely_1, MODE_7);
      }
    }
    bc7_plane plane;
    bc7_texels x;
    set_plane(block, is_opaque, now.mode, now.partition, now.rotation, now.selector, is_apart, &plane, &x);
    const bool rotated = MODE_ROTATION_BITS(mode_words[now.mode]) > 0;
    const uint constant_channels = rotated || plane.alpha_bits > 0 ? 0 : 0xFF000000u;

    bc7_moments moments[SUBSETS];
    bc7_ends ends;
    uint low[SUBSETS], high[SUBSETS];
    for (int s = 0; s < SUBSETS; ++s) low[s] = high[s] = 0;
    if (!is_last) {
      take_moments(&x, (int16)(-1), &moments[0]);
      for (int s = 1; s < SUBSETS; ++s) {
        take_moments(&x, s == 1 ? plane.second : plane.third, &moments[s]);
        leave_out(&moments[0], &moments[s]);
      }
    }
    for (int s = 0; s < SUBSETS; ++s) {
      ends.error[s] = is_last ? NO_ERROR : s < plane.subsets ? NO_ERROR : 0.0f;
      ends.low[s] = now.low[s];
      ends.high[s] = now.high[s];
      if (is_last && is_apart) {
        ends.low[s] >>= 24;
        ends.high[s] >>= 24;
      } else if (is_last && rotated) {
        ends.low[s] &= 0xFFFFFFu;
        ends.high[s] &= 0xFFFFFFu;
      }
    }
    const int first_move = is_last ? 1 : FITS + 1;
    const int steps = is_last ? LAST_WALKS * MOVES + 2 : FITS + 1 + WALKS * MOVES;
    float16 index = (float16)(0.0f);
    for (int step = 0; step < steps; ++step) {
      if (is_last || step >= first_move) {
        // In the last passes the first step measures the present end points, and the last one computes the indices.
        for (int s = 0; s < SUBSETS; ++s) {
          low[s] = ends.low[s];
          high[s] = ends.high[s];
        }
        if (step >= first_move && !(is_last && step == steps - 1)) {
          const int move = (step - first_move) % MOVES;
          if (!move_applies(&plane, move)) continue;
          for (int s = 0; s < SUBSETS; ++s)
            if (s < plane.subsets) move_ends(&plane, move, &low[s], &high[s]);
        }
      } else {
        for (int s = 0; s < SUBSETS; ++s) {
          if (s >= plane.subsets) continue;
          // No array may be indexed by s: compilers do not unroll this loop, and such an array would be in memory.
          int16 inside = ~(plane.second | plane.third);
          bc7_moments m = moments[0];
          uint low_s = low[0], high_s = high[0];
          if (s == 1) {
            inside = plane.second;
            m = moments[1];
            low_s = low[1];
            high_s = high[1];
          }
          if (s == 2) {
            inside = plane.third;
            m = moments[2];
            low_s = low[2];
            high_s = high[2];
          }
          if (step == 0)
            ends_on_axis(&x, &plane, &m, inside, constant_channels, &low_s, &high_s);
          else
            fit_ends(&x, &plane, &m, inside, index, constant_channels, &low_s, &high_s);
          if (s == 0) {
            low[0] = low_s;
            high[0] = high_s;
          }
          if (s == 1) {
            low[1] = low_s;
            high[1] = high_s;
          }
          if (s == 2) {
            low[2] = low_s;
            high[2] = high_s;
          }
        }
      }
      float error[SUBSETS];
      index = measure(&x, &plane, low, high, error);
      for (int s = 0; s < SUBSETS; ++s) {
        if (error[s] >= ends.error[s]) continue;
        ends.error[s] = error[s];
        ends.low[s] = low[s];
        ends.high[s] = high[s];
      }
    }
    if (is_last) {
      for (int s = 0; s < SUBSETS; ++s) {
        if (rotated && s > 0) continue;
        const uint mask = !rotated ? 0u : is_apart ? 0xFFFFFFu : 0xFF000000u;
        const int shift = is_apart ? 24 : 0;
        best.low[s] = (best.low[s] & mask) | ends.low[s] << shift;
        best.high[s] = (best.high[s] & mask) | ends.high[s] << shift;
      }
      if (is_apart)
        indices_apart = placed(index, plane.index_bits);
      else
        indices = placed(index, plane.index_bits);
      continue;
    }
    if (is_apart) {
      now.low[0] |= ends.low[0] << 24;
      now.high[0] |= ends.high[0] << 24;
      now.error += ends.error[0];
    } else {
      for (int s = 0; s < SUBSETS; ++s) {
        now.low[s] = ends.low[s];
        now.high[s] = ends.high[s];
      }
      now.error = 0.0f;
      for (int s = 0; s < SUBSETS; ++s) now.error += ends.error[s];
    }
    if ((is_apart || !rotated) && now.error < best.error) best = now;
  }
  return pack(&best, indices, indices_apart);
}

kernel void bc7_search(SOURCE source, global uint4 *blocks, const texcast_source s,
                       const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  bc7_texels x;
  bool is_opaque, is_flat;
  load_texels(source, &s, 4 * bx, 4 * by, &x, &is_opaque, &is_flat);
  blocks[place_of(&t, block)] = is_flat ? flat_block(&x) : encode_block(&x, is_opaque);
}
