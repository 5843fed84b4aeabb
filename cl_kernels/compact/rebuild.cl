// rebuild.cl — decodes lossy slices into sub-blocks of channels, as codec/compact/decode/slice_decoder.cpp does.
// Symbols never depend on reconstructed sub-blocks: one kernel parses them, slice by slice, and checks whether they are
// valid; the next one reconstructs all sub-blocks at once. Slices may have any bytes.
//   defines  CHANNEL=1
//
// parse_units: parses the symbols of a slice, one after the other. Devices are fast at this if there is no other item
// in the group.
//   work-group   1 item for each slice
//   in   words       ushort[]: the bytes of all slices
//        units       texcast_unit_to_rebuild[]
//        components  texcast_rebuilt_component[count]
//        buckets     uint[content][table set][context][TEXCAST_REBUILD_BUCKETS]: the symbol with the most slots in the
//                    bucket: from bit 16 on the number of its slots, from bit 4 on its first slot, and the symbol
//        starts      ushort[content][table set][context][symbol]: first slots
//   out  parts       texcast_rebuilt_part[]: the tiles and sub-slices of all slices
//        symbols     uint4[sub-blocks], in their positions: SYMBOLS_…; not in partitions that are all motion copies
//        results     texcast_rebuilt_unit[]: valid or not
//
// rebuild_halves: reconstructs the sub-blocks of a component.
//   work-group   tile_columns times tile_rows items for each part: its sub-blocks, row by row
//   in   before      the reference frame; parts, symbols: from parse_units
//        right       uchar[tile]: not 0: the tile of the reference frame is valid
//        has_before  0: there is no reference frame, and all slices are intra
//   out  now         ulong[sub-blocks]: those of valid slices
//        results     further flags
//
// check_units: computes slice_check() (codec/compact/bitstream/include/compact/payload.h) of valid slices.
//   work-group   1 item for each slice
//   exactness    integer; equals the CPU's result on every device
#include "compact/trace.cl"

#define ENDS_FIT 11
#define COLUMNS 16
#define ROWS 8

// The symbols of a sub-block. First number: kind, modes of the end points and of the indices, 4 bits each, then two
// residuals of 10 bits each. Second and third number: ranks or levels, 4 bits each; or in the second one the constant
// level or the vector of a hash copy.
#define SYMBOLS_ENDS_AT 4
#define SYMBOLS_INDICES_AT 8
#define SYMBOLS_DIFFERENCE_AT 12
#define SYMBOLS_DIFFERENCE_BITS 10

typedef struct symbol_reader {
  global const ushort *next;
  uint left;   // words
  uint ahead;  // the next word, loaded before it is needed
  uint state;
  bool is_short;
  global const uint *buckets;
  global const ushort *starts;
} symbol_reader;

static uint take_word(symbol_reader *r) {
  if (r->left == 0) {
    r->is_short = true;
    return 0;
  }
  const uint word = r->ahead;
  ++r->next;
  --r->left;
  if (r->left > 0) r->ahead = *r->next;
  return word;
}
// The entry of a slot, in the form of `buckets`: for the few slots that have another symbol than their bucket.
static uint entry_of_slot(global const ushort *starts, uint slot) {
  uint symbol = 0, start = 0, end = 4096;
  for (uint s = 1; s < 16; ++s) {
    const uint next = starts[s];
    symbol = next <= slot ? s : symbol;
    start = next <= slot ? next : start;
    end = next > slot ? min(end, next) : end;
  }
  return (end - start) << 16 | start << 4 | symbol;
}
static int read_symbol(symbol_reader *r, int context) {
  const uint slot = r->state & 4095;
  uint entry = r->buckets[context * TEXCAST_REBUILD_BUCKETS + (int)(slot / (4096 / TEXCAST_REBUILD_BUCKETS))];
  uint within = slot - (entry >> 4 & 4095);
  if (within >= entry >> 16) {
    entry = entry_of_slot(r->starts + context * 16, slot);
    within = slot - (entry >> 4 & 4095);
  }
  r->state = (entry >> 16) * (r->state >> 12) + within;
  if (r->state < 65536 && r->left > 0) r->state = r->state << 16 | take_word(r);
  return (int)(entry & 15);
}
static uint read_flat(symbol_reader *r, int count) {
  uint value = 0;
  for (int done = 0; done < count; done += 4)
    value |= (uint)read_symbol(r, TEXCAST_FLAT_CONTEXT + min(count - done, 4) - 1) << done;
  return value & ((1u << count) - 1);
}
static int read_distance(symbol_reader *r, bool of_block, bool is_y, int *bits_of_x) {
  const int length = read_symbol(r, distance_context(of_block, is_y, *bits_of_x));
  if (!is_y) *bits_of_x = length;
  if (length == 0) return 0;
  const uint rest = read_flat(r, length);
  const int size = (int)(1u << (length - 1) | rest >> 1);
  return (rest & 1) != 0 ? -size : size;
}
static int2 read_vector(symbol_reader *r, bool of_block) {
  int bits_of_x = 0;
  const int x = read_distance(r, of_block, false, &bits_of_x);
  return (int2)(x, read_distance(r, of_block, true, &bits_of_x));
}
static int read_difference(symbol_reader *r, int context) {
  const int symbol = read_symbol(r, context);
  uint folded = (uint)symbol;
  if (symbol >= 12) {
    // For each of the four escapes the first value, a byte, and the number of literal bits, a hexadecimal digit.
    const int escape = symbol - 12;
    folded = (0x6020100Cu >> 8 * escape & 255) + read_flat(r, (int)(0x9642u >> 4 * escape & 15));
  }
  return (folded & 1) != 0 ? (int)(folded / 2) + 1 : -(int)(folded / 2);
}

