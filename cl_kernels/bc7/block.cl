// block.cl — the source frame to BC7 blocks, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as common/load.cl says; with HAS_ALPHA=1 RGBA or BGRA, whose fourth byte is coded too
//   out  blocks  uint4[blocks_y][blocks_x], little-endian
//   defines      METHOD · HAS_ALPHA=1
//   exactness    whole numbers in single precision, and single precision in a stated order; equals
//                codec/ref/bc/bc7_encode.cpp bit for bit on every device
//
// All that is tried goes through one loop, so that the compiler sees the search of end points once: a pass is a set of
// indices (a mode with a partition, or what of modes 4 and 5 has indices of its own), a step of it is a pair of end
// points for each subset, which is measured for all 16 texels at once.
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "common/lanes.cl"
#include "common/reciprocal.cl"
#include "include/kernels/bc7_tables.h"
#include "include/kernels/effort.h"

#pragma OPENCL FP_CONTRACT OFF
#ifndef METHOD
#define METHOD TEXCAST_REFINE_ONCE
#endif
#ifndef HAS_ALPHA
#define HAS_ALPHA 0
#endif

#define ESTIMATES TEXCAST_BC7_ESTIMATES(METHOD)
#define MODE_1 TEXCAST_BC7_MODE_1(METHOD)
#define MODE_3 TEXCAST_BC7_MODE_3(METHOD)
#define MODE_0 TEXCAST_BC7_MODE_0(METHOD)
#define MODE_2 TEXCAST_BC7_MODE_2(METHOD)
#define MODE_7 TEXCAST_BC7_MODE_7(METHOD)
#define OPAQUE_ROTATIONS TEXCAST_BC7_OPAQUE_ROTATIONS(METHOD)
#define ALPHA_ROTATIONS TEXCAST_BC7_ALPHA_ROTATIONS(METHOD)
#define FITS TEXCAST_BC7_FITS(METHOD)
#define WALKS TEXCAST_BC7_WALKS(METHOD)
#define LAST_WALKS TEXCAST_BC7_LAST_WALKS(METHOD)

#if MODE_0 + MODE_2 > 0
#define SUBSETS 3
#else
#define SUBSETS 2
#endif

#define AXIS_STEPS 4
#define ESTIMATE_STEPS 1
#define TINY 1e-20f
#define NO_ERROR 1e9f

constant ushort partitions_of_2[64] = {BC7_PARTITIONS_OF_2};
constant uint partitions_of_3[64] = {BC7_PARTITIONS_OF_3};
constant uchar anchors_of_2[64] = {BC7_ANCHORS_OF_2};
constant uchar second_anchors_of_3[64] = {BC7_ANCHORS_2_OF_3};
constant uchar third_anchors_of_3[64] = {BC7_ANCHORS_3_OF_3};

// What a mode has, four bits each.
#define MODE_WORD(subsets, partition, rotation, selector, color, alpha, p, index, second) \
  (uint)(subsets | partition << 4 | rotation << 8 | selector << 12 | color << 16 | alpha << 20 | p << 24 | index << 28),
constant uint mode_words[8] = {BC7_FOR_EACH_MODE(MODE_WORD)};
#define FIELD(word, at) ((int)((word) >> (at) & 15))
#define MODE_SUBSETS(word) FIELD(word, 0)
#define MODE_PARTITION_BITS(word) FIELD(word, 4)
#define MODE_ROTATION_BITS(word) FIELD(word, 8)
#define MODE_SELECTOR_BITS(word) FIELD(word, 12)
#define MODE_COLOR_BITS(word) FIELD(word, 16)
#define MODE_ALPHA_BITS(word) FIELD(word, 20)
#define MODE_P_BITS(word) FIELD(word, 24)  // 0 none, 1 an end point, 2 a subset
#define MODE_INDEX_BITS(word) FIELD(word, 28)

// 16 texels, 0..255. Without alpha the fourth channel is left out everywhere.
typedef struct {
  float16 r, g, b;
#if HAS_ALPHA
  float16 a;
#endif
} bc7_texels;

// What one set of indices is for, and how it is stored.
typedef struct {
  int subsets;
  int16 second, third;         // lanes of texels of that subset are -1
  int color_bits, alpha_bits;  // of an end point's channel with its p-bit; alpha 0: not coded
  bool one_channel;            // red alone is coded
  int p_bits;
  bool p_is_1;
  int index_bits;
} bc7_plane;

typedef struct {
  float count;
  float4 sum, square, product;  // product: red green, red blue, green blue
#if HAS_ALPHA
  float4 alpha;  // by red, green, blue
#endif
} bc7_moments;

// End points are four bytes, red lowest, in 8 bits.
typedef struct {
  uint low[SUBSETS], high[SUBSETS];
  float error[SUBSETS];
} bc7_ends;

typedef struct {
  int mode, partition, rotation, selector;
  uint low[SUBSETS], high[SUBSETS];  // modes 4 and 5: alpha is that of the indices apart
  float error;
} bc7_choice;

// ---- numbers

static int small(float value) { return as_int(value + 8388608.0f) & 0x3FFFFF; }  // whole, or to the nearest
static float whole(uint value) { return as_float(0x4B000000u | value) - 8388608.0f; }
static float4 channels_of(uint end) {
  return (float4)(whole(end & 255), whole(end >> 8 & 255), whole(end >> 16 & 255), whole(end >> 24));
}
static int expand(int code, int bits) { return code << (8 - bits) | code >> (2 * bits - 8); }
static float held(float value) { return min(max(value, 0.0f), 255.0f); }
static float last_index(int bits) { return whole((1u << bits) - 1); }

