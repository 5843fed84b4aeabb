// reconstruct_transform.cl — reconstructs the sub-blocks of parsed transform slices (docs/compact.md, 5.16 to 5.19), as
// codec/compact/transform/transform_reconstruction.cpp does.
//   defines      CHANNEL=1
//
// reconstruct_transform: reconstructs a tile or sub-slice.
//   work-group   TEXCAST_TRANSFORM_DECODE_ITEMS items for each part
//   local        memory          texcast_transform_group
//   in   reference       the reference frame: ulong[sub-blocks]
//        components      texcast_decoded_component[TEXCAST_TRANSFORM_COMPONENTS]
//        parts           texcast_decoded_part[]: those that are not valid are left alone; the others are of transform
//                        slices
//        macroblocks     texcast_macroblock[part][TEXCAST_MACROBLOCKS], four in a row; those in the picture
//        levels          short[part][TEXCAST_MACROBLOCKS][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS], row by row;
//                        those of coded transform blocks
//        valid           uchar[tile]: not 0: the tile of the reference frame is valid
//        has_reference   0: there is no reference frame, and all slices are intra
//   out  reconstruction  ulong[sub-blocks]: those of valid parts
//        results         further flags: TEXCAST_DECODED_INVALID_REFERENCE, TEXCAST_DECODED_CHANGED
//   exactness    integer; equals the CPU's result on every device
//
// Inter blocks come first, eight items for each, and their sub-blocks are fitted together. Intra blocks follow by
// diagonals: a block needs the texels of the blocks on its left and above only, which lie on the diagonal before. The
// order in the stream, macroblock by macroblock, gives the same.
#include "compact/decoded_part.cl"
#include "compact/transform_blocks.cl"

#define BLOCKS_AT_ONCE (TEXCAST_TRANSFORM_DECODE_ITEMS / TRANSFORM_SIDE)
#define DIAGONALS 11     // of a tile's luma: 8 blocks in 4 rows
#define MACROBLOCKS_IN_ROW 4
enum { BLOCK_NONE, BLOCK_COPIED, BLOCK_PREDICTED, BLOCK_INTRA };

// The textures, and the results of the part so far.
typedef struct part_textures {
  global const ulong *reference;
  global ulong *reconstruction;
  bool has_reference;
  uint flags;
} part_textures;
// The place of a transform block. Its column and row are those in the part.
typedef struct block_place {
  local const texcast_transform_plane *plane;
  local const texcast_macroblock *macroblock;
  int macroblock_number;
  int column, row;
  int bit;  // in texcast_macroblock::coded; also its place among the macroblock's levels
} block_place;

static void find_place(local const texcast_transform_group *memory, int number, block_place *place) {
  const int component = number >= memory->planes[2].first_block ? 2 : number >= memory->planes[1].first_block ? 1 : 0;
  local const texcast_transform_plane *plane = memory->planes + component;
  // A macroblock has two blocks across, or one if the component is subsampled; so it is down.
  const int across = 2 - plane->across, down = 2 - plane->down, within = number - plane->first_block;
  place->plane = plane;
  place->row = within >> (2 + across);
  place->column = within & ((MACROBLOCKS_IN_ROW << across) - 1);
  place->macroblock_number = (place->row >> down) * MACROBLOCKS_IN_ROW + (place->column >> across);
  place->macroblock = memory->macroblocks + place->macroblock_number;
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
  return !is_coded(place) && is_copy(place) ? BLOCK_COPIED : BLOCK_PREDICTED;
}

