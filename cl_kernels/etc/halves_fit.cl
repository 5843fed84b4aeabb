// halves_fit.cl — individual and differential blocks by search, for `high` and `best`: codec/ref/etc/etc1_fit.cpp
// explains the method.
//   defines   METHOD
//   exactness as etc/colors.cl
#include "etc/halves.cl"

// Eight texels and their sums over texels and channels.
typedef struct {
  float8 r, g, b;
  float8 sums;  // each texel's sum of channels
  int4 sum;     // over the texels; w: over the channels too
  int squares, sum_squares;
  int least, greatest;  // of `sums`
} etc_half;

static void take_half(rgb_block *p, int flip, int second, etc_half *h) {
  if (flip) {
    h->r = second ? p->r.hi : p->r.lo;
    h->g = second ? p->g.hi : p->g.lo;
    h->b = second ? p->b.hi : p->b.lo;
  } else if (second) {
    h->r = p->r.s2367abef;
    h->g = p->g.s2367abef;
    h->b = p->b.s2367abef;
  } else {
    h->r = p->r.s014589cd;
    h->g = p->g.s014589cd;
    h->b = p->b.s014589cd;
  }
  h->sums = h->r + h->g + h->b;
  h->sum.x = (int)sum_of_eight(h->r);
  h->sum.y = (int)sum_of_eight(h->g);
  h->sum.z = (int)sum_of_eight(h->b);
  h->sum.w = h->sum.x + h->sum.y + h->sum.z;
  h->squares = (int)sum_of_eight(h->r * h->r + h->g * h->g + h->b * h->b);
  h->sum_squares = (int)sum_of_eight(h->sums * h->sums);
  const float4 low = min(h->sums.lo, h->sums.hi), high = max(h->sums.lo, h->sums.hi);
  h->least = (int)min(min(low.x, low.y), min(low.z, low.w));
  h->greatest = (int)max(max(high.x, high.y), max(high.z, high.w));
}

static float8 half_off(etc_half *h, float3 paint) {
  const float8 r = h->r - paint.x, g = h->g - paint.y, b = h->b - paint.z;
  return r * r + g * g + b * b;
}

static int half_error(etc_half *h, int4 code, int bits, int table) {
  const float3 base = convert_float3(etc_expanded(code, bits).xyz);
  const float2 m = etc_modifiers[table];
  const float8 up = min(half_off(h, etc_moved(base, m.x)), half_off(h, etc_moved(base, m.y)));
  const float8 down = min(half_off(h, etc_moved(base, -m.x)), half_off(h, etc_moved(base, -m.y)));
  return (int)sum_of_eight(min(up, down));
}

// Among the codes whose channels add up to `sum`, the one nearest to the texels' mean, then limited to low..high.
static int4 code_of_sum(etc_half *h, int sum, int bits, int4 low, int4 high) {
  const int unit = 8 * 255, most = bits == 4 ? 15 : 31;
  const int4 at = 3 * most * h->sum + (sum * unit - h->sum.w * most);
  int4 code = convert_int4(convert_uint4(at + (3 * unit / 2 + 64 * 3 * unit)) / (uint)(3 * unit)) - 64;
  const int4 rest = at - 3 * unit * code;
  const int missing = sum - (code.x + code.y + code.z);
  // The first of the smallest rests, or of the largest.
  const int4 order = missing < 0 ? rest : -rest;
  const int is_x = order.x <= order.y && order.x <= order.z;
  const int is_y = !is_x && order.y <= order.z;
  code.x += is_x ? missing : 0;
  code.y += is_y ? missing : 0;
  code.z += is_x || is_y ? 0 : missing;
  return min(max(code, low), high);
}

// Three times the error, as far as it follows from sums of channels.
static int half_estimate(etc_half *h, int4 base, int table) {
  const int sum = base.x + base.y + base.z;
  const int to_base = h->squares + 8 * (base.x * base.x + base.y * base.y + base.z * base.z) -
                      2 * (base.x * h->sum.x + base.y * h->sum.y + base.z * h->sum.z);
  const int along = h->sum_squares + 8 * sum * sum - 2 * sum * h->sum.w;
  const float2 m = 3.0f * etc_modifiers[table];
  const float middle = (float)sum;
#define OFF(by) fabs(h->sums - clamp(middle + (by), 0.0f, 765.0f))
  const float8 off = min(min(OFF(m.x), OFF(m.y)), min(OFF(-m.x), OFF(-m.y)));
#undef OFF
  return 3 * to_base - along + (int)sum_of_eight(off * off);
}

static int reaching_table(etc_half *h, int sum) {
  const int reach = 2 * max(h->greatest - sum, sum - h->least);
  return (reach > 75) + (reach > 138) + (reach > 213) + (reach > 306) + (reach > 420) + (reach > 558) + (reach > 867);
}

