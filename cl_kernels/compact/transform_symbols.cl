// transform_symbols.cl — the symbols of tiles as transform slices, in coding order, as
// codec/compact/encode/transform_slice_encoder.cpp lists them.
//   defines      CHANNEL=1; SYMBOL_ITEMS
//   work-group   SYMBOL_ITEMS items for each tile; global = tiles times SYMBOL_ITEMS
//   in   components            texcast_lossy_component[3]
//        tiles                 texcast_lossy_tile[]: those of the groups, from `first` on
//        macroblocks           texcast_macroblock[tile][8], four in a row; the tiles are counted from `first` on
//        levels                short[tile][8][12][64]: transform block 4 * component + 2 * row + column, row by row;
//                              only those with a bit in texcast_macroblock::coded are read
//        begin, end            the room in `symbols` for those of these tiles
//   both used                  [1]: symbols so far, from `begin` on
//   out  symbols               ushort: component << 12 | context << 4 | symbol, each tile's from its `first` on
//        coded                 texcast_coded_tile[]: those of the groups, from `first` on
//   local counts               uint[TEXCAST_MACROBLOCKS * (1 + TEXCAST_TRANSFORM_BLOCKS)]: symbols of each unit
//        magnitudes            uint[TEXCAST_MAGNITUDE_ROWS][SYMBOL_ITEMS]; shared: uint[1]
//   exactness    integer; equals the CPU's result on every device
//
// A unit is the header of a macroblock or one of its transform blocks. An item counts a unit's symbols, and then it
// knows from the counts of earlier units where it writes them.
#include "compact/transform_syntax.cl"
#include "compact/sub_block_index.cl"

#ifndef SYMBOL_ITEMS
#define SYMBOL_ITEMS 64
#endif

// The destination of symbols. If `out` is 0 they are only counted.
typedef struct sink {
  global ushort *out;
  uint count;
  int component;  // whose tables code them
} sink;
static void put(sink *s, int context, int symbol) {
  if (s->out != 0)
    s->out[s->count] = (ushort)(s->component << TEXCAST_TRANSFORM_COMPONENT_AT | context << 4 | symbol);
  ++s->count;
}
static void put_bits(sink *s, uint value, int count) {
  for (int done = 0; done < count; done += 4)
    put(s, TEXCAST_TRANSFORM_LITERAL_CONTEXT + min(count - done, 4) - 1, (int)(value >> done & 15));
}
static void put_distance(sink *s, int context, int distance) {
  const uint size = abs(distance);
  const int length = bit_length(size);
  put(s, context, length);
  // clamp() gives the sign, as Oclgrind does not support funnel shifts.
  if (length > 0) put_bits(s, (size & ((1u << (length - 1)) - 1)) << 1 | (uint)clamp(-distance, 0, 1), length);
}
static void put_vector(sink *s, int2 v) {
  put_distance(s, distance_context(false, false, 0), v.x);
  put_distance(s, distance_context(false, true, bit_length(abs(v.x))), v.y);
}

// A tile, and its macroblocks, of which those at the edge may lie in the picture only partly.
typedef struct transform_tile {
  global const texcast_lossy_component *components;
  global const texcast_lossy_tile *tile;
  global const texcast_macroblock *macroblocks;
  global const short *levels;
  int columns, rows;  // macroblocks
} transform_tile;

static int2 vector_of(const transform_tile *t, int column, int row) {
  global const texcast_macroblock *m = t->macroblocks + row * MACROBLOCK_COLUMNS + column;
  return (int2)(m->vector[0], m->vector[1]);
}
static int2 predicted_vector(const transform_tile *t, int column, int row) {
  if (row == 0) return column == 0 ? (int2)(0, 0) : vector_of(t, column - 1, 0);
  if (column == 0) return vector_of(t, 0, row - 1);
  return median_vector(vector_of(t, column - 1, row), vector_of(t, column, row - 1),
                       vector_of(t, column + 1 < t->columns ? column + 1 : column - 1, row - 1));
}
static int class_at(const transform_tile *t, int column, int row) {
  if (column < 0 || row < 0) return 0;
  return mode_class(t->macroblocks[row * MACROBLOCK_COLUMNS + column].mode);
}
static int has_luma(const transform_tile *t, int column, int row) {
  if (column < 0 || row < 0) return 0;
  return (t->macroblocks[row * MACROBLOCK_COLUMNS + column].coded & 0xF) != 0 ? 1 : 0;
}

// The header of the slice.
static void put_slice_header(sink *s, const transform_tile *t) {
  const bool intra = t->tile->intra != 0;
  const uint quantiser = (uint)t->tile->transform_quantiser;
  s->component = 0;
  if (!intra) put_bits(s, quantiser >> 2, 4);
  put_bits(s, TEXCAST_TRANSFORM_CONTENT, 2);
  if (intra)
    put_bits(s, quantiser, 6);
  else
    put_bits(s, quantiser & 3, 2);
}

