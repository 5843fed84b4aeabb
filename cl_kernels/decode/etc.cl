// etc.cl — decodes ETC1 and ETC2 blocks, one work-item per block.
//   in   blocks  uint2, or uint4 (alpha as EAC, then colour), any bytes
//   out  frame   as in decode/texels.cl
//   exactness    integer; equals codec/ref/etc bit for bit on every device
//   source       Khronos Data Format 1.3, sections 21 (ETC1) and 22 (ETC2)
#include "decode/eac_block.cl"
#include "include/kernels/etc_tables.h"
#include "decode/texels.cl"

#define ETC_PAIR(small, large) small, large,
constant int etc_modifiers[16] = {FOR_EACH_ETC_TABLE(ETC_PAIR)};
#define ETC_ONE(distance) distance,
constant int etc_distances[8] = {FOR_EACH_ETC_DISTANCE(ETC_ONE)};

static uint clamped_texel(int4 colour) {
  const int4 c = clamp(colour, (int4)(0), (int4)(255));
  return opaque_texel(c.x, c.y, c.z);
}

static int4 from_4_bits(int4 c) { return 17 * c; }
static int4 from_5_bits(int4 c) { return c << 3 | c >> 2; }
static int from_6_bits(int c) { return c << 2 | c >> 4; }
static int from_7_bits(int c) { return 129 * c >> 6; }  // no shifts: Oclgrind 21.10 lacks clang's result
// -4 to 3.
static int4 from_3_signed_bits(int4 c) { return (c ^ 4) - 4; }
static bool leaves_5_bits(int c) { return c < 0 || c > 31; }

// The four colours of a half, in the order of the indices. `punched`: index 2 is transparent black.
static uint4 half_colours(int4 base, int table, bool punched) {
  const int small = etc_modifiers[2 * table], large = etc_modifiers[2 * table + 1];
  return (uint4)(clamped_texel(punched ? base : base + small), clamped_texel(base + large),
                 punched ? 0 : clamped_texel(base - small), clamped_texel(base - large));
}

// Mode T: one colour, and three along the gray line through the other.
static uint4 t_colours(uint high, bool punched) {
  const int4 one =
      from_4_bits((int4)(BITS(high, 27, 2) << 2 | BITS(high, 24, 2), BITS(high, 20, 4), BITS(high, 16, 4), 0));
  const int4 line = from_4_bits((int4)(BITS(high, 12, 4), BITS(high, 8, 4), BITS(high, 4, 4), 0));
  const int distance = etc_distances[BITS(high, 2, 2) << 1 | BITS(high, 0, 1)];
  return (uint4)(clamped_texel(one), clamped_texel(line + distance), punched ? 0 : clamped_texel(line),
                 clamped_texel(line - distance));
}

// Mode H: two along the gray line through each colour. The order of the two colours' codes is a bit of the distance's
// index.
static uint4 h_colours(uint high, bool punched) {
  const int4 first = (int4)(BITS(high, 27, 4), BITS(high, 24, 3) << 1 | BITS(high, 20, 1),
                            BITS(high, 19, 1) << 3 | BITS(high, 15, 3), 0);
  const int4 second = (int4)(BITS(high, 11, 4), BITS(high, 7, 4), BITS(high, 3, 4), 0);
  const bool is_greater = (first.x << 8 | first.y << 4 | first.z) >= (second.x << 8 | second.y << 4 | second.z);
  const int distance = etc_distances[BITS(high, 2, 1) << 2 | BITS(high, 0, 1) << 1 | (is_greater ? 1 : 0)];
  const int4 a = from_4_bits(first), b = from_4_bits(second);
  return (uint4)(clamped_texel(a + distance), clamped_texel(a - distance), punched ? 0 : clamped_texel(b + distance),
                 clamped_texel(b - distance));
}

