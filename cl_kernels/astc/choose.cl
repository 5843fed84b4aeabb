// choose.cl — which lines and which layouts of a block's bits are worth fitting, by estimates.
//   exactness  stated float order, equals codec/ref/astc/astc_choose.cpp
#include "astc/lines.cl"

#define KEPT TEXCAST_ASTC_KEPT(METHOD)
#define PATTERNS TEXCAST_ASTC_PATTERNS(METHOD)
#define NEAR TEXCAST_ASTC_NEAR(METHOD)
#define PAIRS TEXCAST_ASTC_PAIRS(METHOD)

// The best so far, in place. A choice: its kind, its parameter from bit 3, its layout from bit 13 on (19 bits).
typedef struct {
  uint choice[KEPT];
  float estimate[KEPT];
} astc_kept;

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

static void places_of(const astc_texels *x, const astc_lines *lines, int plane, float *places) {
  float span[2], at_mean[2];
  for (int s = 0; s < 2; ++s) {
    if (s >= lines->strands) continue;
    const astc_strand *strand = &lines->strand[s];
    span[s] = reciprocal(fmax(strand->greatest - strand->least, TINY));
    at_mean[s] = dot_of(strand->mean, strand->direction);
  }
  const ulong second = plane == 1 ? ~(ulong)0 : lines->second;
  for (int i = 0; i < TEXELS; ++i) {
    const int s = (int)(second >> i & 1);
    const astc_strand *strand = &lines->strand[s];
    places[i] = ((dot_of(x->v[i], strand->direction) - at_mean[s]) - strand->least) * span[s];
  }
}

static void draw_on_grid(astc_tables tables, int width, int height, const float *places, float *weights) {
  for (int column = 0; column < width; ++column) {
    float along[SIDE];
    for (int y = 0; y < SIDE; ++y) {
      float sum = 0.0f;
      for (int x = 0; x < SIDE; ++x) sum += places[SIDE * y + x] * best_share(tables, width, column, x);
      along[y] = sum;
    }
    for (int row = 0; row < height; ++row) {
      float weight = 0.0f;
      for (int y = 0; y < SIDE; ++y) weight += along[y] * best_share(tables, height, row, y);
      weights[row * width + column] = fmin(fmax(weight, 0.0f), 1.0f);
    }
  }
}

static float undrawn(astc_tables tables, int width, int height, const float *places, const float *weights) {
  float lost = 0.0f;
  for (int y = 0; y < SIDE; ++y) {
    const uint tap_y = tap_word(tables, height, y);
    const int top = tap_y & 0xFFFF, bottom = min(top + 1, height - 1);
    const float down = (float)(int)(tap_y >> 16) * (1.0f / 16);
    for (int x = 0; x < SIDE; ++x) {
      const uint tap_x = tap_word(tables, width, x);
      const int left = tap_x & 0xFFFF, right = min(left + 1, width - 1);
      const float across = (float)(int)(tap_x >> 16) * (1.0f / 16);
      const float top_left = weights[top * width + left], bottom_left = weights[bottom * width + left];
      const float upper = top_left + (weights[top * width + right] - top_left) * across;
      const float lower = bottom_left + (weights[bottom * width + right] - bottom_left) * across;
      const float difference = places[SIDE * y + x] - (upper + (lower - upper) * down);
      lost += difference * difference;
    }
  }
  return lost;
}

static float rounding_of(const float *weights, int count, float steps) {
  float error = 0.0f;
  for (int i = 0; i < count; ++i) {
    const float place = weights[i] * steps;
    const float lost = place - floor(place + 0.5f);
    error += lost * lost;
  }
  return error;
}

static float end_rounding(astc_tables tables, int range, float value) {
  value = fmin(fmax(value, 0.0f), 255.0f);
  const float lost = value - (float)(int)(nearest_color(tables, range, floor(value + 0.5f)) & 0xFFFF);
  return lost * lost;
}

static float color_rounding(const astc_texels *x, astc_tables tables, const astc_lines *lines, int range) {
  const int apart = lines->kind == TEXCAST_ASTC_DUAL ? lines->parameter : -1;
  float error = 0.0f;
  for (int s = 0; s < lines->strands; ++s) {
    const astc_strand *strand = &lines->strand[s];
    const float4 middle = x->center + strand->mean, slope = strand->direction * strand->inverse;
    const float4 low = middle + slope * strand->least, high = middle + slope * strand->greatest;
    float own = 0.0f;
#define OWN(channel, n)                                     \
  if (apart < 0 || (n == apart) == (s == 1)) {              \
    own += end_rounding(tables, range, low.channel);        \
    own += end_rounding(tables, range, high.channel);       \
  }
    OWN(x, 0)
    OWN(y, 1)
    OWN(z, 2)
#if HAS_ALPHA
    if (x->has_alpha) {
      OWN(w, 3)
    }
#endif
#undef OWN
    error += own * (strand->count * (1.0f / 3));
  }
  return error;
}

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
  const int of_class = TEXCAST_ASTC_CLASS(lines->kind, x->has_alpha ? 1 : 0);
  float places[TEXELS], places_apart[TEXELS], drawn[TEXELS], drawn_apart[TEXELS];
  places_of(x, lines, 0, places);
  if (is_dual) places_of(x, lines, 1, places_apart);
  global const uint *grids = tables + TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASS_WORDS * of_class;
  const int grid_count = min(most_grids, (int)grids[0]);
#pragma unroll 1
  for (int g = 0; g < grid_count; ++g) {
    const uint grid = grids[1 + 2 * g];
    const int first = grids[2 + 2 * g], width = grid & 255, height = grid >> 8 & 255, layouts = grid >> 16;
    const bool whole = is_whole(width, height);
    float rest = lines->rest;
    const float *own = places, *apart = places_apart;
    if (!whole) {
      draw_on_grid(tables, width, height, places, drawn);
      rest += undrawn(tables, width, height, places, drawn) * length;
      own = drawn;
      if (is_dual) {
        draw_on_grid(tables, width, height, places_apart, drawn_apart);
        rest += undrawn(tables, width, height, places_apart, drawn_apart) * length_apart;
        apart = drawn_apart;
      }
    }
#pragma unroll 1
    for (int n = first; n < first + layouts; ++n) {
      astc_layout layout;
      read_layout(tables, n, &layout);
      const float steps = (float)last_step(tables, layout.weight_range);
      float weights = rounding_of(own, width * height, steps) * length;
      if (is_dual) weights += rounding_of(apart, width * height, steps) * length_apart;
      offer(kept, (uint)lines->kind | (uint)lines->parameter << 3 | (uint)n << 13,
            (rest + weights * layout.weight_share) + color_rounding(x, tables, lines, layout.color_range));
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
    int kind = TEXCAST_ASTC_DUAL, parameter = n - 3, grids = TEXCAST_ASTC_DUAL_GRIDS(METHOD);
    if (n < 3) {
      kind = n == 0 ? TEXCAST_ASTC_SINGLE : n == 1 ? TEXCAST_ASTC_SCALED : TEXCAST_ASTC_GREY;
      parameter = 0;
      grids = TEXCAST_ASTC_GRIDS(METHOD);
    } else if (pair >= 0) {
      kind = pair % 2 == 0 ? TEXCAST_ASTC_PAIR : TEXCAST_ASTC_GREYS;
      if (kind == TEXCAST_ASTC_GREYS && !is_grey) continue;
      parameter = pairs[pair / 2];
      grids = TEXCAST_ASTC_PAIR_GRIDS(METHOD);
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