static bool is_zero(int2 v) { return (v.x | v.y) == 0; }

// The sub-blocks of a component in a part.
typedef struct part_place {
  int x0, y0, columns, rows;
} part_place;
static part_place place_of_part(const texcast_component *c, int tile, int strips, int strip) {
  const int rows = c->tile_rows / strips;
  part_place p;
  p.x0 = tile % c->tiles_across * c->tile_columns;
  p.y0 = tile / c->tiles_across * c->tile_rows + strip * rows;
  p.columns = clamp(c->blocks_x - p.x0, 0, c->tile_columns);
  p.rows = clamp(c->blocks_y - p.y0, 0, rows);
  return p;
}

// Reads the partitions at the beginning of a tile. False: invalid symbols.
static bool read_areas(symbol_reader *r, const part_place *p, global texcast_rebuilt_part *part, local int2 *vectors,
                       uint *moved) {
  *moved = 0;
  for (int y = 0; y < (p->rows + 3) / 4; ++y) {
    for (int x = 0; x < (p->columns + 3) / 4; ++x) {
      const int area = 4 * y + x;
      const int2 left = x > 0 ? vectors[area - 1] : (int2)(0, 0);
      const int2 above = y > 0 ? vectors[area - 4] : (int2)(0, 0);
      const uint moved_left = x > 0 ? *moved >> (area - 1) & 1 : 0, moved_above = y > 0 ? *moved >> (area - 4) & 1 : 0;
      const int symbol = read_symbol(r, TEXCAST_AREA_CONTEXT + (is_zero(left) ? 1 : 0) + (is_zero(above) ? 2 : 0) +
                                            4 * (int)(moved_left + moved_above));
      if (symbol >= 8) return false;
      *moved |= (uint)(symbol >> 2) << area;
      int2 v = (int2)(0, 0);
      if ((symbol & 3) == 1) v = left;
      if ((symbol & 3) == 2) v = above;
      if ((symbol & 3) == 3) v = (x > 0 ? left : above) + read_vector(r, false);
      vectors[area] = v;
      part->vectors[2 * area] = v.x;
      part->vectors[2 * area + 1] = v.y;
    }
  }
  return true;
}

// Reads the rest of the ranks of two texels. Puts them from bit `at` on.
static uint ranks_of_pair(symbol_reader *r, int group, int symbol, int at) {
  uint first = (uint)symbol >> 2, second = (uint)symbol & 3;
  if (first == PAIR_LIMIT) first += (uint)min(read_symbol(r, TEXCAST_FAR_RANK_CONTEXT + group), 4);
  if (second == PAIR_LIMIT) second += (uint)min(read_symbol(r, TEXCAST_FAR_RANK_CONTEXT + group), 4);
  return first << at | second << (at + 4);
}
static int context_below(int symbol) { return 4 * (3 * min(symbol >> 2, 2) + min(symbol & 3, 2)); }
static uint2 read_ranks(symbol_reader *r, int group) {
  const int first = TEXCAST_RANKS_CONTEXT + group * 40;
  int below_one = 36, below_two = 36;
  uint2 ranks = (uint2)(0, 0);
  for (int row = 0; row < 4; ++row) {
    const int one = read_symbol(r, first + below_one + 3);
    uint of_row = ranks_of_pair(r, group, one, 0);
    const int two = read_symbol(r, first + below_two + min(one & 3, 2));
    of_row |= ranks_of_pair(r, group, two, 8);
    below_one = context_below(one);
    below_two = context_below(two);
    if (row < 2)
      ranks.x |= of_row << 16 * row;
    else
      ranks.y |= of_row << 16 * (row - 2);
  }
  return ranks;
}

// Sets of index modes that are coded in the same way: a bit for each mode.
enum {
  BY_PIXELS = 0x1E1,  // relative to the prediction block: predicted, and with ranks
  ONE_LEVEL = 1 << INDICES_CONSTANT,
  OF_BEFORE = 1 << INDICES_BEFORE,
  OF_NEIGHBOUR = 1 << INDICES_LEFT | 1 << INDICES_ABOVE,
  BY_THEMSELVES = 1 << INDICES_ALONE,
  OF_LUMA = 1 << INDICES_LUMA | 1 << INDICES_MIRRORED_LUMA,
  LEVEL_BY_LEVEL = 1 << INDICES_TEXELS
};

