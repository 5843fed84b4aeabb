// transform_blocks.cl — the parts of transform slices (docs/compact.md, 5.16 to 5.19) that encoder and decoder share:
// fit, transform, interpolation and intra prediction. Functions without kernels; none has a barrier or local memory of
// its own.
//   defines      CHANNEL=1
//   exactness    integer; equals codec/compact/transform bit for bit on every device
//
// Texels of a sub-block are a uint4: a row in each component, and in a row a byte for each texel, the left one lowest.
// So are the source texels of source_texels.cl in memory. Eight texels beside each other or below each other are a
// uint2.
//
//   fit_block           the BC4 sub-block nearest to 16 texels, by one work-item and in registers
//   nearest_texels      the texels of any BC4 sub-block; nearest_palette() and nearest_texel() for some of them
//   transform_step, dequantised, inverse_eight, forward_eight
//                       the residual; a work-item transforms a row or a column of eight numbers
//   texel_vector, half_samples, taps_at_half, taps_at_eighth, six_taps, predicted_texel
//                       inter prediction
//   intra_mean, intra_texel
//                       intra prediction
//
// Eight work-items transform a block of 8x8 in two passes, with a barrier between them. For the inverse transform item
// i calls inverse_eight() for column i with TRANSFORM_FIRST_SHIFT, and then for row i with TRANSFORM_SECOND_SHIFT. For
// the forward transform it calls forward_eight() for row i with FORWARD_FIRST_SHIFT, and then for column i with
// FORWARD_SECOND_SHIFT. Between the passes the numbers lie in local memory, TRANSFORM_ROW in a row and TRANSFORM_AREA
// in a block: so no two of 32 items that transform four blocks access the same bank, neither by rows nor by columns.
#include "common/lanes.cl"
#include "compact/macroblock_modes.cl"
#include "compact/sub_block.cl"

// Fit (5.19). All numbers have at most 24 bits: the largest are the numerators of the least squares, below
// 2 * (784 * 4080 + 7 * 16 * 28560) + 3136 < 2^24.

// Sixteen texels as numbers, row by row.
static int4 texels_of_row(uint row) {
  return (int4)((int)(row & 255), (int)(row >> 8 & 255), (int)(row >> 16 & 255), (int)(row >> 24));
}
static int16 unpacked_texels(uint4 texels) {
  return (int16)(texels_of_row(texels.x), texels_of_row(texels.y), texels_of_row(texels.z), texels_of_row(texels.w));
}
static uint packed_row(int4 row) { return (uint)row.x | (uint)row.y << 8 | (uint)row.z << 16 | (uint)row.w << 24; }
static uint4 packed_texels(int16 texels) {
  return (uint4)(packed_row(texels.s0123), packed_row(texels.s4567), packed_row(texels.s89ab),
                 packed_row(texels.scdef));
}

// The number V of each texel between the end points, counted from the lower one: (14 * (w - low) + range - 1) /
// (2 * range), rounded down, for w limited to the end points. Multiplication by a reciprocal, 2^20 / range rounded up,
// divides exactly: the numerator is below 15 * range, and so the error of the quotient is at most 7.5 * range / 2^20,
// which is less than the 1 / (2 * range) that the fraction lacks to the next number.
static int16 fitted_levels(int16 wanted, int high, int low) {
  const int range = high - low, reciprocal = (1 << 20) / range + 1;
  const int16 limited = max(min(wanted, (int16)(high)), (int16)(low));
  return (limited * 14 + (range - 1 - 14 * low)) * reciprocal >> 21;
}
// low + (V * range + 3) / 7. A multiplication divides: 9363 = (2^16 + 5) / 7.
static int16 fitted_values(int16 levels, int high, int low) {
  return (levels * (9363 * (high - low)) + (3 * 9363 + (low << 16))) >> 16;
}

// Nearest( z ) of 5.19. `determinant` is positive.
static int nearest_quotient(int z, int determinant) {
  return z < 0 ? 0 : min(255, (2 * z + determinant) / (2 * determinant));
}
// The end points (high, low) with the least squares of the errors for the levels of others. (0, 0): there are none.
static int2 least_squares_fit(int16 wanted, int2 ends) {
  const int16 levels = fitted_levels(wanted, ends.x, ends.y);
  const int sum = sum16(levels), squares = sum16(levels * levels);
  const int texels = sum16(wanted), products = sum16(levels * wanted);
  const int determinant = 16 * squares - sum * sum;
  if (determinant == 0) return (int2)(0, 0);
  const int at_low = squares * texels - sum * products, slope = 16 * products - sum * texels;
  return (int2)(nearest_quotient(at_low + 7 * slope, determinant), nearest_quotient(at_low, determinant));
}

