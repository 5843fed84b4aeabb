// source_texels.cl — the texels that sub-blocks of lossy tiles approximate, 16 in the position of each sub-block, as in
// codec/compact/encode/source_texels.cpp.
//   defines      CHANNEL=1
//   work-items   one for each sub-block of a component; global = tiles times tile_columns times tile_rows, rounded up
//   in   tiles    texcast_lossy_tile[]: those of the items, from `first` on
//   out  texels   uchar16[sub-blocks]
//   exactness    integer; equals the CPU's result on every device
#include "compact/sub_block_index.cl"

static bool find_sub_block_of_tiles(const texcast_component *c, global const texcast_lossy_tile *tiles, int first,
                                    uint count, int2 *at) {
  int2 in_tile;
  const uint slot = slot_of_item(c, &in_tile);
  if (slot >= count) return false;
  *at = tile_origin(c, (uint)tiles[first + (int)slot].tile) + in_tile;
  return has_sub_block(c, at->x, at->y);
}

// Y comes from the plane `luma`, Co and Cg from `colours` (source_picture.cl). Chroma of half size is filtered so that
// what a decoder interpolates has the least squared error.
#define REACH 6                                   // pixels that the filter reaches beyond a block
constant int reach_weights[4] = {27, -9, 3, -1};  // of the pixels 1, 3, 5 and 7 on each side of the middle, in 40ths
#define WEIGHT_SUM 40

static int colour_at(global const short *colour, int width, int height, int x, int y) {
  return colour[2 * (clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1))];
}
static int across_at(global const short *colour, int width, int height, int x, int y, bool is_halved) {
  if (!is_halved) return colour_at(colour, width, height, x, y);
  int sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += reach_weights[k] * (colour_at(colour, width, height, 2 * x - 2 * k, y) +
                               colour_at(colour, width, height, 2 * x + 1 + 2 * k, y));
  return sum;
}

// `which`: 0 for Co, 1 for Cg; `colour` begins at the first such value. `unit`: the factor of Co or Cg in there.
kernel void texels_of_chroma(const texcast_component luma, const texcast_component c,
                             global const texcast_lossy_tile *tiles, int first, uint count, global const short *colours,
                             int which, global uchar16 *texels) {
  int2 at;
  if (!find_sub_block_of_tiles(&c, tiles, first, count, &at)) return;
  global const short *colour = colours + which;
  const int width = 4 * luma.blocks_x, height = 4 * luma.blocks_y, unit = which == 0 ? 2 : 4;
  const bool across = c.across > 1, down = c.down > 1;
  const int whole = unit * (across ? WEIGHT_SUM : 1) * (down ? WEIGHT_SUM : 1);
  uchar out[16];
  for (int i = 0; i < 4; ++i) {
    const int x = 4 * at.x + i;
    if (!down) {
      for (int j = 0; j < 4; ++j) {
        const int sum = across_at(colour, width, height, x, 4 * at.y + j, across);
        out[4 * j + i] = (uchar)clamp((sum + 128 * whole + whole / 2) / whole, 0, 255);
      }
      continue;
    }
    int sums[4] = {0, 0, 0, 0};
    for (int row = -REACH; row < 8 + REACH; ++row) {
      const int sum = across_at(colour, width, height, x, 8 * at.y + row, across);
      for (int j = 0; j < 4; ++j) {
        const int from = row - 2 * j;  // 0 is the upper one of the two in the middle
        const int k = from <= 0 ? -from : from - 1;
        if ((k & 1) == 0 && k <= REACH) sums[j] += reach_weights[k >> 1] * sum;
      }
    }
    for (int j = 0; j < 4; ++j) out[4 * j + i] = (uchar)clamp((sums[j] + 128 * whole + whole / 2) / whole, 0, 255);
  }
  texels[position_of(&c, at.x, at.y)] = vload16(0, out);
}

