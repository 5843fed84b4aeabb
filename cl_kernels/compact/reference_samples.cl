// reference_samples.cl — samples of the reference frame, from which transform slices are predicted, that do not come
// from transform slices on this device: those of sub-blocks (docs/compact.md, 5.16), and those of the host.
//   defines      CHANNEL=1
//
// On the device the samples of all components are a uint4 for each sub-block, at its position in the texture: a row of
// four samples in each number, the left one lowest.
//   work-group   TEXCAST_SAMPLES_ITEMS items for each tile or part
//   in   components  texcast_decoded_component[TEXCAST_TRANSFORM_COMPONENTS]
//   out  samples     uint4[sub-blocks]: those of the tiles or parts
//   exactness    integer; equals the CPU's result on every device
//
// sample_tiles: of the sub-blocks of listed tiles.
//   in   tiles       uint[]; texture: ulong[sub-blocks]
// sample_parts: of the sub-blocks of parsed parts from `first` on, as far as they are valid.
//   in   parts       texcast_decoded_part[]; texture
// take_samples: of the host.
//   in   tiles       uint[]; eighths: uint[], of each tile a bit for each eighth of its rows, the topmost one lowest
//        planes      uint[]: four samples of a row each; the planes of compact::SampleLayout, as far as they are taken
#include "compact/decoded_part.cl"
#include "compact/transform_blocks.cl"

static void sample_part(global const texcast_decoded_component *components, int tile, int sub_slices, int sub_slice,
                        global const ulong *texture, global uint4 *samples) {
  for (int number = 0; number < TEXCAST_TRANSFORM_COMPONENTS; ++number) {
    const texcast_component c = components[number].component;
    const part_rect p = rect_of_part(&c, tile, sub_slices, sub_slice);
    for (int i = (int)get_local_id(0); i < c.tile_columns * p.rows; i += TEXCAST_SAMPLES_ITEMS) {
      const int row = i / c.tile_columns, column = i - row * c.tile_columns;
      if (column >= p.columns) continue;
      const int position = position_of(&c, p.x0 + column, p.y0 + row);
      samples[position] = nearest_texels(texture[position]);
    }
  }
}

kernel __attribute__((reqd_work_group_size(TEXCAST_SAMPLES_ITEMS, 1, 1)))
void sample_tiles(global const uint *tiles, global const texcast_decoded_component *components,
                  global const ulong *texture, global uint4 *samples) {
  sample_part(components, (int)tiles[get_group_id(0)], 1, 0, texture, samples);
}

kernel __attribute__((reqd_work_group_size(TEXCAST_SAMPLES_ITEMS, 1, 1)))
void sample_parts(int first, global const texcast_decoded_part *parts,
                  global const texcast_decoded_component *components, global const ulong *texture,
                  global uint4 *samples) {
  global const texcast_decoded_part *part = parts + first + get_group_id(0);
  if (part->is_valid != 0) sample_part(components, part->tile, part->sub_slices, part->sub_slice, texture, samples);
}

// The samples of sub-block (x, y) of a component. There are 16 for each sub-block of the planes before.
static uint4 samples_in_plane(global const uint *planes, const texcast_component *c, int x, int y) {
  global const uint *from = planes + 4 * c->first + 4 * y * c->blocks_x + x;
  return (uint4)(from[0], from[c->blocks_x], from[2 * c->blocks_x], from[3 * c->blocks_x]);
}

kernel __attribute__((reqd_work_group_size(TEXCAST_SAMPLES_ITEMS, 1, 1)))
void take_samples(global const uint *tiles, global const uint *eighths,
                  global const texcast_decoded_component *components, global const uint *planes,
                  global uint4 *samples) {
  const int tile = (int)tiles[get_group_id(0)];
  const uint taken = eighths[get_group_id(0)];
  for (int number = 0; number < TEXCAST_TRANSFORM_COMPONENTS; ++number) {
    const texcast_component c = components[number].component;
    const part_rect p = rect_of_part(&c, tile, 1, 0);
    for (int i = (int)get_local_id(0); i < c.tile_columns * p.rows; i += TEXCAST_SAMPLES_ITEMS) {
      const int row = i / c.tile_columns, column = i - row * c.tile_columns;
      if (column >= p.columns || (taken >> (8 * row / c.tile_rows) & 1) == 0) continue;
      const int x = p.x0 + column, y = p.y0 + row;
      samples[position_of(&c, x, y)] = samples_in_plane(planes, &c, x, y);
    }
  }
}
