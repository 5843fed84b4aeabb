// reconstruct_transform.cl — reconstructs the samples of parsed transform slices (docs/compact.md, 5.16 to 5.18), as
// codec/compact/transform/transform_reconstruction.cpp does. fit_transform.cl makes sub-blocks of them.
//   defines      CHANNEL=1
//
// reconstruct_transform: reconstructs a tile or sub-slice.
//   work-group   TEXCAST_TRANSFORM_DECODE_ITEMS items for each part
//   local        memory          texcast_transform_group
//   in   samples         the planes of the reference frame: uint4[sub-blocks] (reference_samples.cl)
//        components      texcast_decoded_component[TEXCAST_TRANSFORM_COMPONENTS]
//        parts           texcast_decoded_part[]: those that are not valid are left alone; the others are of transform
//                        slices
//        macroblocks     texcast_macroblock[part][TEXCAST_MACROBLOCKS], four in a row; those in the picture
//        levels          short[part][TEXCAST_MACROBLOCKS][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS], row by row;
//                        those of coded transform blocks
//        valid           uchar[tile]: not 0: the tile of the reference frame is valid
//   out  new_samples     uint4[sub-blocks]: those of valid parts, except exact copies with a zero vector
//        results         further flags: TEXCAST_DECODED_INVALID_REFERENCE
//   exactness    integer; equals the CPU's result on every device
//
// Inter blocks come first, eight items for each. Intra blocks follow by diagonals: a block needs the samples of the
// blocks on its left and above only, which lie on the diagonal before. The order in the stream, macroblock by
// macroblock, gives the same.
#include "compact/reference_samples.cl"
#include "compact/fit_transform.cl"
#include "compact/transform_part.cl"

#define BLOCKS_AT_ONCE (TEXCAST_TRANSFORM_DECODE_ITEMS / TRANSFORM_SIDE)
#define DIAGONALS 11     // of a tile's luma: 8 blocks in 4 rows

