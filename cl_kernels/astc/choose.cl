// choose.cl — selects the lines and bit layouts of a block that are worth fitting, by estimates.
//   exactness  defined float order, equals codec/ref/astc/astc_choose.cpp
#include "astc/steps.cl"

#define KEPT TEXCAST_ASTC_KEPT(METHOD, SIDE)
#define LAYOUTS_EACH TEXCAST_ASTC_LAYOUTS_EACH(METHOD)
#define PATTERNS TEXCAST_ASTC_PATTERNS(METHOD)
#define NEAR TEXCAST_ASTC_NEAR(METHOD)
#define PAIRS TEXCAST_ASTC_PAIRS(METHOD)
#define SCALES TEXCAST_ASTC_SCALES(METHOD)

// The best choices so far, best first. Bits of a choice: its kind from bit 0, its parameter from bit 3, its layout from
// bit 13 (13 bits; handed_over.cl uses the bits above).
typedef struct {
  uint choice[KEPT];
  float estimate[KEPT];
#if KEPT == 1
  astc_decoded ends;
#endif
} astc_kept;

#if KEPT <= 4
// Every entry is written in each call, so that a short list stays in registers.
static void offer(astc_kept *kept, uint choice, float estimate) {
  for (int at = KEPT - 1; at > 0; --at) {
    const bool sinks = estimate < kept->estimate[at - 1], is_better = estimate < kept->estimate[at];
    kept->choice[at] = sinks ? kept->choice[at - 1] : is_better ? choice : kept->choice[at];
    kept->estimate[at] = sinks ? kept->estimate[at - 1] : is_better ? estimate : kept->estimate[at];
  }
  const bool is_best = estimate < kept->estimate[0];
  kept->choice[0] = is_best ? choice : kept->choice[0];
  kept->estimate[0] = is_best ? estimate : kept->estimate[0];
}
#else
static void offer(astc_kept *kept, uint choice, float estimate) {
  if (!(estimate < kept->estimate[KEPT - 1])) return;
  int at = KEPT - 1;
  for (; at > 0 && estimate < kept->estimate[at - 1]; --at) {
    kept->choice[at] = kept->choice[at - 1];
    kept->estimate[at] = kept->estimate[at - 1];
  }
  kept->choice[at] = choice;
  kept->estimate[at] = estimate;
}
#endif

static float16 places_along(const astc_strand *strand, float16 v) {
  const float unit = PLACES * reciprocal(fmax(strand->greatest - strand->least, TINY));
  return rounded((v - strand->least) * unit);
}

// Overwrites the positions of `lines`.
static void estimate_lines(const astc_texels *x, astc_tables tables, astc_lines *lines, int most_grids,
                           astc_kept *kept) {
  const bool is_pair = has_two_partitions(lines->kind), is_dual = lines->kind == TEXCAST_ASTC_DUAL;
  // The weight of a position in the squared colour error. Positions of both partitions share a grid, so this is a mean.
  float length = squared_length(&lines->strand);
  if (is_dual) length += squared_length(&lines->other);
  if (is_pair)
    length = (lines->strand.count * length + lines->other.count * squared_length(&lines->other)) *
             reciprocal((float)TEXELS);
  const float of_place = length * (1.0f / (PLACES * PLACES));
  const int of_class = TEXCAST_ASTC_CLASS(lines->kind, x->has_alpha ? 1 : 0);
  global const uint *grids = tables + TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASS_WORDS * of_class;
  const int grid_count = min(most_grids, (int)grids[0]);
  astc_lanes squares;
  if (is_dual) {
    square_waves(&lines->places);
    square_waves(&lines->others);
    EACH_GROUP_AT_ONCE squares.of[n] = lines->places.of[n] * lines->strand.inverse + lines->others.of[n];
  } else {
    EACH_GROUP {
      float16 places = places_along(&lines->strand, lines->places.of[n]);
      if (is_pair)
        places = either(places, places_along(&lines->other, lines->others.of[n]), inside_of(lines->second, n));
      const float16 from_end = to_nearer_end(places);
      lines->others.of[n] = places;
      lines->places.of[n] = TEXELS % 16 == 0 ? from_end : from_end * inside_of(ALL_TEXELS, n);
    }
    if (most_grids > 1) {
      square_waves(&lines->others);
      EACH_GROUP_AT_ONCE squares.of[n] = lines->others.of[n] * of_place;
    }
  }
#pragma unroll 1
  for (int g = 0; g < grid_count; ++g) {
    const uint grid = grids[1 + 2 * g];
    const int first = grids[2 + 2 * g], width = grid & 255, height = grid >> 8 & 255;
    const int layouts = min((int)(grid >> 16), LAYOUTS_EACH);
    const bool whole = is_whole(width, height);
    float rest = lines->rest;
    if (!whole) rest += lost_by(tables, width, height, &squares);
    const uint lines_word = (uint)lines->kind | (uint)lines->parameter << 3;
    if (whole && !is_dual) {
#pragma unroll 1
      for (int n = first; n < first + layouts; ++n) {
        astc_layout layout;
        read_layout(tables, n, &layout);
        offer(kept, lines_word | (uint)n << 13,
              (rest + rounding_of(&layout, &lines->places) * of_place) + layout.colors_rounding);
      }
    } else {
      global const float2 *rounding =
          (global const float2 *)(tables + TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * first +
                                  TEXCAST_ASTC_LAYOUT_WEIGHTS);
#if LAYOUTS_EACH <= 4
      // These loads do not depend on each other.
      float2 each[LAYOUTS_EACH];
      for (int n = 0; n < LAYOUTS_EACH; ++n) each[n] = rounding[TEXCAST_ASTC_LAYOUT_WORDS / 2 * min(n, layouts - 1)];
      for (int n = 0; n < LAYOUTS_EACH; ++n)
        if (n < layouts) offer(kept, lines_word | (uint)(first + n) << 13, (rest + each[n].x * length) + each[n].y);
#else
      for (int n = 0; n < layouts; ++n) {
        const float2 each = rounding[TEXCAST_ASTC_LAYOUT_WORDS / 2 * n];
        offer(kept, lines_word | (uint)(first + n) << 13, (rest + each.x * length) + each.y);
      }
#endif
    }
  }
}