// Reads a coded sub-block after its kind. False: invalid symbols.
static bool read_coded(symbol_reader *r, bool alone, bool has_luma, uint left, uint above, uint4 *symbols,
                       uint *trace) {
  const int ends = read_symbol(
      r, TEXCAST_ENDS_CONTEXT + (alone ? 16 : 0) + (int)(trace_ends(left) * 4 + trace_ends(above)));
  if (ends > ENDS_FIT || (alone && (ends == ENDS_NEAR_FIT || ends == ENDS_FIT))) return false;
  uint largest = 0, differences = 0;
  if (ends >= ENDS_NEAR_BEFORE && ends <= ENDS_NEAR_FIT) {
    const int neighbours = (int)max(trace_difference(left), trace_difference(above));
    int d[VALUES] = {0, 0};
    d[0] = read_difference(r, difference_context(ends, 0, d, neighbours));
    d[1] = read_difference(r, difference_context(ends, 1, d, neighbours));
    largest = (uint)max(class_of(d[0]), class_of(d[1]));
    const uint mask = (1u << SYMBOLS_DIFFERENCE_BITS) - 1;
    differences = ((uint)d[0] & mask) | ((uint)d[1] & mask) << SYMBOLS_DIFFERENCE_BITS;
  }
  const int indices = read_symbol(r, TEXCAST_INDICES_CONTEXT + (alone ? 162 : 0) + (largest > 1 ? 81 : 0) +
                                         (int)(trace_indices(left) * 9 + trace_indices(above)));
  const uint is = 1u << indices;
  if (indices > INDICES_TEXELS || (!has_luma && (is & OF_LUMA) != 0)) return false;
  uint2 rest = (uint2)(0, 0);
  if (alone && (is & BY_PIXELS) != 0) return false;
  if ((is & ONE_LEVEL) != 0) {
    const int level = read_symbol(r, TEXCAST_LEVEL_CONTEXT);
    if (level >= LEVELS) return false;
    rest.x = (uint)level;
  }
  if (has_ranks(indices)) rest = read_ranks(r, indices - INDICES_NEAR);
  if ((is & LEVEL_BY_LEVEL) != 0) {
    for (int i = 0; i < 16; ++i) {
      const int level = read_symbol(r, texel_context(rest, i));
      if (level >= LEVELS) return false;
      put_level(&rest, i, level);
    }
  }
  const uint modes = KIND_CODED | (uint)ends << SYMBOLS_ENDS_AT | (uint)indices << SYMBOLS_INDICES_AT;
  *symbols = (uint4)(modes | differences << SYMBOLS_DIFFERENCE_AT, rest.x, rest.y, 0);
  *trace = trace_of_coded(ends, indices, largest);
  return true;
}

// Constants of a component in a part.
typedef struct parse_form {
  bool alone, is_first, has_luma;
  uint moved, zero;  // partitions, a bit each: all motion copies; the vector is zero
} parse_form;

// Reads a sub-block. False: invalid symbols.
static bool read_half(symbol_reader *r, const texcast_component *c, const parse_form *form, int kind_context, int2 at,
                      bool has_left, bool has_above, uint left, uint above, int2 *jump, uint4 *symbols, uint *trace) {
  const int kind = read_symbol(r, kind_context);
  *symbols = (uint4)((uint)kind, 0, 0, 0);
  *trace = kind == KIND_MOVED ? 0 : 1;
  if (kind == KIND_CODED) return read_coded(r, form->alone, form->has_luma, left, above, symbols, trace);
  if (kind == KIND_LEFT) return has_left;
  if (kind == KIND_ABOVE) return has_above;
  if (kind > KIND_JUMPED || form->alone) return false;
  if (kind == KIND_JUMPED) *jump = read_vector(r, true);
  if (kind == KIND_JUMPED || kind == KIND_JUMPED_ON) {
    *symbols = (uint4)((uint)kind, pack_vector(*jump), 0, 0);
    return has_place(c, at.x + jump->x, at.y + jump->y);
  }
  return true;
}

