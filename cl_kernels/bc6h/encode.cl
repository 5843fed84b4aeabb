// encode.cl — encodes a block of half floats as BC6H, one lane per texel.
//   in        half_block of bc6h/load_halves.cl
//   defines   METHOD · SIGNED_CODES=1, else numbers are 0..0x7BFF and blocks unsigned
//   exactness integers, and single precision in a defined order without contraction; equals codec/ref/bc/bc6h.cpp bit
//             for
//             bit on every device
//   style     results are returned through pointers (see common/load.cl)
//   source    K. Narkowicz, "Real-time BC6H compression on GPU" (2016): lines in the halves' own numbers, indices by
//             the
//             place along the line. Partitions by the residual of two lines: F. Giesen and W. Brainerd (ISPC Texture
//             Compressor, 2013)
#include "common/lanes.cl"
#include "common/reciprocal.cl"
#include "include/kernels/effort.h"
#include "include/kernels/bc6h.h"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif
#define BC6H_PARTITIONS TEXCAST_BC6H_PARTITIONS(METHOD)
#define BC6H_FITS TEXCAST_BC6H_FITS(METHOD)
#define BC6H_WALK TEXCAST_BC6H_WALK(METHOD)

#define BC6H_FLAT 1e-3f  // variance below which there is no direction
#define BC6H_NO_LENGTH 1e-9f
#define BC6H_NO_ERROR 3e38f
#define BC6H_LANES (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#if SIGNED_CODES
#define BC6H_LEAST (-31743.0f)
#define BC6H_TO_NUMBER 1.032258065f  // 32/31
#else
#define BC6H_LEAST 0.0f
#define BC6H_TO_NUMBER 2.064516129f  // 64/31
#endif

constant ushort bc6h_regions[32] = {TEXCAST_BC6H_REGIONS};
constant uchar bc6h_anchors[32] = {TEXCAST_BC6H_ANCHORS};
constant uchar bc6h_modes[TEXCAST_BC6H_MODE_COUNT][7] = {TEXCAST_BC6H_MODES};
constant ushort bc6h_runs[TEXCAST_BC6H_MODE_COUNT][TEXCAST_BC6H_MOST_RUNS] = {TEXCAST_BC6H_FIELDS(TEXCAST_BC6H_RUN)};
constant uchar bc6h_finest[14] = {TEXCAST_BC6H_FINEST_OF_ONE, TEXCAST_BC6H_FINEST_OF_TWO};

typedef struct {
  float3 from, to;
} bc6h_line;

// Codes of end points: two of region 0, two of region 1; red, green and blue in x, y and z.
typedef struct {
  int mode, partition;  // -1: one region
  int3 e0, e1, e2, e3;
} bc6h_codes;

// Sums over one region: of the texels' weights, their squares, and their products with the numbers.
typedef struct {
  int w, ww;
  int3 wx;
} bc6h_sums;

typedef struct {
  float error;
  uint2 indices;  // four bits per texel
  bc6h_sums all, second;
} bc6h_rated;

