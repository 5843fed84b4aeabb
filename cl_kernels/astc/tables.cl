// tables.cl — reading the tables of ASTC's encoder: include/kernels/astc.h says what lies where.
//   defines   SIDE=4, 5, 6 or 8 (required): texels of a block across and down · METHOD=TEXCAST_… (required)
#include "include/kernels/effort.h"
#include "include/kernels/astc.h"

#define TEXELS (SIDE * SIDE)

typedef global const uint *astc_tables;

typedef struct {
  int weight_range, color_range, width, height, mode;
  float weight_share;
} astc_layout;

static void read_layout(astc_tables tables, int number, astc_layout *out) {
  global const uint *row = tables + TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * number;
  const uint w = row[0];
  out->weight_range = w & 255;
  out->color_range = w >> 8 & 255;
  out->width = w >> 16 & 255;
  out->height = w >> 24;
  out->mode = row[1];
  out->weight_share = as_float(row[2]);
}

static bool is_whole(int width, int height) { return width == SIDE && height == SIDE; }

// The nearest value of a range in the lower half, its code in the upper one; of a whole number 0..255.
static uint nearest_color(astc_tables tables, int range, float value) {
  return tables[TEXCAST_ASTC_COLORS + 256 * range + (int)value];
}
static uint weight_word(astc_tables tables, int range, int step) {
  return tables[TEXCAST_ASTC_WEIGHTS + 32 * range + step];
}
static int last_step(astc_tables tables, int range) { return tables[TEXCAST_ASTC_RANGES + range] & 255; }

// g weights along a side: what makes them of texels, and texels of them.
static global const float *side_best(astc_tables tables, int weights) {
  return (global const float *)(tables + TEXCAST_ASTC_SIDES + TEXCAST_ASTC_SIDE_WORDS * weights + TEXCAST_ASTC_SIDE_BEST);
}
static global const float *side_drawn(astc_tables tables, int weights) {
  return (global const float *)(tables + TEXCAST_ASTC_SIDES + TEXCAST_ASTC_SIDE_WORDS * weights + TEXCAST_ASTC_SIDE_DRAWN);
}
static uint tap_word(astc_tables tables, int weights, int texel) {
  return tables[TEXCAST_ASTC_SIDES + TEXCAST_ASTC_SIDE_WORDS * weights + TEXCAST_ASTC_SIDE_TAPS + texel];
}

// A bit for each texel of a partition's second part.
static ulong second_part(astc_tables tables, int number) {
  global const uint *row = tables + TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * number;
  return row[0] | (ulong)row[1] << 32;
}