// Finds the kind of each block, and lists those that are predicted from the reference frame. Has a barrier at its end.
static void sort_blocks(local texcast_transform_group *memory) {
  for (int number = (int)get_local_id(0); number < memory->part.blocks; number += TEXCAST_TRANSFORM_DECODE_ITEMS) {
    block_place place;
    find_place(&memory->part, number, &place);
    const int kind = kind_of_block(&place);
    memory->kinds[number] = kind;
    if (kind == BLOCK_PREDICTED) memory->predicted[atomic_inc(&memory->predicted_count)] = number;
    if (kind == BLOCK_INTRA) atomic_or(&memory->diagonals, 1u << (place.column + place.row));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Loads the samples of exact copies, from which others may be predicted.
static void load_copies(global const uint4 *samples, local texcast_transform_group *memory) {
  for (int i = (int)get_local_id(0); i < 4 * memory->part.blocks; i += TEXCAST_TRANSFORM_DECODE_ITEMS) {
    const int kind = memory->kinds[i / 4];
    // Those that are kept are written nowhere, and only intra blocks read them.
    if (kind != BLOCK_COPIED && (kind != BLOCK_KEPT || memory->diagonals == 0)) continue;
    block_place place;
    int2 at;
    find_place(&memory->part, i / 4, &place);
    if (!find_sub_block(&place, i & 3, &at)) continue;
    const int4 by = block_vector(&place);
    vstore4(samples[position_in(place.plane, at.x + (by.x >> 2), at.y + (by.y >> 2))], i, memory->texels);
  }
}

// Loads the samples of two of the 4x4 sub-blocks of the reference frame around a predicted block. `item`: 0 to 7.
static void load_reference(global const uint4 *samples, const block_place *place, int item, local uint *window) {
  local const texcast_transform_plane *plane = place->plane;
  const int4 by = block_vector(place);
  const int x = (4 * (plane->x0 + 2 * place->column) + by.x - TAPS_BEFORE) >> 2;
  const int y = (4 * (plane->y0 + 2 * place->row) + by.y - TAPS_BEFORE) >> 2;
  for (int i = item; i < 16; i += TRANSFORM_SIDE) {
    const int column = x + (i & 3), row = y + (i >> 2);
    const int inside_x = clamp(column, 0, plane->blocks_x - 1), inside_y = clamp(row, 0, plane->blocks_y - 1);
    uint4 rows = samples[position_in(plane, inside_x, inside_y)];
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
// Filters column `item` of a block. `is_second`: the result is the mean with the texels that are there.
static void filter_column(const block_place *place, int item, int8 across, int8 down, int shift, bool is_second,
                          local const uint *window, local uint *block_texels) {
  const int4 by = block_vector(place);
  local const uchar *from = (local const uchar *)window + 16 * ((by.y - TAPS_BEFORE) & 3) +
                            ((by.x - TAPS_BEFORE) & 3) + item;
  local uchar *to = (local uchar *)block_texels + 16 * (item >> 2) + (item & 3);
  int a = filtered(from, across), b = filtered(from + 16, across), c = filtered(from + 32, across);
  int d = filtered(from + 48, across), e = filtered(from + 64, across);
  for (int y = 0; y < TRANSFORM_SIDE; ++y) {
    const int f = filtered(from + 16 * (y + 5), across);
    const int at = 32 * (y >> 2) + 4 * (y & 3), texel = predicted_texel(six_taps(down, a, b, c, d, e, f), shift);
    to[at] = (uchar)(is_second ? (texel + to[at] + 1) >> 1 : texel);
    a = b;
    b = c;
    c = d;
    d = e;
    e = f;
  }
}

// Predicts column `item` of a block.
static void predict_column(const block_place *place, int item, local const uint *window, local uint *block_texels) {
  const int4 by = block_vector(place), samples = half_samples(by.zw >> 1);
  const bool has_eighths = is_subsampled(place->plane->across, place->plane->down);
  int8 across = taps_at_half(samples.x), down = taps_at_half(samples.y);
  if (has_eighths) across = taps_at_eighth(by.z);
  if (has_eighths) down = taps_at_eighth(by.w);
  const int count = !has_eighths && is_mean(samples) ? 2 : 1;
  for (int i = 0; i < count; ++i) {
    filter_column(place, item, across, down, has_eighths ? SUBSAMPLED_TAPS_SHIFT : TAPS_SHIFT, i == 1, window,
                  block_texels);
    across = taps_at_half(samples.z);
    down = taps_at_half(samples.w);
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
static void predict_blocks(global const uint4 *samples, global const short *levels, int step,
                           local texcast_transform_group *memory) {
  const int slot = (int)get_local_id(0) / TRANSFORM_SIDE, item = (int)get_local_id(0) % TRANSFORM_SIDE;
  local uint *window = memory->windows + slot * TEXCAST_WINDOW_WORDS;
  local int *numbers = memory->numbers + slot * TRANSFORM_AREA;
  for (int first = 0; first < memory->predicted_count; first += BLOCKS_AT_ONCE) {
    const bool is_there = first + slot < memory->predicted_count;
    const int number = is_there ? memory->predicted[first + slot] : 0;
    local uint *texels = memory->texels + 16 * number;
    block_place place;
    find_place(&memory->part, number, &place);
    if (is_there) load_reference(samples, &place, item, window);
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
  local const texcast_transform_plane *plane = memory->part.planes + slot / 4;
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
  find_place(&memory->part, max(number, 0), &place);
  if (number >= 0 && is_coded(&place)) transform_column(levels, step, &place, item, numbers);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (number >= 0)
    add_row(&place, item, intra_row(memory->texels, number, &place, item), numbers, memory->texels + 16 * number);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Whether all tiles of the reference frame are valid that a macroblock reads in a component (5.13). Each item checks
// one of them.
static bool reads_valid_tiles(global const uchar *valid, global const texcast_decoded_component *components,
                              local const texcast_transform_group *memory) {
  const int item = (int)get_local_id(0), number = item % TEXCAST_MACROBLOCKS;
  if (item >= TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_COMPONENTS) return true;
  const texcast_component c = components[item / TEXCAST_MACROBLOCKS].component;
  local const texcast_transform_plane *plane = memory->part.planes + item / TEXCAST_MACROBLOCKS;
  local const texcast_macroblock *macroblock = memory->part.macroblocks + number;
  const int column = number % MACROBLOCKS_IN_ROW * 4 / c.across, row = number / MACROBLOCKS_IN_ROW * 4 / c.down;
  const int columns = min(plane->columns - column, 4 / c.across), rows = min(plane->rows - row, 4 / c.down);
  if (columns <= 0 || rows <= 0 || macroblock->mode >= MACROBLOCK_INTRA_DC) return true;
  const int4 by = texel_vector((int2)(macroblock->vector[0], macroblock->vector[1]), c.across, c.down);
  const int x = 4 * (plane->x0 + column) + by.x, y = 4 * (plane->y0 + row) + by.y;
  const bool has_eighths = is_subsampled(c.across, c.down);
  const int2 over_x = filter_reach(has_eighths, by.z), over_y = filter_reach(has_eighths, by.w);
  return are_valid(valid, &c, (x - over_x.x) >> 2, (y - over_y.x) >> 2, (x + 4 * columns - 1 + over_x.y) >> 2,
                   (y + 4 * rows - 1 + over_y.y) >> 2);
}

// Writes the samples of all sub-blocks but those that are kept.
static void store_samples(local const texcast_transform_group *memory, global uint4 *new_samples) {
  for (int i = (int)get_local_id(0); i < 4 * memory->part.blocks; i += TEXCAST_TRANSFORM_DECODE_ITEMS) {
    if (memory->kinds[i / 4] < BLOCK_COPIED) continue;
    block_place place;
    int2 at;
    find_place(&memory->part, i / 4, &place);
    if (find_sub_block(&place, i & 3, &at))
      new_samples[position_in(place.plane, at.x, at.y)] = vload4(i, memory->texels);
  }
}

kernel __attribute__((reqd_work_group_size(TEXCAST_TRANSFORM_DECODE_ITEMS, 1, 1)))
void reconstruct_transform(global const uint4 *samples, global const texcast_decoded_component *components,
                           global const texcast_decoded_part *parts, global const texcast_macroblock *macroblocks,
                           global const short *levels, global const uchar *valid, global uint4 *new_samples,
                           volatile global uint *results, local texcast_transform_group *memory) {
  const size_t number = get_group_id(0);
  global const texcast_decoded_part *part = parts + number;
  const int step = transform_step(part->is_valid != 0 ? part->quantiser : 0);
  levels += number * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS;
  if (get_local_id(0) == 0) memory->predicted_count = memory->diagonals = memory->flags = 0;
  load_part(components, part, macroblocks + number * TEXCAST_MACROBLOCKS, &memory->part);
  barrier(CLK_LOCAL_MEM_FENCE);
  sort_blocks(memory);
  if (!reads_valid_tiles(valid, components, memory)) atomic_or(&memory->flags, TEXCAST_DECODED_INVALID_REFERENCE);
  load_copies(samples, memory);
  predict_blocks(samples, levels, step, memory);
  for (int diagonal = 0; diagonal < DIAGONALS; ++diagonal)
    if ((memory->diagonals >> diagonal & 1) != 0) predict_diagonal(levels, step, diagonal, memory);
  store_samples(memory, new_samples);
  if (get_local_id(0) == 0 && memory->flags != 0)
    atomic_or(results + part->slice * (int)(sizeof(texcast_decoded_slice) / sizeof(uint)), memory->flags);
}