static float dot_in_order(float3 a, float3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

typedef struct {
  float rr, rg, rb, gg, gb, bb;
} bc6h_spread;

// The direction of the largest variance, of any length: the largest column of the eighth power of the matrix over its
// trace. Zeros if there is none.
static float3 main_direction(const bc6h_spread *s) {
  const float trace = (s->rr + s->gg) + s->bb;
  if (trace < BC6H_FLAT) return (float3)(0.0f);
  const float scale = reciprocal(trace);
  float rr = s->rr * scale, rg = s->rg * scale, rb = s->rb * scale, gg = s->gg * scale, gb = s->gb * scale,
        bb = s->bb * scale;
  for (int i = 0; i < 3; ++i) {
    const float rr2 = (rr * rr + rg * rg) + rb * rb, rg2 = (rr * rg + rg * gg) + rb * gb,
                rb2 = (rr * rb + rg * gb) + rb * bb, gg2 = (rg * rg + gg * gg) + gb * gb,
                gb2 = (rg * rb + gg * gb) + gb * bb, bb2 = (rb * rb + gb * gb) + bb * bb;
    rr = rr2;
    rg = rg2;
    rb = rb2;
    gg = gg2;
    gb = gb2;
    bb = bb2;
  }
  if (rr >= gg && rr >= bb) return (float3)(rr, rg, rb);
  return gg >= bb ? (float3)(rg, gg, gb) : (float3)(rb, gb, bb);
}

#if BC6H_PARTITIONS > 0
static float8 reciprocal8(float8 value) {
  float8 r = as_float8(0x7EF311C7u - as_uint8(value));
  r = r * (2.0f - value * r);
  r = r * (2.0f - value * r);
  return r * (2.0f - value * r);
}

// The same for eight partitions.
typedef struct {
  float8 rr, rg, rb, gg, gb, bb;
} bc6h_spreads;

// The residual of a region's `count` texels beside a line through their mean, along the largest column of their
// covariance. Sums and products may be relative to any origin.
static void left_beside_lines(const bc6h_spreads *about_origin, float8 r, float8 g, float8 b, float8 count,
                              float8 *left) {
  const float8 share = reciprocal8(count);
  const float8 rr = about_origin->rr - (r * r) * share, rg = about_origin->rg - (r * g) * share,
               rb = about_origin->rb - (r * b) * share, gg = about_origin->gg - (g * g) * share,
               gb = about_origin->gb - (g * b) * share, bb = about_origin->bb - (b * b) * share;
  const int8 green = gg >= bb, red = rr >= max(gg, bb);
  const float8 x = select(select(rb, rg, green), rr, red), y = select(select(gb, gg, green), rg, red),
               z = select(select(bb, gb, green), rb, red);
  const float8 length = (x * x + y * y) + z * z, trace = (rr + gg) + bb;
  const float8 mx = (rr * x + rg * y) + rb * z, my = (rg * x + gg * y) + gb * z, mz = (rb * x + gb * y) + bb * z;
  const int8 has_length = length > (float8)(BC6H_NO_LENGTH);
  const float8 along = ((x * mx + y * my) + z * mz) * reciprocal8(select((float8)(1.0f), length, has_length));
  *left = trace - select((float8)(0.0f), along, has_length);
}

// The residual of each partition beside its two lines.
static void rate_partitions(const half_block *x, float *left) {
  float r[16], g[16], b[16];
  vstore16(convert_float16(x->r) - (float)sum16(x->r) * 0.0625f, 0, r);
  vstore16(convert_float16(x->g) - (float)sum16(x->g) * 0.0625f, 0, g);
  vstore16(convert_float16(x->b) - (float)sum16(x->b) * 0.0625f, 0, b);
  float all_r = 0.0f, all_g = 0.0f, all_b = 0.0f;
  bc6h_spread all = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < 16; ++i) {
    all_r += r[i];
    all_g += g[i];
    all_b += b[i];
    all.rr += r[i] * r[i];
    all.rg += r[i] * g[i];
    all.rb += r[i] * b[i];
    all.gg += g[i] * g[i];
    all.gb += g[i] * b[i];
    all.bb += b[i] * b[i];
  }
  for (int eight = 0; eight < 4; ++eight) {
    const int8 regions = convert_int8(vload8(eight, bc6h_regions));
    float8 count = (float8)(0.0f), sum_r = count, sum_g = count, sum_b = count;
    bc6h_spreads s = {count, count, count, count, count, count};
    for (int i = 0; i < 16; ++i) {
      const float8 has = convert_float8(regions >> i & 1);  // 0 or 1: products are exact, fused or not
      count += has;
      sum_r = mad((float8)(r[i]), has, sum_r);
      sum_g = mad((float8)(g[i]), has, sum_g);
      sum_b = mad((float8)(b[i]), has, sum_b);
      s.rr = mad((float8)(r[i] * r[i]), has, s.rr);
      s.rg = mad((float8)(r[i] * g[i]), has, s.rg);
      s.rb = mad((float8)(r[i] * b[i]), has, s.rb);
      s.gg = mad((float8)(g[i] * g[i]), has, s.gg);
      s.gb = mad((float8)(g[i] * b[i]), has, s.gb);
      s.bb = mad((float8)(b[i] * b[i]), has, s.bb);
    }
    float8 first, second;
    left_beside_lines(&s, sum_r, sum_g, sum_b, count, &second);
    s.rr = all.rr - s.rr;
    s.rg = all.rg - s.rg;
    s.rb = all.rb - s.rb;
    s.gg = all.gg - s.gg;
    s.gb = all.gb - s.gb;
    s.bb = all.bb - s.bb;
    left_beside_lines(&s, all_r - sum_r, all_g - sum_g, all_b - sum_b, 16.0f - count, &first);
    vstore8(first + second, eight, left);
  }
}

