// fit.cl — fits end points and weights of one choice by least squares.
//   exactness  whole numbers, and defined float order; equals codec/ref/astc/astc_fit.cpp
#include "astc/choose.cl"
#include "astc/ends.cl"

#define FITS TEXCAST_ASTC_FITS(METHOD, SIDE)

// All contents of a block. The indices of the weights are stored per plane, row by row of the grid, SIDE per row.
typedef struct {
  uint choice;
  ulong codes[2];  // of both partitions' end points
  int mode;
  bool is_turned[2];
  astc_bytes steps[2];
  float error;
} astc_fitted;

static int kind_of(uint choice) { return choice & 7; }
static int parameter_of(uint choice) { return choice >> 3 & 1023; }
static int layout_of(uint choice) { return choice >> 13; }

// Swaps the colours into the order in which most modes store them.
static void in_order(color *low, color *high) {
  const color first = *low, second = *high;
  const bool is_turned = light(second) < light(first);
  if (is_turned) {
    *low = second;
    *high = first;
  }
}

// The best of the modes for a line that is not grey.
static void store_colors(const astc_texels *x, astc_tables tables, int kind, bool may_turn, int range,
                         const astc_sums *sums, color from, color to, astc_ends *ends) {
#if TEXCAST_ASTC_SCALES(METHOD)
  if (kind == TEXCAST_ASTC_SCALED) {
    store_scaled(x, tables, sums, from, to, range, ends);
    return;
  }
#endif
  store_direct(x, tables, sums, from, to, may_turn, range, ends);
  astc_ends near;
  store_contracted(x, tables, sums, from, to, may_turn, range, &near);
  if (near.error < ends->error) *ends = near;
}

// Converts a plane's texels to a grid's weights, or back to the texels' weights: vertically, then horizontally. `down`
// and `across` have eight floats per weight. The way back is exact, in sixteenths of sixteenths; the decoder rounds
// corners once more, by less than a step.
#if SIDE == 4
static float16 columns_through(float16 v, const float16 share, bool is_back) {
  // share: the contribution of each weight to each of the four texels.
  const float16 s = is_back ? turned(share) : share;
#define THROUGH(r) (((v.lo.lo * r.x + v.lo.hi * r.y) + v.hi.lo * r.z) + v.hi.hi * r.w)
  return (float16)(THROUGH(s.lo.lo), THROUGH(s.lo.hi), THROUGH(s.hi.lo), THROUGH(s.hi.hi));
#undef THROUGH
}
static float16 load_shares(astc_floats v) { return (float16)(v[0], v[2], v[4], v[6]); }
static void through(astc_floats across, astc_floats down, bool is_back, astc_lanes *values) {
  const float16 v = columns_through(values->of[0], load_shares(down), is_back);
  values->of[0] = turned(columns_through(turned(v), load_shares(across), is_back));
}
#else
// Multiplies SIDE values at the given distance by a matrix.
static void multiply(float *values, int apart, const float shares[SIDE][SIDE]) {
  float in[SIDE];
#pragma unroll
  for (int from = 0; from < SIDE; ++from) in[from] = values[apart * from];
#pragma unroll
  for (int to = 0; to < SIDE; ++to) {
    float sum = in[0] * shares[to][0];
#pragma unroll
    for (int from = 1; from < SIDE; ++from) sum += in[from] * shares[to][from];
    values[apart * to] = sum;
  }
}
static void load_shares(astc_floats side, bool is_back, float shares[SIDE][SIDE]) {
#pragma unroll
  for (int weight = 0; weight < SIDE; ++weight) {
    const float4 first = side[2 * weight], last = side[2 * weight + 1];
    const float row[8] = {first.x, first.y, first.z, first.w, last.x, last.y, last.z, last.w};
#pragma unroll
    for (int texel = 0; texel < SIDE; ++texel) shares[is_back ? texel : weight][is_back ? weight : texel] = row[texel];
  }
}
static void through(astc_floats across, astc_floats down, bool is_back, astc_lanes *lanes) {
  float *values = (float *)lanes->of;
  float shares[SIDE][SIDE];
  load_shares(down, is_back, shares);
#pragma unroll 1
  for (int x = 0; x < SIDE; ++x) multiply(values + x, SIDE, shares);
  load_shares(across, is_back, shares);
#pragma unroll 1
  for (int y = 0; y < SIDE; ++y) multiply(values + SIDE * y, 1, shares);
}
#endif