static float dot_of(float4 a, float4 b) {
#if HAS_ALPHA
  return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
#else
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
#endif
}

static float min_of(float16 v) {
  const float8 a = min(v.lo, v.hi);
  const float4 b = min(a.lo, a.hi);
  const float2 c = min(b.lo, b.hi);
  return min(c.x, c.y);
}
static float max_of(float16 v) {
  const float8 a = max(v.lo, v.hi);
  const float4 b = max(a.lo, a.hi);
  const float2 c = max(b.lo, b.hi);
  return max(c.x, c.y);
}

#define LANE_NUMBERS (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

// Lanes of the second and of the third subset.
static void set_subsets(int subsets, int partition, int16 *second, int16 *third) {
  *third = (int16)(0);
#if SUBSETS == 3
  if (subsets == 3) {
    const int16 of = (int16)((int)partitions_of_3[partition]) >> (2 * LANE_NUMBERS) & 3;
    *second = -(of & 1);
    *third = -(of >> 1);
    return;
  }
#endif
  *second = subsets == 2 ? -((int16)((int)partitions_of_2[partition]) >> LANE_NUMBERS & 1) : (int16)(0);
}

// ---- where the texels of a subset lie

// Of the texels whose lanes are -1. Whole numbers: a product's sum is at most 16 * 255^2.
static void take_moments(const bc7_texels *x, int16 inside, bc7_moments *m) {
#define INSIDE(v) as_float16(as_int16(v) & inside)
  const float16 r = INSIDE(x->r), g = INSIDE(x->g), b = INSIDE(x->b);
  m->count = add16(INSIDE((float16)(1.0f)));
  m->sum = (float4)(add16(r), add16(g), add16(b), 0.0f);
  m->square = (float4)(add16(r * r), add16(g * g), add16(b * b), 0.0f);
  m->product = (float4)(add16(r * g), add16(r * b), add16(g * b), 0.0f);
#if HAS_ALPHA
  const float16 a = INSIDE(x->a);
  m->sum.w = add16(a);
  m->square.w = add16(a * a);
  m->alpha = (float4)(add16(r * a), add16(g * a), add16(b * a), 0.0f);
#endif
#undef INSIDE
}

static void leave_out(bc7_moments *m, const bc7_moments *part) {
  m->count -= part->count;
  m->sum -= part->sum;
  m->square -= part->square;
  m->product -= part->product;
#if HAS_ALPHA
  m->alpha -= part->alpha;
#endif
}

// The covariance with a trace of 1.
typedef struct {
  float trace;
  float4 r, g, b;
#if HAS_ALPHA
  float4 a;
#endif
} bc7_matrix;

static float4 times(const bc7_matrix *m, float4 v) {
#if HAS_ALPHA
  return (float4)(dot_of(m->r, v), dot_of(m->g, v), dot_of(m->b, v), dot_of(m->a, v));
#else
  return (float4)(dot_of(m->r, v), dot_of(m->g, v), dot_of(m->b, v), 0.0f);
#endif
}

// Its principal axis by so many powers.
static float4 axis_of(const bc7_moments *m, int steps, bc7_matrix *matrix) {
  const float n = m->count;
  const float4 s = m->sum;
  float4 square = n * m->square - s * s;
  float4 product = n * m->product - s.xxyx * s.yzzw;
  float trace = (square.x + square.y) + square.z;
#if HAS_ALPHA
  float4 alpha = n * m->alpha - s * s.w;
  trace += square.w;
#endif
  const float scale = reciprocal(max(trace, 1.0f));
  matrix->trace = trace;
  float widest = square.x;
  square *= scale;
  product *= scale;
  float wx = 0.0f, wy = 0.0f, wz = 0.0f;
#if HAS_ALPHA
  const float widest_alpha = n * m->square.w - s.w * s.w;
  alpha *= scale;
  wx = alpha.x;
  wy = alpha.y;
  wz = alpha.z;
  matrix->a = (float4)(wx, wy, wz, square.w);
#endif
  matrix->r = (float4)(square.x, product.x, product.y, wx);
  matrix->g = (float4)(product.x, square.y, product.z, wy);
  matrix->b = (float4)(product.y, product.z, square.z, wz);
  float4 v = matrix->r;
  const float green = n * m->square.y - s.y * s.y, blue = n * m->square.z - s.z * s.z;
  if (green > widest) {
    widest = green;
    v = matrix->g;
  }
  if (blue > widest) {
    widest = blue;
    v = matrix->b;
  }
#if HAS_ALPHA
  if (widest_alpha > widest) v = matrix->a;
#endif
  for (int step = 0; step < steps; ++step) v = times(matrix, v);
  return v;
}

// What a subset's texels are off their line (x), and how far they lie along it (y).
static float2 spread_of(const bc7_moments *m) {
  bc7_matrix matrix;
  const float4 v = axis_of(m, ESTIMATE_STEPS, &matrix);
  const float along = dot_of(v, times(&matrix, v)) * reciprocal(max(dot_of(v, v), TINY));
  return (float2)(matrix.trace, along);
}
static float estimate(float2 spread, float count, int index_bits) {
  const float last = last_index(index_bits);
  return spread.x * ((1.0f - spread.y) + spread.y * reciprocal(last * last)) * reciprocal(count);
}

