// transform_parser.cl — parses transform slices, as codec/compact/decode/transform_slice_decoder.cpp does
// (docs/compact.md, 4.8). Slices may have any bytes. decode.cl has the kernel.
//   defines      CHANNEL=1
#include "compact/decoded_part.cl"
#include "compact/symbol_reader.cl"
#include "compact/transform_syntax.cl"

#define MOST_SUB_SLICES 2
#define MOST_QUANTISER 51
#define MOST_MAGNITUDE_BITS 14
#define MOST_LEVEL 32767u
#define LEVELS_OF_PART (TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS)

// The places of coefficients in coding order, a diagonal in each line: the place in the transform block, 8 * row +
// column; its zone, which contexts depend on; and whether it is the first one of its diagonal that is read, as they are
// read from the last one down.
#define ZONE_AT 8
#define FIRST_READ (1 << 16)
#define Z(zone, place) ((zone) << ZONE_AT | (place))
constant int SCAN[TEXCAST_COEFFICIENTS] = {
    Z(0, 0 | FIRST_READ),
    Z(1, 1), Z(1, 8 | FIRST_READ),
    Z(2, 16), Z(2, 9), Z(2, 2 | FIRST_READ),
    Z(3, 3), Z(3, 10), Z(3, 17), Z(3, 24 | FIRST_READ),
    Z(3, 32), Z(3, 25), Z(3, 18), Z(3, 11), Z(3, 4 | FIRST_READ),
    Z(4, 5), Z(4, 12), Z(4, 19), Z(4, 26), Z(4, 33), Z(4, 40 | FIRST_READ),
    Z(4, 48), Z(4, 41), Z(4, 34), Z(4, 27), Z(4, 20), Z(4, 13), Z(4, 6 | FIRST_READ),
    Z(4, 7), Z(4, 14), Z(4, 21), Z(4, 28), Z(4, 35), Z(4, 42), Z(4, 49), Z(4, 56 | FIRST_READ),
    Z(5, 57), Z(5, 50), Z(5, 43), Z(5, 36), Z(5, 29), Z(5, 22), Z(5, 15 | FIRST_READ),
    Z(5, 23), Z(5, 30), Z(5, 37), Z(5, 44), Z(5, 51), Z(5, 58 | FIRST_READ),
    Z(5, 59), Z(5, 52), Z(5, 45), Z(5, 38), Z(5, 31 | FIRST_READ),
    Z(5, 39), Z(5, 46), Z(5, 53), Z(5, 60 | FIRST_READ),
    Z(5, 61), Z(5, 54), Z(5, 47 | FIRST_READ),
    Z(5, 55), Z(5, 62 | FIRST_READ),
    Z(5, 63 | FIRST_READ)};
#undef Z

// The tables of all slices.
typedef struct transform_tables {
  global const uint *buckets;
  global const ushort *starts;
} transform_tables;
static void use_tables(symbol_reader *r, const transform_tables *all, int tables) {
  const int contexts = TEXCAST_TRANSFORM_CONTEXTS_USED;
  r->buckets = all->buckets + tables * contexts * TEXCAST_DECODE_BUCKETS;
  r->starts = all->starts + tables * contexts * 16;
}

