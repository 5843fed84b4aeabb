// choose.cl — which lines and which layouts of a block's bits are worth fitting, by estimates.
//   exactness  stated float order, equals codec/ref/astc/astc_choose.cpp
#include "astc/lines.cl"

#define KEPT TEXCAST_ASTC_KEPT(METHOD)
#define LAYOUTS_EACH TEXCAST_ASTC_LAYOUTS_EACH(METHOD)
#define PATTERNS TEXCAST_ASTC_PATTERNS(METHOD)
#define NEAR TEXCAST_ASTC_NEAR(METHOD)
#define PAIRS TEXCAST_ASTC_PAIRS(METHOD)

// The best so far, in place. A choice: its kind, its parameter from bit 3, its layout from bit 13 on (19 bits).
typedef struct {
  uint choice[KEPT];
  float estimate[KEPT];
} astc_kept;

// Each place is written where it is, so that a short list stays in registers.
static void offer(astc_kept *kept, uint choice, float estimate) {
  if (!(estimate < kept->estimate[KEPT - 1])) return;
  for (int at = KEPT - 1; at > 0; --at) {
    const bool sinks = estimate < kept->estimate[at - 1], is_here = !sinks && estimate < kept->estimate[at];
    kept->choice[at] = sinks ? kept->choice[at - 1] : is_here ? choice : kept->choice[at];
    kept->estimate[at] = sinks ? kept->estimate[at - 1] : is_here ? estimate : kept->estimate[at];
  }
  if (estimate < kept->estimate[0]) {
    kept->choice[0] = choice;
    kept->estimate[0] = estimate;
  }
}

static void places_of(const astc_texels *x, const astc_lines *lines, int plane, float *places) {
  const astc_strand *a = plane == 1 ? &lines->strand[1] : &lines->strand[0], *b = &lines->strand[1];
  const float span_a = reciprocal(fmax(a->greatest - a->least, TINY)), at_a = dot_of(a->mean, a->direction);
  if (lines->kind < TEXCAST_ASTC_PAIR) {
    for (int i = 0; i < TEXELS; ++i) places[i] = ((dot_of(x->v[i], a->direction) - at_a) - a->least) * span_a;
    return;
  }
  const float span_b = reciprocal(fmax(b->greatest - b->least, TINY)), at_b = dot_of(b->mean, b->direction);
  for (int i = 0; i < TEXELS; ++i) {
    const float in_a = ((dot_of(x->v[i], a->direction) - at_a) - a->least) * span_a;
    const float in_b = ((dot_of(x->v[i], b->direction) - at_b) - b->least) * span_b;
    places[i] = (lines->second >> i & 1) != 0 ? in_b : in_a;
  }
}

// The best weights of a grid for the places, without bounds but then brought to 0..1: SIDE a row, zeros beyond the grid.
static void weights_for(astc_tables tables, int width, int height, const float *places, float *weights) {
  global const float *across = side_best(tables, width), *down = side_best(tables, height);
  for (int column = 0; column < SIDE; ++column) {
    float along[SIDE];
    for (int y = 0; y < SIDE; ++y) {
      along[y] = 0.0f;
      for (int x = 0; x < SIDE; ++x) along[y] += places[SIDE * y + x] * across[8 * column + x];
    }
    for (int row = 0; row < SIDE; ++row) {
      float weight = 0.0f;
      for (int y = 0; y < SIDE; ++y) weight += along[y] * down[8 * row + y];
      weights[SIDE * row + column] = fmin(fmax(weight, 0.0f), 1.0f);
    }
  }
}

// The squares of what weights do not draw of the places.
static float undrawn(astc_tables tables, int width, int height, const float *places, const float *weights) {
  global const float *across = side_drawn(tables, width), *down = side_drawn(tables, height);
  float lost = 0.0f;
  for (int x = 0; x < SIDE; ++x) {
    float along[SIDE];
    for (int row = 0; row < SIDE; ++row) {
      along[row] = 0.0f;
      for (int column = 0; column < SIDE; ++column) along[row] += weights[SIDE * row + column] * across[8 * column + x];
    }
    for (int y = 0; y < SIDE; ++y) {
      float drawn = 0.0f;
      for (int row = 0; row < SIDE; ++row) drawn += along[row] * down[8 * row + y];
      const float difference = places[SIDE * y + x] - drawn;
      lost += difference * difference;
    }
  }
  return lost;
}

static float rounding_of(const float *weights, float steps) {
  float error = 0.0f;
  for (int i = 0; i < TEXELS; ++i) {
    const float place = weights[i] * steps;
    const float lost = place - floor(place + 0.5f);
    error += lost * lost;
  }
  return error;
}

static float end_rounding(astc_tables tables, int range, float value) {
  const float lost = value - (float)(int)(nearest_color(tables, range, floor(value + 0.5f)) & 0xFFFF);
  return lost * lost;
}

// Of a partition's end points, 0..255.
static float color_rounding(const astc_texels *x, astc_tables tables, int range, float4 low, float4 high) {
  float own = end_rounding(tables, range, low.x);
  own += end_rounding(tables, range, high.x);
  own += end_rounding(tables, range, low.y);
  own += end_rounding(tables, range, high.y);
  own += end_rounding(tables, range, low.z);
  own += end_rounding(tables, range, high.z);
#if HAS_ALPHA
  if (x->has_alpha) {
    own += end_rounding(tables, range, low.w);
    own += end_rounding(tables, range, high.w);
  }
#endif
  return own;
}

static float4 bytes_of(float4 v) { return fmin(fmax(v, (float4)(0.0f)), (float4)(255.0f)); }