// The partitions with the least residual error, best first. Candidates are those of the likeliest that are nearest to
// the two halves of the block's line; they are ordered by their residual error.
static void likely_pairs(const astc_texels *x, const astc_moments *all, astc_tables tables, const astc_lines *line,
                         int *pairs) {
#if NEAR == 1 && SIDE == 4
  // Table lookup by the set of the first 15 texels. The 16th is left out; if it is in the set, the complement is looked
  // up.
  const uint upper = upper_half(&line->strand, &line->places), set = upper >> 15 != 0 ? ~upper & 0x7FFF : upper;
  pairs[0] = tables[TEXCAST_ASTC_NEAREST + (set >> 2)] >> 8 * (set & 3) & 255;
#else
  const int count = min(PATTERNS, (int)tables[TEXCAST_ASTC_PARTITIONS]);
#if NEAR > 0
  const astc_set upper = upper_half(&line->strand, &line->places);
  int near[NEAR];
  for (int i = 0; i < NEAR; ++i) near[i] = INT_MAX;
  for (int n = 0; n < count; ++n) {
    const int unlike = (int)popcount(upper ^ second_part(tables, n));
    const int key = min(unlike, TEXELS - unlike) << 16 | n;
    if (key >= near[NEAR - 1]) continue;
    int at = NEAR - 1;
    for (; at > 0 && key < near[at - 1]; --at) near[at] = near[at - 1];
    near[at] = key;
  }
#define RANKED NEAR
#define RANKED_PARTITION(n) (near[n] & 0xFFFF)
#else
#define RANKED count
#define RANKED_PARTITION(n) (n)
#endif
#if NEAR > 0 && NEAR <= PAIRS
  for (int n = 0; n < NEAR; ++n) pairs[n] = RANKED_PARTITION(n);
#else
  float rests[PAIRS];
  for (int i = 0; i < PAIRS; ++i) {
    rests[i] = UNKNOWN;
    pairs[i] = 0;
  }
#pragma unroll 1
  for (int n = 0; n < RANKED; ++n) {
    const int partition = RANKED_PARTITION(n);
    const float rest = rest_of_pair(x, all, second_part(tables, partition));
    if (!(rest < rests[PAIRS - 1])) continue;
    int at = PAIRS - 1;
    for (; at > 0 && rest < rests[at - 1]; --at) {
      rests[at] = rests[at - 1];
      pairs[at] = pairs[at - 1];
    }
    rests[at] = rest;
    pairs[at] = partition;
  }
#endif
#endif
}

// Finds the lines of one kind, the nth that is tried. Returns the number of grids to estimate, 0 for none.
static int find_nth(const astc_texels *x, const astc_moments *all, astc_tables tables, int n, int apart,
                    const int *pairs, astc_lines *lines) {
  if (n == 0) return TEXCAST_ASTC_GRIDS(METHOD, SIDE);  // those of the principal line
  if (n == 1) {
    if (x->is_grey && !x->has_alpha) return 0;
    find_dual(x, all, apart, lines);
    return TEXCAST_ASTC_DUAL_GRIDS(METHOD, SIDE);
  }
  if (n < 2 + PAIRS) {
    find_pair(x, all, tables, pairs[n - 2], lines);
    return TEXCAST_ASTC_PAIR_GRIDS(METHOD, SIDE);
  }
#if SCALES
  if (x->is_grey) return 0;
  find_scaled(x, all, lines);
  return TEXCAST_ASTC_GRIDS(METHOD, SIDE);
#else
  return 0;
#endif
}

// All lines are estimated in one loop, so that the code of estimate_lines() exists once.
static void choose(const astc_texels *x, const astc_moments *all, astc_tables tables, astc_kept *kept) {
  for (int i = 0; i < KEPT; ++i) {
    kept->choice[i] = 0;
    kept->estimate[i] = UNKNOWN;
  }
  int pairs[PAIRS];
  int apart;
  astc_lines lines;
  {
    astc_matrix matrix;
    matrix_of(all, (color)(1.0f), &matrix);
    apart = channel_apart(x, &matrix);
    find_principal_line(x, all, &matrix, &lines);
    likely_pairs(x, all, tables, &lines, pairs);
  }
#pragma unroll 1
  for (int n = 0; n < 2 + PAIRS + SCALES; ++n) {
    const int grids = find_nth(x, all, tables, n, apart, pairs, &lines);
    if (grids == 0) continue;
#if KEPT == 1
    astc_decoded ends;
    first_ends(x, &lines, &ends);
    const float least = kept->estimate[0];
#endif
    estimate_lines(x, tables, &lines, grids, kept);
#if KEPT == 1
    if (kept->estimate[0] < least) kept->ends = ends;
#endif
  }
}
