// pairs_fit.cl — T and H by search, for `high` and `best`: the colours are found by k-means.
//   defines   METHOD
//   exactness as etc/colors.cl; equals codec/ref/etc/etc2_paint.cpp
#include "etc/pairs.cl"

// H has no even distance indices for equal colours.
static void try_pair(rgb_block *p, int4 a, int4 b, int mode, int distance, etc_pair *best) {
  if (mode == ETC_H && (distance & 1) == 0 && a.x == b.x && a.y == b.y && a.z == b.z) return;
  etc_pair pair;
  pair.a = a;
  pair.b = b;
  pair.mode = mode;
  pair.distance = distance;
  etc_paints c;
  pair_paints(&pair, &c);
  const float16 first = min(off_paint(p, c.paint[0]), off_paint(p, c.paint[1]));
  const float16 second = min(off_paint(p, c.paint[2]), off_paint(p, c.paint[3]));
  pair.error = (int)add16(min(first, second));
  if (pair.error < best->error) *best = pair;
}

// Sums of the channels; w: the number of texels.
static int4 sum_of_texels(rgb_block *p, float16 less, float16 weight) {
  return (int4)((int)add16((p->r - less) * weight), (int)add16((p->g - less) * weight),
                (int)add16((p->b - less) * weight), (int)add16(weight));
}

static int4 nearest_code(int4 sum) {
  const uint4 rounded = (convert_uint4(2 * max(sum, (int4)(0))) + (uint)(17 * sum.w)) / (uint)(34 * sum.w);
  return min(convert_int4(rounded), (int4)(15));
}

static float3 rounded_mean(int4 sum) {
  return convert_float3((convert_uint3(2 * sum.xyz) + (uint)sum.w) / (uint)(2 * sum.w));
}

static float3 farthest_texel(rgb_block *p, float3 from) {
  const int16 numbers = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  // The first of equally far ones.
  const int far = 15 - (max16(convert_int16(off_paint(p, from)) * 16 + (15 - numbers)) & 15);
  const float16 own = select((float16)(0.0f), (float16)(1.0f), numbers == far);
  return (float3)(add16(p->r * own), add16(p->g * own), add16(p->b * own));
}

// The codes nearest to the means of two groups of texels.
static void cluster_texels(rgb_block *p, int4 *a, int4 *b) {
  const float16 none = (float16)(0.0f), one = (float16)(1.0f);
  int4 sum = sum_of_texels(p, none, one);
  float3 centre_a = farthest_texel(p, convert_float3((sum.xyz + 8) / 16));
  float3 centre_b = farthest_texel(p, centre_a);
  const int4 texel0 = (int4)((int)p->r.s0, (int)p->g.s0, (int)p->b.s0, 1);
  int4 sum_a = texel0, sum_b = texel0;
  for (int round = 0; round < TEXCAST_ETC2_MEANS(METHOD); ++round) {
    const float16 in_b = select(none, one, off_paint(p, centre_b) < off_paint(p, centre_a));
    sum_b = sum_of_texels(p, none, in_b);
    sum_a = sum - sum_b;
    if (sum_a.w == 0) sum_a = texel0;
    if (sum_b.w == 0) sum_b = texel0;
    centre_a = rounded_mean(sum_a);
    centre_b = rounded_mean(sum_b);
  }
  *a = nearest_code(sum_a);
  *b = nearest_code(sum_b);
}

// Refits the colours to the texels that chose them.
static void refit_pair(rgb_block *p, etc_pair *pair, int4 *a, int4 *b) {
  const float16 none = (float16)(0.0f), one = (float16)(1.0f);
  etc_paints c;
  pair_paints(pair, &c);
  const int16 number = nearest_paints(p, &c, &c);
  const float d = etc_distances[pair->distance];
  const bool h = pair->mode == ETC_H;
  // Each palette colour's distance from its group's colour, and whether that is the second.
  const float d0 = h ? d : 0.0f, d1 = h ? -d : d, d2 = h ? d : 0.0f;
  float16 less = (float16)(d0);
  less = select(less, (float16)(d1), number == 1);
  less = select(less, (float16)(d2), number == 2);
  less = select(less, (float16)(-d), number == 3);
  const float16 in_b = select(none, one, number >= (h ? 2 : 1));
  const int4 sum_a = sum_of_texels(p, less, one - in_b), sum_b = sum_of_texels(p, less, in_b);
  *a = pair->a;
  *b = pair->b;
  if (sum_a.w > 0) *a = nearest_code(sum_a);
  if (sum_b.w > 0) *b = nearest_code(sum_b);
}

// Moves to the best block with one channel of one colour changed by a step and the same or the next distance.
static void walk_pair(rgb_block *p, etc_pair *best) {
  for (int step = 0; step < TEXCAST_ETC2_STEPS(METHOD) && best->error > 0; ++step) {
    const int4 a = best->a, b = best->b;
    const int distance = best->distance, before = best->error;
    for (int n = 0; n < 12; ++n) {
      const int channel = n / 2 % 3, by = n % 2 == 0 ? 1 : -1;
      const int4 move = (int4)(channel == 0 ? by : 0, channel == 1 ? by : 0, channel == 2 ? by : 0, 0);
      const int4 next_a = n < 6 ? a + move : a, next_b = n < 6 ? b : b + move;
      const int4 moved = n < 6 ? next_a : next_b;
      if (min(min(moved.x, moved.y), moved.z) < 0 || max(max(moved.x, moved.y), moved.z) > 15) continue;
      for (int d = max(distance - 1, 0); d <= min(distance + 1, 7); ++d) try_pair(p, next_a, next_b, best->mode, d, best);
    }
    if (best->error == before) return;
  }
}

static void fit_pairs(rgb_block *p, etc_pair *best) {
  int4 a, b;
  cluster_texels(p, &a, &b);
  best->error = ETC_NO_ERROR;
  for (int mode = ETC_T; mode <= ETC_H; ++mode) {
    etc_pair fit;
    fit.error = ETC_NO_ERROR;
    int4 next_a = mode == ETC_T_SWAPPED ? b : a, next_b = mode == ETC_T_SWAPPED ? a : b;
    for (int n = 0; n <= TEXCAST_ETC2_FITS(METHOD); ++n) {
      if (n > 0) refit_pair(p, &fit, &next_a, &next_b);
      for (int d = 0; d < ETC_DISTANCE_COUNT; ++d) try_pair(p, next_a, next_b, mode, d, &fit);
    }
    walk_pair(p, &fit);
    if (fit.error < best->error) *best = fit;
  }
}

static uint2 pack_pair(rgb_block *p, etc_pair *pair) {
  etc_paints c;
  pair_paints(pair, &c);
  int crossed;
  const uint upper = pair_word(pair, &crossed);
  return etc_bytes(upper, etc_columns(etc_index_planes(nearest_paints(p, &c, &c) ^ crossed)));
}