// The partition after `last` in the order of residuals; among equals the lower number comes first.
static int next_partition(const float *left, int last, float last_left) {
  int found = 0;
  float least = BC6H_NO_ERROR;
  for (int p = 0; p < 32; ++p) {
    const bool is_behind = left[p] > last_left || (left[p] == last_left && p > last);
    if (is_behind && left[p] < least) {
      least = left[p];
      found = p;
    }
  }
  return found;
}
#endif

// A line through the `count` texels with the sums `sum` whose lanes of `has` are -1; texel `anchor` is nearer to
// `from`.
static void line_through(const half_block *x, int16 has, int count, int3 sum, int anchor, bc6h_line *line) {
  const float3 mean = convert_float3(sum) * reciprocal((float)count);
  const float16 r = as_float16(as_int16(convert_float16(x->r) - mean.x) & has),
                g = as_float16(as_int16(convert_float16(x->g) - mean.y) & has),
                b = as_float16(as_int16(convert_float16(x->b) - mean.z) & has);
  const bc6h_spread s = {add16(r * r), add16(r * g), add16(r * b), add16(g * g), add16(g * b), add16(b * b)};
  const float3 v = main_direction(&s);
  const float length = dot_in_order(v, v);
  const float16 at = (r * v.x + g * v.y) + b * v.z;
  const float16 below = select((float16)(3e38f), at, has), above = select((float16)(-3e38f), at, has);
  const float8 low8 = min(below.lo, below.hi), high8 = max(above.lo, above.hi);
  const float4 low4 = min(low8.lo, low8.hi), high4 = max(high8.lo, high8.hi);
  const float low = min(min(low4.x, low4.y), min(low4.z, low4.w)),
              high = max(max(high4.x, high4.y), max(high4.z, high4.w));
  float anchor_at = at.s0;
  if (anchor == 2) anchor_at = at.s2;
  if (anchor == 8) anchor_at = at.s8;
  if (anchor == 15) anchor_at = at.sf;
  const bool backwards = anchor_at - low > high - anchor_at;
  const float unit = length > 0.0f ? reciprocal(length) : 0.0f;
  const float3 least = (float3)(BC6H_LEAST), most = (float3)(31743.0f);
  line->from = min(max(mean + v * ((backwards ? high : low) * unit), least), most);
  line->to = min(max(mean + v * ((backwards ? low : high) * unit), least), most);
}

// Least squares for the present weights of the region's texels.
static void refit(const bc6h_sums *sums, int count, int3 sum, bc6h_line *line) {
  const int determinant = count * sums->ww - sums->w * sums->w;
  if (determinant == 0) return;
  const float3 slope = convert_float3(count * sums->wx - sums->w * sum) * reciprocal((float)determinant);
  const float3 from = (convert_float3(sum) - slope * (float)sums->w) * reciprocal((float)count);
  const float3 least = (float3)(BC6H_LEAST), most = (float3)(31743.0f);
  line->from = min(max(from, least), most);
  line->to = min(max(from + slope * 64.0f, least), most);
}

// The number that represents a value, and its code of fewer bits.
static int3 to_number(float3 value) { return convert_int3((fabs(value) + 0.5f) * BC6H_TO_NUMBER); }
static int3 to_code(int3 number, float3 value, int shift) {
  // 0 represents 0, the next code one and a half steps.
  int3 code = max(number >> shift, select((int3)(0), (int3)(1), 4 * number >= (int3)(3 << shift)));
#if SIGNED_CODES
  code = select(code, -code, value < (float3)(0.0f));
#endif
  return code;
}

// Negative in each channel whose difference is outside of -limit..limit - 1.
static int3 too_far(int3 end, int3 base, int3 limit) { return (end - base + limit) | (limit - 1 - (end - base)); }

static bool fits_mode(const bc6h_codes *c) {
  constant uchar *mode = bc6h_modes[c->mode];
  if (mode[3] == mode[4] && mode[3] == mode[5] && mode[3] == mode[6]) return true;
  const int3 limit = (int3)(1) << ((int3)(mode[4], mode[5], mode[6]) - 1);
  int3 far = too_far(c->e1, c->e0, limit);
  if (c->partition >= 0) far |= too_far(c->e2, c->e0, limit) | too_far(c->e3, c->e0, limit);
  return (far.x | far.y | far.z) >= 0;
}