// Candidate `i` of 5.19, counted from 0, of the first five. `extremes`: the largest and the smallest texel.
static int2 early_candidate(int2 extremes, int i) {
  const int range = extremes.x - extremes.y, of_16 = (range + 8) >> 4;
  const int inside = i == 1 ? (range + 16) >> 5 : i == 2 ? (range + 5) / 10 : 0;
  return (int2)(extremes.x - (i == 3 ? of_16 : inside), extremes.y + (i == 4 ? of_16 : inside));
}
// The same of the last four. `ends`: the best ones of those before.
static int2 late_candidate(int2 ends, int i) {
  return (int2)(min(ends.x + (i == 6 ? 1 : i == 7 ? -1 : 0), 255), max(ends.y + (i == 8 ? 1 : i == 9 ? -1 : 0), 0));
}
// The best end points, high and low. Candidates are tried in a loop that is not unrolled, which would not fit into the
// caches of a GPU for instructions.
static int2 best_fit(int16 wanted, int2 extremes) {
  int2 best = extremes, before = extremes;
  int least = INT_MAX;
#pragma unroll 1
  for (int i = 0; i < 10 && least != 0; ++i) {
    if (i == 6) before = best;
    int2 ends = i < 5 ? early_candidate(extremes, i) : late_candidate(before, i);
    if (i == 5) ends = least_squares_fit(wanted, best);
    if (ends.x <= ends.y) continue;
    const int16 off = fitted_values(fitted_levels(wanted, ends.x, ends.y), ends.x, ends.y) - wanted;
    const int error = sum16(off * off);
    if (error < least) best = ends;
    least = min(least, error);
  }
  return best;
}

// The sub-block of end points and indices of 3 bits, row by row.
static ulong packed_sub_block(int high, int low, int16 index) {
  const uint16 shift = (uint16)(0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21);
  const uint16 bits = as_uint16(index) << shift;
  const uint4 a = bits.s0123 | bits.s4567, b = bits.s89ab | bits.scdef;
  const uint upper = a.x | a.y | a.z | a.w, lower = b.x | b.y | b.z | b.w;
  return (ulong)(upper >> 16 | lower << 8) << 32 | (ulong)((uint)high | (uint)low << 8 | upper << 16);
}

// Returns the fitted sub-block; `texels` becomes its texels.
static ulong fit_block(uint4 wanted_texels, uint4 *texels) {
  const int16 wanted = unpacked_texels(wanted_texels);
  const int most = max16(wanted), least = min16(wanted);
  *texels = wanted_texels;
  if (most == least) return (ulong)(most | least << 8);
  const int2 ends = best_fit(wanted, (int2)(most, least));
  const int16 levels = fitted_levels(wanted, ends.x, ends.y);
  *texels = packed_texels(fitted_values(levels, ends.x, ends.y));
  // Levels 0 to 7 from the lower end point have the indices 1, 7, 6, 5, 4, 3, 2 and 0. The shift spreads the sign.
  const int16 opposite = -levels & 7;
  return packed_sub_block(ends.x, ends.y, opposite ^ ((opposite - 2) >> 31 & 1));
}

// Texels (5.16, Texels).

// The values of a sub-block's indices, a byte each, rounded to the nearest.
static palette nearest_palette(ulong sub_block) {
  const uint ends = ends_of(sub_block);
  const int first = (int)(ends & 255), second = (int)(ends >> 8 & 255);
  palette out = (palette)ends;
  if (first > second) {
    for (int i = 1; i < 7; ++i) out |= (palette)((first * (7 - i) + second * i + 3) / 7) << 8 * (i + 1);
  } else {
    for (int i = 1; i < 5; ++i) out |= (palette)((first * (5 - i) + second * i + 2) / 5) << 8 * (i + 1);
    out |= 255UL << 56;
  }
  return out;
}
// The texel with number i of a sub-block, row by row.
static uint nearest_texel(ulong sub_block, int i) {
  return shade(nearest_palette(sub_block), index_at(indices_of(sub_block), i));
}
static uint4 nearest_texels(ulong sub_block) {
  const palette values = nearest_palette(sub_block);
  uint4 texels = (uint4)(0, 0, 0, 0);
  for (int i = 0; i < 4; ++i) {
    const uint4 index = (uint4)((uint)(sub_block >> (16 + 3 * i)), (uint)(sub_block >> (28 + 3 * i)),
                                (uint)(sub_block >> (40 + 3 * i)), (uint)(sub_block >> (52 + 3 * i))) & 7u;
    texels |= (uint4)(shade(values, index.x), shade(values, index.y), shade(values, index.z),
                      shade(values, index.w)) << (uint)(8 * i);
  }
  return texels;
}

