// halves_estimate.cl — individual and differential blocks by estimates, for `fast` and `normal`:
// codec/ref/etc/etc1_estimate.cpp explains the method.
//   defines   METHOD
//   exactness as etc/colors.cl
#include "etc/halves.cl"

#define ETC_WHITE 6120.0f  // in thirds of a sum of eight texels

// Sums over eight texels.
typedef struct {
  float8 sums;     // each texel's sum of channels
  float3 sum;      // over the texels
  float squares;   // of all channels
  float extremes;  // four times the sum of the least and the greatest of `sums`
  bool is_wide;    // these two are far apart
} etc_known_half;

// For each quarter: top left, top right, bottom left, bottom right.
#define OF_QUARTERS(v, with) with(with(v.s028a, v.s139b), with(v.s46ce, v.s57df))
#define PLUS(a, b) ((a) + (b))
// For each half: left, right, top, bottom.
#define OF_HALVES(v, with) with((v).xyxz, (v).zwyw)

typedef struct {
  float16 sums;                              // each texel's sum of channels
  float4 r, g, b, squares, extremes, range;  // of each half
} etc_known;

static void know_halves(rgb_block *p, etc_known *k) {
  k->sums = p->r + p->g + p->b;
  const float16 squares = p->r * p->r + p->g * p->g + p->b * p->b;
  k->r = OF_HALVES(OF_QUARTERS(p->r, PLUS), PLUS);
  k->g = OF_HALVES(OF_QUARTERS(p->g, PLUS), PLUS);
  k->b = OF_HALVES(OF_QUARTERS(p->b, PLUS), PLUS);
  k->squares = OF_HALVES(OF_QUARTERS(squares, PLUS), PLUS);
  const float4 least = OF_HALVES(OF_QUARTERS(k->sums, min), min), greatest = OF_HALVES(OF_QUARTERS(k->sums, max), max);
  k->extremes = 4.0f * (least + greatest);
  k->range = greatest - least;
}

static float part_of(float4 v, int part) {
  const float2 pair = part & 2 ? v.hi : v.lo;
  return part & 1 ? pair.y : pair.x;
}

static void take_known_half(etc_known *k, int part, etc_known_half *out) {
  const float16 s = part & 2 ? k->sums : k->sums.s014589cd2367abef;
  out->sums = part & 1 ? s.hi : s.lo;
  out->sum.x = part_of(k->r, part);
  out->sum.y = part_of(k->g, part);
  out->sum.z = part_of(k->b, part);
  out->squares = part_of(k->squares, part);
  out->extremes = part_of(k->extremes, part);
  out->is_wide = part_of(k->range, part) >= (float)TEXCAST_ETC_WIDE_RANGE;
}

// Adding a 64th moves ties between two codes away from the midpoint, and nothing else across one.
#define ETC_TIE 0.015625f

// The nearest code; `at` is in units of ETC_WHITE.
static float3 code_at(float3 at, float most) { return TO_WHOLE((at + ETC_TIE) * (most / ETC_WHITE)); }

// 1 for the first of the largest channels, else 0.
static float3 first_greatest(float3 v) {
  const bool is_x = v.x >= v.y && v.x >= v.z;
  const bool is_y = !is_x && v.y >= v.z;
  return (float3)(is_x ? 1.0f : 0.0f, is_y ? 1.0f : 0.0f, is_x || is_y ? 0.0f : 1.0f);
}

static float3 etc_base(float3 code, int bits) { return bits == 4 ? 17.0f * code : 8.0f * code + CUT_OFF(code, 2); }

// v / 3, truncated, for whole numbers.
#define THIRD(v) TO_WHOLE(((v) - 1.0f) * (1.0f / 3.0f))

// For a base colour: each texel's sum of differences from it, and eight times the error without modifiers.
typedef struct {
  float8 x, far;
  float sum, total, error;
} etc_offsets;

static void offsets_to(etc_known_half *h, float3 base, etc_offsets *o) {
  o->sum = base.x + base.y + base.z;
  o->x = h->sums - o->sum;
  o->far = fabs(o->x);
  o->total = sum_of_eight(o->far);
  const float3 parts = base * (8.0f * base - 2.0f * h->sum);
  o->error = 8.0f * (h->squares + parts.x + parts.y + parts.z);
}

// Eight times the change of the error by a table's modifiers s and l, plus the table's number: the smaller of 3s^2 - 2s
// far and 3l^2 - 2l far is half of 3s^2 + 3l^2 - 2(s + l) far - 2(l - s)|far - 1.5(s + l)|. `both` is s + l, `between`
// l - s.
static float change_by(etc_offsets *o, float both, float between, float table) {
  const float around = sum_of_eight(fabs(o->far - 1.5f * both));
  return around * (-8.0f * between) + (o->total * (-8.0f * both) + (48.0f * (both * both + between * between) + table));
}