// Codes the lines in the finest mode that can store them.
static void to_codes(const bc6h_line *first, const bc6h_line *second, int partition, bc6h_codes *c) {
  const int3 n0 = to_number(first->from), n1 = to_number(first->to), n2 = to_number(second->from),
             n3 = to_number(second->to);
  c->partition = partition;
  for (int i = partition < 0 ? 0 : 4; i < 14; ++i) {
    c->mode = bc6h_finest[i];
    const int shift = 16 - bc6h_modes[c->mode][3];
    c->e0 = to_code(n0, first->from, shift);
    c->e1 = to_code(n1, first->to, shift);
    c->e2 = to_code(n2, second->from, shift);
    c->e3 = to_code(n3, second->to, shift);
    if (fits_mode(c)) return;
  }
}

static int3 unquantized(int3 code, int precision) {
#if SIGNED_CODES
  if (precision == 16) return code;
  const int3 size = convert_int3(abs(code));
  int3 value = ((size << 15) + 0x4000) >> (precision - 1);
  value = select(value, (int3)(0x7FFF), size >= (1 << (precision - 1)) - 1);
  value = select(value, (int3)(0), size == 0);
  return select(value, -value, code < 0);
#else
  if (precision == 16) return code;
  int3 value = ((code << 16) + 0x8000) >> precision;
  value = select(value, (int3)(0xFFFF), code == (1 << precision) - 1);
  return select(value, (int3)(0), code == 0);
#endif
}

static int3 finished(int3 number) {
#if SIGNED_CODES
  const int3 sign = number >> 31;
  return (((((number ^ sign) - sign) * 31) >> 5) ^ sign) - sign;
#else
  return (number * 31) >> 6;
#endif
}

// One channel's halves at `weight` 64ths from `from`, minus the wanted ones.
static float16 off_by(int16 from, int16 across, int16 weight, int16 x) {
  const int16 number = from + ((weight * across + 32) >> 6);
#if SIGNED_CODES
  const int16 sign = number >> 31;
  return convert_float16(((((((number ^ sign) - sign) * 31) >> 5) ^ sign) - sign) - x);
#else
  return convert_float16(((number * 31) >> 6) - x);
#endif
}

static int3 sum_products(const half_block *x, int16 w) {
  return (int3)(sum16(w * x->r), sum16(w * x->g), sum16(w * x->b));
}