// texels_of_colours: both of tiles of a picture that has just been drawn.
//   work-items   four for each sub-block of Co, one for each column of texels; rounded up
//   in   luma, co, cg   components; Co and Cg have the same size
//        tiles          numbers of tiles: `count` of them from `first` on
//        changes        uint[tile number], not 0 if the tile changed; only_changed: not 0: other tiles are left out
//        colours        short2[pixels]: 2 Co and 4 Cg
//   out  texels         uchar[sub-blocks][16]
static int2 both_across(global const short2 *row, int width, int x, bool is_halved) {
  if (!is_halved) return convert_int2(row[clamp(x, 0, width - 1)]);
  int2 sum = (int2)(0, 0);
  for (int k = 0; k < 4; ++k)
    sum += reach_weights[k] * (convert_int2(row[clamp(2 * x - 2 * k, 0, width - 1)]) +
                               convert_int2(row[clamp(2 * x + 1 + 2 * k, 0, width - 1)]));
  return sum;
}
kernel void texels_of_colours(const texcast_component luma, const texcast_component co, const texcast_component cg,
                              global const uint *tiles, int first, uint count, global const uint *changes,
                              int only_changed, global const short2 *colours, global uchar *texels) {
  const int item = (int)get_global_id(0), column = item & 3, sub_blocks = co.tile_columns * co.tile_rows;
  const int slot = item / (4 * sub_blocks), in_tile = item / 4 - slot * sub_blocks;
  if (slot >= (int)count) return;
  const uint tile = tiles[first + slot];
  if (only_changed != 0 && changes[tile] == 0) return;
  const int row_in_tile = in_tile / co.tile_columns;
  const int2 at = tile_origin(&co, tile) + (int2)(in_tile - row_in_tile * co.tile_columns, row_in_tile);
  if (!has_sub_block(&co, at.x, at.y)) return;
  const int width = 4 * luma.blocks_x, height = 4 * luma.blocks_y, x = 4 * at.x + column;
  const bool across = co.across > 1, down = co.down > 1;
  const int2 whole = (int2)(2, 4) * (across ? WEIGHT_SUM : 1) * (down ? WEIGHT_SUM : 1);
  int2 sums[4] = {(int2)(0, 0), (int2)(0, 0), (int2)(0, 0), (int2)(0, 0)};
  if (down) {
    for (int row = -REACH; row < 8 + REACH; ++row) {
      const int2 sum = both_across(colours + clamp(8 * at.y + row, 0, height - 1) * width, width, x, across);
      for (int j = 0; j < 4; ++j) {
        const int from = row - 2 * j;  // 0 is the upper one of the two in the middle
        const int k = from <= 0 ? -from : from - 1;
        if ((k & 1) == 0 && k <= REACH) sums[j] += reach_weights[k >> 1] * sum;
      }
    }
  } else {
    for (int j = 0; j < 4; ++j)
      sums[j] = both_across(colours + clamp(4 * at.y + j, 0, height - 1) * width, width, x, across);
  }
  for (int j = 0; j < 4; ++j) {
    const int2 of_both = clamp((sums[j] + 128 * whole + whole / 2) / whole, (int2)(0, 0), (int2)(255, 255));
    texels[16 * position_of(&co, at.x, at.y) + 4 * j + column] = (uchar)of_both.x;
    texels[16 * position_of(&cg, at.x, at.y) + 4 * j + column] = (uchar)of_both.y;
  }
}

kernel void texels_of_luma(const texcast_component c, global const texcast_lossy_tile *tiles, int first, uint count,
                           global const uint *luma, global uint4 *texels) {
  int2 at;
  if (!find_sub_block_of_tiles(&c, tiles, first, count, &at)) return;
  global const uint *row = luma + 4 * at.y * c.blocks_x + at.x;
  texels[position_of(&c, at.x, at.y)] = (uint4)(row[0], row[c.blocks_x], row[2 * c.blocks_x], row[3 * c.blocks_x]);
}

// If there is no picture: the texels that the texture's blocks decode to.
kernel void texels_of_blocks(const texcast_component c, global const texcast_lossy_tile *tiles, int first, uint count,
                             global const ulong *texture, global uchar16 *texels) {
  int2 at;
  if (!find_sub_block_of_tiles(&c, tiles, first, count, &at)) return;
  const int position = position_of(&c, at.x, at.y);
  const ulong value = texture[position];
  const palette shades = palette_of(c.kind, value);
  uchar out[16];
  for (int i = 0; i < 16; ++i) out[i] = (uchar)shade(shades, index_at(indices_of(value), i));
  texels[position] = vload16(0, out);
}
