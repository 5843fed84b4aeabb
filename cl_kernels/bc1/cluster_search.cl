// cluster_search.cl — BC1 by cluster fit into four and three clusters, then a search among the neighbours of the best
// end points.
//   work-group   GROUP_ITEMS, one-dimensional; global = blocks rounded up; items past the last block return early (no
//                barriers)
//   local mem    GROUP_ITEMS x 17 x (int2 + int)
//   in   source  as in common/load.cl, with LOAD_FLOATS
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      ALLOW_BLACK, as in bc1/three_colour_starts.cl; FOUR_COLOURS, as in bc1/nearest_colours.cl
//   exactness    as bc1/line_fit.cl; equals codec/ref/bc/bc1_search.cpp bit for bit on every device
//   source       as bc1/cluster.cl; the search: L. Spiro, "DXT Compression Revisited", 2012, its last step
#include "bc1/search_starts.cl"
#include "bc1/three_colour_starts.cl"
#include "include/kernels/effort.h"

// Thirty neighbours: six moves for one channel (one end point down or up, or both in opposite directions); four for two
// neighbouring channels and for all three together.
#define CHANNELS(n) (0x367421 >> (4 * (n)) & 7)   // one bit each: red, green, blue
#define MOVE_A(move) ((0x858 >> (2 * (move)) & 3) - 1)
#define MOVE_B(move) ((0x285 >> (2 * (move)) & 3) - 1)

static float3 moved(float3 code, int n, int move) {
  const int channels = CHANNELS(n);
  const float3 unit = convert_float3((int3)(channels, channels >> 1, channels >> 2) & 1);
  return clamp(mad(unit, (float3)(convert_float(move)), code), (float3)(0.0f), (float3)(31.0f, 63.0f, 31.0f));
}

// Descends from each start to the best of the neighbours, one step at a time. One loop serves all starts, so that
// work-items in lockstep do not wait at the end of each. Returns the first word of the best block.
static uint walk(const line_block *t, search_starts starts) {
  uint best_word = 0;
  float best_error = INFINITY, error = INFINITY;
  float3 a = (float3)(0.0f), b = a;
  bool four = true;
  inner_shares shares;
  int round = TEXCAST_SEARCH_ROUNDS;
  for (;;) {
    int step = -1;
    if (round < TEXCAST_SEARCH_ROUNDS) {
#pragma unroll 1
      for (int n = 0; n < 6; ++n) {
        const float3 a_here = expand_codes(a), b_here = expand_codes(b);
        const float3 a_down = expand_codes(moved(a, n, -1)), a_up = expand_codes(moved(a, n, 1));
        const float3 b_down = expand_codes(moved(b, n, -1)), b_up = expand_codes(moved(b, n, 1));
#pragma unroll 1
        for (int move = 0; move < (n < 3 ? 6 : 4); ++move) {
          const int3 by_a = (int3)(MOVE_A(move)), by_b = (int3)(MOVE_B(move));
          const float3 next_a = select(select(a_here, a_up, -by_a), a_down, by_a);
          const float3 next_b = select(select(b_here, b_up, -by_b), b_down, by_b);
          const float e = colors_error(t, next_a, next_b, &shares);
          step = e < error ? 8 * n + move : step;
          error = min(e, error);
        }
      }
    }
    if (step >= 0) {
      a = moved(a, step >> 3, MOVE_A(step & 7));
      b = moved(b, step >> 3, MOVE_B(step & 7));
      ++round;
      continue;
    }
    if (error < best_error) {
      best_error = error;
      best_word = word_of(a, b, four);
    }
    error = starts.errors.x;
    if (error == INFINITY) return best_word;
    four = has_four(starts.words.x);
    a = code_at(starts.words.x & 0xFFFF);
    b = code_at(starts.words.x >> 16);
    shares_of(four, &shares);
    starts.words = starts.words.yzww;
    starts.errors = (float4)(starts.errors.yzw, INFINITY);
    round = 0;
  }
}

kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void bc1_cluster_search(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  local int2 colors[17 * GROUP_ITEMS];
  local int below[17 * GROUP_ITEMS];
  item_cuts cuts;
  cuts.colors = colors + get_local_id(0);
  cuts.below = below + get_local_id(0);
  int block;
  rgb_block loaded;
  if (!load_own_block(source, &s, &t, &block, &loaded)) return;
  line_block texels;
  make_line_block(loaded, &texels);
  search_starts starts;
  starts.words = (uint4)(0);
  starts.errors = (float4)(INFINITY);
  line_ends flat;
  line_flat(texels.sum, &flat);
  keep_start(&texels, &flat, true, &starts);
  float3 axis = line_axis(&texels);
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    sort_along(&texels, axis, (int16)(0), 16.0f, cuts);
    if (!FOUR_COLOURS && pass == 0) add_three_colour_cuts(&texels, cuts, &starts);
    add_four_colour_cuts(&texels, cuts, &starts);
    // Once more along the line that won, as it is the better axis for these end points.
    axis = expand_codes(code_at(starts.words.x & 0xFFFF)) - expand_codes(code_at(starts.words.x >> 16));
  }
#if ALLOW_BLACK
  add_black_cuts(&texels, cuts, &starts);
#endif
  blocks[place_of(&t, block)] = pack_colors(&texels, walk(&texels, starts));
}