static bool read_component(symbol_reader *r, const texcast_component *c, const part_place *p, const parse_form *form,
                           local uint *traces, local uint *coded_rows, global uint4 *symbols) {
  int2 jump = (int2)(0, 0);
  for (int row = 0; row < p->rows; ++row) {
    uint coded_first = 0, left = 0, coded = 0;
    if (!form->is_first)
      for (int j = 0; j < c->down; ++j) coded_first |= coded_rows[(row * c->down + j) & (ROWS - 1)];
    for (int column = 0; column < p->columns; ++column) {
      const int area = (row * c->down >> 2) * 4 + (column * c->across >> 2);
      uint trace = 0;
      if ((form->moved >> area & 1) == 0) {
        const uint above = row > 0 ? traces[column] : 0;
        const bool is_coded_first = (coded_first >> column * c->across & ((1u << c->across) - 1)) != 0;
        const int which = form->alone ? 4 : (int)(form->zero >> area & 1) + (is_coded_first ? 2 : 0);
        const int context =
            TEXCAST_LOSSY_KIND_CONTEXT + which * 16 + (int)(trace_kind(left) * 4 + trace_kind(above));
        const int2 at = (int2)(p->x0 + column, p->y0 + row);
        uint4 told;
        if (!read_half(r, c, form, context, at, column > 0, row > 0, left, above, &jump, &told, &trace)) return false;
        symbols[place_of(c, at.x, at.y)] = told;
        coded |= ((told.x & 15) == KIND_CODED ? 1u : 0u) << column;
      }
      traces[column] = left = trace;
    }
    if (form->is_first) coded_rows[row] = coded;
    if (r->is_short) return false;
  }
  return true;
}

static bool read_unit(symbol_reader *r, global const texcast_unit_to_rebuild *unit,
                      global const texcast_rebuilt_component *components, int count, global const uint *buckets,
                      global const ushort *starts, int table_sets, global texcast_rebuilt_part *parts,
                      global uint4 *symbols, local uint *traces, local uint *coded_rows, local int2 *vectors) {
  const bool alone = unit->alone != 0;
  const int set_buckets = TEXCAST_LOSSY_CONTEXTS * TEXCAST_REBUILD_BUCKETS, set_starts = TEXCAST_LOSSY_CONTEXTS * 16;
  r->buckets = buckets + components[0].tables * set_buckets;
  r->starts = starts + components[0].tables * set_starts;
  r->state = take_word(r);
  r->state = r->state << 16 | take_word(r);
  const int quantiser = alone ? 0 : (int)read_flat(r, 4);
  const int content = (int)read_flat(r, 2);
  if (quantiser >= 12 || content >= TEXCAST_CONTENTS) return false;
  for (int i = 0; i < unit->tiles; ++i) {
    global texcast_rebuilt_part *part = parts + i;
    part->quantiser = quantiser;
    parse_form form = {alone, true, false, 0, 0};
    for (int area = 0; area < 8; ++area) vectors[area] = (int2)(0, 0);
    for (int number = 0; number < count; ++number) {
      const texcast_component c = components[number].component;
      const int tables = content * table_sets + components[number].tables;
      r->buckets = buckets + tables * set_buckets;
      r->starts = starts + tables * set_starts;
      const part_place p = place_of_part(&c, unit->tile + i, unit->strips, unit->strip);
      form.is_first = number == 0;
      form.has_luma = follows_luma(&c, number);
      if (number == 0) {
        for (int row = 0; row < ROWS; ++row) coded_rows[row] = 0;
        if (!alone && !read_areas(r, &p, part, vectors, &form.moved)) return false;
        part->moved = form.moved;
      }
      form.zero = 0;
      for (int area = 0; area < 8; ++area)
        form.zero |= (is_zero((int2)(vectors[area].x >> (c.across - 1), vectors[area].y >> (c.down - 1))) ? 1u : 0u)
                     << area;
      if (!read_component(r, &c, &p, &form, traces, coded_rows, symbols)) return false;
    }
  }
  return !r->is_short && r->left == 0 && r->state == 1;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void parse_units(global const ushort *words, global const texcast_unit_to_rebuild *units,
                 global const texcast_rebuilt_component *components, int count, global const uint *buckets,
                 global const ushort *starts, int table_sets, global texcast_rebuilt_part *parts,
                 global uint4 *symbols, global texcast_rebuilt_unit *results) {
  local uint traces[COLUMNS], coded_rows[ROWS];
  local int2 vectors[8];
  const int number = (int)get_global_id(0);
  global const texcast_unit_to_rebuild *unit = units + number;
  global texcast_rebuilt_part *own = parts + unit->first_part;
  symbol_reader reader;
  reader.next = words + unit->first_word;
  reader.left = unit->bytes / 2;
  reader.ahead = reader.left > 0 ? *reader.next : 0;
  reader.is_short = false;
  const bool is_good = (unit->bytes & 1) == 0 && read_unit(&reader, unit, components, count, buckets, starts,
                                                           table_sets, own, symbols, traces, coded_rows, vectors);
  for (int i = 0; i < unit->tiles; ++i) {
    own[i].unit = number;
    own[i].tile = unit->tile + i;
    own[i].strips = unit->strips;
    own[i].strip = unit->strip;
    own[i].alone = unit->alone;
    own[i].is_good = is_good ? 1 : 0;
  }
  results[number].flags = is_good ? TEXCAST_REBUILT_GOOD : 0;
  results[number].check = 0;
}

// Reconstruction.

static int rounded_eighths(int v) { return v >= 0 ? (v + 4) >> 3 : -((4 - v) >> 3); }

// The prediction block at (x, y) in half texels, a byte for each texel, by bilinear interpolation: the mean of two
// texels is rounded up, that of four to the nearest. Texels at the edge are repeated outside.
static uint4 pixels_at(global const ulong *before, const texcast_component *c, int x, int y) {
  const int right = x & 1, down = y & 1, last_x = c->blocks_x * 4 - 1, last_y = c->blocks_y * 4 - 1;
  x >>= 1;
  y >>= 1;
  const int x0 = clamp(x, 0, last_x) >> 2, x1 = clamp(x + 3 + right, 0, last_x) >> 2;
  const int y0 = clamp(y, 0, last_y) >> 2, y1 = clamp(y + 3 + down, 0, last_y) >> 2;
  const ulong h00 = before[place_of(c, x0, y0)], h10 = before[place_of(c, x1, y0)];
  const ulong h01 = before[place_of(c, x0, y1)], h11 = before[place_of(c, x1, y1)];
  const palette p00 = palette_of(c->kind, h00), p10 = palette_of(c->kind, h10);
  const palette p01 = palette_of(c->kind, h01), p11 = palette_of(c->kind, h11);
  uint rows[4] = {0, 0, 0, 0}, row_before[4] = {0, 0, 0, 0};
  for (int j = 0; j < 5; ++j) {
    const int ty = clamp(y + j, 0, last_y);
    const bool is_lower = ty >> 2 != y0;
    const palette of_left = is_lower ? p01 : p00, of_right = is_lower ? p11 : p10;
    const ulong on_left = indices_of(is_lower ? h01 : h00), on_right = indices_of(is_lower ? h11 : h10);
    uint texels[5];
    for (int i = 0; i < 5; ++i) {
      const int tx = clamp(x + i, 0, last_x);
      const bool is_right = tx >> 2 != x0;
      const uint index = index_at(is_right ? on_right : on_left, (ty & 3) * 4 + (tx & 3));
      texels[i] = shade(is_right ? of_right : of_left, index);
    }
    for (int i = 0; i < 4; ++i) {
      const uint here = right != 0 ? texels[i] + texels[i + 1] : 2 * texels[i];
      if (down == 0 && j < 4) rows[j] |= (here + 1) >> 1 << 8 * i;
      // The mean of four. If `right` is 0 it counts two texels twice, so that their mean is rounded up.
      if (down != 0 && j > 0) rows[j - 1] |= (row_before[i] + here + 2) >> 2 << 8 * i;
      row_before[i] = here;
    }
  }
  return (uint4)(rows[0], rows[1], rows[2], rows[3]);
}
static uint row_at(uint4 pixels, int row) {
  return row == 0 ? pixels.x : row == 1 ? pixels.y : row == 2 ? pixels.z : pixels.w;
}
static int pixel_at(uint4 pixels, int row, int column) { return (int)(row_at(pixels, row) >> 8 * column & 255); }

static uint fitted_ends(uint4 pixels) {
  int low = 255, high = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      const int pixel = pixel_at(pixels, j, i);
      low = min(low, pixel);
      high = max(high, pixel);
    }
  return (uint)high | (uint)low << 8;
}
static uint widened_ends(uint ends, int least_range) {
  const int first = (int)(ends & 255), second = (int)(ends >> 8), more = max(0, least_range - (first - second));
  return (uint)min(first + more / 2, 255) | (uint)max(second - (more - more / 2), 0) << 8;
}