// A half's fit: x, y, z the code, w the table.
static int4 fit_half(etc_half *h, int bits, int4 low, int4 high, int *error) {
  const int most = bits == 4 ? 15 : 31;
  const int mean = (h->sum.w * most + 8 * 255 / 2) / (8 * 255);
  const int middle = ((h->least + h->greatest) * most + 255) / (2 * 255);
  const int near_mean = TEXCAST_ETC_NEAR_MEAN(METHOD), near_middle = TEXCAST_ETC_NEAR_MIDDLE(METHOD);
  int4 best = (int4)(0);
  int best_estimate = ETC_NO_ERROR;
  for (int n = 0; n < 2 * (near_mean + near_middle + 1); ++n) {
    const int sum = n <= 2 * near_mean ? mean + n - near_mean : middle + n - (2 * near_mean + 1) - near_middle;
    int4 code = code_of_sum(h, sum, bits, low, high);
    const int4 base = etc_expanded(code, bits);
    const int reaching = reaching_table(h, base.x + base.y + base.z);
    const int first = max(reaching - TEXCAST_ETC_TABLES_BELOW(METHOD), 0);
    const int last = min(reaching + TEXCAST_ETC_TABLES_ABOVE(METHOD), 7);
    for (int table = first; table <= last; ++table) {
      const int estimate = half_estimate(h, base, table);
      if (estimate >= best_estimate) continue;
      best_estimate = estimate;
      code.w = table;
      best = code;
    }
  }
  int best_error = half_error(h, best, bits, best.w);
  const int4 base = etc_expanded(best, bits);
  const int large = (int)etc_modifiers[best.w].y;
  const bool is_clamped = min(min(base.x, base.y), base.z) < large || max(max(base.x, base.y), base.z) > 255 - large;
  const int steps = TEXCAST_ETC_WALKS_ALWAYS(METHOD) || is_clamped ? TEXCAST_ETC_STEPS(METHOD) : 0;
  for (int step = 0; step < steps && best_error > 0; ++step) {
    const int4 from = best;
    const int before = best_error, by = TEXCAST_ETC_STEP_SIZE(step);
    for (int n = 0; n < 27; ++n) {
      int4 code = from + by * (int4)(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1, 0);
      if (code.x < low.x || code.y < low.y || code.z < low.z || code.x > high.x || code.y > high.y || code.z > high.z)
        continue;
      for (int table = max(from.w - 1, 0); table <= min(from.w + 1, 7); ++table) {
        const int next = half_error(h, code, bits, table);
        if (next >= best_error) continue;
        best_error = next;
        code.w = table;
        best = code;
      }
    }
    if (best_error == before && by == 1) break;
  }
  *error = best_error;
  return best;
}

static bool halves_are_close(int4 a, int4 b) {
  const int4 d = b - a;
  return d.x >= -4 && d.y >= -4 && d.z >= -4 && d.x <= 3 && d.y <= 3 && d.z <= 3;
}

static void keep_halves(int4 first, int4 second, int bits, int flip, int error, etc_halves *best) {
  if (error >= best->error) return;
  best->first = first;
  best->second = second;
  best->bits = bits;
  best->flip = flip;
  best->error = error;
}

// Fits both halves, for both ways to halve a block. One loop contains all fits, so that their code exists once. 0, 1:
// halves of 4 bits; 2, 3: of 5 bits. If the latter are too far apart, 4: the second limited to the first's
// neighbourhood, 5: the first limited to the second's, 6: the first near the midpoint of both, 7: the second limited to
// that one's neighbourhood.
static void fit_halves(rgb_block *p, etc_halves *best) {
  best->error = ETC_NO_ERROR;
  for (int flip = 0; flip < 2; ++flip) {
    int4 first = (int4)(0), second = (int4)(0), between = (int4)(0);
    int first_error = 0, second_error = 0, between_error = 0;
    for (int n = 0; n < 8; ++n) {
      const int is_second = n == 1 || n == 3 || n == 4 || n == 7;
      int4 low = (int4)(0), high = (int4)(n < 2 ? 15 : 31);
      if (n >= 4) {
        int4 around = between;
        if (n == 4) around = first;
        if (n == 5) around = second;
        low = max(around + (n == 5 ? -3 : n == 6 ? -2 : -4), (int4)(0));
        high = min(around + (n == 5 ? 4 : n == 6 ? 2 : 3), (int4)(31));
      }
      etc_half h;
      take_half(p, flip, is_second, &h);
      int error;
      const int4 fit = fit_half(&h, n < 2 ? 4 : 5, low, high, &error);
      if (n == 0 || n == 2) {
        first = fit;
        first_error = error;
      } else if (n == 1) {
        keep_halves(first, fit, 4, flip, first_error + error, best);
      } else if (n == 3) {
        second = fit;
        second_error = error;
        between = (first + second + 1) / 2;
        if (halves_are_close(first, second)) {
          keep_halves(first, second, 5, flip, first_error + second_error, best);
          break;
        }
      } else if (n == 4) {
        keep_halves(first, fit, 5, flip, first_error + error, best);
      } else if (n == 5) {
        keep_halves(fit, second, 5, flip, error + second_error, best);
      } else if (n == 6) {
        between = fit;
        between_error = error;
      } else {
        keep_halves(between, fit, 5, flip, between_error + error, best);
      }
    }
  }
}