// Loads what all items need. Has a barrier at its end.
static void load_part(global const texcast_decoded_component *components, global const texcast_decoded_part *part,
                      global const texcast_macroblock *macroblocks, local texcast_transform_group *memory) {
  const int item = (int)get_local_id(0);
  if (item < TEXCAST_TRANSFORM_COMPONENTS) {
    const texcast_component c = components[item].component, first = components[0].component;
    const part_rect p = rect_of_part(&c, part->tile, part->sub_slices, part->sub_slice);
    const int luma_blocks = first.tile_columns * first.tile_rows / 4, blocks = c.tile_columns * c.tile_rows / 4;
    texcast_transform_plane plane = {p.x0, p.y0, p.columns, p.rows, c.blocks_x, c.blocks_y, c.first, c.step, c.across,
                                     c.down, item == 0 ? 0 : luma_blocks + (item - 1) * blocks};
    if (part->is_valid == 0) plane.columns = plane.rows = 0;
    memory->planes[item] = plane;
    if (item == TEXCAST_TRANSFORM_COMPONENTS - 1) memory->blocks = plane.first_block + blocks;
  }
  if (item < TEXCAST_MACROBLOCKS) memory->macroblocks[item] = macroblocks[item];
  if (item == 0) memory->predicted_count = memory->diagonals = memory->flags = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Finds the kind of each block, and lists those that are predicted from the reference frame. Has a barrier at its end.
static void sort_blocks(local texcast_transform_group *memory) {
  for (int number = (int)get_local_id(0); number < memory->blocks; number += TEXCAST_TRANSFORM_DECODE_ITEMS) {
    block_place place;
    find_place(memory, number, &place);
    const int kind = kind_of_block(&place);
    memory->kinds[number] = kind;
    if (kind == BLOCK_PREDICTED) memory->predicted[atomic_inc(&memory->predicted_count)] = number;
    if (kind == BLOCK_INTRA) atomic_or(&memory->diagonals, 1u << (place.column + place.row));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Writes a sub-block. Its texels stay in local memory for intra prediction.
static void put_sub_block(part_textures *t, int position, ulong value) {
  t->reconstruction[position] = value;
  if (t->has_reference && t->reference[position] != value) t->flags |= TEXCAST_DECODED_CHANGED;
}
static void copy_blocks(part_textures *t, local texcast_transform_group *memory) {
  for (int i = (int)get_local_id(0); i < 4 * memory->blocks; i += TEXCAST_TRANSFORM_DECODE_ITEMS) {
    if (memory->kinds[i / 4] != BLOCK_COPIED) continue;
    block_place place;
    int2 at;
    find_place(memory, i / 4, &place);
    if (!find_sub_block(&place, i & 3, &at)) continue;
    const int4 by = block_vector(&place);
    const ulong value = t->reference[position_in(place.plane, at.x + (by.x >> 2), at.y + (by.y >> 2))];
    put_sub_block(t, position_in(place.plane, at.x, at.y), value);
    vstore4(nearest_texels(value), i, memory->texels);
  }
}
// Fits sub-block `i` of a block to its texels, which become those of the result.
static void fit_sub_block(part_textures *t, local texcast_transform_group *memory, int number, int i) {
  block_place place;
  int2 at;
  find_place(memory, number, &place);
  if (!find_sub_block(&place, i, &at)) return;
  uint4 texels;
  const ulong value = fit_block(vload4(4 * number + i, memory->texels), &texels);
  put_sub_block(t, position_in(place.plane, at.x, at.y), value);
  vstore4(texels, 4 * number + i, memory->texels);
}

// Decodes two of the 4x4 sub-blocks of the reference frame around a predicted block. `item`: 0 to 7.
static void load_reference(global const ulong *reference, const block_place *place, int item, local uint *window) {
  local const texcast_transform_plane *plane = place->plane;
  const int4 by = block_vector(place);
  const int x = (4 * (plane->x0 + 2 * place->column) + by.x - TAPS_BEFORE) >> 2;
  const int y = (4 * (plane->y0 + 2 * place->row) + by.y - TAPS_BEFORE) >> 2;
  for (int i = item; i < 16; i += TRANSFORM_SIDE) {
    const int column = x + (i & 3), row = y + (i >> 2);
    const int inside_x = clamp(column, 0, plane->blocks_x - 1), inside_y = clamp(row, 0, plane->blocks_y - 1);
    uint4 rows = nearest_texels(reference[position_in(plane, inside_x, inside_y)]);
    // Texels outside are the nearest ones of the edge.
    if (column != inside_x) rows = (rows >> (column < 0 ? 0u : 24u) & 255u) * 0x01010101u;
    if (row != inside_y) rows = (uint4)(row < 0 ? rows.x : rows.w);
    local uint *to = window + (i >> 2) * 16 + (i & 3);
    to[0] = rows.x;
    to[4] = rows.y;
    to[8] = rows.z;
    to[12] = rows.w;
  }
}
static int filtered(local const uchar *from, int8 taps) {
  return six_taps(taps, from[0], from[1], from[2], from[3], from[4], from[5]);
}
// Predicts column `item` of a block.
static void predict_column(const block_place *place, int item, local const uint *window, local uint *block_texels) {
  const int4 by = block_vector(place);
  const int8 across = taps_of(place->plane->across == 2, by.z), down = taps_of(place->plane->down == 2, by.w);
  local const uchar *from = (local const uchar *)window + 16 * ((by.y - TAPS_BEFORE) & 3) +
                            ((by.x - TAPS_BEFORE) & 3) + item;
  local uchar *to = (local uchar *)block_texels + 16 * (item >> 2) + (item & 3);
  int a = filtered(from, across), b = filtered(from + 16, across), c = filtered(from + 32, across);
  int d = filtered(from + 48, across), e = filtered(from + 64, across);
  for (int y = 0; y < TRANSFORM_SIDE; ++y) {
    const int f = filtered(from + 16 * (y + 5), across);
    to[32 * (y >> 2) + 4 * (y & 3)] = (uchar)predicted_texel(six_taps(down, a, b, c, d, e, f));
    a = b;
    b = c;
    c = d;
    d = e;
    e = f;
  }
}

// Transforms column `item` of a block's coefficients. `levels`: those of the part.
static void transform_column(global const short *levels, int step, const block_place *place, int item,
                             local int *numbers) {
  levels += (place->macroblock_number * TEXCAST_TRANSFORM_BLOCKS + place->bit) * TEXCAST_COEFFICIENTS + item;
  const int8 v = (int8)(dequantised(levels[0], step), dequantised(levels[8], step), dequantised(levels[16], step),
                        dequantised(levels[24], step), dequantised(levels[32], step), dequantised(levels[40], step),
                        dequantised(levels[48], step), dequantised(levels[56], step));
  store_eight(numbers + item, TRANSFORM_ROW, inverse_eight(v, TRANSFORM_FIRST_SHIFT));
}
// Adds row `item` of the residual to a prediction, and stores the texels.
static void add_row(const block_place *place, int item, uint2 prediction, local const int *numbers,
                    local uint *block_texels) {
  uint2 texels = prediction;
  if (is_coded(place)) {
    const int8 residual = inverse_eight(load_eight(numbers + TRANSFORM_ROW * item, 1), TRANSFORM_SECOND_SHIFT);
    const int4 left = max(min(texels_of_row(prediction.x) + residual.lo, (int4)(255)), (int4)(0));
    const int4 right = max(min(texels_of_row(prediction.y) + residual.hi, (int4)(255)), (int4)(0));
    texels = (uint2)(packed_row(left), packed_row(right));
  }
  local uint *to = block_texels + 8 * (item >> 2) + (item & 3);
  to[0] = texels.x;
  to[4] = texels.y;
}

// Makes the texels of all blocks that are predicted from the reference frame. Has a barrier at its end.
static void predict_blocks(const part_textures *t, global const short *levels, int step,
                           local texcast_transform_group *memory) {
  const int slot = (int)get_local_id(0) / TRANSFORM_SIDE, item = (int)get_local_id(0) % TRANSFORM_SIDE;
  local uint *window = memory->windows + slot * TEXCAST_WINDOW_WORDS;
  local int *numbers = memory->numbers + slot * TRANSFORM_AREA;
  for (int first = 0; first < memory->predicted_count; first += BLOCKS_AT_ONCE) {
    const bool is_there = first + slot < memory->predicted_count;
    const int number = is_there ? memory->predicted[first + slot] : 0;
    local uint *texels = memory->texels + 16 * number;
    block_place place;
    find_place(memory, number, &place);
    if (is_there) load_reference(t->reference, &place, item, window);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_there) predict_column(&place, item, window, texels);
    if (is_there && is_coded(&place)) transform_column(levels, step, &place, item, numbers);
    barrier(CLK_LOCAL_MEM_FENCE);
    local const uint *row = texels + 8 * (item >> 2) + (item & 3);
    if (is_there && is_coded(&place)) add_row(&place, item, (uint2)(row[0], row[4]), numbers, texels);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Row `item` of an intra block's prediction.
static uint2 intra_row(local const uint *texels, int number, const block_place *place, int item) {
  local const texcast_transform_plane *plane = place->plane;
  const bool has_left = place->column > 0, has_above = place->row > 0;
  uint2 left = (uint2)(0, 0), above = (uint2)(0, 0);
  if (has_left) {
    local const uint *from = texels + 16 * (number - 1) + 4;  // sub-blocks on the right of the block there
    const bool has_both = 2 * place->row + 1 < plane->rows;
    left.x = from[0] >> 24 | from[1] >> 24 << 8 | from[2] >> 24 << 16 | from[3] >> 24 << 24;
    left.y = has_both ? from[8] >> 24 | from[9] >> 24 << 8 | from[10] >> 24 << 16 | from[11] >> 24 << 24
                      : (left.x >> 24) * 0x01010101u;
  }
  if (has_above) {
    local const uint *from = texels + 16 * (number - (MACROBLOCKS_IN_ROW << (2 - plane->across))) + 8;
    above.x = from[3];
    above.y = 2 * place->column + 1 < plane->columns ? from[7] : (above.x >> 24) * 0x01010101u;
  }
  const int mode = place->macroblock->mode, mean = intra_mean(left, above, has_left, has_above);
  uint2 row = (uint2)(0, 0);
  for (int x = 0; x < 4; ++x) {
    row.x |= (uint)intra_texel(mode, x, item, left, above, has_left, has_above, mean) << 8 * x;
    row.y |= (uint)intra_texel(mode, x + 4, item, left, above, has_left, has_above, mean) << 8 * x;
  }
  return row;
}
// The intra block in a slot of a diagonal, which has four for each component; below 0: none.
#define DIAGONAL_SLOTS (4 * TEXCAST_TRANSFORM_COMPONENTS)
static int intra_block(local const texcast_transform_group *memory, int diagonal, int slot) {
  if (slot >= DIAGONAL_SLOTS) return -1;
  local const texcast_transform_plane *plane = memory->planes + slot / 4;
  const int row = slot % 4, column = diagonal - row, columns = MACROBLOCKS_IN_ROW << (2 - plane->across);
  if (row >= 4 / plane->down || column < 0 || column >= columns) return -1;
  const int number = plane->first_block + row * columns + column;
  return memory->kinds[number] == BLOCK_INTRA ? number : -1;
}
// Makes the texels of the intra blocks of a diagonal. Has a barrier at its end.
static void predict_diagonal(global const short *levels, int step, int diagonal,
                             local texcast_transform_group *memory) {
  const int slot = (int)get_local_id(0) / TRANSFORM_SIDE, item = (int)get_local_id(0) % TRANSFORM_SIDE;
  const int number = intra_block(memory, diagonal, slot);
  local int *numbers = memory->numbers + slot * TRANSFORM_AREA;
  block_place place;
  find_place(memory, max(number, 0), &place);
  if (number >= 0 && is_coded(&place)) transform_column(levels, step, &place, item, numbers);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (number >= 0)
    add_row(&place, item, intra_row(memory->texels, number, &place, item), numbers, memory->texels + 16 * number);
  barrier(CLK_LOCAL_MEM_FENCE);
}
// Fits the sub-blocks of the blocks that are predicted from the reference frame; if `diagonal` is not below 0, those of
// its intra blocks.
static void fit_blocks(part_textures *t, int diagonal, local texcast_transform_group *memory) {
  const int count = diagonal < 0 ? memory->predicted_count : DIAGONAL_SLOTS;
  for (int i = (int)get_local_id(0); i < 4 * count; i += TEXCAST_TRANSFORM_DECODE_ITEMS) {
    const int number = diagonal < 0 ? memory->predicted[i / 4] : intra_block(memory, diagonal, i / 4);
    if (number >= 0) fit_sub_block(t, memory, number, i % 4);
  }
}

// Whether all tiles of the reference frame are valid that a macroblock reads in a component (5.13). Each item checks
// one of them.
static bool reads_valid_tiles(global const uchar *valid, global const texcast_decoded_component *components,
                              local const texcast_transform_group *memory) {
  const int item = (int)get_local_id(0), number = item % TEXCAST_MACROBLOCKS;
  if (item >= TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_COMPONENTS) return true;
  const texcast_component c = components[item / TEXCAST_MACROBLOCKS].component;
  local const texcast_transform_plane *plane = memory->planes + item / TEXCAST_MACROBLOCKS;
  local const texcast_macroblock *macroblock = memory->macroblocks + number;
  const int column = number % MACROBLOCKS_IN_ROW * 4 / c.across, row = number / MACROBLOCKS_IN_ROW * 4 / c.down;
  const int columns = min(plane->columns - column, 4 / c.across), rows = min(plane->rows - row, 4 / c.down);
  if (columns <= 0 || rows <= 0 || macroblock->mode >= MACROBLOCK_INTRA_DC) return true;
  const int4 by = texel_vector((int2)(macroblock->vector[0], macroblock->vector[1]), c.across, c.down);
  const int x = 4 * (plane->x0 + column) + by.x, y = 4 * (plane->y0 + row) + by.y;
  const int before_x = by.z != 0 ? TAPS_BEFORE : 0, after_x = by.z != 0 ? TAPS_AFTER : 0;
  const int before_y = by.w != 0 ? TAPS_BEFORE : 0, after_y = by.w != 0 ? TAPS_AFTER : 0;
  return are_valid(valid, &c, (x - before_x) >> 2, (y - before_y) >> 2, (x + 4 * columns - 1 + after_x) >> 2,
                   (y + 4 * rows - 1 + after_y) >> 2);
}

kernel __attribute__((reqd_work_group_size(TEXCAST_TRANSFORM_DECODE_ITEMS, 1, 1)))
void reconstruct_transform(global const ulong *reference, global const texcast_decoded_component *components,
                           global const texcast_decoded_part *parts, global const texcast_macroblock *macroblocks,
                           global const short *levels, global const uchar *valid, int has_reference,
                           global ulong *reconstruction, volatile global uint *results,
                           local texcast_transform_group *memory) {
  const size_t number = get_group_id(0);
  global const texcast_decoded_part *part = parts + number;
  const int step = transform_step(part->is_valid != 0 ? part->quantiser : 0);
  part_textures t = {reference, reconstruction, has_reference != 0, 0};
  levels += number * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS;
  load_part(components, part, macroblocks + number * TEXCAST_MACROBLOCKS, memory);
  sort_blocks(memory);
  if (!reads_valid_tiles(valid, components, memory)) t.flags |= TEXCAST_DECODED_INVALID_REFERENCE;
  copy_blocks(&t, memory);
  predict_blocks(&t, levels, step, memory);
  for (int diagonal = -1; diagonal < DIAGONALS; ++diagonal) {
    if (diagonal >= 0 && (memory->diagonals >> diagonal & 1) == 0) continue;
    if (diagonal >= 0) predict_diagonal(levels, step, diagonal, memory);
    fit_blocks(&t, diagonal, memory);  // one call of it in the code, which is large
  }
  if (t.flags != 0) atomic_or(&memory->flags, t.flags);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && memory->flags != 0)
    atomic_or(results + part->slice * (int)(sizeof(texcast_decoded_slice) / sizeof(uint)), memory->flags);
}