// The inverse of rank_of() in syntax.cl.
static int level_of_rank(int rank, int nearest, bool beyond, int steps) {
  const int both = 2 * min(nearest, steps - nearest);  // so many levels have one as near on the other side
  if (rank > steps) return rank;
  if (rank > both) return nearest + (2 * nearest > steps ? both / 2 - rank : rank - both / 2);
  const int distance = (rank + 1) / 2;
  return nearest + (((rank & 1) != 0) == beyond ? distance : -distance);
}
static ulong index_of_level(int level, bool full) { return (full ? 0x17654320u : 0x76154320u) >> 4 * level & 7; }

// The level nearest to a position along the line. `place` is in eighths of a level, times the length of the line.
static int level_there(int place, int range, int steps) {
  int level = 0;
  for (int k = 0; k < 7; ++k) level += k < steps && place > (8 * k + 4) * range ? 1 : 0;
  return level;
}
// Indices by ranks, relative to the prediction block with residual carry. If all ranks are 0 they are the levels
// nearest to the prediction block.
static ulong indices_near(uint ends, uint4 pixels, uint2 ranks) {
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full), first = (int)(ends & 255), axis = (int)(ends >> 8 & 255) - first;
  const int range = (int)abs(axis), scale = 8 * steps * (clamp(axis, 0, 1) - clamp(-axis, 0, 1));
  int carried[4] = {0, 0, 0, 0};
  ulong indices = 0;
  for (int j = 0; j < 4; ++j) {
    const uint of_row = (j < 2 ? ranks.x : ranks.y) >> 16 * (j & 1);
    int left = 0;
    for (int i = 0; i < 4; ++i) {
      const int place = scale * (pixel_at(pixels, j, i) - first);
      const int moved = place + 3 * (left + carried[i]) * range;
      const int nearest = level_there(moved, range, steps);
      const int level = level_of_rank((int)(of_row >> 4 * i & 15), nearest, moved > 8 * nearest * range, steps);
      left = carried[i] = min(level, steps) - level_there(place, range, steps);
      indices |= index_of_level(level, full) << 3 * (4 * j + i);
    }
  }
  return indices;
}
static ulong indices_of_levels(uint2 levels, bool full) {
  ulong indices = 0;
  for (int i = 0; i < 16; ++i) indices |= index_of_level(level_in(levels, i), full) << 3 * i;
  return indices;
}
// Indices by intra ranks.
static ulong indices_alone(uint ends, uint2 ranks) {
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full);
  int above[4] = {0, 0, 0, 0};
  ulong indices = 0;
  for (int j = 0; j < 4; ++j) {
    const uint of_row = (j < 2 ? ranks.x : ranks.y) >> 16 * (j & 1);
    int left = 0;
    for (int i = 0; i < 4; ++i) {
      const int guess = i > 0 ? (j > 0 ? (left + above[i] + 1) / 2 : left) : j > 0 ? above[i] : steps / 2;
      const int level = level_of_rank((int)(of_row >> 4 * i & 15), guess, true, steps);
      left = above[i] = min(level, steps);
      indices |= index_of_level(level, full) << 3 * (4 * j + i);
    }
  }
  return indices;
}