// The same for the last table, whose modifiers are limited where the mean of the base's channels reaches 0 or 255.
static float change_by_last(etc_offsets *o) {
  const float up = THIRD(765.0f - o->sum), down = THIRD(o->sum);
#define CHANGE(m) (o->x * (-2.0f * (m)) + 3.0f * (m) * (m))
  const float8 by_up = min(CHANGE(min((float)ETC_LAST_SMALL, up)), CHANGE(min((float)ETC_LAST_LARGE, up)));
  const float8 by_down = min(CHANGE(-min((float)ETC_LAST_SMALL, down)), CHANGE(-min((float)ETC_LAST_LARGE, down)));
#undef CHANGE
  return 8.0f * sum_of_eight(min(by_up, by_down)) + (float)(ETC_TABLE_COUNT - 1);
}

// Eight times the error with the best of the tables that are useful for the half, plus the table's number.
static float estimate_all_tables(etc_known_half *h, float3 base) {
  etc_offsets o;
  offsets_to(h, base, &o);
  float best = 3e38f, table;
#define TRY(s, l)                                                         \
  best = min(best, change_by(&o, (float)(s + l), (float)(l - s), table)); \
  table += 1.0f;
  if (!h->is_wide) {
    table = 0.0f;
    FOR_EACH_FINE_ETC_TABLE(TRY)
  }
  table = (float)ETC_FIRST_MIDDLE_TABLE;
  FOR_EACH_MIDDLE_ETC_TABLE(TRY)
  if (h->is_wide) {
    table = (float)ETC_FIRST_COARSE_TABLE;
    FOR_EACH_COARSE_ETC_TABLE(TRY)
    best = min(best, change_by_last(&o));
  }
#undef TRY
  return best + o.error;
}

// x, y, z: the code; w: eight times the error, plus the table's number.
static float4 best_estimate(etc_known_half *h, int bits, float3 low, float3 high) {
  const float most = bits == 4 ? 15.0f : 31.0f;
  const float3 mean = 3.0f * h->sum;
  const float3 middle =
      clamp(mean + (h->extremes - (h->sum.x + h->sum.y + h->sum.z)), (float3)(0.0f), (float3)(ETC_WHITE));
  float4 best = (float4)(3e38f);
#pragma unroll 1
  for (int n = 0; n < TEXCAST_ETC_FULL_COLOURS(METHOD); ++n) {
    const float3 code = min(max(code_at(n == 0 ? middle : mean, most), low), high);
    const float error = estimate_all_tables(h, etc_base(code, bits));
    if (error < best.w) best = (float4)(code, error);
  }
  const int table = min((int)best.w & 7, ETC_TABLE_COUNT - 2);
  const float2 m = etc_modifiers[table], next = etc_modifiers[table + 1];
  const float3 first = code_at(middle, most), rest = middle * most - ETC_WHITE * first;
#pragma unroll
  for (int n = TEXCAST_ETC_FULL_COLOURS(METHOD); n < TEXCAST_ETC_COLOURS(METHOD); ++n) {
    float3 code = first;
    if (n == 1) code = code_at(mean, most);
    if (n == 2) code += first_greatest(rest);
    if (n == 3) code -= first_greatest(-rest);
    code = min(max(code, low), high);
    etc_offsets o;
    offsets_to(h, etc_base(code, bits), &o);
    const float error = o.error + min(change_by(&o, m.x + m.y, m.y - m.x, (float)table),
                                      change_by(&o, next.x + next.y, next.y - next.x, (float)(table + 1)));
    if (error < best.w) best = (float4)(code, error);
  }
  return best;
}

static void keep_estimate(float4 first, float4 second, int bits, int flip, etc_halves *best) {
  const int error = ((int)first.w >> 3) + ((int)second.w >> 3);
  if (error >= best->error) return;
  best->first = convert_int4(first);
  best->second = convert_int4(second);
  best->bits = bits;
  best->flip = flip;
  best->error = error;
}

static void estimate_halves(etc_known *k, etc_halves *best) {
  best->error = ETC_NO_ERROR;
  const float3 none = (float3)(0.0f);
  float4 first4 = (float4)(0.0f), first5 = first4;
#pragma unroll 1
  for (int part = 0; part < 4; ++part) {
    etc_known_half h;
    take_known_half(k, part, &h);
    const bool is_second = (part & 1) != 0;
    const float3 low = is_second ? max(first5.xyz - 4.0f, none) : none;
    const float3 high = is_second ? min(first5.xyz + 3.0f, (float3)(31.0f)) : (float3)(31.0f);
    const float4 fit4 = best_estimate(&h, 4, none, (float3)(15.0f));
    const float4 fit5 = best_estimate(&h, 5, low, high);
    if (is_second) {
      keep_estimate(first4, fit4, 4, part >> 1, best);
      keep_estimate(first5, fit5, 5, part >> 1, best);
    } else {
      first4 = fit4;
      first5 = fit5;
    }
  }
  best->first.w &= 7;
  best->second.w &= 7;
}