// Keeps the `count` smallest keys in order.
static void insert_key(uint *keys, int count, float sum, int partition) {
  uint key = (as_uint(max(sum, 0.0f)) & ~63u) | (uint)partition;
  for (int n = 0; n < count; ++n) {
    const uint smaller = min(keys[n], key);
    key = max(keys[n], key);
    keys[n] = smaller;
  }
}

// Partitions into two that are the most like the block cut across its principal axis at the mean: a bit each.
static ulong partitions_like_cut(const bc7_texels *x, const bc7_moments *all) {
#if ESTIMATES >= 64
  return ~0ul;
#else
  bc7_matrix matrix;
  const float4 v = axis_of(all, AXIS_STEPS, &matrix);
  const float middle = dot_of(v, all->sum * reciprocal(16.0f));
#if HAS_ALPHA
  const float16 along = ((v.x * x->r + v.y * x->g) + v.z * x->b) + v.w * x->a;
#else
  const float16 along = (v.x * x->r + v.y * x->g) + v.z * x->b;
#endif
  const int cut = sum16(select((int16)(0), (int16)(1) << LANE_NUMBERS, along > (float16)(middle)));
  // How many are how unlike, 7 bits for each number of texels.
  ulong counts = 0;
  for (int n = 0; n < 64; ++n) {
    const int off = popcount(cut ^ partitions_of_2[n]);
    counts += 1ul << (7 * min(off, 16 - off));
  }
  int left = ESTIMATES, most = 0;
  for (; most < 8; ++most) {
    const int these = (int)(counts >> (7 * most)) & 127;
    if (these >= left) break;
    left -= these;
  }
  ulong chosen = 0;
  for (int n = 0; n < 64; ++n) {
    const int off = popcount(cut ^ partitions_of_2[n]), unlike = min(off, 16 - off);
    if (unlike > most || (unlike == most && --left < 0)) continue;
    chosen |= 1ul << n;
  }
  return chosen;
#endif
}

// Takes the first, so that no key is found by a number: such an array would lie in memory.
static int next_partition(uint *keys, int count) {
  const int partition = keys[0] & 63;
  for (int n = 1; n < count; ++n) keys[n - 1] = keys[n];
  return partition;
}

// The likeliest partitions into two, by what indices of `bits_a` and of `bits_b` bits leave.
static void rank_pairs(const bc7_texels *x, const bc7_moments *all, uint *keys_a, int count_a, int bits_a, uint *keys_b,
                       int count_b, int bits_b) {
  for (int n = 0; n < count_a; ++n) keys_a[n] = 0xFFFFFFFFu;
  for (int n = 0; n < count_b; ++n) keys_b[n] = 0xFFFFFFFFu;
  ulong left = partitions_like_cut(x, all);
  for (int n = 0; n < ESTIMATES; ++n) {
    const int partition = 63 - (int)clz(left & -left);
    left &= left - 1;
    int16 second, third;
    set_subsets(2, partition, &second, &third);
    bc7_moments m1, m0 = *all;
    take_moments(x, second, &m1);
    leave_out(&m0, &m1);
    const float2 s0 = spread_of(&m0), s1 = spread_of(&m1);
    insert_key(keys_a, count_a, estimate(s0, m0.count, bits_a) + estimate(s1, m1.count, bits_a), partition);
    if (count_b > 0)
      insert_key(keys_b, count_b, estimate(s0, m0.count, bits_b) + estimate(s1, m1.count, bits_b), partition);
  }
}

#if SUBSETS == 3
// Into three: the first 16 for mode 0, all for mode 2.
static void rank_triples(const bc7_texels *x, const bc7_moments *all, uint *keys_0, uint *keys_2) {
  for (int n = 0; n < MODE_0; ++n) keys_0[n] = 0xFFFFFFFFu;
  for (int n = 0; n < MODE_2; ++n) keys_2[n] = 0xFFFFFFFFu;
  for (int partition = 0; partition < 64; ++partition) {
    int16 second, third;
    set_subsets(3, partition, &second, &third);
    bc7_moments m1, m2, m0 = *all;
    take_moments(x, second, &m1);
    take_moments(x, third, &m2);
    leave_out(&m0, &m1);
    leave_out(&m0, &m2);
    const float2 s0 = spread_of(&m0), s1 = spread_of(&m1), s2 = spread_of(&m2);
    if (partition < 16)
      insert_key(keys_0, MODE_0,
                 (estimate(s0, m0.count, 3) + estimate(s1, m1.count, 3)) + estimate(s2, m2.count, 3), partition);
    insert_key(keys_2, MODE_2, (estimate(s0, m0.count, 2) + estimate(s1, m1.count, 2)) + estimate(s2, m2.count, 2),
               partition);
  }
}
#endif

// ---- end points

// A value as the nearest code with that p-bit (-1: any) in 8 bits; adds by how much it is off, in codes, squared.
static int round_channel(float value, int bits, int p, float *off) {
  const float last = last_index(bits);
  const float at = value * (last * 0.0039215689f /* 1 / 255 */);
  int code;
  if (p < 0)
    code = min(small(at), (1 << bits) - 1);
  else
    code = 2 * min(small(max((at - whole(p)) * 0.5f, 0.0f)), ((1 << bits) - 1) >> 1) + p;
  const float difference = at - whole(code);
  *off += difference * difference;
  return expand(code, bits);
}

static uint round_end(const bc7_plane *plane, float4 wish, int p, uint constant_channels, float *off) {
  *off = 0.0f;
  uint end = round_channel(wish.x, plane->color_bits, p, off);
  if (!plane->one_channel) {
    end |= round_channel(wish.y, plane->color_bits, p, off) << 8;
    end |= round_channel(wish.z, plane->color_bits, p, off) << 16;
  }
#if HAS_ALPHA
  if (plane->alpha_bits > 0) return end | (uint)round_channel(wish.w, plane->alpha_bits, p, off) << 24;
#endif
  return end | constant_channels;
}