// Whether the sub-blocks [x0, x1] by [y0, y1] lie in valid tiles. In each direction they are at most as many as a tile
// has.
static bool are_right(global const uchar *right, const texcast_component *c, int x0, int y0, int x1, int y1) {
  const int left = clamp(x0, 0, c->blocks_x - 1) / c->tile_columns, top = clamp(y0, 0, c->blocks_y - 1) / c->tile_rows;
  const int end = clamp(x1, 0, c->blocks_x - 1) / c->tile_columns, low = clamp(y1, 0, c->blocks_y - 1) / c->tile_rows;
  global const uchar *upper = right + top * c->tiles_across, *lower = right + low * c->tiles_across;
  return upper[left] != 0 && upper[end] != 0 && lower[left] != 0 && lower[end] != 0;
}
// The same for those that have the texels of the prediction block of sub-block (x, y) at vector v.
static bool are_pixels_right(global const uchar *right, const texcast_component *c, int x, int y, int2 v) {
  return are_right(right, c, x + (v.x >> 3), y + (v.y >> 3), x + ((((v.x + 1) >> 1) + 3) >> 2),
                   y + ((((v.y + 1) >> 1) + 3) >> 2));
}

// The sources of end points by mode, a hexadecimal digit for each mode.
enum { ENDS_OF_BEFORE = 1, ENDS_OF_LEFT = 2, ENDS_OF_ABOVE = 4, ENDS_OF_RECENT = 8 };  // none: fitted
#define END_SOURCES 0x88880421421UL
// The dependency of a sub-block's end points. Bits 0 to 4: they come from the sub-block so many before it, or 0 from
// itself. WAITS_RECENT: from recent ones, and from bit 6 on from which of them. WAITS_PUSHES: they become recent ones
// themselves. From bit 12 on are two residuals.
#define WAITS_BACK 31u
#define WAITS_RECENT 32u
#define WAITS_RECENT_AT 6
#define WAITS_PUSHES 256u

typedef struct recent_ends {
  uint e0, e1, e2, e3;
} recent_ends;
static void push_recent(recent_ends *recent, uint ends) {
  if (ends == recent->e0) return;
  if (ends != recent->e1) {
    if (ends != recent->e2) recent->e3 = recent->e2;
    recent->e2 = recent->e1;
  }
  recent->e1 = recent->e0;
  recent->e0 = ends;
}
static uint recent_at(const recent_ends *recent, uint i) {
  const uint low = (i & 1) != 0 ? recent->e1 : recent->e0, high = (i & 1) != 0 ? recent->e3 : recent->e2;
  return (i & 2) != 0 ? high : low;
}
static uint with_differences(uint ends, uint symbols) {
  const int first = (int)(symbols << 10) >> 22, second = (int)symbols >> 22;
  return ((uint)((int)(ends & 255) + first) & 255) | ((uint)((int)(ends >> 8) + second) & 255) << 8;
}

