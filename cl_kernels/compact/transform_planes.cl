// transform_planes.cl — the samples of the reference frame in padded planes (transform_samples.cl), from frame to frame,
// as in codec/compact/encode/transform_reference.cpp.
//   defines      CHANNEL=1
//   exactness    integer; equals the CPU's result on every device
#include "compact/transform_samples.cl"

// Samples of the nearest block in the plane, repeated beyond the edge. `at`: in blocks of the padded plane.
static uint4 repeated_samples(uint4 samples, const texcast_component *c, int2 at) {
  const uint first = 0x01010101u;
  if (at.x < 2) samples = (samples & 255) * first;
  if (at.x >= c->blocks_x + 2) samples = (samples >> 24) * first;
  if (at.y == 0) samples = samples.xxxx;
  if (at.y == c->blocks_y + 1) samples = samples.wwww;
  return samples;
}
// Stores the samples of the sub-block at `at`, and repeats them if it lies at an edge.
static void store_padded(global uint *plane, const texcast_component *c, int2 at, uint4 samples) {
  const int2 begin = (int2)(at.x == 0 ? 0 : at.x + 2, at.y == 0 ? 0 : at.y + 1);
  const int2 end = (int2)(at.x == c->blocks_x - 1 ? at.x + 5 : at.x + 3, at.y == c->blocks_y - 1 ? at.y + 3 : at.y + 2);
  for (int y = begin.y; y < end.y; ++y)
    for (int x = begin.x; x < end.x; ++x)
      store_samples(plane, padded_columns(c), x, y, repeated_samples(samples, c, (int2)(x, y)));
}

// update_samples: updates the samples of tiles in the planes.
//   work-items   one for each sub-block of a component, which the second coordinate is: global = (tiles times the
//                sub-blocks of a tile in the first component, rounded up, components). Others have fewer
//   in   components   texcast_lossy_component[3]
//        tiles        numbers of tiles: `count` of them from `first` on; with TEXCAST_KEPT_SAMPLES they get those in
//                     `samples`, and else those that the blocks decode to
//        samples      uint[]: planes that are not padded
//        texture      ulong[sub-blocks]
//   out  planes       uint[]: padded planes; luma's only at whole pixels
kernel void update_samples(global const texcast_lossy_component *components, global const uint *tiles, int first,
                           uint count, global const uint *samples, global const ulong *texture, global uint *planes) {
  const int number = (int)get_global_id(1);
  const texcast_component c = components[number].component;
  int2 in_tile;
  const uint slot = slot_of_item(&c, &in_tile);
  if (slot >= count) return;
  const uint tile = tiles[first + (int)slot];
  const int2 at = tile_origin(&c, tile & TEXCAST_KEPT_TILE) + in_tile;
  if (!has_sub_block(&c, at.x, at.y)) return;
  uint4 of_block;
  if ((tile & TEXCAST_KEPT_SAMPLES) != 0)
    of_block = load_samples(samples + first_of_plane(components, number), c.blocks_x, at.x, at.y);
  else
    of_block = nearest_texels(texture[position_of(&c, at.x, at.y)]);
  store_padded(planes + first_of_padded(components, number), &c, at, of_block);
}

// The block of a padded plane that an item makes: its column and row, counted in blocks.
static int2 padded_block(const texcast_component *c, int at) {
  const int row = at / padded_columns(c);
  return (int2)(at - row * padded_columns(c), row);
}
// Four samples beside each other, of nine that begin two samples before them.
typedef struct texel_row {
  int4 a, b, c;  // samples -2 to 1, 2 to 5, 6 to 9
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
  // Rows from 2 samples before the block to 3 after it: samples, and sums of the filter across.
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
