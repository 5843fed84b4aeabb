// rd_common.cl — values of levels, losses (distortion) and RD costs, for the kernels of lossy mode decision.
#include "compact/lossy_syntax.cl"

#define NOTHING 0x7FFFFFFF  // a cost that is never reached: there is no candidate
#define SLOTS 16            // candidates for end points

// 65536 / steps, rounded up. Quotients are exact: this times steps is only 5 or 4 more than 65536, and what is divided
// is less than 2^11.
#define INVERSE_STEPS(full) ((full) ? 9363 : 13108)
// The values of the levels, a byte each.
static ulong values_by_level(uint ends) {
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full), step = (int)(ends >> 8 & 255) - (int)(ends & 255);
  int number = (int)(ends & 255) * steps;
  uint low = 0, high = 0;
  for (int i = 0; i < 4; ++i, number += step) low |= (uint)(number * INVERSE_STEPS(full) >> 16) << 8 * i;
  for (int i = 0; i < 4; ++i, number += step) high |= (uint)(number * INVERSE_STEPS(full) >> 16 & 255) << 8 * i;
  if (!full) high = (high & 0xFFFFu) | 0xFF000000u;
  return (ulong)high << 32 | low;
}
static int value_at(ulong values, int level) { return (int)(values >> 8 * level) & 255; }
static int byte_at(uint bytes, int i) { return (int)(bytes >> 8 * i & 255); }
static uint of_clamped(int first, int second) { return (uint)clamp(first, 0, 255) | (uint)clamp(second, 0, 255) << 8; }

// The line from one end point to the other. Positions of texels along it are in eighths of a level, rounded up.
typedef struct line_of_ends {
  int first, scale, range, steps;
  uint inverse;  // 2^31 / range, rounded up
} line_of_ends;
static line_of_ends line_between(uint ends) {
  line_of_ends line;
  const int axis = (int)(ends >> 8 & 255) - (int)(ends & 255);
  line.first = (int)(ends & 255);
  line.range = (int)abs(axis);
  line.steps = axis < 0 ? 7 : 5;
  line.scale = axis > 0 ? 8 * 5 : -8 * line.steps;
  line.inverse = (0x80000000u + (uint)max(line.range - 1, 0)) / (uint)max(line.range, 1);
  return line;
}
static int eighths_along(const line_of_ends *line, int texel) {
  // Without a range every texel lies far before the line. Otherwise the quotient is exact: the inverse times the range
  // exceeds 2^31 by less than 2^8, and `size` is less than 2^14, too little to reach the next integer.
  if (line->range == 0) return -8 * line->steps;
  const int number = line->scale * (texel - line->first);
  const bool is_after = number > 0;
  const uint size = (uint)(is_after ? number + line->range - 1 : -number);
  const int eighths = (int)mul_hi(2 * size, line->inverse);
  return is_after ? eighths : -eighths;
}
static int level_there(const line_of_ends *line, int eighths) { return clamp((eighths + 3) >> 3, 0, line->steps); }

// The factors of loss and of bits in RD costs. Costs in bits are in 1/32 bits.
typedef struct scale {
  int weight, lambda;
} scale;
static int score_of(const scale *by, int loss, int cost) {
  return loss * by->weight + (int)((long)by->lambda * cost >> 5);
}
static int loss_at(ulong values, int level, int texel) {
  const int off = value_at(values, level) - texel;
  return off * off;
}

// The sum of squared differences between a sub-block and its source texels.
static int loss_of_sub_block(ulong value, const uint source[4]) {
  const palette p = palette_of(TEXCAST_CHANNEL, value);
  const ulong indices = indices_of(value);
  int loss = 0;
  for (int i = 0; i < 16; ++i) {
    const int off = (int)shade(p, index_at(indices, i)) - byte_at(source[i / 4], i % 4);
    loss += off * off;
  }
  return loss;
}
// In half texels of the component. Vectors that cannot be coded become zero.
static int2 half_texel_vector(global const texcast_lossy_tile *tile, const texcast_component *c, int partition) {
  const int2 v = (int2)(tile->vectors[2 * partition], tile->vectors[2 * partition + 1]);
  return is_codable(v) ? (int2)(v.x >> (c->across - 1), v.y >> (c->down - 1)) : (int2)(0, 0);
}
// The place of a component's first sub-block in the pre-analysis of a tile. If `number` is the number of components:
// how many sub-blocks that has.
static int first_sub_block(global const texcast_lossy_component *components, int number) {
  int first = 0;
  for (int i = 0; i < number; ++i) first += components[i].component.tile_columns * components[i].component.tile_rows;
  return first;
}