// The place of the last coefficient, in coding order.
static int read_last(symbol_reader *r, bool intra) {
  const int symbol = read_symbol(r, last_context(intra));
  if (symbol < 8) return symbol;
  // For each of the other eight classes the first place, a byte, and the number of literal bits, a hexadecimal digit.
  const int escape = symbol - 8;
  return (int)(0x30201814100C0A08UL >> 8 * escape & 63) + (int)read_literal(r, (int)(0x44322211u >> 4 * escape & 15));
}
// Magnitudes of a diagonal, up to 15, are a number with a hexadecimal digit for each row.
static uint digit_shift(int entry) { return (uint)entry >> 1 & 28; }  // 4 * row
// The context of a magnitude. `beside` and `beyond` have those of the next diagonal and of the one behind it.
static int context_at(int entry, uint beside, uint beyond) {
  const uint a = beside >> digit_shift(entry), b = beyond >> digit_shift(entry);
  const uint sum = (a & 15) + (a >> 4 & 15) + (b & 15) + (b >> 4 & 15) + (b >> 8 & 15);
  return magnitude_context(entry >> ZONE_AT & 15, sum);
}
// Reads the rest of a magnitude above 14. Below 0: invalid symbols.
static int read_escape(symbol_reader *r) {
  const int bits = read_symbol(r, TEXCAST_ESCAPE_CONTEXT);
  if (bits > MOST_MAGNITUDE_BITS) return -1;
  return MAGNITUDE_ESCAPE + (1 << bits) - 1 + (int)read_literal(r, bits);
}
// Reads the magnitudes of a transform block. Returns how many are not 0; below 0: invalid symbols.
static int read_magnitudes(symbol_reader *r, bool intra, local uint *found) {
  const int last = read_last(r, intra);
  uint beyond = 0, beside = 0, own = 0;  // magnitudes of diagonals
  int count = 0, entry = SCAN[last];
  for (int i = last; i >= 0; --i) {
    const int next = SCAN[max(i - 1, 0)];  // loaded before it is needed
    if ((entry & FIRST_READ) != 0) {
      beyond = beside;
      beside = own;
      own = 0;
    }
    int magnitude = read_symbol(r, i == last ? TEXCAST_LAST_MAGNITUDE_CONTEXT + (entry >> ZONE_AT & 15)
                                             : context_at(entry, beside, beyond));
    if (magnitude == MAGNITUDE_ESCAPE) magnitude = read_escape(r);
    if (magnitude < 0) return -1;
    if (i == last) ++magnitude;  // it is not 0
    own |= (uint)min(magnitude, 15) << digit_shift(entry);
    if (magnitude != 0) found[count++] = (uint)(entry & 63) << 16 | min((uint)magnitude, MOST_LEVEL);
    entry = next;
  }
  return count;
}
// Reads the levels of a transform block. False: invalid symbols.
static bool read_levels(symbol_reader *r, bool intra, local uint *found, global short *levels) {
  for (int i = 0; i < TEXCAST_COEFFICIENTS / 8; ++i) ((global short8 *)levels)[i] = (short8)(0);
  const int count = read_magnitudes(r, intra, found);
  for (int done = 0; done < count; done += 4) {
    const int more = min(count - done, 4);
    const uint signs = read_literal(r, more);
    for (int k = 0; k < more; ++k) {
      const uint level = found[done + k];
      const int magnitude = (int)(level & MOST_LEVEL);
      levels[level >> 16] = (short)((signs >> k & 1) != 0 ? -magnitude : magnitude);
    }
  }
  return count >= 0;
}

// The macroblocks of a part so far.
typedef struct macroblock_neighbours {
  bool intra_slice;
  int columns;
  uint classes;   // two bits for each: 0 skip, 1 inter, 2 intra
  uint has_luma;  // a bit for each: it has luma coefficients
} macroblock_neighbours;

static int2 predicted_vector(local const int *vectors, int column, int row, int columns) {
  const int left = row * MACROBLOCK_COLUMNS + column - 1, above = left + 1 - MACROBLOCK_COLUMNS;
  if (row == 0 && column == 0) return (int2)(0, 0);
  if (row == 0) return vload2(left, vectors);
  if (column == 0) return vload2(above, vectors);
  const int2 a = vload2(left, vectors), b = vload2(above, vectors);
  return median_vector(a, b, vload2(column + 1 < columns ? above + 1 : above - 1, vectors));
}
static int mode_context_at(const macroblock_neighbours *n, int column, int row) {
  const int index = row * MACROBLOCK_COLUMNS + column;
  const int left = column > 0 ? (int)(n->classes >> 2 * (index - 1) & 3) : 0;
  const int above = row > 0 ? (int)(n->classes >> 2 * (index - MACROBLOCK_COLUMNS) & 3) : 0;
  return mode_context(n->intra_slice, left, above);
}
// `coded`: the bits of the components before this one.
static int coded_context(const macroblock_neighbours *n, bool intra, uint coded, int component, int column, int row) {
  if (component == 0) {
    const int index = row * MACROBLOCK_COLUMNS + column;
    const int left = column > 0 ? (int)(n->has_luma >> (index - 1) & 1) : 0;
    const int above = row > 0 ? (int)(n->has_luma >> (index - MACROBLOCK_COLUMNS) & 1) : 0;
    return coded_luma_context(intra, left + above);
  }
  return coded_chroma_context(intra, coded, component);
}

// Reads everything of a macroblock but its levels. False: invalid symbols.
static bool read_macroblock(symbol_reader *r, const transform_tables *all, local texcast_transform_parser *memory,
                            macroblock_neighbours *n, int column, int row, texcast_macroblock *macroblock) {
  const int index = row * MACROBLOCK_COLUMNS + column;
  use_tables(r, all, memory->tables[0]);
  const int mode = read_symbol(r, mode_context_at(n, column, row));
  if (mode >= MACROBLOCK_MODES || (n->intra_slice && mode < MACROBLOCK_INTRA_DC)) return false;
  int2 vector = predicted_vector(memory->vectors, column, row, n->columns);
  if (mode == MACROBLOCK_INTER_CODED) vector += read_vector(r, false);
  uint coded = 0;
  for (int c = 0; c < TEXCAST_TRANSFORM_COMPONENTS; ++c) {
    const uint mask = memory->masks[index] >> 4 * c & 15;
    if (mode == MACROBLOCK_SKIP || mask == 0) continue;
    use_tables(r, all, memory->tables[c]);
    const uint blocks = (uint)read_symbol(r, coded_context(n, mode >= MACROBLOCK_INTRA_DC, coded, c, column, row));
    if ((blocks & ~mask) != 0) return false;
    coded |= blocks << 4 * c;
  }
  vstore2(vector, index, memory->vectors);
  n->classes |= (uint)mode_class(mode) << 2 * index;
  n->has_luma |= ((coded & 0xF) != 0 ? 1u : 0u) << index;
  macroblock->mode = mode;
  macroblock->vector[0] = vector.x;
  macroblock->vector[1] = vector.y;
  macroblock->coded = coded;
  return true;
}