// Residual (5.18).
#define TRANSFORM_SIDE 8
#define TRANSFORM_ROW 9  // numbers of a row in local memory
#define TRANSFORM_AREA TEXCAST_TRANSFORM_AREA  // of a transform block there
#define TRANSFORM_FIRST_SHIFT 7
#define TRANSFORM_SECOND_SHIFT 12
#define FORWARD_FIRST_SHIFT 2
#define FORWARD_SECOND_SHIFT 9

// The quantiser step in 1/64 of a texel's value; `quantiser` is 0 to 51.
static int transform_step(int quantiser) {
  const int steps = quantiser / 6, i = quantiser - 6 * steps;
  return (i == 0 ? 40 : i == 1 ? 45 : i == 2 ? 51 : i == 3 ? 57 : i == 4 ? 64 : 72) << steps;
}
// The coefficient of a level, in 1/16. A level has 16 bits, and a step less.
static int dequantised(int level, int step) { return clamp((level * step + 2) >> 2, -32768, 32767); }

static int8 limited_to_words(int8 v) { return max(min(v, (int8)(32767)), (int8)(-32768)); }

// Eight coefficients of 16 bits to eight numbers of 16 bits. The basis functions are symmetric or antisymmetric.
static int8 inverse_eight(int8 v, int shift) {
  const int rounding = 1 << (shift - 1);
  const int a = 64 * (v.s0 + v.s4) + rounding, b = 64 * (v.s0 - v.s4) + rounding;
  const int c = 83 * v.s2 + 36 * v.s6, d = 36 * v.s2 - 83 * v.s6;
  const int4 even = (int4)(a + c, b + d, b - d, a - c);
  const int4 odd = v.s1 * (int4)(89, 75, 50, 18) + v.s3 * (int4)(75, -18, -89, -50) +
                   v.s5 * (int4)(50, -89, 18, 75) + v.s7 * (int4)(18, -50, 75, -89);
  return limited_to_words((int8)(even + odd, (even - odd).wzyx) >> shift);
}
// Eight numbers of 16 bits to eight coefficients of 16 bits.
static int8 forward_eight(int8 v, int shift) {
  const int rounding = 1 << (shift - 1);
  const int4 sums = v.s0123 + v.s7654, differences = v.s0123 - v.s7654;
  const int a = sums.x + sums.w, b = sums.y + sums.z, c = sums.x - sums.w, d = sums.y - sums.z;
  const int4 even = (int4)(64 * (a + b), 83 * c + 36 * d, 64 * (a - b), 36 * c - 83 * d) + rounding;
  const int4 odd = differences.x * (int4)(89, 75, 50, 18) + differences.y * (int4)(75, -18, -89, -50) +
                   differences.z * (int4)(50, -89, 18, 75) + differences.w * (int4)(18, -50, 75, -89) + rounding;
  return limited_to_words(
      (int8)(even.x, odd.x, even.y, odd.y, even.z, odd.z, even.w, odd.w) >> shift);
}
// Numbers in local memory, `step` apart: 1 for a row, TRANSFORM_ROW for a column.
static int8 load_eight(local const int *from, int step) {
  return (int8)(from[0], from[step], from[2 * step], from[3 * step], from[4 * step], from[5 * step], from[6 * step],
                from[7 * step]);
}
static void store_eight(local int *to, int step, int8 v) {
  to[0] = v.s0;
  to[step] = v.s1;
  to[2 * step] = v.s2;
  to[3 * step] = v.s3;
  to[4 * step] = v.s4;
  to[5 * step] = v.s5;
  to[6 * step] = v.s6;
  to[7 * step] = v.s7;
}

// Inter prediction (5.17).
#define TAPS_BEFORE 2  // texels that the filters read before and after those that they make, at most
#define TAPS_AFTER 3

// Components with fewer texels than pixels have a filter of their own.
static bool is_subsampled(int across, int down) { return across * down > 1; }

// A vector in quarter pixels, in a component: x and y in whole texels; then the eighths, 0 to 7. Those of a component
// that is not subsampled are even.
static int4 texel_vector(int2 vector, int across, int down) {
  const int x = across == 2 ? vector.x : 2 * vector.x, y = down == 2 ? vector.y : 2 * vector.y;
  return (int4)(x >> 3, y >> 3, x & 7, y & 7);
}
// It leads from sub-blocks to sub-blocks.
static bool is_whole_blocks(int4 texel_vector) {
  return ((texel_vector.z | texel_vector.w) | ((texel_vector.x | texel_vector.y) & 3)) == 0;
}
// How many texels the filter reads before those that it makes and after them, in a direction with this fraction.
static int2 filter_reach(bool is_subsampled, int eighth) {
  if (eighth == 0) return (int2)(0, 0);
  return is_subsampled ? (int2)(1, 2) : (int2)(TAPS_BEFORE, TAPS_AFTER);
}

