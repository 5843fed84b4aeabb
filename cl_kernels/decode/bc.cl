// bc.cl — decodes BC1, BC3, BC4 and BC5 blocks, one work-item per block.
//   in   blocks  uint2 (BC1, BC4) or uint4 (BC3, BC5), little-endian: any bytes
//   out  frame   as in decode/texels.cl: BC4 as gray, BC5 as red and green with blue 0; alpha is 255 except for BC3
//   exactness    integer; equals decode_bc1, decode_bc3_color and decode_bc4 of codec/ref/bc, with end points expanded
//                by
//                repeating their high bits, and fractions rounded down (BC1) or to nearest (BC4)
//   source       docs/format.md, "BC1" and "BC4"
#include "decode/texels.cl"

// Four colours, or three and black if the first end point is not above the second.
static uint4 colours_of(uint ends, bool always_four) {
  const int first = ends & 0xFFFF, second = ends >> 16;
  const int4 codes0 = (int4)(first >> 11, first >> 5 & 63, first & 31, 0);
  const int4 codes1 = (int4)(second >> 11, second >> 5 & 63, second & 31, 0);
  const int4 up = (int4)(3, 2, 3, 0), down = (int4)(2, 4, 2, 0);
  const int4 a = codes0 << up | codes0 >> down, b = codes1 << up | codes1 >> down;
  const bool four = always_four || first > second;
  const int4 c = four ? (2 * a + b) / 3 : (a + b) / 2;
  const int4 d = four ? (a + 2 * b) / 3 : (int4)(0);
  return (uint4)(opaque_texel(a.x, a.y, a.z), opaque_texel(b.x, b.y, b.z), opaque_texel(c.x, c.y, c.z),
                 opaque_texel(d.x, d.y, d.z));
}

// The colours of a row, whose indices are the low eight bits.
static uint4 colour_row(uint4 colours, uint indices) {
  return (uint4)(one_of(colours, indices), one_of(colours, indices >> 2), one_of(colours, indices >> 4),
                 one_of(colours, indices >> 6));
}

// Indices 0 and 1 are the end points. There are eight values from one to the other, or six, 0 and 255.
static uint value_at(int first, int second, uint index) {
  const int i = index & 7;
  if (i < 2) return i == 0 ? first : second;
  if (first > second) return (2 * ((8 - i) * first + (i - 1) * second) + 7) / 14;
  if (i < 6) return (2 * ((6 - i) * first + (i - 1) * second) + 5) / 10;
  return i == 6 ? 0 : 255;
}

// The indices of a row of the block, three bits each, which are stored from bit 16 on. Reads halves of 24 bits, as
// Oclgrind 21.10 lacks the instruction that clang makes of 32 bits that continue in the next word.
static uint value_indices(uint2 block, int row) {
  const uint half_of_block = row < 2 ? block.x >> 16 | (block.y & 255) << 16 : block.y >> 8;
  return half_of_block >> (row & 1 ? 12 : 0);
}

static uint4 value_row(uint2 block, int row) {
  const int first = block.x & 255, second = block.x >> 8 & 255;
  const uint indices = value_indices(block, row);
  return (uint4)(value_at(first, second, indices), value_at(first, second, indices >> 3),
                 value_at(first, second, indices >> 6), value_at(first, second, indices >> 9));
}

kernel void decode_bc1(global const uint2 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint2 bits = blocks[block];
  const uint4 colours = colours_of(bits.x, false);
  for (int row = 0; row < 4; ++row) put_texels(frame, &t, x, y + row, colour_row(colours, bits.y >> 8 * row));
}

kernel void decode_bc3(global const uint4 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint4 bits = blocks[block];
  const uint4 colours = colours_of(bits.z, true);
  for (int row = 0; row < 4; ++row)
    put_texels(frame, &t, x, y + row,
               (colour_row(colours, bits.w >> 8 * row) & 0xFFFFFFu) | value_row(bits.xy, row) << 24);
}

kernel void decode_bc4(global const uint2 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint2 bits = blocks[block];
  for (int row = 0; row < 4; ++row)
    put_texels(frame, &t, x, y + row, value_row(bits, row) * 0x10101u | 0xFF000000u);
}

kernel void decode_bc5(global const uint4 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint4 bits = blocks[block];
  for (int row = 0; row < 4; ++row)
    put_texels(frame, &t, x, y + row, value_row(bits.xy, row) | value_row(bits.zw, row) << 8 | 0xFF000000u);
}

// For signed end points; -128 is -127. Their order is that of the bytes. -1 becomes 0, and 1 becomes 255.
static uint signed_value_at(int first, int second, uint index) {
  const int i = index & 7, a = max(first, -127) + 127, b = max(second, -127) + 127;
  if (i < 2) return (510 * (i == 0 ? a : b) + 254) / 508;
  if (first > second) return (510 * ((8 - i) * a + (i - 1) * b) + 254 * 7) / (508 * 7);
  if (i < 6) return (510 * ((6 - i) * a + (i - 1) * b) + 254 * 5) / (508 * 5);
  return i == 6 ? 0 : 255;
}

static uint4 signed_value_row(uint2 block, int row) {
  const int first = ((block.x & 255) ^ 128) - 128, second = ((block.x >> 8 & 255) ^ 128) - 128;
  const uint indices = value_indices(block, row);
  return (uint4)(signed_value_at(first, second, indices), signed_value_at(first, second, indices >> 3),
                 signed_value_at(first, second, indices >> 6), signed_value_at(first, second, indices >> 9));
}

kernel void decode_bc4_signed(global const uint2 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint2 bits = blocks[block];
  for (int row = 0; row < 4; ++row)
    put_texels(frame, &t, x, y + row, signed_value_row(bits, row) * 0x10101u | 0xFF000000u);
}

kernel void decode_bc5_signed(global const uint4 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint4 bits = blocks[block];
  for (int row = 0; row < 4; ++row)
    put_texels(frame, &t, x, y + row,
               signed_value_row(bits.xy, row) | signed_value_row(bits.zw, row) << 8 | 0xFF000000u);
}