// Each texel's index is the nearer of the two around its place on the line, or the first if they are equally near.
// `second` is -1 in the lanes of region 1.
static void rate_codes(const half_block *x, const bc6h_codes *c, int16 second, bc6h_rated *out) {
  const int precision = bc6h_modes[c->mode][3];
  const bool is_split = c->partition >= 0;
  const int steps = is_split ? 7 : 15;
  const int3 n0 = unquantized(c->e0, precision), n1 = unquantized(c->e1, precision),
             n2 = unquantized(c->e2, precision), n3 = unquantized(c->e3, precision);
  const int3 h0 = finished(n0), h2 = finished(n2);
  const float3 a0 = convert_float3(finished(n1) - h0), a1 = convert_float3(finished(n3) - h2);
  const float length0 = dot_in_order(a0, a0), length1 = dot_in_order(a1, a1);
  const float scale0 = length0 > 0.0f ? (float)steps * reciprocal(length0) : 0.0f;
  const float scale1 = length1 > 0.0f ? (float)steps * reciprocal(length1) : 0.0f;
#define OF_REGION(T, a, b) select((T)(a), (T)(b), second)
  const int16 xr = x->r - OF_REGION(int16, h0.x, h2.x), xg = x->g - OF_REGION(int16, h0.y, h2.y),
              xb = x->b - OF_REGION(int16, h0.z, h2.z);
  const float16 place = ((convert_float16(xr) * OF_REGION(float16, a0.x, a1.x) +
                          convert_float16(xg) * OF_REGION(float16, a0.y, a1.y)) +
                         convert_float16(xb) * OF_REGION(float16, a0.z, a1.z)) *
                        OF_REGION(float16, scale0, scale1);
  // An anchor's index has no highest bit.
  int16 most = (int16)(steps - 1);
  most.s0 = steps / 2 - 1;
  if (is_split) most = select(most, (int16)(2), BC6H_LANES == (int)bc6h_anchors[c->partition]);
  const int16 index = min(max(convert_int16(min(max(place, (float16)(0.0f)), (float16)(16.0f))), (int16)(0)), most);
  const int unit = is_split ? 585 : 273;  // converts to 64ths, rounded as the format defines
  const int16 w0 = (index * unit + 32) >> 6, w1 = (index * unit + (unit + 32)) >> 6;
  const int3 d0 = n1 - n0, d1 = n3 - n2;
  const int16 from_r = OF_REGION(int16, n0.x, n2.x), across_r = OF_REGION(int16, d0.x, d1.x);
  const float16 r0 = off_by(from_r, across_r, w0, x->r), r1 = off_by(from_r, across_r, w1, x->r);
  const int16 from_g = OF_REGION(int16, n0.y, n2.y), across_g = OF_REGION(int16, d0.y, d1.y);
  const float16 g0 = off_by(from_g, across_g, w0, x->g), g1 = off_by(from_g, across_g, w1, x->g);
  const int16 from_b = OF_REGION(int16, n0.z, n2.z), across_b = OF_REGION(int16, d0.z, d1.z);
  const float16 b0 = off_by(from_b, across_b, w0, x->b), b1 = off_by(from_b, across_b, w1, x->b);
#undef OF_REGION
  const float16 one = (r0 * r0 + g0 * g0) + b0 * b0, other = (r1 * r1 + g1 * g1) + b1 * b1;
  const int16 next = other < one;
  out->error = add16(min(one, other));
  const uint16 nibbles = as_uint16(index - next) << (as_uint16(BC6H_LANES & 7) * 4u);
  const uint8 low = nibbles.lo, high = nibbles.hi;
  const uint4 low4 = low.lo | low.hi, high4 = high.lo | high.hi;
  out->indices = (uint2)((low4.x | low4.y) | (low4.z | low4.w), (high4.x | high4.y) | (high4.z | high4.w));
  const int16 w = select(w0, w1, next), both = w | (w * w) << 11;  // the sum of w is below 2^11
  const int all = sum16(both);
  out->all.w = all & 2047;
  out->all.ww = all >> 11;
  out->all.wx = sum_products(x, w);
  if (is_split) {
    const int sum = sum16(both & second);
    out->second.w = sum & 2047;
    out->second.ww = sum >> 11;
    out->second.wx = sum_products(x, w & second);
  }
}

// Writes bits of a block, from its lowest on.
static void put_bits(uint *words, int *at, int value, int bits) {
  const uint held = (uint)value & ((1u << bits) - 1u);
  const int word = *at >> 5, shift = *at & 31;
  words[word] |= held << shift;
  if (shift + bits > 32) words[word + 1] |= held >> (32 - shift);
  *at += bits;
}

static void pack_bc6h(const bc6h_codes *c, uint2 indices, uint4 *block) {
  uint words[4] = {0u, 0u, 0u, 0u};
  int at = 0;
  constant uchar *mode = bc6h_modes[c->mode];
  const bool has_differences = mode[3] != mode[4] || mode[3] != mode[5] || mode[3] != mode[6];
  const int3 base = has_differences ? c->e0 : (int3)(0);
  const int3 e1 = c->e1 - base, e2 = c->e2 - base, e3 = c->e3 - base;
  int numbers[12] = {c->e0.x, c->e0.y, c->e0.z, e1.x, e1.y, e1.z, e2.x, e2.y, e2.z, e3.x, e3.y, e3.z};
  put_bits(words, &at, mode[0], mode[1]);
  for (int i = 0; i < TEXCAST_BC6H_MOST_RUNS; ++i) {
    const int run = bc6h_runs[c->mode][i];
    if (run == 0) break;
    put_bits(words, &at, numbers[run >> 8] >> (run >> 4 & 15), run & 15);
  }
  const bool is_split = c->partition >= 0;
  if (is_split) put_bits(words, &at, c->partition, 5);
  const int anchor = is_split ? bc6h_anchors[c->partition] : 0, bits = is_split ? 3 : 4;
  for (int i = 0; i < 16; ++i) {
    const uint index = (i < 8 ? indices.x : indices.y) >> (4 * (i & 7)) & 15u;
    put_bits(words, &at, (int)index, bits - (i == 0 || i == anchor ? 1 : 0));
  }
  *block = (uint4)(words[0], words[1], words[2], words[3]);
}