// The group's memory. For each sub-block: its end points, their dependency, its indices, and how far before it the
// sub-block is from which it copies indices (0: it has its own).
typedef struct tile_memory {
  uint ends[TEXCAST_REBUILD_ITEMS], waits[TEXCAST_REBUILD_ITEMS], back[TEXCAST_REBUILD_ITEMS];
  ulong indices[TEXCAST_REBUILD_ITEMS];
  uint waiting[TEXCAST_REBUILD_ITEMS / 32];  // sub-blocks with a dependency, a bit each
  uint flags;                                // TEXCAST_REBUILT_…
} tile_memory;

// Computes the end points that depend on others, in coding order.
static void settle_ends(local tile_memory *memory) {
  recent_ends recent = {0x0000FFFFu, 0xFFFF0000u, 0, 0};
  for (int word = 0; word < TEXCAST_REBUILD_ITEMS / 32; ++word) {
    for (uint waiting = memory->waiting[word]; waiting != 0; waiting &= waiting - 1) {
      const int i = 32 * word + bit_length(waiting & (~waiting + 1)) - 1;
      const uint waits = memory->waits[i];
      uint ends = memory->ends[i - (int)(waits & WAITS_BACK)];
      if ((waits & WAITS_RECENT) != 0) ends = recent_at(&recent, waits >> WAITS_RECENT_AT & 3) & END_MASK;
      ends = with_differences(ends, waits);
      memory->ends[i] = ends;
      if ((waits & WAITS_PUSHES) != 0) push_recent(&recent, ends);
    }
  }
}