// The two samples whose mean, rounded up, is the one at a place in quarter texels: x and y of each of them, in half
// texels. They are the same at half texels.
static int4 half_samples(int2 quarters) {
  const int2 first = quarters >> 1;
  if ((quarters.x & quarters.y & 1) == 0) return (int4)(first, (quarters + 1) >> 1);
  const int more = (first.x + first.y + 1) & 1;
  return (int4)(first.x + more, first.y, first.x + 1 - more, first.y + 1);
}
static bool is_mean(int4 samples) { return samples.x != samples.z || samples.y != samples.w; }
// The means of four texels beside each other and four others, rounded up.
static uint means_of_four(uint a, uint b) { return (a | b) - (((a ^ b) >> 1) & 0x7F7F7F7Fu); }

// The six taps of a sample in s0 to s5, in 1/32. `halves`: how many half texels it is after the texel of tap
// TAPS_BEFORE, 0 to 2.
static int8 taps_at_half(int halves) {
  int8 taps = (int8)(1, -4, 19, 19, -4, 1, 0, 0);
  if (halves == 0) taps = (int8)(0, 0, 32, 0, 0, 0, 0, 0);
  if (halves == 2) taps = (int8)(0, 0, 0, 32, 0, 0, 0, 0);
  return taps;
}
// The same of a component that is subsampled, at an eighth, in 1/64; the outer ones are 0. A byte for each of the inner
// ones, the first one lowest.
constant uint taps_of_eighths[8] = {0x00004000, 0xFE0A3AFE, 0xFE1036FC, 0xFC1C2EFA,
                                    0xFC2424FC, 0xFA2E1CFC, 0xFC3610FE, 0xFE3A0AFE};
static int8 taps_at_eighth(int eighth) {
  const int taps = (int)taps_of_eighths[eighth];
  return (int8)(0, taps << 24 >> 24, taps << 16 >> 24, taps << 8 >> 24, taps >> 24, 0, 0, 0);
}
// The filter: 32 or 64 times a texel from texels, or the square of that times a texel from results of the filter.
static int six_taps(int8 taps, int a, int b, int c, int d, int e, int f) {
  return taps.s0 * a + taps.s1 * b + taps.s2 * c + taps.s3 * d + taps.s4 * e + taps.s5 * f;
}
// The texel of a sum that was filtered across and down. `shift`: TAPS_SHIFT, or SUBSAMPLED_TAPS_SHIFT.
#define TAPS_SHIFT 10
#define SUBSAMPLED_TAPS_SHIFT 12
static int predicted_texel(int sum, int shift) { return clamp((sum + (1 << (shift - 1))) >> shift, 0, 255); }

// Intra prediction (5.17). `left` and `above` are the texels on the left of a transform block and above it, eight
// each. They are 0 if they do not exist.
static int eighth_texel(uint2 texels, int i) { return (int)((i < 4 ? texels.x : texels.y) >> 8 * (i & 3) & 255); }
static int sum_of_eight(uint2 texels) {
  const uint2 pairs = (texels & 0xFF00FFu) + (texels >> 8 & 0xFF00FFu);
  const uint both = pairs.x + pairs.y;
  return (int)((both & 0xFFFF) + (both >> 16));
}
static int intra_mean(uint2 left, uint2 above, bool has_left, bool has_above) {
  const int sum = sum_of_eight(left) + sum_of_eight(above);
  if (has_left && has_above) return (sum + 8) >> 4;
  return has_left || has_above ? (sum + 4) >> 3 : 128;
}
// The prediction of the texel at column x and row y of the transform block. `mean`: intra_mean().
static int intra_texel(int mode, int x, int y, uint2 left, uint2 above, bool has_left, bool has_above, int mean) {
  const int of_left = eighth_texel(left, y), of_above = eighth_texel(above, x);
  int texel = mean;
  if (mode == MACROBLOCK_INTRA_HORIZONTAL && has_left) texel = of_left;
  if (mode == MACROBLOCK_INTRA_VERTICAL && has_above) texel = of_above;
  if (mode == MACROBLOCK_INTRA_PLANAR && has_left && has_above)
    texel = ((7 - x) * of_left + (x + 1) * eighth_texel(above, 7) + (7 - y) * of_above +
             (y + 1) * eighth_texel(left, 7) + 8) >> 4;
  return texel;
}
