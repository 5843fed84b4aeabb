// fit.cl — end points and weights of one choice by least squares.
//   exactness  stated float order, equals codec/ref/astc/astc_fit.cpp
#include "astc/choose.cl"
#include "astc/ends.cl"

#define FITS TEXCAST_ASTC_FITS(METHOD)

// All that a block says.
typedef struct {
  uint choice;
  ulong codes[2];  // of both partitions' end points
  int mode;
  bool is_turned[2];
  uchar steps[64];  // weights by number, row by row of the grid, of two planes in turn
  float error;
} astc_fitted;

static int kind_of(uint choice) { return choice & 7; }
static int parameter_of(uint choice) { return choice >> 3 & 1023; }
static int layout_of(uint choice) { return choice >> 13; }

// Both partitions have one mode.
static void store_ends(const astc_texels *x, astc_tables tables, int kind, const astc_layout *layout,
                       const astc_sums *sums, const float4 *low, const float4 *high, astc_ends *ends) {
  const int range = layout->color_range, partitions = kind >= TEXCAST_ASTC_PAIR ? 2 : 1;
  const bool may_turn = partitions == 1 || is_whole(layout->width, layout->height);
  const bool is_grey = kind == TEXCAST_ASTC_GREY || kind == TEXCAST_ASTC_GREYS, is_scaled = kind == TEXCAST_ASTC_SCALED;
  astc_ends offset[2];
  bool has_offset = !is_grey && !is_scaled;
  float error = 0.0f, offset_error = 0.0f;
#pragma unroll 1
  for (int p = 0; p < partitions; ++p) {
    const float4 from = x->center + low[p], to = x->center + high[p];
    if (is_grey) {
      store_grey(x, tables, &sums[p], from, to, range, &ends[p]);
    } else if (is_scaled) {
      store_scaled(x, tables, &sums[p], from, to, range, &ends[p]);
    } else {
      store_direct(x, tables, &sums[p], from, to, may_turn, range, &ends[p]);
      astc_ends near;
      if (store_contracted(x, tables, &sums[p], from, to, may_turn, range, &near) && near.error < ends[p].error)
        ends[p] = near;
      has_offset = has_offset && store_offsets(x, tables, &sums[p], from, to, may_turn, range, &offset[p]);
      if (has_offset) offset_error += offset[p].error;
    }
    error += ends[p].error;
  }
  if (has_offset && offset_error < error)
    for (int p = 0; p < partitions; ++p) ends[p] = offset[p];
}

// Weights 0..64 of the grid's to those of texels.
static float texel_weight(astc_tables tables, const astc_layout *layout, const int *values, int x, int y) {
  const int width = layout->width, height = layout->height;
  const uint tap_x = tap_word(tables, width, x), tap_y = tap_word(tables, height, y);
  const int left = tap_x & 0xFFFF, right_part = tap_x >> 16, top = tap_y & 0xFFFF, lower_part = tap_y >> 16;
  const int right = min(left + 1, width - 1), bottom = min(top + 1, height - 1);
  const int corner = (right_part * lower_part + 8) >> 4;
  const int sum = (16 - right_part - lower_part + corner) * values[top * width + left] +
                  (right_part - corner) * values[top * width + right] +
                  (lower_part - corner) * values[bottom * width + left] + corner * values[bottom * width + right];
  return (float)((sum + 8) >> 4);
}

static int nearest_step(float place, float steps) {
  return (int)(fmin(fmax(place, 0.0f), 64.0f) * (steps * (1.0f / 64)) + 0.5f);
}

// The nearest weights of a plane to the end points, in the grid's steps; `weights` are what they give each texel.
static void place_plane(const astc_texels *x, astc_tables tables, const astc_layout *layout, const astc_ends *ends,
                        ulong second, float4 channels, int planes, int plane, uchar *steps, float *weights) {
  float4 direction[2], low[2];
  float scale[2];
  for (int p = 0; p < 2; ++p) {
    if (p == 1 && second == 0) continue;
    low[p] = ends[p].low - x->center;
    direction[p] = (ends[p].high - ends[p].low) * channels;
    const float length = dot_of(direction[p], direction[p]);
    scale[p] = length > 0.0f ? 64.0f * reciprocal(length) : 0.0f;
  }
  const float most = (float)last_step(tables, layout->weight_range);
  float places[TEXELS];
  for (int i = 0; i < TEXELS; ++i) {
    const int p = (int)(second >> i & 1);
    places[i] = dot_of(x->v[i] - low[p], direction[p]) * scale[p];
  }
  if (is_whole(layout->width, layout->height)) {
    for (int i = 0; i < TEXELS; ++i) {
      const int step = nearest_step(places[i], most);
      weights[i] = (float)(int)(weight_word(tables, layout->weight_range, step) & 0xFFFF);
      steps[i * planes + plane] = (uchar)step;
    }
    return;
  }
  int values[TEXELS];
  global const float *across = side_best(tables, layout->width), *down = side_best(tables, layout->height);
  for (int row = 0; row < layout->height; ++row)
    for (int column = 0; column < layout->width; ++column) {
      float place = 0.0f;
      for (int ty = 0; ty < SIDE; ++ty) {
        float along = 0.0f;
        for (int tx = 0; tx < SIDE; ++tx) along += places[SIDE * ty + tx] * across[8 * column + tx];
        place += along * down[8 * row + ty];
      }
      const int at = row * layout->width + column, step = nearest_step(place, most);
      values[at] = weight_word(tables, layout->weight_range, step) & 0xFFFF;
      steps[at * planes + plane] = (uchar)step;
    }
  for (int i = 0; i < TEXELS; ++i) weights[i] = texel_weight(tables, layout, values, i % SIDE, i / SIDE);
}