// Finds the weights of a plane that are nearest to the end points, in the grid's steps. `weights` are the resulting
// weights of the texels.
static void place_plane(const astc_texels *x, astc_tables tables, const astc_layout *layout, const astc_decoded *ends,
                        astc_set second, bool is_pair, color channels, astc_bytes *steps, astc_lanes *weights) {
  const color way = (ends->high - ends->low) * channels, other_way = (ends->other_high - ends->other_low) * channels;
  const float from = dot_of(ends->low - x->center, way), other_from = dot_of(ends->other_low - x->center, other_way);
  const float unit = PLACES * reciprocal(fmax(dot_of(way, way), 1.0f)),
              other_unit = PLACES * reciprocal(fmax(dot_of(other_way, other_way), 1.0f));
  EACH_GROUP {
    weights->of[n] = whole_along(x, way, -from, n) * unit;
    if (is_pair)
      weights->of[n] =
          select(weights->of[n], whole_along(x, other_way, -other_from, n) * other_unit, mask_of(second, n));
  }
  const bool whole = is_whole(layout->width, layout->height);
  if (!whole) through(side_best(tables, layout->width), side_best(tables, layout->height), false, weights);
  const float last = (float)(int)(range_word(tables, layout->weight_range) & 255);
  EACH_GROUP {
    // Clamping to 0..1 is free on GPUs.
    const float16 place =
        rounded(clamp(weights->of[n] * (1.0f / PLACES), (float16)(0.0f), (float16)(1.0f)) * PLACES);
    const float16 number = step_of(layout, to_nearer_end(place)), weight = weight_of_step(layout, number);
    const int16 is_upper = place > (float16)(HALF_PLACES);
    steps->of[n] = bytes_of(select(number, last - number, is_upper));
    weights->of[n] = select(weight, 64.0f - weight, is_upper);
  }
  if (!whole) {
    through(side_drawn(tables, layout->width), side_drawn(tables, layout->height), true, weights);
    EACH_GROUP weights->of[n] = rounded(weights->of[n]);
  }
}

// Adds one plane's weights of a set of texels to the sums, in the channels where `channels` is 1.
static void add_plane(const astc_texels *x, const astc_lanes *weights, astc_set set, color channels, astc_sums *s) {
  const color_int is_own = channels > (color)(0.0f);
  float sum = 0.0f, square = 0.0f;
  color wv = (color)(0.0f);
  EACH_GROUP {
    float16 w = weights->of[n];
    if (set != ALL_TEXELS || TEXELS % 16 != 0) w *= inside_of(set, n);
    sum += add16(w);
    square += dot16(w, w);
    wv.x += dot16(w, CHANNEL_OF(x, r, n));
    wv.y += dot16(w, CHANNEL_OF(x, g, n));
    wv.z += dot16(w, CHANNEL_OF(x, b, n));
#if HAS_ALPHA
    wv.w += dot16(w, CHANNEL_OF(x, a, n));
#endif
  }
  s->w = select(s->w, (color)(sum), is_own);
  s->ww = select(s->ww, (color)(square), is_own);
  s->wv = select(s->wv, wv, is_own);
}

static void begin_sums(const astc_moments *m, astc_sums *s) {
  s->count = m->count;
  s->v = m->sum;
  s->vv = m->square;
  s->w = s->ww = s->wv = (color)(0.0f);
}

static void leave_out_sums(const astc_sums *part, astc_sums *s) {
  s->w -= part->w;
  s->ww -= part->ww;
  s->wv -= part->wv;
}

static color reciprocals(color v) {
  return COLOR(reciprocal(v.x), reciprocal(v.y), reciprocal(v.z), reciprocal(v.w));
}

// The end points that fit the weights best; the present ones if all weights are equal.
static void least_squares(const astc_texels *x, const astc_sums *s, color *low, color *high) {
  const color determinant = s->count * s->ww - s->w * s->w;
  const color scale = reciprocals(fmax(determinant, (color)(1.0f)));
  const color from = (s->ww * s->v - s->w * s->wv) * scale;
  const color rise = (s->count * s->wv - s->w * s->v) * scale;
  const color_int is_solved = determinant > (color)(1.0f);
  *low = select(*low, x->center + from, is_solved);
  *high = select(*high, x->center + (from + 64.0f * rise), is_solved);
}

