// transform_fit.cl — the blocks that show the samples of transform tiles (docs/compact.md, 5.16, Reconstruction): copies
// of those of the reference frame, or fitted ones, as TransformReconstruction makes them.
//   defines      CHANNEL=1
//   work-items   one for each sub-block of a component, which the second coordinate is: global = (tiles times the
//                sub-blocks of a tile in the first component, rounded up, components). Others have fewer
//   in   components           texcast_lossy_component[3]
//        tiles                texcast_lossy_tile[]: `count` of them, from `first` on
//        samples              uint[]: planes (transform_samples.cl)
//        macroblocks          texcast_macroblock[tile][TEXCAST_MACROBLOCKS], with tiles counted from `first` on
//        reference            ulong[sub-blocks]: the texture of the reference frame
//   out  texture              ulong[sub-blocks]
//   exactness    integer; equals the CPU's result on every device
#include "compact/transform_samples.cl"

// Whether the sub-block at `in_tile`, counted in the tile, is an exact copy of that at `*from` in the plane. `of_tile`:
// the numbers of the tile's sub-blocks across and down.
static bool is_exact_copy(const texcast_component *c, global const texcast_macroblock *macroblocks, int number,
                          int2 origin, int2 of_tile, int2 in_tile, int2 *from) {
  const int2 of_macroblock = (int2)(4 / c->across, 4 / c->down), place = in_tile / of_macroblock;
  const int2 in_macroblock = in_tile - place * of_macroblock;
  global const texcast_macroblock *macroblock = macroblocks + 4 * place.y + place.x;
  const int block = 4 * number + (in_macroblock.y >> 1) * 2 + (in_macroblock.x >> 1);
  if (macroblock->mode >= MACROBLOCK_INTRA_DC || (macroblock->coded >> block & 1) != 0) return false;
  const int4 vector = texel_vector((int2)(macroblock->vector[0], macroblock->vector[1]), c->across, c->down);
  if (!is_whole_blocks(vector)) return false;
  // The sub-blocks of its transform block, as far as it lies in the tile.
  const int2 first = in_tile & ~1, begin = origin + first + (vector.xy >> 2), end = begin + min(of_tile - first, 2);
  *from = origin + in_tile + (vector.xy >> 2);
  return begin.x >= 0 && begin.y >= 0 && end.x <= c->blocks_x && end.y <= c->blocks_y;
}

kernel void fit_samples(global const texcast_lossy_component *components, global const texcast_lossy_tile *tiles,
                        int first, uint count, global const uint *samples, global const texcast_macroblock *macroblocks,
                        global const ulong *reference, global ulong *texture) {
  const int number = (int)get_global_id(1);
  const texcast_component c = components[number].component;
  int2 in_tile, from;
  const uint slot = slot_of_item(&c, &in_tile);
  if (slot >= count) return;
  const int2 origin = tile_origin(&c, (uint)tiles[first + (int)slot].tile), at = origin + in_tile;
  if (!has_sub_block(&c, at.x, at.y)) return;
  const int2 of_tile = (int2)(min(c.blocks_x - origin.x, c.tile_columns), min(c.blocks_y - origin.y, c.tile_rows));
  global ulong *to = texture + position_of(&c, at.x, at.y);
  if (is_exact_copy(&c, macroblocks + slot * TEXCAST_MACROBLOCKS, number, origin, of_tile, in_tile, &from)) {
    *to = reference[position_of(&c, from.x, from.y)];
    return;
  }
  uint4 texels = (uint4)(0, 0, 0, 0);
  *to = fit_block(load_samples(samples + first_of_plane(components, number), c.blocks_x, at.x, at.y), &texels);
}
