// transform_part.cl — the tile or sub-slice of a transform slice that a work-group reconstructs or fits: where its
// transform blocks and sub-blocks lie, and how each block is reconstructed (docs/compact.md, 5.16).
//   defines      CHANNEL=1
//   local        memory for a texcast_transform_part
//
// The samples of a plane before the fit are a uint4 for each sub-block, at the sub-block's position in the texture
// (reference_samples.cl).
#include "compact/decoded_part.cl"
#include "compact/transform_blocks.cl"

#define MACROBLOCKS_IN_ROW 4
enum {
  BLOCK_NONE,       // outside the picture, or the part is not valid
  BLOCK_KEPT,       // an exact copy with a zero vector
  BLOCK_COPIED,     // any other exact copy
  BLOCK_PREDICTED,  // from the reference frame
  BLOCK_INTRA
};

// The place of a transform block. Its column and row are those in the part.
typedef struct block_place {
  local const texcast_transform_plane *plane;
  local const texcast_macroblock *macroblock;
  int macroblock_number;
  int column, row;
  int bit;  // in texcast_macroblock::coded; also its place among the macroblock's levels
} block_place;

static void find_place(local const texcast_transform_part *part, int number, block_place *place) {
  const int component = number >= part->planes[2].first_block ? 2 : number >= part->planes[1].first_block ? 1 : 0;
  local const texcast_transform_plane *plane = part->planes + component;
  // A macroblock has two blocks across, or one if the component is subsampled; so it is down.
  const int across = 2 - plane->across, down = 2 - plane->down, within = number - plane->first_block;
  place->plane = plane;
  place->row = within >> (2 + across);
  place->column = within & ((MACROBLOCKS_IN_ROW << across) - 1);
  place->macroblock_number = (place->row >> down) * MACROBLOCKS_IN_ROW + (place->column >> across);
  place->macroblock = part->macroblocks + place->macroblock_number;
  place->bit = 4 * component + 2 * (place->row & down) + (place->column & across);
}
static bool is_coded(const block_place *place) { return (place->macroblock->coded >> place->bit & 1) != 0; }
static int4 block_vector(const block_place *place) {
  const int2 vector = (int2)(place->macroblock->vector[0], place->macroblock->vector[1]);
  return texel_vector(vector, place->plane->across, place->plane->down);
}
static int position_in(local const texcast_transform_plane *plane, int x, int y) {
  return plane->first + (y * plane->blocks_x + x) * plane->step;
}
// Whether sub-block `i` of a block, 0 to 3, lies in the part. `at` becomes its place in the plane.
static bool find_sub_block(const block_place *place, int i, int2 *at) {
  const int column = 2 * place->column + (i & 1), row = 2 * place->row + (i >> 1);
  *at = (int2)(place->plane->x0 + column, place->plane->y0 + row);
  return column < place->plane->columns && row < place->plane->rows;
}

// Whether the block is an exact copy (5.16, Reconstruction) if it has no residual.
static bool is_copy(const block_place *place) {
  local const texcast_transform_plane *plane = place->plane;
  const int4 by = block_vector(place);
  const int x = plane->x0 + 2 * place->column + (by.x >> 2), y = plane->y0 + 2 * place->row + (by.y >> 2);
  const int right = x + min(1, plane->columns - 1 - 2 * place->column);
  const int low = y + min(1, plane->rows - 1 - 2 * place->row);
  return is_whole_blocks(by) && x >= 0 && y >= 0 && right < plane->blocks_x && low < plane->blocks_y;
}
static int kind_of_block(const block_place *place) {
  if (2 * place->column >= place->plane->columns || 2 * place->row >= place->plane->rows) return BLOCK_NONE;
  if (place->macroblock->mode >= MACROBLOCK_INTRA_DC) return BLOCK_INTRA;
  if (is_coded(place) || !is_copy(place)) return BLOCK_PREDICTED;
  return (place->macroblock->vector[0] | place->macroblock->vector[1]) == 0 ? BLOCK_KEPT : BLOCK_COPIED;
}

// Loads the part. A barrier must follow.
static void load_part(global const texcast_decoded_component *components, global const texcast_decoded_part *decoded,
                      global const texcast_macroblock *macroblocks, local texcast_transform_part *part) {
  const int item = (int)get_local_id(0);
  if (item < TEXCAST_TRANSFORM_COMPONENTS) {
    const texcast_component c = components[item].component, first = components[0].component;
    const part_rect p = rect_of_part(&c, decoded->tile, decoded->sub_slices, decoded->sub_slice);
    const int luma_blocks = first.tile_columns * first.tile_rows / 4, blocks = c.tile_columns * c.tile_rows / 4;
    texcast_transform_plane plane = {p.x0, p.y0, p.columns, p.rows, c.blocks_x, c.blocks_y, c.first, c.step, c.across,
                                     c.down, item == 0 ? 0 : luma_blocks + (item - 1) * blocks};
    if (decoded->is_valid == 0) plane.columns = plane.rows = 0;
    part->planes[item] = plane;
    if (item == TEXCAST_TRANSFORM_COMPONENTS - 1) part->blocks = plane.first_block + blocks;
  }
  if (item < TEXCAST_MACROBLOCKS) part->macroblocks[item] = macroblocks[item];
}