static void round_ends(const bc7_plane *plane, float4 low, float4 high, uint constant_channels, uint *rounded_low,
                       uint *rounded_high) {
  float low_even, low_odd, high_even, high_odd;
  const bool one = plane->p_bits == 0 || plane->p_is_1;
  *rounded_low = round_end(plane, low, plane->p_is_1 ? 1 : one ? -1 : 0, constant_channels, &low_even);
  *rounded_high = round_end(plane, high, plane->p_is_1 ? 1 : one ? -1 : 0, constant_channels, &high_even);
  if (one) return;
  const uint odd_low = round_end(plane, low, 1, constant_channels, &low_odd);
  const uint odd_high = round_end(plane, high, 1, constant_channels, &high_odd);
  const bool both = plane->p_bits == 2;
  const bool both_odd = low_odd + high_odd < low_even + high_even;
  if (both ? both_odd : low_odd < low_even) *rounded_low = odd_low;
  if (both ? both_odd : high_odd < high_even) *rounded_high = odd_high;
}

// The outermost texels along the principal axis.
static void ends_on_axis(const bc7_texels *x, const bc7_plane *plane, const bc7_moments *m, int16 inside,
                         uint constant_channels, uint *low, uint *high) {
  bc7_matrix matrix;
  const float4 v = axis_of(m, AXIS_STEPS, &matrix);
  const float4 mean = m->sum * reciprocal(m->count);
#if HAS_ALPHA
  const float16 along = ((v.x * x->r + v.y * x->g) + v.z * x->b) + v.w * x->a;
#else
  const float16 along = (v.x * x->r + v.y * x->g) + v.z * x->b;
#endif
  const float least = min_of(select((float16)(3e38f), along, inside));
  const float most = max_of(select((float16)(-3e38f), along, inside));
  const float middle = dot_of(v, mean), scale = reciprocal(max(dot_of(v, v), TINY));
  const float4 a = mean + v * ((least - middle) * scale), b = mean + v * ((most - middle) * scale);
  round_ends(plane, min(max(a, (float4)(0.0f)), (float4)(255.0f)), min(max(b, (float4)(0.0f)), (float4)(255.0f)),
             constant_channels, low, high);
}

// Least squares for the indices k, taken as evenly spread. Every sum and product before the division is a whole number
// below 2^24.
static void fit_ends(const bc7_texels *x, const bc7_plane *plane, const bc7_moments *m, int16 inside, float16 indices,
                     uint constant_channels, uint *low, uint *high) {
  const float16 lanes = as_float16(as_int16(indices) & inside);
  const float k = add16(lanes), kk = add16(lanes * lanes);
  float4 kx = (float4)(add16(lanes * x->r), add16(lanes * x->g), add16(lanes * x->b), 0.0f);
#if HAS_ALPHA
  kx.w = add16(lanes * x->a);
#endif
  const float determinant = m->count * kk - k * k;
  if (determinant == 0.0f) return;
  const float inverse = reciprocal(determinant);
  const float4 first = (kk * m->sum - k * kx) * inverse;
  const float4 rise = (m->count * kx - k * m->sum) * inverse;
  const float4 end = first + rise * last_index(plane->index_bits);
  round_ends(plane, min(max(first, (float4)(0.0f)), (float4)(255.0f)),
             min(max(end, (float4)(0.0f)), (float4)(255.0f)), constant_channels, low, high);
}

#if LAST_WALKS > 0
#define MOVES 18
// The end points one code away: channel by channel of both, down and up, then with the other p-bits. False where there
// are none.
static bool move_applies(const bc7_plane *plane, int move) {
  if (move >= 16) return plane->p_bits != 0 && !plane->p_is_1 && (move == 16 || plane->p_bits == 1);
  const int channel = move >> 1 & 3;
  return channel == 0 || (channel == 3 ? plane->alpha_bits > 0 : !plane->one_channel);
}

static uint toggle_p(const bc7_plane *plane, uint end) {
  uint toggled = 0;
  for (int c = 0; c < 4; ++c) {
    const int bits = c < 3 ? plane->color_bits : plane->alpha_bits;
    const int value = end >> (8 * c) & 255;
    toggled |= (uint)(bits > 0 ? expand((value >> (8 - bits)) ^ 1, bits) : value) << (8 * c);
  }
  return toggled;
}

static void move_ends(const bc7_plane *plane, int move, uint *low, uint *high) {
  if (move >= 16) {
    if (move == 16 || plane->p_bits == 2) *low = toggle_p(plane, *low);
    if (move == 17 || plane->p_bits == 2) *high = toggle_p(plane, *high);
    return;
  }
  const int channel = move >> 1 & 3, shift = 8 * channel;
  const int bits = channel < 3 ? plane->color_bits : plane->alpha_bits;
  const int step = (move & 1 ? 1 : -1) * (plane->p_bits != 0 ? 2 : 1);
  const uint end = move < 8 ? *low : *high;
  const int code = (int)((end >> shift & 255) >> (8 - bits)) + step;
  if (code < 0 || code >= 1 << bits) return;
  const uint moved = (end & ~(255u << shift)) | (uint)expand(code, bits) << shift;
  if (move < 8)
    *low = moved;
  else
    *high = moved;
}
#endif

// ---- indices

