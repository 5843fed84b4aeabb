// tables.cl — reads the tables of the ASTC encoder; include/kernels/astc.h describes their layout.
//   defines   SIDE=4, 5, 6 or 8 (required): texels of a block across and down · METHOD=TEXCAST_… (required)
#include "include/kernels/effort.h"
#include "include/kernels/astc.h"

#define TEXELS (SIDE * SIDE)

#define UNKNOWN 3e38f  // larger than any error

typedef global const uint *astc_tables;

// A bit for each texel.
#if TEXELS <= 32
typedef uint astc_set;
#else
typedef ulong astc_set;
#endif
#define ALL_TEXELS ((astc_set)(~(ulong)0 >> (64 - TEXELS)))

typedef struct {
  int weight_range, color_range, width, height, mode;
  float near, rise, first, most;            // of the weights' steps (steps.cl)
  float weights_rounding, colors_rounding;  // on average; for weights, per squared length of the line
} astc_layout;

static void read_layout(astc_tables tables, int number, astc_layout *out) {
  global const uint4 *row =
      (global const uint4 *)(tables + TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * number);
  const uint4 w = row[0], v = row[1];
  out->weight_range = w.x & 255;
  out->color_range = w.x >> 8 & 255;
  out->width = w.x >> 16 & 255;
  out->height = w.x >> 24;
  out->mode = w.y;
  out->near = as_float(w.z);
  out->rise = as_float(w.w);
  out->first = as_float(v.x);
  out->most = as_float(v.y);
  out->weights_rounding = as_float(v.z);
  out->colors_rounding = as_float(v.w);
}

static bool is_whole(int width, int height) { return width == SIDE && height == SIDE; }

// For a whole number 0..255: the nearest value of the range in the lower half, its code in the upper half.
static uint nearest_color(astc_tables tables, int range, float value) {
  return tables[TEXCAST_ASTC_COLORS + 256 * range + (int)value];
}
static uint range_word(astc_tables tables, int range) { return tables[TEXCAST_ASTC_RANGES + range]; }

// Tables of floats begin at multiples of four words, so that four floats are read at once.
typedef global const float4 *astc_floats;

// For a number of weights along a side: the matrices from texels to weights, and from weights to texels; eight floats
// per weight.
static astc_floats side_best(astc_tables tables, int weights) {
  return (astc_floats)(tables + TEXCAST_ASTC_SIDES + TEXCAST_ASTC_SIDE_WORDS * weights + TEXCAST_ASTC_SIDE_BEST);
}
static astc_floats side_drawn(astc_tables tables, int weights) {
  return (astc_floats)(tables + TEXCAST_ASTC_SIDES + TEXCAST_ASTC_SIDE_WORDS * weights + TEXCAST_ASTC_SIDE_DRAWN);
}
static float16 sixteen_of(astc_floats v) { return (float16)(v[0], v[1], v[2], v[3]); }

// The texels of the second partition.
static astc_set second_part(astc_tables tables, int number) {
  global const uint *row = tables + TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * number;
#if TEXELS <= 32
  return row[0];
#else
  return row[0] | (ulong)row[1] << 32;
#endif
}
