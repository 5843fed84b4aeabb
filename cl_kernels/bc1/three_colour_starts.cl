// three_colour_starts.cl — clusterings of sorted texels into three: weights 0, 1/2 and 1.
//   defines    ALLOW_BLACK  1: the darkest texels may become black, index 3
//   exactness  as bc1/line_fit.cl; equals codec/ref/bc/bc1_three.cpp bit for bit on every device
//   source     the three-colour case of S. Brown, "DXT Compression Techniques", 2006
#include "bc1/search_starts.cl"
#include "bc1/three_colour_table.cl"
#include "include/kernels/effort.h"

#define TOO_BRIGHT 12288.0f  // squares, 64 in each channel: a texel above it never becomes black
#define CUTS_WITHOUT_BLACK (17 * 18 / 2)

// Weights 0, 1 and 2 represent 0, 1/2 and 1; `count` texels are fitted, the others are black.
typedef struct {
  float count, w, ww;
  float3 v, wv;
} three_sums;

typedef struct {
  line_ends ends;
  float error;  // three_error
} three_candidate;

// As line_fit, for halves. The determinant must not be 0.
static void three_fit(const three_sums *s, line_ends *ends) {
  const float inverse = reciprocal(mad(s->count, s->ww, -(s->w * s->w)));
  const float3 half_line = (mad((float3)(s->count), s->wv, -(s->w * s->v)) * inverse) * 0.00392156863f;  // 1 / 255
  const float3 b = (mad((float3)(s->ww), s->v, -(s->w * s->wv)) * inverse) * 0.00392156863f;
  ends->code_a = to_codes(b + 2.0f * half_line);
  ends->code_b = to_codes(b);
  ends->a = expand_codes(ends->code_a);
  ends->b = expand_codes(ends->code_b);
}

// 4 times the squared error with exact midpoints, minus 4 times the texels' squares: that of a black texel is zero.
static float three_error(const three_sums *s, const line_ends *ends) {
  const float3 b = ends->b, d = ends->a - b;
  const float3 t1 = mad((float3)(s->count), b, mad((float3)(s->w), d, -2.0f * s->v));
  const float3 t2 = mad((float3)(s->ww), d, -4.0f * s->wv);
  const float3 e = (4.0f * b) * t1 + d * t2;
  return (e.x + e.y) + e.z;
}

// For each number of texels in the middle cluster, the split that explains most of the variance along the axis, judged
// in colour. `weights` is the index of these splits' first 1 / sqrt(determinant); returns the index past their last.
static int try_three_colour_cuts(item_cuts cuts, int black, int weights, three_candidate *best) {
  three_sums s;
  s.count = convert_float(16 - black);
  s.v = channels_of(cuts.colors[16 * GROUP_ITEMS]);
#pragma unroll 1
  for (int middle = 0; middle <= 16 - black; ++middle) {
    float most = 0.0f;
    int chosen = -1;
    for (int i = black; i + middle <= 16; ++i, ++weights) {
      const float gain = (below_at(cuts, i) + below_at(cuts, i + middle)) * three_weights[weights];
      chosen = gain > most ? i : chosen;
      most = max(gain, most);
    }
    if (chosen < 0) continue;
    const int j = chosen + middle;
    s.w = convert_float(32 - chosen - j);
    s.ww = convert_float(64 - chosen - 3 * j);
    s.wv = mad((float3)(2.0f), s.v, -channels_of(cuts.colors[chosen * GROUP_ITEMS] + cuts.colors[j * GROUP_ITEMS]));
    line_ends ends;
    three_fit(&s, &ends);
    const float error = three_error(&s, &ends);
    if (error >= best->error) continue;
    best->ends.code_a = ends.code_a;
    best->ends.code_b = ends.code_b;
    best->ends.a = ends.a;
    best->ends.b = ends.b;
    best->error = error;
  }
  return weights;
}

static void add_three_colour_cuts(const line_block *t, item_cuts cuts, search_starts *starts) {
  three_candidate best;
  best.error = INFINITY;
  try_three_colour_cuts(cuts, 0, 0, &best);
  if (best.error < INFINITY) keep_start(t, &best.ends, false, starts);
}

#if ALLOW_BLACK
// For each of the 16 keys, all different, the number of smaller ones.
static int16 rank16(int16 key) {
  int16 rank = (int16)(16);  // minus one for each key that is not smaller: key - other - 1 is negative for those
#define COUNT(n) rank += (key - key.s##n - 1) >> 31;
  EACH_LANE(COUNT)
#undef COUNT
  return rank;
}

// An axis of the texels that are not black: the covariances with the channel that varies most (among equals green
// before red before blue), times the square of the number of texels.
static float3 axis_of_rest(const line_block *t, int16 black, float count) {
  const float16 zero = (float16)(0.0f);
  const float16 r = select(t->r, zero, black), g = select(t->g, zero, black), b = select(t->b, zero, black);
  const float3 sum = (float3)(add16(r), add16(g), add16(b));
  const float3 variance = mad((float3)(count), (float3)(dot16(r, r), dot16(g, g), dot16(b, b)), -(sum * sum));
  float16 widest = g;
  float most = variance.y, widest_sum = sum.y;
  if (variance.x > most) {
    widest = r;
    most = variance.x;
    widest_sum = sum.x;
  }
  if (variance.z > most) {
    widest = b;
    widest_sum = sum.z;
  }
  return unit_axis(mad((float3)(count), (float3)(dot16(r, widest), dot16(g, widest), dot16(b, widest)),
                       -(sum * widest_sum)));
}

// The same with the 1, 2, … darkest texels black and the others sorted along their own axis.
static void add_black_cuts(const line_block *t, item_cuts cuts, search_starts *starts) {
  three_candidate best;
  best.error = INFINITY;
  int weights = CUTS_WITHOUT_BLACK;
  const float16 brightness = mad(t->r, t->r, mad(t->g, t->g, t->b * t->b));
  const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const int16 rank = rank16(convert_int16(brightness) * 16 + lanes);
  const int dark = sum16(((convert_int16(brightness - TOO_BRIGHT) - 1) >> 31) & 1);
#pragma unroll 1
  for (int black = 1; black <= min(dark, TEXCAST_MOST_BLACK); ++black) {
    const int16 is_black = (rank - black) >> 31;
    const float count = convert_float(16 - black);
    sort_along(t, axis_of_rest(t, is_black, count), is_black, count, cuts);
    weights = try_three_colour_cuts(cuts, black, weights, &best);
  }
  if (best.error < INFINITY) keep_start(t, &best.ends, false, starts);
}
#endif