// Whole numbers below 2^24. `apart` is 1 in the channel of the second plane's weights.
static void sums_of(const astc_texels *x, const float *weights, const float *weights_apart, float4 apart, ulong inside,
                    astc_sums *s) {
  s->first = s->both = s->second = s->low = s->high = s->squares = (float4)(0.0f);
  for (int i = 0; i < TEXELS; ++i) {
    const float is_in = inside_of(inside, i);
    const float4 v = x->v[i] * is_in;
    const float4 w = (float4)(weights[i]) + (weights_apart[i] - weights[i]) * apart, rest = 64.0f - w;
    s->first += rest * rest * is_in;
    s->both += w * rest * is_in;
    s->second += w * w * is_in;
    s->low += rest * v;
    s->high += w * v;
    s->squares += v * v;
  }
}

static float4 reciprocal4(float4 v) {
  return (float4)(reciprocal(v.x), reciprocal(v.y), reciprocal(v.z), reciprocal(v.w));
}

// The end points that the weights fit best; where all weights are one, those that they were.
static void least_squares(const astc_texels *x, const astc_sums *s, const astc_ends *ends, float4 *low, float4 *high) {
  const float4 determinant = s->first * s->second - s->both * s->both;
  const float4 scale = 64.0f * reciprocal4(fmax(determinant, (float4)(4096.0f)));
  const float4 from = (s->second * s->low - s->both * s->high) * scale,
               to = (s->first * s->high - s->both * s->low) * scale;
  const int4 is_solved = determinant > (float4)(4096.0f);
  *low = select(ends->low - x->center, from, is_solved);
  *high = select(ends->high - x->center, to, is_solved);
}

static void fit(const astc_texels *x, const astc_moments *all, astc_tables tables, uint choice, astc_fitted *best) {
  const int kind = kind_of(choice), planes = kind == TEXCAST_ASTC_DUAL ? 2 : 1;
  const int partitions = kind >= TEXCAST_ASTC_PAIR ? 2 : 1;
  const float4 apart = planes == 2 ? channel_unit(parameter_of(choice)) : (float4)(0.0f);
  astc_layout layout;
  read_layout(tables, layout_of(choice), &layout);
  astc_sums sums[2];
  astc_ends ends[2];
  float4 low[2], high[2];
  ulong second;
  {
    astc_lines lines;
    find_lines(x, all, tables, kind, parameter_of(choice), &lines);
    line_of(&lines, 0, &low[0], &high[0]);
    if (partitions == 2) line_of(&lines, 1, &low[1], &high[1]);
    second = lines.second;
  }
  for (int p = 0; p < partitions; ++p) {
    // In the order in which most modes store them.
    if (partitions == 2 && light(high[p]) < light(low[p])) {
      const float4 other = low[p];
      low[p] = high[p];
      high[p] = other;
    }
    // Sums by which the error of end points is how far they are from these.
    sums[p].first = sums[p].second = (float4)(4096.0f);
    sums[p].both = sums[p].squares = (float4)(0.0f);
    sums[p].low = 64.0f * low[p];
    sums[p].high = 64.0f * high[p];
  }
  float weights[TEXELS], weights_apart[TEXELS];
  uchar steps[64];
  // The first time round there are no weights yet.
#pragma unroll 1
  for (int round = 0; round <= FITS; ++round) {
    if (round > 0) {
      place_plane(x, tables, &layout, ends, second, (float4)(1.0f) - apart, planes, 0, steps, weights);
      if (planes == 2)
        place_plane(x, tables, &layout, ends, second, apart, planes, 1, steps, weights_apart);
      else
        for (int i = 0; i < TEXELS; ++i) weights_apart[i] = weights[i];
      for (int p = 0; p < partitions; ++p) {
        sums_of(x, weights, weights_apart, apart, p == 1 ? second : ALL_TEXELS & ~second, &sums[p]);
        least_squares(x, &sums[p], &ends[p], &low[p], &high[p]);
      }
    }
    store_ends(x, tables, kind, &layout, sums, low, high, ends);
    const float error = partitions == 2 ? ends[0].error + ends[1].error : ends[0].error;
    if (round == 0 || !(error < best->error)) continue;
    best->error = error;
    best->choice = choice;
    best->mode = ends[0].mode;
    for (int p = 0; p < partitions; ++p) {
      best->codes[p] = ends[p].codes;
      best->is_turned[p] = ends[p].is_turned;
    }
    const int count = layout.width * layout.height * planes;
    for (int i = 0; i < count; ++i) best->steps[i] = steps[i];
  }
}