static void fit(const astc_texels *x, const astc_moments *all, astc_tables tables, uint choice,
                const astc_decoded *first_ends, astc_fitted *best) {
  const int kind = kind_of(choice);
  const bool is_dual = kind == TEXCAST_ASTC_DUAL, is_pair = has_two_partitions(kind);
  const color apart = is_dual ? channel_unit(parameter_of(choice)) : (color)(0.0f);
  astc_layout layout;
  read_layout(tables, layout_of(choice), &layout);
  const int range = layout.color_range;
  const bool may_turn = !is_pair || is_whole(layout.width, layout.height);
  astc_moments first = *all, second = *all;
  astc_set in_second = 0;
  astc_decoded wanted = *first_ends;
  if (is_pair) {
    in_second = second_part(tables, parameter_of(choice));
    moments_inside(x, in_second, &second);
    leave_out(all, &second, &first);
    in_order(&wanted.low, &wanted.high);
    in_order(&wanted.other_low, &wanted.other_high);
  }
#pragma unroll 1
  for (int round = 0; round < FITS; ++round) {
    astc_sums sums, other_sums;
    astc_bytes steps, steps_apart;
    begin_sums(&first, &sums);
    begin_sums(&second, &other_sums);
    EACH_GROUP steps.of[n] = (uint4)(0);
#pragma unroll 1
    for (int plane = is_dual ? 1 : 0; plane >= 0; --plane) {
      astc_lanes weights;
      const color channels = plane == 1 ? apart : (color)(1.0f) - apart;
      steps_apart = steps;
      place_plane(x, tables, &layout, &wanted, in_second, is_pair, channels, &steps, &weights);
      add_plane(x, &weights, ALL_TEXELS, channels, &sums);
      if (is_pair) add_plane(x, &weights, in_second, channels, &other_sums);
    }
    if (is_pair) {
      leave_out_sums(&other_sums, &sums);
      least_squares(x, &other_sums, &wanted.other_low, &wanted.other_high);
    }
    least_squares(x, &sums, &wanted.low, &wanted.high);
    // The first partition, then the second.
    astc_ends ends, other_ends, offset, other_offset;
#pragma unroll 1
    for (int p = 0; p < (is_pair ? 2 : 1); ++p) {
      astc_sums s = sums;
      color from = wanted.low, to = wanted.high;
      if (p == 1) {
        s = other_sums;
        from = wanted.other_low;
        to = wanted.other_high;
      }
      astc_ends now, by_offset;
      by_offset.error = UNKNOWN;
      if (x->is_grey && !is_dual) {
        store_grey(x, tables, &s, from, to, range, &now);
        by_offset.low = by_offset.high = from;
        by_offset.codes = 0;
        by_offset.mode = 0;
        by_offset.is_turned = false;
      } else {
        store_colors(x, tables, kind, may_turn, range, &s, from, to, &now);
        store_offsets(x, tables, &s, from, to, may_turn, range, &by_offset);
        if (kind == TEXCAST_ASTC_SCALED) by_offset.error = UNKNOWN;
      }
      if (p == 0) {
        ends = now;
        offset = by_offset;
      } else {
        other_ends = now;
        other_offset = by_offset;
      }
    }
    if (!is_pair) {
      other_ends = ends;
      other_ends.error = 0.0f;
      other_offset = offset;
      other_offset.error = 0.0f;
    }
    // Both partitions share one mode.
    if (offset.error + other_offset.error < ends.error + other_ends.error) {
      ends = offset;
      other_ends = other_offset;
    }
    const float error = ends.error + other_ends.error;
    wanted.low = ends.low;
    wanted.high = ends.high;
    wanted.other_low = other_ends.low;
    wanted.other_high = other_ends.high;
    if (!(error < best->error)) continue;
    best->error = error;
    best->choice = choice;
    best->mode = ends.mode;
    best->codes[0] = ends.codes;
    best->codes[1] = other_ends.codes;
    best->is_turned[0] = ends.is_turned;
    best->is_turned[1] = other_ends.is_turned;
    best->steps[0] = steps;
    best->steps[1] = steps_apart;
  }
}

// Starts with the end points of the choice's own lines.
static void fit_along_lines(const astc_texels *x, const astc_moments *all, astc_tables tables, uint choice,
                            astc_fitted *best) {
  astc_decoded ends;
  {
    astc_lines lines;
    find_lines(x, all, tables, kind_of(choice), parameter_of(choice), &lines);
    first_ends(x, &lines, &ends);
  }
  fit(x, all, tables, choice, &ends, best);
}