static float add8(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

// What of a subset's end points all its texels need.
typedef struct {
  float4 from, way;
  float base, scale;
} bc7_line;

#if HAS_ALPHA
#define HALF_OF(x, half) (x)->r.half, (x)->g.half, (x)->b.half, (x)->a.half
#else
#define HALF_OF(x, half) (x)->r.half, (x)->g.half, (x)->b.half, (float8)(0.0f)
#endif

// Eight texels at a time, because sixteen would need more registers than GPUs have: their indices, and the squared
// error by subset.
static float8 measure_half(float8 r, float8 g, float8 b, float8 a, int8 second, int8 third, const bc7_line *lines,
                           int index_bits, float *error) {
  const float last = last_index(index_bits);
#if SUBSETS == 3
#define OF_SUBSET(member)                                                     \
  select(select((float8)(lines[0].member), (float8)(lines[1].member), second), \
         (float8)(lines[2].member), third)
#else
#define OF_SUBSET(member) select((float8)(lines[0].member), (float8)(lines[1].member), second)
#endif
  const float8 dr = OF_SUBSET(way.x), dg = OF_SUBSET(way.y), db = OF_SUBSET(way.z);
  float8 along = (dr * r + dg * g) + db * b;
#if HAS_ALPHA
  const float8 da = OF_SUBSET(way.w);
  along += da * a;
#endif
  along = (along - OF_SUBSET(base)) * OF_SUBSET(scale);
  const float8 index = (min(max(along, (float8)(0.0f)), (float8)(last)) + 8388608.0f) - 8388608.0f;
  // 64ths, rounded; never halfway.
  const float spread = index_bits == 2 ? 21.333334f : index_bits == 3 ? 9.142858f : 4.2666669f;
  const float8 weight = ((index * spread + 8388608.0f) - 8388608.0f) * 0.015625f;
  // What is half rounds up: all are multiples of a 64th.
#define BLEND(d) ((d * weight + 0.0078125f) + 12582912.0f) - 12582912.0f
  const float8 off_r = (BLEND(dr)) + (OF_SUBSET(from.x) - r);
  float8 off = off_r * off_r;
  const float8 off_g = (BLEND(dg)) + (OF_SUBSET(from.y) - g);
  off += off_g * off_g;
  const float8 off_b = (BLEND(db)) + (OF_SUBSET(from.z) - b);
  off += off_b * off_b;
#if HAS_ALPHA
  const float8 off_a = (BLEND(da)) + (OF_SUBSET(from.w) - a);
  off += off_a * off_a;
#endif
#undef BLEND
#undef OF_SUBSET
  const float here = add8(as_float8(as_int8(off) & second));
  error[0] += add8(off) - here;
  error[1] += here;
#if SUBSETS == 3
  const float there = add8(as_float8(as_int8(off) & third));
  error[0] -= there;
  error[2] += there;
#endif
  return index;
}

// The index of each texel, nearest along the line between its subset's end points, and the squared error by subset.
static float16 measure(const bc7_texels *x, const bc7_plane *plane, const uint *low, const uint *high, float *error) {
  bc7_line lines[SUBSETS];
  for (int s = 0; s < SUBSETS; ++s) {
    const float4 from = channels_of(low[s]), way = channels_of(high[s]) - from;
    lines[s].from = from;
    lines[s].way = way;
    lines[s].base = dot_of(way, from);
    lines[s].scale = last_index(plane->index_bits) * reciprocal(max(dot_of(way, way), 1.0f));
  }
  for (int s = 0; s < SUBSETS; ++s) error[s] = 0.0f;
  float16 index;
  index.lo = measure_half(HALF_OF(x, lo), plane->second.lo, plane->third.lo, lines, plane->index_bits, error);
  index.hi = measure_half(HALF_OF(x, hi), plane->second.hi, plane->third.hi, lines, plane->index_bits, error);
  return index;
}

// ---- passes

// A mode with or without its own indices apart.
static void set_plane(const bc7_texels *block, bool is_opaque, int mode, int partition, int rotation, int selector,
                      bool apart, bc7_plane *plane, bc7_texels *x) {
  const uint word = mode_words[mode];
  *x = *block;
  plane->subsets = MODE_SUBSETS(word);
  set_subsets(plane->subsets, partition, &plane->second, &plane->third);
  const int p = MODE_P_BITS(word) > 0 ? 1 : 0;
  plane->p_bits = MODE_P_BITS(word);
  plane->color_bits = MODE_COLOR_BITS(word) + p;
  plane->alpha_bits = MODE_ALPHA_BITS(word) > 0 && !is_opaque ? MODE_ALPHA_BITS(word) + p : 0;
  plane->p_is_1 = MODE_ALPHA_BITS(word) > 0 && is_opaque && p > 0;
  plane->index_bits = MODE_INDEX_BITS(word);
  plane->one_channel = false;
#if HAS_ALPHA || OPAQUE_ROTATIONS > 0
  if (MODE_ROTATION_BITS(word) == 0) return;
#if HAS_ALPHA
  const float16 alpha = block->a;
  x->a = (float16)(0.0f);
#else
  const float16 alpha = (float16)(255.0f);
#endif
  plane->alpha_bits = 0;
  if (mode == 4 && (int)apart != selector) plane->index_bits = 3;
  if (apart) {
    plane->one_channel = true;
    plane->color_bits = MODE_ALPHA_BITS(word);
    if (rotation == 0) x->r = alpha;
    if (rotation == 2) x->r = block->g;
    if (rotation == 3) x->r = block->b;
    x->g = (float16)(0.0f);
    x->b = (float16)(0.0f);
  } else {
    if (rotation == 1) x->r = alpha;
    if (rotation == 2) x->g = alpha;
    if (rotation == 3) x->b = alpha;
  }
#endif
}

typedef struct {
  ulong low, high;
  int at;
} bc7_bits;

static void put(bc7_bits *bits, uint value, int count) {
  const ulong v = value;
  if (bits->at < 64) {
    bits->low |= v << bits->at;
    if (bits->at + count > 64) bits->high |= v >> (64 - bits->at);
  } else {
    bits->high |= v << (bits->at - 64);
  }
  bits->at += count;
}

static void put_end(bc7_bits *bits, uint end, int shift, int count) {
  put(bits, (end >> shift & 255) >> (8 - count), count);
}

// Sixteen indices, four bits each: an array would lie in memory.
static ulong nibbles(int16 v) {
  const int16 placed = v << 4 * (LANE_NUMBERS & 7);
  const int4 low = placed.lo.lo | placed.lo.hi, high = placed.hi.lo | placed.hi.hi;
  const int2 both = (int2)(low.x | low.y | low.z | low.w, high.x | high.y | high.z | high.w);
  return (ulong)(uint)both.x | (ulong)(uint)both.y << 32;
}

static void put_indices(bc7_bits *bits, ulong indices, int index_bits, int second_anchor, int third_anchor) {
  for (int i = 0; i < 16; ++i) {
    put(bits, (uint)indices & 15, i == 0 || i == second_anchor || i == third_anchor ? index_bits - 1 : index_bits);
    indices >>= 4;
  }
}

// Where the anchor's index is not below half the subset's end points change places.
static void anchor(ulong *indices, int last, int anchor_texel, int16 inside, uint *low, uint *high, uint mask) {
  if ((int)(*indices >> 4 * anchor_texel & 15) <= last / 2) return;
  const uint exchanged = (*low ^ *high) & mask;
  *low ^= exchanged;
  *high ^= exchanged;
  *indices ^= nibbles(inside & last);
}

static uint4 as_block(const bc7_bits *bits) {
  return (uint4)((uint)bits->low, (uint)(bits->low >> 32), (uint)bits->high, (uint)(bits->high >> 32));
}

// One colour, exactly: in mode 5 every value of 8 bits is one of 7, or lies between two of them at index 1.
static uint4 flat_block(int4 texel) {
  bc7_bits bits = {0, 0, 0};
  put(&bits, 1 << 5, 8);
#define CHANNEL(value)                                                   \
  {                                                                      \
    const int low = value >> 1, shown = low << 1 | low >> 6;             \
    put(&bits, low, 7);                                                  \
    put(&bits, low + (shown < value ? 1 : 0) - (shown > value ? 1 : 0), 7); \
  }
  CHANNEL(texel.x)
  CHANNEL(texel.y)
  CHANNEL(texel.z)
#undef CHANNEL
  put(&bits, texel.w, 8);
  put(&bits, texel.w, 8);
  put(&bits, 1, 1);
  put(&bits, 0x15555555, 30);
  return as_block(&bits);
}

static uint4 pack(const bc7_choice *best, ulong indices, ulong apart) {
  const uint word = mode_words[best->mode];
  const int subsets = MODE_SUBSETS(word), partition = best->partition;
  uint low[SUBSETS], high[SUBSETS];
  for (int s = 0; s < SUBSETS; ++s) {
    low[s] = best->low[s];
    high[s] = best->high[s];
  }
  int16 second, third;
  set_subsets(subsets, partition, &second, &third);
  const bool rotated = MODE_ROTATION_BITS(word) > 0;
  int bits_here = MODE_INDEX_BITS(word), bits_apart = 2;
  if (best->mode == 4) {
    bits_apart = best->selector ? 2 : 3;
    bits_here = best->selector ? 3 : 2;
  }
  const int last = (1 << bits_here) - 1;
  anchor(&indices, last, 0, ~(second | third), &low[0], &high[0], rotated ? 0xFFFFFFu : 0xFFFFFFFFu);
  int second_anchor = 16, third_anchor = 16;
  if (subsets == 2) second_anchor = anchors_of_2[partition];
#if SUBSETS == 3
  if (subsets == 3) {
    second_anchor = second_anchors_of_3[partition];
    third_anchor = third_anchors_of_3[partition];
    anchor(&indices, last, third_anchor, third, &low[2], &high[2], 0xFFFFFFFFu);
  }
#endif
  if (subsets > 1) anchor(&indices, last, second_anchor, second, &low[1], &high[1], 0xFFFFFFFFu);
  if (rotated) anchor(&apart, (1 << bits_apart) - 1, 0, (int16)(-1), &low[0], &high[0], 0xFF000000u);

  bc7_bits bits = {0, 0, 0};
  put(&bits, 1u << best->mode, best->mode + 1);
  put(&bits, partition, MODE_PARTITION_BITS(word));
  put(&bits, best->rotation, MODE_ROTATION_BITS(word));
  put(&bits, best->selector, MODE_SELECTOR_BITS(word));
  for (int channel = 0; channel < 4; ++channel) {
    const int count = channel < 3 ? MODE_COLOR_BITS(word) : MODE_ALPHA_BITS(word);
    if (count == 0) continue;
    for (int s = 0; s < SUBSETS; ++s) {
      if (s >= subsets) continue;
      put_end(&bits, low[s], 8 * channel, count);
      put_end(&bits, high[s], 8 * channel, count);
    }
  }
  const int p_bits = MODE_P_BITS(word), p_shift = 7 - MODE_COLOR_BITS(word);
  for (int s = 0; s < SUBSETS; ++s) {
    if (s >= subsets || p_bits == 0) continue;
    put(&bits, low[s] >> p_shift & 1, 1);
    if (p_bits == 1) put(&bits, high[s] >> p_shift & 1, 1);
  }
  // The set of fewer bits comes first.
  if (best->selector == 0) put_indices(&bits, indices, bits_here, second_anchor, third_anchor);
  if (rotated) put_indices(&bits, apart, bits_apart, 16, 16);
  if (best->selector != 0) put_indices(&bits, indices, bits_here, second_anchor, third_anchor);
  return as_block(&bits);
}

// Passes in order: mode 6; opaque blocks: modes 1, 3, 0, 2 by partitions; others: mode 7; modes 5 and 4 by rotations,
// each in two passes; then the best again, to be walked from and for its indices, and its indices apart. Steps: the
// principal axis, FITS fits, moves.
static uint4 encode_block(const bc7_texels *block, bool is_opaque) {
  bc7_moments all;
  take_moments(block, (int16)(-1), &all);
  uint likely_1[MODE_1 > MODE_7 ? MODE_1 : MODE_7], likely_3[MODE_3];
#if SUBSETS == 3
  uint likely_0[MODE_0], likely_2[MODE_2];
#endif
  if (is_opaque) {
    rank_pairs(block, &all, likely_1, MODE_1, 3, likely_3, MODE_3, 2);
#if SUBSETS == 3
    rank_triples(block, &all, likely_0, likely_2);
#endif
  }
#if HAS_ALPHA
  else
    rank_pairs(block, &all, likely_1, MODE_7, 2, likely_3, 0, 2);
  const int partitioned = is_opaque ? MODE_1 + MODE_3 + MODE_0 + MODE_2 : MODE_7;
  const int rotations = is_opaque ? OPAQUE_ROTATIONS : ALPHA_ROTATIONS;
#else
  const int partitioned = MODE_1 + MODE_3 + MODE_0 + MODE_2, rotations = OPAQUE_ROTATIONS;
#endif
  const int trials = 1 + partitioned + 6 * rotations;

  bc7_choice best, now;
  for (int s = 0; s < SUBSETS; ++s) now.low[s] = now.high[s] = 0;
  best = now;
  best.error = NO_ERROR;
  ulong indices = 0, indices_apart = 0;
  for (int pass = 0; pass < trials + 2; ++pass) {
    const bool is_last = pass >= trials;
    bool is_apart = false;
    if (is_last) {
      now = best;
      is_apart = pass > trials;
      if (is_apart && MODE_ROTATION_BITS(mode_words[best.mode]) == 0) continue;
    } else if (pass > partitioned) {
      const int n = pass - partitioned - 1, kind = n % 6;
      now.mode = kind < 2 ? 5 : 4;
      now.partition = 0;
      now.rotation = n / 6;
      now.selector = kind >= 4 ? 1 : 0;
      is_apart = kind & 1;
    } else {
      now.mode = 6;
      now.partition = 0;
      now.rotation = 0;
      now.selector = 0;
      int n = pass - 1;
      if (pass > 0 && is_opaque) {
        if (n < MODE_1) {
          now.mode = 1;
          now.partition = next_partition(likely_1, MODE_1);
        } else if ((n -= MODE_1) < MODE_3) {
          now.mode = 3;
          now.partition = next_partition(likely_3, MODE_3);
#if SUBSETS == 3
        } else if (n < MODE_3 + MODE_0) {
          now.mode = 0;
          now.partition = next_partition(likely_0, MODE_0);
        } else {
          now.mode = 2;
          now.partition = next_partition(likely_2, MODE_2);
#endif
        }
      } else if (pass > 0) {
        now.mode = 7;
        now.partition = next_partition(likely_1, MODE_7);
      }
    }
    bc7_plane plane;
    bc7_texels x;
    set_plane(block, is_opaque, now.mode, now.partition, now.rotation, now.selector, is_apart, &plane, &x);
    const bool rotated = MODE_ROTATION_BITS(mode_words[now.mode]) > 0;
    const uint constant_channels = rotated || plane.alpha_bits > 0 ? 0 : 0xFF000000u;

    bc7_moments moments[SUBSETS];
    bc7_ends ends;
    uint low[SUBSETS], high[SUBSETS];
    for (int s = 0; s < SUBSETS; ++s) low[s] = high[s] = 0;
    if (!is_last) {
      take_moments(&x, (int16)(-1), &moments[0]);
      for (int s = 1; s < SUBSETS; ++s) {
        take_moments(&x, s == 1 ? plane.second : plane.third, &moments[s]);
        leave_out(&moments[0], &moments[s]);
      }
    }
    for (int s = 0; s < SUBSETS; ++s) {
      ends.error[s] = is_last ? NO_ERROR : s < plane.subsets ? NO_ERROR : 0.0f;
      ends.low[s] = now.low[s];
      ends.high[s] = now.high[s];
      if (is_last && is_apart) {
        ends.low[s] >>= 24;
        ends.high[s] >>= 24;
      } else if (is_last && rotated) {
        ends.low[s] &= 0xFFFFFFu;
        ends.high[s] &= 0xFFFFFFu;
      }
    }
#if LAST_WALKS > 0
    const int first_move = is_last ? 1 : FITS + 1;
    const int steps = is_last ? LAST_WALKS * MOVES + 2 : FITS + 1 + WALKS * MOVES;
#else
    const int first_move = FITS + 1, steps = is_last ? 1 : FITS + 1;
#endif
    float16 index = (float16)(0.0f);
    for (int step = 0; step < steps; ++step) {
      if (is_last || step >= first_move) {
        // Of the last passes the first step is the error of what is there, the last one is for its indices.
        for (int s = 0; s < SUBSETS; ++s) {
          low[s] = ends.low[s];
          high[s] = ends.high[s];
        }
#if LAST_WALKS > 0
        if (step >= first_move && !(is_last && step == steps - 1)) {
          const int move = (step - first_move) % MOVES;
          if (!move_applies(&plane, move)) continue;
          for (int s = 0; s < SUBSETS; ++s)
            if (s < plane.subsets) move_ends(&plane, move, &low[s], &high[s]);
        }
#endif
      } else {
        for (int s = 0; s < SUBSETS; ++s) {
          if (s >= plane.subsets) continue;
          // Compilers leave this loop as it is, and an array that is indexed in it lies in memory.
          int16 inside = ~(plane.second | plane.third);
          bc7_moments m = moments[0];
          uint low_s = low[0], high_s = high[0];
          if (s == 1) {
            inside = plane.second;
            m = moments[1];
            low_s = low[1];
            high_s = high[1];
          }
#if SUBSETS == 3
          if (s == 2) {
            inside = plane.third;
            m = moments[2];
            low_s = low[2];
            high_s = high[2];
          }
#endif
          if (step == 0)
            ends_on_axis(&x, &plane, &m, inside, constant_channels, &low_s, &high_s);
          else
            fit_ends(&x, &plane, &m, inside, index, constant_channels, &low_s, &high_s);
          if (s == 0) {
            low[0] = low_s;
            high[0] = high_s;
          }
          if (s == 1) {
            low[1] = low_s;
            high[1] = high_s;
          }
#if SUBSETS == 3
          if (s == 2) {
            low[2] = low_s;
            high[2] = high_s;
          }
#endif
        }
      }
      float error[SUBSETS];
      index = measure(&x, &plane, low, high, error);
      for (int s = 0; s < SUBSETS; ++s) {
        if (error[s] >= ends.error[s]) continue;
        ends.error[s] = error[s];
        ends.low[s] = low[s];
        ends.high[s] = high[s];
      }
    }
    if (is_last) {
      for (int s = 0; s < SUBSETS; ++s) {
        if (rotated && s > 0) continue;
        const uint mask = !rotated ? 0u : is_apart ? 0xFFFFFFu : 0xFF000000u;
        const int shift = is_apart ? 24 : 0;
        best.low[s] = (best.low[s] & mask) | ends.low[s] << shift;
        best.high[s] = (best.high[s] & mask) | ends.high[s] << shift;
      }
      if (is_apart)
        indices_apart = nibbles(convert_int16(index));
      else
        indices = nibbles(convert_int16(index));
      continue;
    }
    if (is_apart) {
      now.low[0] |= ends.low[0] << 24;
      now.high[0] |= ends.high[0] << 24;
      now.error += ends.error[0];
    } else {
      for (int s = 0; s < SUBSETS; ++s) {
        now.low[s] = ends.low[s];
        now.high[s] = ends.high[s];
      }
      now.error = 0.0f;
      for (int s = 0; s < SUBSETS; ++s) now.error += ends.error[s];
    }
    if ((is_apart || !rotated) && now.error < best.error) best = now;
  }
  return pack(&best, indices, indices_apart);
}

#if HAS_ALPHA
// Alpha of the block with its top left texel at (x, y); texels outside the frame repeat its edge.
static float16 load_block_alpha(SOURCE source, const texcast_source *s, int x, int y) {
#if SOURCE_IS_IMAGE
#define ALPHA(i, j) (int)(pick(load_row(source, min(x + i, s->width - 1) >> 2, min(y + j, s->height - 1)), \
                               min(x + i, s->width - 1)) >> 24 & 255)
