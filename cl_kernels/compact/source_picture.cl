// source_picture.cl — the picture that a lossy stream approximates, as luma and colour differences.
//   defines      those of common/load.cl
//
// draw_source: converts the pixels of tiles.
//   work-items   one for each sub-block of the first component; global = tiles times tile_columns times tile_rows,
//                rounded up
//   in   source: the frame; tiles: numbers of tiles, from `first` on
//        changes       uint[tile number], not 0 if the tile changed; only_changed: not 0: other tiles are not drawn
//   out  luma     uchar[blocks_y · 4][blocks_x · 4]; pixels at the edge of the picture are repeated outside
//        colour   short2[…][…]: 2 Co and 4 Cg
//        texels   uchar16[sub-blocks]: the same luma, those of the first component
//   exactness    integer; equals codec/compact/encode/source_texels.cpp on every device
#include "include/kernels/compact.h"
#include "common/load.cl"

kernel void draw_source(SOURCE source, const texcast_source s, const texcast_component c, global const uint *tiles,
                        int first, uint tile_count, global const uint *changes, int only_changed, global uchar *luma,
                        global short2 *colour, global uchar16 *texels) {
  const int item = (int)get_global_id(0), sub_blocks = c.tile_columns * c.tile_rows, slot = item / sub_blocks;
  if (slot >= (int)tile_count) return;
  const int tile = (int)tiles[first + slot];
  if (only_changed != 0 && changes[tile] == 0) return;
  const int row = tile / c.tiles_across, in_tile = item - slot * sub_blocks;
  const int block_x = (tile - row * c.tiles_across) * c.tile_columns + in_tile % c.tile_columns;
  const int block_y = row * c.tile_rows + in_tile / c.tile_columns;
  if (block_x >= c.blocks_x || block_y >= c.blocks_y) return;
  uchar of_block[16];
  for (int i = 0; i < 16; ++i) {
    const int x = 4 * block_x + (i & 3), y = 4 * block_y + (i >> 2), position = y * 4 * c.blocks_x + x;
    const int4 rgb = load_rgb_texel(source, &s, x, y);
    luma[position] = of_block[i] = (uchar)((rgb.x + 2 * rgb.y + rgb.z + 2) >> 2);
    colour[position] = (short2)((short)(rgb.x - rgb.z), (short)(2 * rgb.y - rgb.x - rgb.z));
  }
  texels[c.first + (block_y * c.blocks_x + block_x) * c.step] = vload16(0, of_block);
}
