// pairs_estimate.cl — T and H by estimates, for `fast` and `normal`: codec/ref/etc/etc2_paint.cpp explains the method.
//   defines   METHOD
//   exactness as etc/colors.cl
#include "etc/halves_estimate.cl"
#include "etc/pairs.cl"

// To 4 bits, the nearest to sum / count. Adding a quarter moves ties between two codes away from the midpoint, by more
// than the error of the division.
static float3 code_of_mean(float3 sum, float count) {
  return TO_WHOLE((sum + 0.25f) * (1.0f / (17.0f * count)));
}

// 0 or 1: which texels are above the middle of the channel that has the widest range.
static float16 split_texels(rgb_block *p) {
  float16 v = p->r;
  float low = least16(p->r), high = greatest16(p->r);
  const float low_g = least16(p->g), high_g = greatest16(p->g);
  if (high_g - low_g > high - low) {
    v = p->g;
    low = low_g;
    high = high_g;
  }
  const float low_b = least16(p->b), high_b = greatest16(p->b);
  if (high_b - low_b > high - low) {
    v = p->b;
    low = low_b;
    high = high_b;
  }
  return select((float16)(0.0f), (float16)(1.0f), 2.0f * v > (float16)(low + high));
}

// For the best distance d, eight times its change of the error, plus its index. H moves all texels. T moves those of
// one group (the others have 0 as `far`), if that helps: the smaller of 0 and 3d^2 - 2d far is half of 3d^2 - 2d far -
// 2d|far - 1.5d|.
static float best_of_h(float total) {
  float best = 0.0f, number = 0.0f;
#define TRY(d)                                                                   \
  {                                                                              \
    const float change = total * (-16.0f * d) + (8.0f * 48.0f * d * d + number); \
    best = number == 0.0f ? change : min(best, change);                          \
    number += 1.0f;                                                              \
  }
  FOR_EACH_ETC_DISTANCE(TRY)
#undef TRY
  return best;
}
static float best_of_t(float16 far) {
  const float total = add16(far);
  float best = 0.0f, number = 0.0f;
#define TRY(d)                                                                                               \
  if ((int)number % TEXCAST_ETC2_T_STEP(METHOD) == 0) {                                                      \
    const float change =                                                                                     \
        (add16(fabs(far - (float16)(1.5f * d))) + total) * (-8.0f * d) + (8.0f * 24.0f * d * d + number); \
    best = number == 0.0f ? change : min(best, change);                                                      \
  }                                                                                                          \
  number += 1.0f;
  FOR_EACH_ETC_DISTANCE(TRY)
#undef TRY
  return best;
}

static void keep_pair(float to_colors, float change, int mode, float3 a, float3 b, etc_pair *best) {
  const int scaled = (int)change, error = (int)to_colors + (scaled >> 3);
  if (error >= best->error) return;
  best->mode = mode;
  best->distance = scaled & 7;
  best->error = error;
  best->a = (int4)(convert_int3(a), 0);
  best->b = (int4)(convert_int3(b), 0);
}

static void estimate_pairs(rgb_block *p, etc_known *k, etc_pair *best) {
  const float16 in_b = split_texels(p);
  const float count_b = add16(in_b), count_a = 16.0f - count_b;
  const float3 sum = (float3)(k->r.x + k->r.y, k->g.x + k->g.y, k->b.x + k->b.y);
  const float3 sum_b = (float3)(add16(p->r * in_b), add16(p->g * in_b), add16(p->b * in_b)), sum_a = sum - sum_b;
  const float3 code_a = code_of_mean(sum_a, count_a);
  const float3 code_b = count_b == 0.0f ? code_a : code_of_mean(sum_b, max(count_b, 1.0f));
  const float3 a = 17.0f * code_a, b = 17.0f * code_b;
  const float3 parts = a * (count_a * a - 2.0f * sum_a) + b * (count_b * b - 2.0f * sum_b);
  const float to_colors = k->squares.x + k->squares.y + parts.x + parts.y + parts.z;
  const float in_all_a = a.x + a.y + a.z, in_all_b = b.x + b.y + b.z;
  const float16 far = fabs(k->sums - in_all_a - in_b * (in_all_b - in_all_a)), far_b = far * in_b, far_a = far - far_b;
  best->error = ETC_NO_ERROR;
  if (code_a.x != code_b.x || code_a.y != code_b.y || code_a.z != code_b.z)
    keep_pair(to_colors, best_of_h(add16(far)), ETC_H, code_a, code_b, best);
  keep_pair(to_colors, best_of_t(far_b), ETC_T, code_a, code_b, best);
  keep_pair(to_colors, best_of_t(far_a), ETC_T_SWAPPED, code_b, code_a, best);
}