kernel void rebuild_halves(global const ulong *before, global const texcast_rebuilt_component *components, int number,
                           global const texcast_rebuilt_part *parts, global const uint4 *symbols,
                           global const uchar *right, int has_before, global ulong *now,
                           volatile global uint *results) {
  local tile_memory memory;
  const texcast_component c = components[number].component;
  const int item = (int)get_local_id(0), row = item / c.tile_columns, column = item - row * c.tile_columns;
  global const texcast_rebuilt_part *part = parts + get_group_id(0);
  const part_place p = place_of_part(&c, part->tile, part->strips, part->strip);
  const bool is_there = part->is_good != 0 && row < p.rows && column < p.columns;
  const bool alone = part->alone != 0;
  const int x = p.x0 + column, y = p.y0 + row, place = is_there ? place_of(&c, x, y) : 0;
  if (item < TEXCAST_REBUILD_ITEMS / 32) memory.waiting[item] = 0;
  if (item == 0) memory.flags = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  // This part depends on the reference frame only.
  uint4 told = (uint4)(KIND_MOVED, 0, 0, 0), pixels = (uint4)(0, 0, 0, 0);
  ulong value = 0;  // the copied sub-block; for coded ones that of the reference frame at the vector
  uint ends = 0, waits = 0, flags = 0, back = 0;
  const uint to_left = column > 0 ? 1 : 0, to_above = row > 0 ? (uint)c.tile_columns : 0;
  bool is_waiting = false, is_fitted = false;
  if (is_there) {
    const int area = (row * c.down >> 2) * 4 + (column * c.across >> 2);
    if ((part->moved >> area & 1) == 0) told = symbols[place];
    int2 v = (int2)(0, 0);
    if (!alone) v = (int2)(part->vectors[2 * area] >> (c.across - 1), part->vectors[2 * area + 1] >> (c.down - 1));
    const int kind = (int)(told.x & 15), ends_mode = (int)(told.x >> SYMBOLS_ENDS_AT & 15);
    int2 copied = (int2)(x, y);  // its position
    bool is_copy = kind == KIND_STAYED, has_pixels = kind == KIND_CODED && !alone;
    if (kind == KIND_JUMPED || kind == KIND_JUMPED_ON) {
      copied += unpack_vector(told.y);
      is_copy = is_waiting = true;
      waits = WAITS_PUSHES;
    }
    if (kind == KIND_MOVED) {
      copied += (int2)(v.x >> 3, v.y >> 3);
      is_copy = ((v.x | v.y) & 7) == 0 && has_place(&c, copied.x, copied.y);
      has_pixels = is_fitted = !is_copy;
    }
    if (has_pixels) {
      pixels = pixels_at(before, &c, x * 8 + v.x, y * 8 + v.y);
      ends = fitted_ends(pixels);
      if (!are_pixels_right(right, &c, x, y, v)) flags |= TEXCAST_REBUILT_WRONG;
    }
    if (is_copy) {
      value = before[place_of(&c, copied.x, copied.y)];
      ends = ends_of(value);
      if (!are_right(right, &c, copied.x, copied.y, copied.x, copied.y)) flags |= TEXCAST_REBUILT_WRONG;
    }
    if (kind == KIND_LEFT || kind == KIND_ABOVE) {
      is_waiting = true;
      waits = back = kind == KIND_LEFT ? 1 : (uint)c.tile_columns;
    }
    if (kind == KIND_CODED) {
      is_waiting = true;
      waits = WAITS_PUSHES | (told.x & ~0u << SYMBOLS_DIFFERENCE_AT);
      if (has_pixels) {
        const int nearest_x = clamp(x + rounded_eighths(v.x), 0, c.blocks_x - 1);
        const int nearest_y = clamp(y + rounded_eighths(v.y), 0, c.blocks_y - 1);
        value = before[place_of(&c, nearest_x, nearest_y)];
      }
      const uint source = (uint)(END_SOURCES >> 4 * ends_mode) & 15;
      ends = source == 0                      ? widened_ends(ends, components[number].least_range[part->quantiser])
             : (source & ENDS_OF_BEFORE) != 0 ? ends_of(value)
                                              : 0;
      if ((source & ENDS_OF_LEFT) != 0) waits |= to_left;
      if ((source & ENDS_OF_ABOVE) != 0) waits |= to_above;
      if ((source & ENDS_OF_RECENT) != 0) waits |= WAITS_RECENT | (uint)(ends_mode - ENDS_RECENT) << WAITS_RECENT_AT;
    }
    if (is_waiting) atomic_or(&memory.waiting[item / 32], 1u << (item & 31));
  }
  memory.ends[item] = ends;
  memory.waits[item] = waits;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) settle_ends(&memory);
  barrier(CLK_LOCAL_MEM_FENCE);

  // Computes the indices, except those copied from other sub-blocks.
  ulong indices = 0;
  if (is_there) {
    const int kind = (int)(told.x & 15), mode = (int)(told.x >> SYMBOLS_INDICES_AT & 15);
    ends = memory.ends[item];
    uint is = is_fitted ? BY_PIXELS : OF_BEFORE;
    if (kind == KIND_CODED) is = 1u << mode;
    if ((is & OF_BEFORE) != 0) indices = indices_of(value);
    if ((is & BY_PIXELS) != 0) indices = indices_near(ends, pixels, told.yz);
    if ((is & ONE_LEVEL) != 0) indices = index_of_level((int)told.y, is_full(TEXCAST_CHANNEL, ends)) * EACH_INDEX;
    if ((is & BY_THEMSELVES) != 0) indices = indices_alone(ends, told.yz);
    if ((is & LEVEL_BY_LEVEL) != 0) indices = indices_of_levels(told.yz, is_full(TEXCAST_CHANNEL, ends));
    if ((is & OF_NEIGHBOUR) != 0) back = mode == INDICES_LEFT ? to_left : to_above;
    if ((is & OF_LUMA) != 0) {
      const texcast_component luma = components[0].component;
      indices = indices_of(now[place_of(&luma, x, y)]);
      if (mode == INDICES_MIRRORED_LUMA) indices = mirrored_indices(indices);
    }
  }
  memory.back[item] = back;
  memory.indices[item] = indices;
  barrier(CLK_LOCAL_MEM_FENCE);

  // Follows copied indices to the sub-block that has its own.
  if (is_there) {
    int at = item;
    for (uint of = back; of != 0; of = memory.back[at]) at -= (int)of;
    const ulong made = memory.indices[at] << END_BITS | ends;
    now[place] = made;
    if (has_before != 0 && before[place] != made) flags |= TEXCAST_REBUILT_CHANGED;
    if (flags != 0) atomic_or(&memory.flags, flags);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && memory.flags != 0)
    atomic_or(results + part->unit * (int)(sizeof(texcast_rebuilt_unit) / sizeof(uint)), memory.flags);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void check_units(global const ulong *now, global const texcast_unit_to_rebuild *units,
                 global const texcast_rebuilt_component *components, int count,
                 global texcast_rebuilt_unit *results) {
  const int number = (int)get_global_id(0);
  global const texcast_unit_to_rebuild *unit = units + number;
  if ((results[number].flags & TEXCAST_REBUILT_GOOD) == 0) return;
  ulong hash = (ulong)unit->tile + 1;
  for (int i = 0; i < unit->tiles; ++i) {
    for (int of = 0; of < count; ++of) {
      const texcast_component c = components[of].component;
      const part_place p = place_of_part(&c, unit->tile + i, unit->strips, unit->strip);
      for (int row = 0; row < p.rows; ++row) {
        global const ulong *halves = now + place_of(&c, p.x0, p.y0 + row);
        for (int column = 0; column < p.columns; column += 8) {
          // Loads eight at once, as each load takes long.
          ulong loaded[8];
          for (int k = 0; k < 8; ++k) loaded[k] = halves[min(column + k, p.columns - 1)];
          for (int k = 0; k < 8; ++k)
            if (column + k < p.columns) hash = rotate(hash ^ loaded[k], 32UL) * 0x9E3779B97F4A7C15UL;
        }
      }
    }
  }
  results[number].check = (uint)(hash >> 32);
}