static float squared_length(const astc_strand *strand) {
  const float span = strand->greatest - strand->least;
  return (span * strand->inverse) * span;
}

static void estimate_lines(const astc_texels *x, astc_tables tables, const astc_lines *lines, int most_grids,
                           astc_kept *kept) {
  const bool is_pair = lines->kind >= TEXCAST_ASTC_PAIR, is_dual = lines->kind == TEXCAST_ASTC_DUAL;
  float length = squared_length(&lines->strand[0]), length_apart = 0.0f;
  if (lines->strands == 2) length_apart = squared_length(&lines->strand[1]);
  if (is_pair)
    length = (lines->strand[0].count * length + lines->strand[1].count * length_apart) * reciprocal((float)TEXELS);
  float4 low, high, second_low = (float4)(0.0f), second_high = (float4)(0.0f);
  line_of(lines, 0, &low, &high);
  low = bytes_of(x->center + low);
  high = bytes_of(x->center + high);
  if (is_pair) {
    line_of(lines, 1, &second_low, &second_high);
    second_low = bytes_of(x->center + second_low);
    second_high = bytes_of(x->center + second_high);
  }
  const int of_class = TEXCAST_ASTC_CLASS(lines->kind, x->has_alpha ? 1 : 0);
  float places[TEXELS], places_apart[TEXELS];
  places_of(x, lines, 0, places);
  if (is_dual) places_of(x, lines, 1, places_apart);
  global const uint *grids = tables + TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASS_WORDS * of_class;
  const int grid_count = min(most_grids, (int)grids[0]);
#pragma unroll 1
  for (int g = 0; g < grid_count; ++g) {
    const uint grid = grids[1 + 2 * g];
    const int first = grids[2 + 2 * g], width = grid & 255, height = grid >> 8 & 255;
    const int layouts = min((int)(grid >> 16), LAYOUTS_EACH);
    const bool whole = is_whole(width, height);
    float rest = lines->rest;
    float own[TEXELS], apart[TEXELS];
    if (whole) {
      for (int i = 0; i < TEXELS; ++i) own[i] = places[i];
      if (is_dual)
        for (int i = 0; i < TEXELS; ++i) apart[i] = places_apart[i];
    } else {
      weights_for(tables, width, height, places, own);
      rest += undrawn(tables, width, height, places, own) * length;
      if (is_dual) {
        weights_for(tables, width, height, places_apart, apart);
        rest += undrawn(tables, width, height, places_apart, apart) * length_apart;
      }
    }
#pragma unroll 1
    for (int n = first; n < first + layouts; ++n) {
      astc_layout layout;
      read_layout(tables, n, &layout);
      const float steps = (float)last_step(tables, layout.weight_range);
      float weights = rounding_of(own, steps) * length;
      if (is_dual) weights += rounding_of(apart, steps) * length_apart;
      float colors = color_rounding(x, tables, layout.color_range, low, high) * (lines->strand[0].count * (1.0f / 3));
      if (is_pair)
        colors += color_rounding(x, tables, layout.color_range, second_low, second_high) *
                  (lines->strand[1].count * (1.0f / 3));
      offer(kept, (uint)lines->kind | (uint)lines->parameter << 3 | (uint)n << 13,
            (rest + weights * layout.weight_share) + colors);
    }
  }
}

// The partitions that leave least, least first.
static int likely_pairs(const astc_texels *x, const astc_moments *all, astc_tables tables, int *pairs) {
  const int count = min(PATTERNS, (int)tables[TEXCAST_ASTC_PARTITIONS]);
#if NEAR > 0
  const ulong upper = upper_half(x, all);
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
#if NEAR == 1
  pairs[0] = RANKED_PARTITION(0);
#else
  float rests[PAIRS];
  for (int i = 0; i < PAIRS; ++i) {
    rests[i] = 3e38f;
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
  return PAIRS;
}

// One loop over all lines, so that their code is there once.
static void choose(const astc_texels *x, astc_tables tables, astc_kept *kept) {
  for (int i = 0; i < KEPT; ++i) {
    kept->choice[i] = 0;
    kept->estimate[i] = 3e38f;
  }
  astc_moments all;
  moments_of(x, ALL_TEXELS, &all);
  int pairs[PAIRS];
  const int pair_count = likely_pairs(x, &all, tables, pairs);
  const int channels = x->has_alpha ? 4 : 3;
  bool is_grey = false;
#pragma unroll 1
  for (int n = 0; n < 3 + channels + 2 * pair_count; ++n) {
    const int pair = n - 3 - channels;
    int kind = TEXCAST_ASTC_DUAL, parameter = n - 3, grids = TEXCAST_ASTC_DUAL_GRIDS(METHOD, SIDE);
    if (n < 3) {
      kind = n == 0 ? TEXCAST_ASTC_SINGLE : n == 1 ? TEXCAST_ASTC_SCALED : TEXCAST_ASTC_GREY;
      parameter = 0;
      grids = TEXCAST_ASTC_GRIDS(METHOD, SIDE);
    } else if (pair >= 0) {
      kind = pair % 2 == 0 ? TEXCAST_ASTC_PAIR : TEXCAST_ASTC_GREYS;
      if (kind == TEXCAST_ASTC_GREYS && !is_grey) continue;
      parameter = pairs[pair / 2];
      grids = TEXCAST_ASTC_PAIR_GRIDS(METHOD, SIDE);
    }
    astc_lines lines;
    find_lines(x, &all, tables, kind, parameter, &lines);
    if (kind == TEXCAST_ASTC_GREY) {
      is_grey = lines.rest < kept->estimate[KEPT - 1];
      if (!is_grey) continue;
    }
    estimate_lines(x, tables, &lines, grids, kept);
  }
}
