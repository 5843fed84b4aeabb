// transform_syntax.cl — the symbols of transform slices, and their contexts, as in transform_syntax.h and
// macroblock_symbols.h of codec/compact/bitstream/include/compact.
//   defines      CHANNEL=1
#include "compact/macroblock_modes.cl"
#include "compact/syntax.cl"

#define MACROBLOCK_COLUMNS 4
#define MAGNITUDE_ESCAPE 15
#define MOST_LAST_CLASS 15

// The order of coefficients, from the lowest frequency to the highest: row * 8 + column.
constant uchar zigzag[TEXCAST_COEFFICIENTS] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

// The class of the last coefficient: its first place in the scan, and the literal bits after it.
constant uchar last_first[MOST_LAST_CLASS + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48};
constant uchar last_bits[MOST_LAST_CLASS + 1] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 4};
static int last_class_of(int last) {
  int last_class = MOST_LAST_CLASS;
  while (last_first[last_class] > last) --last_class;
  return last_class;
}

// The zone of a coefficient by its diagonal, 0 to 14.
static int zone_of(int diagonal) { return (int)(0x555555544433210UL >> 4 * diagonal) & 15; }
static int last_magnitude_context(int diagonal) { return TEXCAST_LAST_MAGNITUDE_CONTEXT + zone_of(diagonal); }
// `sum`: of the five magnitudes on the right and below, each limited to 15.
static int magnitude_context(int zone, uint sum) {
  return TEXCAST_MAGNITUDE_CONTEXT + 7 * zone + (int)(0x6555443210UL >> 4 * min(sum, 9u) & 15);
}
static int last_context(bool intra) { return TEXCAST_LAST_CONTEXT + (intra ? 1 : 0); }

// 0 none or skip, 1 inter, 2 intra.
static int mode_class(int mode) { return (int)(0x2222110u >> 4 * mode) & 3; }
static int mode_context(bool intra_slice, int left_class, int above_class) {
  return TEXCAST_MACROBLOCK_MODE_CONTEXT + (intra_slice ? 9 : 0) + 3 * left_class + above_class;
}
// `neighbours`: how many of the macroblocks on the left and above have luma coefficients.
static int coded_luma_context(bool intra, int neighbours) {
  return TEXCAST_CODED_LUMA_CONTEXT + (intra ? 3 : 0) + neighbours;
}
// `coded`: texcast_macroblock::coded, of the earlier components at least.
static int coded_chroma_context(bool intra, uint coded, int component) {
  const int earlier = component == 1 ? 0 : (coded & 0xF0) != 0 ? 2 : 1;
  return TEXCAST_CODED_CHROMA_CONTEXT + (intra ? 6 : 0) + ((coded & 0xF) != 0 ? 3 : 0) + earlier;
}

static int median_of(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }
// The predictor of a vector, from those on the left, above, and above on the right (on the left if there is none).
static int2 median_vector(int2 left, int2 above, int2 third) {
  return (int2)(median_of(left.x, above.x, third.x), median_of(left.y, above.y, third.y));
}
