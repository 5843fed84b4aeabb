// search_starts.cl — texels sorted along an axis, and the starts of the search: their likely clusterings into four.
//   local mem  GROUP_ITEMS x 17 x (int2 + int), in the kernel
//   exactness  as bc1/line_fit.cl; equals codec/ref/bc/bc1_search.cpp bit for bit on every device
//   source     as bc1/cluster.cl
#include "bc1/nearest_colours.cl"
#include "bc1/likely_splits.cl"

#ifndef GROUP_ITEMS
#define GROUP_ITEMS 64
#endif

// The local memory of a work-item, GROUP_ITEMS apart. Cuts are looked up by number, and private memory that is indexed
// so is outside the multiprocessor.
typedef struct {
  local int2 *colors;  // 17: sums of the first p texels, R | G << 16 and B; at most 16 x 255 per channel
  local int *below;    // 17: bits of how far the first p are below the mean place, times the number that are not black
} item_cuts;

static float below_at(item_cuts cuts, int p) { return as_float(cuts.below[p * GROUP_ITEMS]); }

static float3 channels_of(int2 s) { return convert_float3((int3)(s.x & 0xFFFF, s.x >> 16, s.y)); }

// Fills `cuts`. Black texels (-1, else 0; `count` are not black) come first and count as nothing; texels at the same
// place keep their order. Places are within +-(1 << 20).
static void sort_along(const line_block *t, float3 axis, int16 black, float count, item_cuts cuts) {
  const int16 rg = (as_int16(t->r + ROUND) & 255) | (as_int16(t->g + ROUND) & 255) << 16;
  const int16 b = as_int16(t->b + ROUND) & 255;
#define TEXEL(n) cuts.colors[0x##n * GROUP_ITEMS] = (int2)(rg.s##n, b.s##n);
  EACH_LANE(TEXEL)
#undef TEXEL
  const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const float16 at = along(t, axis);
  const float total = add16(select(at, (float16)(0.0f), black));
  const int16 key = ordered_keys(select(at, (float16)(-1048576.0f), black));
  const int16 counts = (int16)(15) - convert_int(count) - lanes;  // negative where a texel is not black
  const int16 mask = counts >> 31;
  const float16 below = as_float16(as_int16(total - count * places_of(key)) & mask);
#define FETCH(n) const int2 t##n = cuts.colors[LANE_OF(key.s##n) * GROUP_ITEMS] & (int2)(mask.s##n);
  EACH_LANE(FETCH)
#undef FETCH
  int2 sum = (int2)(0);
  float gap = 0.0f;
#define ADD(n)                               \
  cuts.colors[0x##n * GROUP_ITEMS] = sum;    \
  cuts.below[0x##n * GROUP_ITEMS] = as_int(gap); \
  sum += t##n;                               \
  gap += below.s##n;
  EACH_LANE(ADD)
#undef ADD
  cuts.colors[16 * GROUP_ITEMS] = sum;
  cuts.below[16 * GROUP_ITEMS] = 0;
}

// The best few starts, all different; among equals those that were added first.
typedef struct {
  uint4 words;    // see bc1/nearest_colours.cl
  float4 errors;  // colors_error; INFINITY for none yet
} search_starts;

static void keep_start(const line_block *t, const line_ends *ends, bool four, search_starts *best) {
  const uint word = word_of(ends->code_a, ends->code_b, four);
  inner_shares shares;
  shares_of(has_four(word), &shares);
  const float error = colors_error(t, ends->a, ends->b, &shares);
  const float4 e = best->errors;
  const uint4 w = best->words;
  if (error >= e.w) return;
  if ((error == e.x && word == w.x) || (error == e.y && word == w.y) || (error == e.z && word == w.z)) return;
  const bool first = error < e.x, second = error < e.y, third = error < e.z;
  best->errors = (float4)(first ? error : e.x, first ? e.x : second ? error : e.y, second ? e.y : third ? error : e.z,
                          third ? e.z : error);
  best->words = (uint4)(first ? word : w.x, first ? w.x : second ? word : w.y, second ? w.y : third ? word : w.z,
                        third ? w.z : word);
}

// Adds the best of each of 16 groups of the likely clusterings: the one that explains most of the variance along the
// axis (bc1/cluster.cl has more on that). Overwrites cuts.below: while the splits are judged it keeps texels instead of
// registers, R | G << 8 | B << 16, and then the row of the best split of each lane, << 24.
static void add_four_colour_cuts(line_block *t, item_cuts cuts, search_starts *starts) {
#define BELOW(n) below_at(cuts, n)
  const float16 below = (float16)(BELOW(0), BELOW(1), BELOW(2), BELOW(3), BELOW(4), BELOW(5), BELOW(6), BELOW(7),
                                  BELOW(8), BELOW(9), BELOW(10), BELOW(11), BELOW(12), BELOW(13), BELOW(14), BELOW(15));
#undef BELOW
  const int16 put_aside = (as_int16(t->r + ROUND) & 255) | (as_int16(t->g + ROUND) & 255) << 8 |
                          (as_int16(t->b + ROUND) & 255) << 16;
#define PUT(n) cuts.below[0x##n * GROUP_ITEMS] = put_aside.s##n;
  EACH_LANE(PUT)
#undef PUT
  const int16 rows = likely_rows(below);
  int16 texels;
#define FETCH(n)                                                                           \
  texels.s##n = cuts.below[0x##n * GROUP_ITEMS];                                           \
  cuts.below[0x##n * GROUP_ITEMS] = texels.s##n | rows.s##n << 24;
  EACH_LANE(FETCH)
#undef FETCH
  t->r = convert_float16(texels & 255);
  t->g = convert_float16(texels >> 8 & 255);
  t->b = convert_float16(texels >> 16);
#pragma unroll 1
  for (int lane = 0; lane < 16; ++lane) {
    const int split = likely_splits[16 * (cuts.below[lane * GROUP_ITEMS] >> 24) + lane];
    const int i = split & 31, j = split >> 5 & 31, k = split >> 10;
    const int2 below_cuts = cuts.colors[i * GROUP_ITEMS] + cuts.colors[j * GROUP_ITEMS] + cuts.colors[k * GROUP_ITEMS];
    line_sums s;
    s.w = convert_float(48 - i - j - k);
    s.ww = convert_float(144 - i - 3 * j - 5 * k);
    s.wv = mad((float3)(3.0f), t->sum, -channels_of(below_cuts));
    line_ends ends;
    line_fit(t->sum, &s, &ends);
    keep_start(t, &ends, true, starts);
  }
}