#if BC6H_WALK > 0
// Moves number `n` of the end points by `step`.
static void step_codes(const bc6h_codes *c, int n, int step, bc6h_codes *out) {
  const int end = n / 3, channel = n - 3 * end;
  const int3 by = (int3)(channel == 0 ? step : 0, channel == 1 ? step : 0, channel == 2 ? step : 0);
  *out = *c;
  if (end == 0) out->e0 += by;
  if (end == 1) out->e1 += by;
  if (end == 2) out->e2 += by;
  if (end == 3) out->e3 += by;
}

static bool are_codes(int3 c, int most) {
  const int least = SIGNED_CODES ? -most : 0;
  return c.x >= least && c.y >= least && c.z >= least && c.x <= most && c.y <= most && c.z <= most;
}

static bool is_valid(const bc6h_codes *c) {
  const int most = (1 << (bc6h_modes[c->mode][3] - SIGNED_CODES)) - 1;
  return are_codes(c->e0, most) && are_codes(c->e1, most) &&
         (c->partition < 0 || (are_codes(c->e2, most) && are_codes(c->e3, most))) && fits_mode(c);
}
#endif

static int16 second_region(int partition) {
  const int region = partition < 0 ? 0 : bc6h_regions[partition];
  return -((int16)(region) >> BC6H_LANES & 1);
}

static void encode_bc6h(const half_block *x, uint4 *block) {
  const int3 all = (int3)(sum16(x->r), sum16(x->g), sum16(x->b));
  bc6h_codes best, codes;
  bc6h_rated rated;
  float least = BC6H_NO_ERROR;
  uint2 indices = (uint2)(0u, 0u);
#if BC6H_PARTITIONS > 0
  float left[32];
  rate_partitions(x, left);
  float last_left = -BC6H_NO_ERROR;
#endif
  int partition = -1;
  // The first candidate has one region, the others are partitions.
  for (int candidate = 0; candidate <= BC6H_PARTITIONS; ++candidate) {
    int16 second = (int16)(0);
    int count = 0;
    int3 sum = (int3)(0);
    bc6h_line first_line, second_line;
#if BC6H_PARTITIONS > 0
    if (candidate > 0) {
      partition = next_partition(left, partition, last_left);
      last_left = left[partition];
      second = second_region(partition);
      count = -sum16(second);
      sum = (int3)(sum16(x->r & second), sum16(x->g & second), sum16(x->b & second));
      line_through(x, second, count, sum, bc6h_anchors[partition], &second_line);
    }
#endif
    line_through(x, ~second, 16 - count, all - sum, 0, &first_line);
    if (candidate == 0) second_line = first_line;
    for (int fit = 0; fit <= BC6H_FITS; ++fit) {
      to_codes(&first_line, &second_line, partition, &codes);
      rate_codes(x, &codes, second, &rated);
      if (rated.error < least) {
        least = rated.error;
        best = codes;
        indices = rated.indices;
      }
      if (fit == BC6H_FITS) break;
      if (candidate > 0) {
        refit(&rated.second, count, sum, &second_line);
        rated.all.w -= rated.second.w;
        rated.all.ww -= rated.second.ww;
        rated.all.wx -= rated.second.wx;
      }
      refit(&rated.all, 16 - count, all - sum, &first_line);
    }
  }
#if BC6H_WALK > 0
  const int16 second = second_region(best.partition);
  const int numbers = best.partition < 0 ? 6 : 12;
  bool goes_on = true;
  for (int round = 0; round < BC6H_WALK && goes_on; ++round) {
    goes_on = false;
    for (int n = 0; n < 2 * numbers; ++n) {
      step_codes(&best, n >> 1, (n & 1) * 2 - 1, &codes);
      if (!is_valid(&codes)) continue;
      rate_codes(x, &codes, second, &rated);
      if (rated.error < least) {
        least = rated.error;
        best = codes;
        indices = rated.indices;
        goes_on = true;
      }
    }
  }
#endif
  pack_bc6h(&best, indices, block);
}
