// decoded_part.cl — what the parser of slices (slice_parser.cl) and the reconstruction (reconstruct.cl) share: the
// symbols of a sub-block, and the sub-blocks of a part, which is a tile of a slice or a sub-slice.
//   defines      CHANNEL=1
#include "compact/lossy_syntax.cl"

// The symbols of a sub-block. First number: kind, modes of the end points and of the indices, 4 bits each, then two
// residuals of 10 bits each. Second and third number: ranks or levels, 4 bits each; or in the second one the constant
// level or the vector of a hash copy.
#define SYMBOLS_ENDS_AT 4
#define SYMBOLS_INDICES_AT 8
#define SYMBOLS_RESIDUAL_AT 12
#define SYMBOLS_RESIDUAL_BITS 10

// The sub-blocks of a component in a part.
typedef struct part_rect {
  int x0, y0, columns, rows;
} part_rect;
static part_rect rect_of_part(const texcast_component *c, int tile, int sub_slices, int sub_slice) {
  const int rows = c->tile_rows / sub_slices;
  part_rect p;
  p.x0 = tile % c->tiles_across * c->tile_columns;
  p.y0 = tile / c->tiles_across * c->tile_rows + sub_slice * rows;
  p.columns = clamp(c->blocks_x - p.x0, 0, c->tile_columns);
  p.rows = clamp(c->blocks_y - p.y0, 0, rows);
  return p;
}

// Whether the sub-blocks [x0, x1] by [y0, y1] lie in valid tiles. In each direction they are at most as many as a tile
// has.
static bool are_valid(global const uchar *valid, const texcast_component *c, int x0, int y0, int x1, int y1) {
  const int left = clamp(x0, 0, c->blocks_x - 1) / c->tile_columns, top = clamp(y0, 0, c->blocks_y - 1) / c->tile_rows;
  const int end = clamp(x1, 0, c->blocks_x - 1) / c->tile_columns, low = clamp(y1, 0, c->blocks_y - 1) / c->tile_rows;
  global const uchar *upper = valid + top * c->tiles_across, *lower = valid + low * c->tiles_across;
  return upper[left] != 0 && upper[end] != 0 && lower[left] != 0 && lower[end] != 0;
}

// Sets of index modes that are coded in the same way: a bit for each mode.
enum {
  BY_PIXELS = 0x1E1,  // relative to the prediction block: predicted, and with ranks
  ONE_LEVEL = 1 << INDICES_CONSTANT,
  OF_REFERENCE = 1 << INDICES_REFERENCE,
  OF_NEIGHBOUR = 1 << INDICES_LEFT | 1 << INDICES_ABOVE,
  BY_THEMSELVES = 1 << INDICES_INTRA,
  OF_LUMA = 1 << INDICES_LUMA | 1 << INDICES_MIRRORED_LUMA,
  LEVEL_BY_LEVEL = 1 << INDICES_TEXELS
};
