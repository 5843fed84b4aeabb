// transform_planes.cl — the reference frame of transform slices in planes of a byte for each texel, as in
// codec/compact/encode/transform_reference.cpp. Each plane has more blocks of 4x4 texels, which repeat the edge: two on
// the left and on the right, one above and below. Six taps reach three texels, so that the outermost block has the same
// value in a row everywhere, and rows beyond the plane are as its outermost ones: coordinates may be limited to it.
// Six planes follow each other: luma at half pixels (bit 0 across, bit 1 down), Co and Cg.
//   defines      CHANNEL=1
//   exactness    integer; equals the CPU's result on every device
#include "compact/transform_blocks.cl"

// The numbers of 4 bytes in a row of a plane, and its rows.
static int padded_columns(const texcast_component *c) { return c->blocks_x + 4; }
static int padded_rows(const texcast_component *c) { return 4 * (c->blocks_y + 2); }

// The block of texels that an item makes: column and row in the padded plane, counted in blocks.
static int2 padded_block(const texcast_component *c, int at) {
  const int row = at / padded_columns(c);
  return (int2)(at - row * padded_columns(c), row);
}

// Texels of the nearest block in the plane, repeated beyond the edge.
static uint4 repeated_texels(uint4 texels, const texcast_component *c, int2 at) {
  const uint first = 0x01010101u;
  if (at.x < 2) texels = (texels & 255) * first;
  if (at.x >= c->blocks_x + 2) texels = (texels >> 24) * first;
  if (at.y == 0) texels = texels.xxxx;
  if (at.y == c->blocks_y + 1) texels = texels.wwww;
  return texels;
}

// decode_planes: the texels of all components.
//   work-items   one for each block of the padded planes, without luma's half pixels; rounded up
//   in   components, reference: the reference frame's texture
//   out  planes       uint[plane][padded_rows][padded_columns]
kernel void decode_planes(global const texcast_lossy_component *components, global const ulong *reference,
                          global uint *planes) {
  const texcast_component luma = components[0].component, chroma = components[1].component;
  const int of_luma = padded_columns(&luma) * padded_rows(&luma);
  const int of_chroma = padded_columns(&chroma) * padded_rows(&chroma);
  int at = (int)get_global_id(0), number = 0;
  if (at >= of_luma / 4) {
    at -= of_luma / 4;
    number = 1 + at / (of_chroma / 4);
    at -= (number - 1) * (of_chroma / 4);
  }
  if (number >= TEXCAST_TRANSFORM_COMPONENTS) return;
  const texcast_component c = components[number].component;
  const int2 block = padded_block(&c, at);
  const int x = clamp(block.x - 2, 0, c.blocks_x - 1), y = clamp(block.y - 1, 0, c.blocks_y - 1);
  const uint4 texels = repeated_texels(nearest_texels(reference[position_of(&c, x, y)]), &c, block);
  global uint *to = planes + (number == 0 ? 0 : 4 * of_luma + (number - 1) * of_chroma);
  const int columns = padded_columns(&c);
  to += block.y * 4 * columns + block.x;
  to[0] = texels.x;
  to[columns] = texels.y;
  to[2 * columns] = texels.z;
  to[3 * columns] = texels.w;
}

// Four texels beside each other, of nine that begin two texels before them.
typedef struct texel_row {
  int4 a, b, c;  // texels -2 to 1, 2 to 5, 6 to 9
} texel_row;
static void load_row(global const uint *row, int at, int columns, texel_row *r) {
  const ulong before = row[max(at - 1, 0)], here = row[at], after = row[min(at + 1, columns - 1)];
  // 64 bits, as Oclgrind does not know the intrinsic for two numbers of 32 bits.
  r->a = texels_of_row((uint)((here << 32 | before) >> 16));
  r->b = texels_of_row((uint)((after << 32 | here) >> 16));
  r->c = texels_of_row((uint)after >> 16);
}
static int4 half_taps_across(const texel_row *r) {
  return r->a + (int4)(r->b.yzw, r->c.x) - 4 * ((int4)(r->a.yzw, r->b.x) + (int4)(r->b.xyzw)) +
         19 * ((int4)(r->a.zw, r->b.xy) + (int4)(r->a.w, r->b.xyz));
}
static int4 half_taps_down(int4 a, int4 b, int4 c, int4 d, int4 e, int4 f) {
  return a + f - 4 * (b + e) + 19 * (c + d);
}
static uint packed_texel_row(int4 sums, int rounding, int shift) {
  return packed_row(max(min((sums + rounding) >> shift, (int4)(255)), (int4)(0)));
}

// interpolate_planes: luma at half pixels.
//   work-items   one for each block of luma's padded plane, rounded up
//   in   planes  uint: luma at whole pixels
//   out  planes  the three planes that follow
kernel void interpolate_planes(const texcast_component c, global uint *planes) {
  const int columns = padded_columns(&c), rows = padded_rows(&c), plane = columns * rows;
  if ((int)get_global_id(0) >= plane / 4) return;
  const int2 block = padded_block(&c, (int)get_global_id(0));
  // Rows from 2 texels before the block to 3 after it: texels, and sums of the filter across.
  int4 texels[9], across[9];
  for (int i = 0; i < 9; ++i) {
    texel_row row;
    load_row(planes + clamp(4 * block.y + i - 2, 0, rows - 1) * columns, block.x, columns, &row);
    texels[i] = (int4)(row.a.zw, row.b.xy);
    across[i] = half_taps_across(&row);
  }
  global uint *to = planes + plane + 4 * block.y * columns + block.x;
  for (int j = 0; j < 4; ++j, to += columns) {
    to[0] = packed_texel_row(across[j + 2], 16, 5);
    to[plane] = packed_texel_row(half_taps_down(texels[j], texels[j + 1], texels[j + 2], texels[j + 3], texels[j + 4],
                                                texels[j + 5]), 16, 5);
    to[2 * plane] = packed_texel_row(half_taps_down(across[j], across[j + 1], across[j + 2], across[j + 3],
                                                    across[j + 4], across[j + 5]), 512, 10);
  }
}
