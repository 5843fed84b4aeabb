// fit.cl — fits end points and weights of one choice by least squares.
//   exactness  whole numbers, and defined float order; equals codec/ref/astc/astc_fit.cpp
#include "astc/choose.cl"
#include "astc/ends.cl"

#define FITS TEXCAST_ASTC_FITS(METHOD)

// All contents of a block. The indices of the weights are stored per plane, row by row of the grid, SIDE per row.
typedef struct {
  uint choice;
  ulong codes[2];  // of both partitions' end points
  int mode;
  bool is_turned[2];
  astc_lanes steps[2];
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
static void through(astc_floats across_4, astc_floats down_4, bool is_back, astc_lanes *values) {
  global const float *across = (global const float *)across_4, *down = (global const float *)down_4;
  float in[16 * GROUPS], between[16 * GROUPS];
  const int to_step = is_back ? 1 : 8, from_step = is_back ? 8 : 1;
  EACH_GROUP vstore16(values->of[n], n, in);
#pragma unroll 1
  for (int i = 0; i < TEXELS; ++i) {
    const int x = i % SIDE, to = i / SIDE;
    float sum = in[x] * down[to_step * to];
    for (int from = 1; from < SIDE; ++from) sum += in[SIDE * from + x] * down[to_step * to + from_step * from];
    between[i] = sum;
  }
#pragma unroll 1
  for (int i = 0; i < TEXELS; ++i) {
    const int y = i / SIDE, to = i % SIDE;
    float sum = between[SIDE * y] * across[to_step * to];
    for (int from = 1; from < SIDE; ++from) sum += between[SIDE * y + from] * across[to_step * to + from_step * from];
    in[i] = sum;
  }
  EACH_GROUP values->of[n] = vload16(n, in);
}
#endif

// Finds the weights of a plane that are nearest to the end points, in the grid's steps. `weights` are the resulting
// weights of the texels.
static void place_plane(const astc_texels *x, astc_tables tables, const astc_layout *layout, const astc_decoded *ends,
                        const astc_mask *second, bool is_pair, color channels, astc_lanes *steps, astc_lanes *weights) {
  const color way = (ends->high - ends->low) * channels, other_way = (ends->other_high - ends->other_low) * channels;
  const float from = dot_of(ends->low - x->center, way), other_from = dot_of(ends->other_low - x->center, other_way);
  const float unit = PLACES * reciprocal(fmax(dot_of(way, way), 1.0f)),
              other_unit = PLACES * reciprocal(fmax(dot_of(other_way, other_way), 1.0f));
  astc_lanes places;
  EACH_GROUP {
    places.of[n] = whole_along(x, way, -from, n) * unit;
    if (is_pair)
      places.of[n] = select(places.of[n], whole_along(x, other_way, -other_from, n) * other_unit, second->of[n]);
  }
  const bool whole = is_whole(layout->width, layout->height);
  if (!whole) through(side_best(tables, layout->width), side_best(tables, layout->height), false, &places);
  const float last = (float)(int)(range_word(tables, layout->weight_range) & 255);
  EACH_GROUP {
    const float16 place = rounded(min(max(places.of[n], (float16)(0.0f)), (float16)(PLACES)));
    const float16 number = step_of(layout, min(place, PLACES - place)), weight = weight_of_step(layout, number);
    const int16 is_upper = place > (float16)(HALF_PLACES);
    steps->of[n] = select(number, last - number, is_upper);
    weights->of[n] = select(weight, 64.0f - weight, is_upper);
  }
  if (!whole) {
    through(side_drawn(tables, layout->width), side_drawn(tables, layout->height), true, weights);
    EACH_GROUP weights->of[n] = rounded(weights->of[n]);
  }
  if (TEXELS % 16 == 0) return;
  astc_mask inside;
  mask_of(ALL_TEXELS, &inside);
  keep_lanes(weights, &inside, weights);
}

// Adds one plane's weights to the sums, in the channels where `channels` is 1.
static void add_plane(const astc_texels *x, const astc_lanes *weights, color channels, astc_sums *s) {
  const color_int is_own = channels > (color)(0.0f);
  color wv;
  wv.x = dot_lanes(weights, &x->r);
  wv.y = dot_lanes(weights, &x->g);
  wv.z = dot_lanes(weights, &x->b);
#if HAS_ALPHA
  wv.w = dot_lanes(weights, &x->a);
#endif
  s->w = select(s->w, (color)(add_lanes(weights)), is_own);
  s->ww = select(s->ww, (color)(dot_lanes(weights, weights)), is_own);
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
  astc_mask in_second;
  mask_of(0, &in_second);
  astc_decoded wanted = *first_ends;
  if (is_pair) {
    const astc_set set = second_part(tables, parameter_of(choice));
    mask_of(set, &in_second);
    moments_inside(x, set, &in_second, &second);
    leave_out(all, &second, &first);
    in_order(&wanted.low, &wanted.high);
    in_order(&wanted.other_low, &wanted.other_high);
  }
#pragma unroll 1
  for (int round = 0; round < FITS; ++round) {
    astc_sums sums, other_sums;
    astc_lanes steps, steps_apart;
    begin_sums(&first, &sums);
    begin_sums(&second, &other_sums);
    EACH_GROUP steps.of[n] = (float16)(0.0f);
#pragma unroll 1
    for (int plane = is_dual ? 1 : 0; plane >= 0; --plane) {
      astc_lanes weights;
      const color channels = plane == 1 ? apart : (color)(1.0f) - apart;
      steps_apart = steps;
      place_plane(x, tables, &layout, &wanted, &in_second, is_pair, channels, &steps, &weights);
      add_plane(x, &weights, channels, &sums);
      if (is_pair) {
        keep_lanes(&weights, &in_second, &weights);
        add_plane(x, &weights, channels, &other_sums);
      }
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