// Everything of a macroblock but its levels. Each component has a transform block in it: where luma has a sub-block,
// chroma has one, too.
static void put_macroblock(sink *s, const transform_tile *t, int column, int row) {
  global const texcast_macroblock *m = t->macroblocks + row * MACROBLOCK_COLUMNS + column;
  const int mode = m->mode;
  const uint coded = m->coded;
  const bool intra = mode >= MACROBLOCK_INTRA_DC;
  s->component = 0;
  put(s, mode_context(t->tile->intra != 0, class_at(t, column - 1, row), class_at(t, column, row - 1)), mode);
  if (mode == MACROBLOCK_SKIP) return;
  if (mode == MACROBLOCK_INTER_CODED) put_vector(s, vector_of(t, column, row) - predicted_vector(t, column, row));
  for (int c = 0; c < TEXCAST_TRANSFORM_COMPONENTS; ++c) {
    s->component = c;
    const int context =
        c == 0 ? coded_luma_context(intra, has_luma(t, column - 1, row) + has_luma(t, column, row - 1))
               : coded_chroma_context(intra, coded, c);
    put(s, context, (int)(coded >> 4 * c & 15));
  }
}

// Puts the magnitudes of eight levels, limited to 15, into four bits each. Returns a bit for each negative level.
static uint load_row(global const short *levels, int row, local uint *magnitudes) {
  const short8 v = vload8(row, levels);
  const uint8 sizes = min(convert_uint8(abs(v)), (uint8)(15)) << (uint8)(0, 4, 8, 12, 16, 20, 24, 28);
  const uint8 signs = (convert_uint8(as_ushort8(v)) >> 15 & 1) << (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
  const uint4 of_four = sizes.lo | sizes.hi, signs_of_four = signs.lo | signs.hi;
  const uint2 of_two = of_four.lo | of_four.hi, signs_of_two = signs_of_four.lo | signs_of_four.hi;
  magnitudes[row * SYMBOL_ITEMS] = of_two.x | of_two.y;
  return signs_of_two.x | signs_of_two.y;
}

static void put_last(sink *s, bool intra, int last) {
  const int last_class = last_class_of(last);
  put(s, last_context(intra), last_class);
  put_bits(s, (uint)(last - last_first[last_class]), last_bits[last_class]);
}
static void put_magnitude(sink *s, int context, int magnitude) {
  put(s, context, min(magnitude, MAGNITUDE_ESCAPE));
  if (magnitude < MAGNITUDE_ESCAPE) return;
  const uint more = (uint)(magnitude - MAGNITUDE_ESCAPE + 1);
  const int bits = bit_length(more) - 1;
  put(s, TEXCAST_ESCAPE_CONTEXT, bits);
  put_bits(s, more - (1u << bits), bits);
}

// The levels of a transform block. `magnitudes`: the item's numbers in local memory, one for each row, SYMBOL_ITEMS
// apart; two more behind the last row.
static void put_levels(sink *s, bool intra, global const short *levels, local uint *magnitudes) {
  ulong negative = 0;
  for (int row = 0; row < 8; ++row) negative |= (ulong)load_row(levels, row, magnitudes) << 8 * row;
  for (int row = 8; row < TEXCAST_MAGNITUDE_ROWS; ++row) magnitudes[row * SYMBOL_ITEMS] = 0;
  ulong signs = 0;  // in coding order
  int count = 0;
  for (int i = TEXCAST_COEFFICIENTS - 1; i >= 0; --i) {
    const int position = zigzag[i], row = position >> 3, column = position & 7;
    local const uint *at = magnitudes + row * SYMBOL_ITEMS;
    const uint here = at[0] >> 4 * column, below = at[SYMBOL_ITEMS] >> 4 * column;
    int magnitude = (int)(here & 15);
    if (count == 0 && magnitude == 0) continue;
    if (magnitude == 15) magnitude = (int)abs(levels[position]);
    if (count == 0) {
      put_last(s, intra, i);
      put_magnitude(s, last_magnitude_context(row + column), magnitude - 1);
    } else {
      const uint sum = (here >> 4 & 15) + (here >> 8 & 15) + (below & 15) + (below >> 4 & 15) +
                       (at[2 * SYMBOL_ITEMS] >> 4 * column & 15);
      put_magnitude(s, magnitude_context(zone_of(row + column), sum), magnitude);
    }
    if (magnitude == 0) continue;
    signs |= (negative >> position & 1) << count;
    ++count;
  }
  for (int done = 0; done < count; done += 4) put_bits(s, (uint)(signs >> done) & 15, min(count - done, 4));
}

// Transform blocks of a component in a macroblock.
static int transform_blocks(const transform_tile *t, int number) {
  return 4 / (t->components[number].component.across * t->components[number].component.down);
}
// Their units are numbered from 1 on, after the header. Returns 4 * component + 2 * row + column.
static int block_of_unit(const transform_tile *t, int unit) {
  int number = 0, at = unit - 1;
  while (number < TEXCAST_TRANSFORM_COMPONENTS - 1 && at >= transform_blocks(t, number))
    at -= transform_blocks(t, number++);
  const int across = 2 / t->components[number].component.across, row = at / across;
  return 4 * number + 2 * row + at - row * across;
}
// The symbols of a unit. `unit`: counted in its macroblock.
static void put_unit(sink *s, const transform_tile *t, int macroblock, int unit, local uint *magnitudes) {
  const int row = macroblock / MACROBLOCK_COLUMNS, column = macroblock - row * MACROBLOCK_COLUMNS;
  if (column >= t->columns || row >= t->rows) return;
  if (unit == 0) {
    if (macroblock == 0) put_slice_header(s, t);
    put_macroblock(s, t, column, row);
    return;
  }
  global const texcast_macroblock *m = t->macroblocks + macroblock;
  const int block = block_of_unit(t, unit);
  if ((m->coded >> block & 1) == 0) return;
  s->component = block / 4;
  put_levels(s, m->mode >= MACROBLOCK_INTRA_DC,
             t->levels + (macroblock * TEXCAST_TRANSFORM_BLOCKS + block) * TEXCAST_COEFFICIENTS, magnitudes);
}

// The coded slice has to be shorter than the raw one.
static uint most_words_of(const transform_tile *t) {
  uint sub_blocks = 0;
  for (int number = 0; number < TEXCAST_TRANSFORM_COMPONENTS; ++number) {
    const texcast_component c = t->components[number].component;
    sub_blocks += (uint)blocks_of(&c, t->tile->tile).count;
  }
  return max(4 * sub_blocks, 1u) - 1;
}
static uint sum_of(local const uint *counts, int count) {
  uint sum = 0;
  for (int i = 0; i < count; ++i) sum += counts[i];
  return sum;
}

kernel __attribute__((reqd_work_group_size(SYMBOL_ITEMS, 1, 1)))
void symbolise_transform(global const texcast_lossy_component *components, global const texcast_lossy_tile *tiles,
                         int first, global const texcast_macroblock *macroblocks, global const short *levels,
                         uint begin, uint end, volatile global uint *used, global ushort *symbols,
                         global texcast_coded_tile *coded_tiles, local uint *counts, local uint *magnitudes,
                         local uint *shared) {
  const int item = (int)get_local_id(0), group = (int)get_group_id(0);
  global texcast_coded_tile *coded = coded_tiles + first + group;
  transform_tile t;
  t.components = components;
  t.tile = tiles + first + group;
  t.macroblocks = macroblocks + group * TEXCAST_MACROBLOCKS;
  t.levels = levels + (size_t)group * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS;
  const texcast_component luma = components[0].component;
  const tile_blocks of_luma = blocks_of(&luma, t.tile->tile);
  t.columns = (of_luma.columns + 3) / 4;
  t.rows = of_luma.columns > 0 ? (of_luma.count / of_luma.columns + 3) / 4 : 0;
  const int units_of_macroblock =
      1 + transform_blocks(&t, 0) + transform_blocks(&t, 1) + transform_blocks(&t, 2);
  const int units = TEXCAST_MACROBLOCKS * units_of_macroblock;
  sink mine;
  mine.out = 0;
  for (int unit = item; unit < units; unit += SYMBOL_ITEMS) {
    const int macroblock = unit / units_of_macroblock;
    mine.count = 0;
    put_unit(&mine, &t, macroblock, unit - macroblock * units_of_macroblock, magnitudes + item);
    counts[unit] = mine.count;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    const uint all = sum_of(counts, units), at = begin + atomic_add(used, all);
    shared[0] = at + all <= end ? at : TEXCAST_LOSSY_NO_ROOM;
    coded->first = shared[0];
    for (int i = 0; i < 4; ++i) coded->end[i] = all;
    coded->content = TEXCAST_TRANSFORM_CONTENT;
    coded->most_words = most_words_of(&t);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int written = shared[0] != TEXCAST_LOSSY_NO_ROOM ? units : 0;
  for (int unit = item; unit < written; unit += SYMBOL_ITEMS) {
    const int macroblock = unit / units_of_macroblock;
    mine.out = symbols + shared[0] + sum_of(counts, unit);
    mine.count = 0;
    put_unit(&mine, &t, macroblock, unit - macroblock * units_of_macroblock, magnitudes + item);
  }
}
