// transform_choose.cl — which coding of a lossy tile is kept, that of blocks or that of transformed macroblocks, as
// RdTileCoder::encode_both() and coding_score() in codec/compact/encode do.
//   defines      CHANNEL=1; CHOOSE_ITEMS
//   work-group   CHOOSE_ITEMS items for each tile; global = tiles times CHOOSE_ITEMS
//   in   components                texcast_lossy_component[3]
//        tiles                     texcast_lossy_tile[]: those of the groups, from `first` on
//        can_compare               0: one of the codings lacks memory, so that tiles with both attempts keep none
//        texels                    uint4[sub-blocks]: the source, a byte for each texel, the left one lowest
//        transform_texture         ulong[sub-blocks]: the reconstruction by macroblocks
//        blocks                    texcast_coded_tile[]: the coding by blocks, of tiles with both attempts
//   both coded                     likewise by macroblocks; `kept` is written
//        reconstruction            ulong[sub-blocks]: by blocks; becomes that of macroblocks where these are kept
//   local differences              long[CHOOSE_ITEMS]; shared: uint[1]
//   exactness    integer; equals the CPU's result on every device
#include "compact/syntax.cl"
#include "compact/sub_block_index.cl"
#include "compact/transform_blocks.cl"

#ifndef CHOOSE_ITEMS
#define CHOOSE_ITEMS 64
#endif

static int squares_of_row(uint a, uint b) {
  const int4 difference = texels_of_row(a) - texels_of_row(b), squares = difference * difference;
  return squares.x + squares.y + squares.z + squares.w;
}
static int squares_of(uint4 a, uint4 b) {
  return squares_of_row(a.x, b.x) + squares_of_row(a.y, b.y) + squares_of_row(a.z, b.z) + squares_of_row(a.w, b.w);
}

// The distortion of a sub-block with its component's weight (kSampleWeights), which is below 2^30.
static int distortion(int number, ulong sub_block, uint4 texels, int lambda_weight) {
  return (number == 1 ? 32 : 48) * squares_of(nearest_texels(sub_block), texels) * 16 / lambda_weight;
}

// The item's part of D by macroblocks less D by blocks.
static long distortion_difference(global const texcast_lossy_component *components,
                                  global const texcast_lossy_tile *tile, global const uint4 *texels,
                                  global const ulong *transform_texture, global const ulong *reconstruction) {
  long difference = 0;
  for (int number = 0; number < TEXCAST_TRANSFORM_COMPONENTS; ++number) {
    const texcast_component c = components[number].component;
    const tile_blocks h = blocks_of(&c, tile->tile);
    for (int i = (int)get_local_id(0); i < h.count; i += CHOOSE_ITEMS) {
      const int row = i / h.columns, column = i - row * h.columns;
      const int position = position_of(&c, h.x0 + column, h.y0 + row);
      const int weight = tile->lambda_weights[partition_at(&c, column, row)];
      const uint4 source = texels[position];
      difference += distortion(number, transform_texture[position], source, weight) -
                    distortion(number, reconstruction[position], source, weight);
    }
  }
  return difference;
}

// `difference`: D by macroblocks less D by blocks. A coding without words has no room.
static uint kept_coding(global const texcast_lossy_tile *tile, int can_compare, global const texcast_coded_tile *blocks,
                        global const texcast_coded_tile *coded, long difference) {
  if (tile->attempt != TEXCAST_ATTEMPT_BOTH) return coded->words > 0 ? TEXCAST_KEPT_TRANSFORM : TEXCAST_KEPT_NONE;
  if (can_compare == 0 || coded->first == TEXCAST_LOSSY_NO_ROOM || blocks->first == TEXCAST_LOSSY_NO_ROOM)
    return TEXCAST_KEPT_NONE;
  if (coded->words == 0) return TEXCAST_KEPT_BLOCKS;
  if (blocks->words == 0) return TEXCAST_KEPT_TRANSFORM;
  const long bytes = 2 * ((long)coded->words - (long)blocks->words);
  return difference + 8 * (long)tile->transform_lambda * bytes > 0 ? TEXCAST_KEPT_BLOCKS : TEXCAST_KEPT_TRANSFORM;
}

static void copy_tile(global const texcast_lossy_component *components, int tile, global const ulong *from,
                      global ulong *to) {
  for (int number = 0; number < TEXCAST_TRANSFORM_COMPONENTS; ++number) {
    const texcast_component c = components[number].component;
    const tile_blocks h = blocks_of(&c, tile);
    for (int i = (int)get_local_id(0); i < h.count; i += CHOOSE_ITEMS) {
      const int row = i / h.columns;
      const int position = position_of(&c, h.x0 + i - row * h.columns, h.y0 + row);
      to[position] = from[position];
    }
  }
}

kernel __attribute__((reqd_work_group_size(CHOOSE_ITEMS, 1, 1)))
void choose_coding(global const texcast_lossy_component *components, global const texcast_lossy_tile *tiles, int first,
                   int can_compare, global const uint4 *texels, global const ulong *transform_texture,
                   global const texcast_coded_tile *all_blocks, global texcast_coded_tile *all_coded,
                   global ulong *reconstruction, local long *differences, local uint *shared) {
  const int item = (int)get_local_id(0), number = first + (int)get_group_id(0);
  global const texcast_lossy_tile *tile = tiles + number;
  differences[item] =
      tile->attempt == TEXCAST_ATTEMPT_BOTH
          ? distortion_difference(components, tile, texels, transform_texture, reconstruction)
          : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    long difference = 0;
    for (int i = 0; i < CHOOSE_ITEMS; ++i) difference += differences[i];
    shared[0] = kept_coding(tile, can_compare, all_blocks + number, all_coded + number, difference);
    all_coded[number].kept = shared[0];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (shared[0] == TEXCAST_KEPT_TRANSFORM) copy_tile(components, tile->tile, transform_texture, reconstruction);
}