#else
#define ALPHA(i, j) \
  source[s->offset0 + min(y + j, s->height - 1) * s->stride0 + 4 * min(x + i, s->width - 1) + 3]
#endif
#define ROW(j) ALPHA(0, j), ALPHA(1, j), ALPHA(2, j), ALPHA(3, j)
  return convert_float16((int16)(ROW(0), ROW(1), ROW(2), ROW(3)));
#undef ROW
#undef ALPHA
}
#endif

kernel void bc7(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
  rgb_block p;
  load_rgb_block(source, &s, 4 * bx, 4 * by, &p);
  bc7_texels x;
  x.r = p.r;
  x.g = p.g;
  x.b = p.b;
  const float4 least = (float4)(min_of(p.r), min_of(p.g), min_of(p.b), 255.0f);
  const float4 most = (float4)(max_of(p.r), max_of(p.g), max_of(p.b), 255.0f);
  bool is_flat = least.x == most.x && least.y == most.y && least.z == most.z;
  int alpha = 255;
  bool is_opaque = true;
#if HAS_ALPHA
  x.a = load_block_alpha(source, &s, 4 * bx, 4 * by);
  const float least_alpha = min_of(x.a);
  is_opaque = least_alpha == 255.0f;
  is_flat = is_flat && least_alpha == max_of(x.a);
  alpha = small(least_alpha);
#endif
  if (is_flat)
    blocks[place_of(&t, block)] = flat_block((int4)(small(least.x), small(least.y), small(least.z), alpha));
  else
    blocks[place_of(&t, block)] = encode_block(&x, is_opaque);
}