// Row `y` of a plane through the colours at (0, 0), (4, 0) and (0, 4).
static uint4 planar_row(uint high, uint low, int y) {
  const int4 origin = (int4)(from_6_bits(BITS(high, 25, 6)), from_7_bits(BITS(high, 24, 1) << 6 | BITS(high, 17, 6)),
                             from_6_bits(BITS(high, 16, 1) << 5 | BITS(high, 11, 2) << 3 | BITS(high, 7, 3)), 0);
  const int4 right = (int4)(from_6_bits(BITS(high, 2, 5) << 1 | BITS(high, 0, 1)), from_7_bits(BITS(low, 25, 7)),
                            from_6_bits(BITS(low, 19, 6)), 0);
  const int4 below =
      (int4)(from_6_bits(BITS(low, 13, 6)), from_7_bits(BITS(low, 6, 7)), from_6_bits(BITS(low, 0, 6)), 0);
  const int4 first = 4 * origin + y * (below - origin) + 2, step = right - origin;
  return (uint4)(clamped_texel(first >> 2), clamped_texel((first + step) >> 2), clamped_texel((first + 2 * step) >> 2),
                 clamped_texel((first + 3 * step) >> 2));
}

// Texels are numbered column by column.
static uint etc_index(uint low, int x, int y) {
  return (low >> (16 + 4 * x + y) & 1) << 1 | (low >> (4 * x + y) & 1);
}

typedef struct {
  uint low, high;
  uint4 first, second;  // the colours of the two halves
  bool halves_are_rows, is_planar;
} etc_block;

// `has_holes`: for punch-through alpha. The bit that otherwise selects individual mode then marks blocks without holes,
// and the mode is always differential (or T, H, planar).
static void read_etc(uint2 bytes, bool has_holes, etc_block *out) {
  const uint high = big_endian(bytes.x);
  out->high = high;
  out->low = big_endian(bytes.y);
  out->halves_are_rows = BITS(high, 0, 1) != 0;
  out->is_planar = false;
  const bool flag = BITS(high, 1, 1) != 0, punched = has_holes && !flag;
  int4 first, second;
  if (!has_holes && !flag) {
    first = from_4_bits((int4)(BITS(high, 28, 4), BITS(high, 20, 4), BITS(high, 12, 4), 0));
    second = from_4_bits((int4)(BITS(high, 24, 4), BITS(high, 16, 4), BITS(high, 8, 4), 0));
  } else {
    const int4 base = (int4)(BITS(high, 27, 5), BITS(high, 19, 5), BITS(high, 11, 5), 0);
    const int4 other = base + from_3_signed_bits((int4)(BITS(high, 24, 3), BITS(high, 16, 3), BITS(high, 8, 3), 4));
    if (leaves_5_bits(other.x)) {
      out->first = t_colours(high, punched);
      out->second = out->first;
      return;
    }
    if (leaves_5_bits(other.y)) {
      out->first = h_colours(high, punched);
      out->second = out->first;
      return;
    }
    out->is_planar = leaves_5_bits(other.z);
    first = from_5_bits(base);
    second = from_5_bits(other);
  }
  out->first = half_colours(first, BITS(high, 5, 3), punched);
  out->second = half_colours(second, BITS(high, 2, 3), punched);
}

static uint etc_texel(const etc_block *b, int x, int y) {
  const bool in_second = (b->halves_are_rows ? y : x) >= 2;
  return one_of(in_second ? b->second : b->first, etc_index(b->low, x, y));
}

static uint4 etc_row(const etc_block *b, int y) {
  if (b->is_planar) return planar_row(b->high, b->low, y);
  return (uint4)(etc_texel(b, 0, y), etc_texel(b, 1, y), etc_texel(b, 2, y), etc_texel(b, 3, y));
}

static void put_etc(uint2 bytes, bool has_holes, global uchar *frame, const texcast_decoded *t, int x, int y) {
  etc_block block;
  read_etc(bytes, has_holes, &block);
  for (int row = 0; row < 4; ++row) put_texels(frame, t, x, y + row, etc_row(&block, row));
}

static uint4 eac_alpha_row(uint2 bytes, int y) {
  const int4 value = EAC_BASE(bytes) + eac_modifier_row(bytes, y) * EAC_MULTIPLIER(bytes);
  return convert_uint4(clamp(value, (int4)(0), (int4)(255)));
}

kernel void decode_etc2(global const uint2 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  put_etc(blocks[block], false, frame, &t, x, y);
}

kernel void decode_etc2_holes(global const uint2 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  put_etc(blocks[block], true, frame, &t, x, y);
}

kernel void decode_etc2_alpha(global const uint4 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint4 bytes = blocks[block];
  etc_block colours;
  read_etc(bytes.zw, false, &colours);
  for (int row = 0; row < 4; ++row)
    put_texels(frame, &t, x, y + row, (etc_row(&colours, row) & 0xFFFFFFu) | eac_alpha_row(bytes.xy, row) << 24);
}