// The transform blocks of a macroblock in a component, a bit for each.
static uint mask_of(const texcast_component *c, const part_rect *p, int column, int row) {
  const int columns = p->columns - (column << (3 - c->across)), rows = p->rows - (row << (3 - c->down));
  if (columns <= 0 || rows <= 0) return 0;
  const uint of_row = columns > 2 && c->across == 1 ? 3 : 1;
  return of_row | (rows > 2 && c->down == 1 ? of_row << 2 : 0);
}

// Reads a tile or sub-slice. False: invalid symbols.
static bool read_part(symbol_reader *r, global const texcast_slice_to_decode *slice, int tile,
                      global const texcast_decoded_component *components, const transform_tables *all,
                      local texcast_transform_parser *memory, global texcast_macroblock *macroblocks,
                      global short *levels) {
  int columns = 0, rows = 0;
  for (int i = 0; i < TEXCAST_MACROBLOCKS; ++i) memory->masks[i] = 0;
  for (int number = 0; number < TEXCAST_TRANSFORM_COMPONENTS; ++number) {
    const texcast_component c = components[number].component;
    const part_rect p = rect_of_part(&c, tile, slice->sub_slices, slice->sub_slice);
    if (number == 0) columns = (p.columns + 3) / 4;
    if (number == 0) rows = (p.rows + 3) / 4;
    for (int i = 0; i < TEXCAST_MACROBLOCKS; ++i)
      memory->masks[i] |= mask_of(&c, &p, i % MACROBLOCK_COLUMNS, i / MACROBLOCK_COLUMNS) << 4 * number;
  }
  macroblock_neighbours n = {slice->intra != 0, columns, 0, 0};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int index = row * MACROBLOCK_COLUMNS + column;
      texcast_macroblock macroblock;
      if (!read_macroblock(r, all, memory, &n, column, row, &macroblock)) return false;
      macroblocks[index] = macroblock;
      for (uint coded = macroblock.coded; coded != 0; coded &= coded - 1) {
        const int block = bit_length(coded & (~coded + 1)) - 1;
        use_tables(r, all, memory->tables[block / 4]);
        if (!read_levels(r, macroblock.mode >= MACROBLOCK_INTRA_DC, memory->found,
                         levels + (index * TEXCAST_TRANSFORM_BLOCKS + block) * TEXCAST_COEFFICIENTS))
          return false;
      }
      if (r->is_short) return false;
    }
  }
  return true;
}

// Reads the header. Returns the quantiser; below 0: invalid symbols.
static int read_quantiser(symbol_reader *r, bool intra) {
  const int high = intra ? 0 : (int)read_literal(r, 4) << 2;
  if (read_literal(r, 2) != TEXCAST_TRANSFORM_CONTENT) return -1;
  const int quantiser = high | (int)read_literal(r, intra ? 6 : 2);
  return quantiser <= MOST_QUANTISER ? quantiser : -1;
}

// Reads a slice. False: invalid symbols. `parts`, `macroblocks` and `levels`: its own; the other arguments are those of
// parse_slices.
static bool read_transform_slice(symbol_reader *r, global const texcast_slice_to_decode *slice,
                                 global const texcast_decoded_component *components, const transform_tables *all,
                                 int table_sets, global texcast_decoded_part *parts,
                                 global texcast_macroblock *macroblocks, global short *levels,
                                 local texcast_transform_parser *memory) {
  use_tables(r, all, components[0].tables);
  const int quantiser = read_quantiser(r, slice->intra != 0);
  if (quantiser < 0 || slice->sub_slices > MOST_SUB_SLICES) return false;
  const int range = TEXCAST_TRANSFORM_RANGE(quantiser);
  for (int c = 0; c < TEXCAST_TRANSFORM_COMPONENTS; ++c) memory->tables[c] = range * table_sets + components[c].tables;
  for (int i = 0; i < slice->tiles; ++i) {
    parts[i].quantiser = quantiser;
    if (!read_part(r, slice, slice->tile + i, components, all, memory, macroblocks + i * TEXCAST_MACROBLOCKS,
                   levels + i * LEVELS_OF_PART))
      return false;
  }
  return has_ended_well(r);
}
