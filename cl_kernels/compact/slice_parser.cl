// slice_parser.cl — parses block-coded lossy slices, as codec/compact/decode/slice_decoder.cpp does. Slices may have any
// bytes. decode.cl has the kernel.
//   defines      CHANNEL=1
#include "compact/decoded_part.cl"
#include "compact/symbol_reader.cl"

static int read_residual(symbol_reader *r, int context) {
  const int symbol = read_symbol(r, context);
  uint folded = (uint)symbol;
  if (symbol >= 12) {
    // For each of the four escapes the first value, a byte, and the number of literal bits, a hexadecimal digit.
    const int escape = symbol - 12;
    folded = (0x6020100Cu >> 8 * escape & 255) + read_literal(r, (int)(0x9642u >> 4 * escape & 15));
  }
  return (folded & 1) != 0 ? (int)(folded / 2) + 1 : -(int)(folded / 2);
}

// Reads the partitions at the beginning of a tile. False: invalid symbols.
static bool read_partitions(symbol_reader *r, const part_rect *p, global texcast_decoded_part *part,
                            local int *vectors, uint *copied) {
  *copied = 0;
  for (int y = 0; y < (p->rows + 3) / 4; ++y) {
    for (int x = 0; x < (p->columns + 3) / 4; ++x) {
      const int partition = 4 * y + x;
      int2 left = (int2)(0, 0), above = (int2)(0, 0);
      if (x > 0) left = vload2(partition - 1, vectors);
      if (y > 0) above = vload2(partition - 4, vectors);
      const uint copied_left = x > 0 ? *copied >> (partition - 1) & 1 : 0,
                 copied_above = y > 0 ? *copied >> (partition - 4) & 1 : 0;
      const int symbol = read_symbol(r, TEXCAST_PARTITION_CONTEXT + (is_zero(left) ? 1 : 0) + (is_zero(above) ? 2 : 0) +
                                            4 * (int)(copied_left + copied_above));
      if (symbol >= 8) return false;
      *copied |= (uint)(symbol >> 2) << partition;
      int2 v = (int2)(0, 0);
      if ((symbol & 3) == 1) v = left;
      if ((symbol & 3) == 2) v = above;
      if ((symbol & 3) == 3) v = (x > 0 ? left : above) + read_vector(r, false);
      vstore2(v, partition, vectors);
      part->vectors[2 * partition] = v.x;
      part->vectors[2 * partition + 1] = v.y;
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

// Reads a coded sub-block after its kind. False: invalid symbols.
static bool read_coded(symbol_reader *r, bool intra, bool has_luma, uint left, uint above, uint4 *symbols,
                       uint *state) {
  const int ends =
      read_symbol(r, TEXCAST_ENDS_CONTEXT + (intra ? 16 : 0) + (int)(state_ends(left) * 4 + state_ends(above)));
  if (ends > ENDS_FIT || (intra && (ends == ENDS_NEAR_FIT || ends == ENDS_FIT))) return false;
  uint largest = 0, residuals = 0;
  if (ends >= ENDS_NEAR_REFERENCE && ends <= ENDS_NEAR_FIT) {
    const int neighbours = (int)max(state_residual(left), state_residual(above));
    int d[VALUES] = {0, 0};
    d[0] = read_residual(r, residual_context(ends, 0, d, neighbours));
    d[1] = read_residual(r, residual_context(ends, 1, d, neighbours));
    largest = (uint)max(class_of(d[0]), class_of(d[1]));
    const uint mask = (1u << SYMBOLS_RESIDUAL_BITS) - 1;
    residuals = ((uint)d[0] & mask) | ((uint)d[1] & mask) << SYMBOLS_RESIDUAL_BITS;
  }
  const int indices = read_symbol(r, TEXCAST_INDICES_CONTEXT + (intra ? 162 : 0) + (largest > 1 ? 81 : 0) +
                                         (int)(state_indices(left) * 9 + state_indices(above)));
  const uint is = 1u << indices;
  if (indices > INDICES_TEXELS || (!has_luma && (is & OF_LUMA) != 0)) return false;
  uint2 rest = (uint2)(0, 0);
  if (intra && (is & BY_PIXELS) != 0) return false;
  if ((is & ONE_LEVEL) != 0) {
    const int level = read_symbol(r, TEXCAST_LEVEL_CONTEXT);
    if (level >= LEVELS) return false;
    rest.x = (uint)level;
  }
  if (has_ranks(indices)) rest = read_ranks(r, indices - INDICES_NEAR);
  if ((is & LEVEL_BY_LEVEL) != 0) {
    for (int i = 0; i < 16; ++i) {
      const int level = read_symbol(r, direct_level_context(rest, i));
      if (level >= LEVELS) return false;
      put_level(&rest, i, level);
    }
  }
  const uint modes = KIND_CODED | (uint)ends << SYMBOLS_ENDS_AT | (uint)indices << SYMBOLS_INDICES_AT;
  *symbols = (uint4)(modes | residuals << SYMBOLS_RESIDUAL_AT, rest.x, rest.y, 0);
  *state = state_of_coded(ends, indices, largest);
  return true;
}

// Constants of a component in a part.
typedef struct parse_form {
  bool intra, is_first, has_luma;
  uint copied, zero;  // partitions, a bit each: all motion copies; the vector is zero
} parse_form;

// Reads a sub-block. False: invalid symbols.
static bool read_sub_block(symbol_reader *r, const texcast_component *c, const parse_form *form, int kind_context,
                           int2 at, bool has_left, bool has_above, uint left, uint above, int2 *hash_vector,
                           uint4 *symbols, uint *state) {
  const int kind = read_symbol(r, kind_context);
  *symbols = (uint4)((uint)kind, 0, 0, 0);
  *state = kind == KIND_MOTION_COPY ? 0 : 1;
  if (kind == KIND_CODED) return read_coded(r, form->intra, form->has_luma, left, above, symbols, state);
  if (kind == KIND_LEFT) return has_left;
  if (kind == KIND_ABOVE) return has_above;
  if (kind > KIND_HASH_COPY || form->intra) return false;
  if (kind == KIND_HASH_COPY) *hash_vector = read_vector(r, true);
  if (kind == KIND_HASH_COPY || kind == KIND_HASH_COPY_AGAIN) {
    *symbols = (uint4)((uint)kind, pack_vector(*hash_vector), 0, 0);
    return has_sub_block(c, at.x + hash_vector->x, at.y + hash_vector->y);
  }
  return true;
}

static bool read_component(symbol_reader *r, const texcast_component *c, const part_rect *p, const parse_form *form,
                           local uint *states, local uint *coded_rows, global uint4 *symbols) {
  int2 hash_vector = (int2)(0, 0);
  for (int row = 0; row < p->rows; ++row) {
    uint coded_first = 0, left = 0, coded = 0;
    if (!form->is_first)
      for (int j = 0; j < c->down; ++j) coded_first |= coded_rows[(row * c->down + j) & (ROWS - 1)];
    for (int column = 0; column < p->columns; ++column) {
      const int partition = partition_at(c, column, row);
      uint state = 0;
      if ((form->copied >> partition & 1) == 0) {
        const uint above = row > 0 ? states[column] : 0;
        const bool is_coded_first = (coded_first >> column * c->across & ((1u << c->across) - 1)) != 0;
        const int which = form->intra ? 4 : (int)(form->zero >> partition & 1) + (is_coded_first ? 2 : 0);
        const int context = TEXCAST_LOSSY_KIND_CONTEXT + which * 16 + (int)(state_kind(left) * 4 + state_kind(above));
        const int2 at = (int2)(p->x0 + column, p->y0 + row);
        uint4 own_symbols;
        if (!read_sub_block(r, c, form, context, at, column > 0, row > 0, left, above, &hash_vector, &own_symbols,
                            &state))
          return false;
        symbols[position_of(c, at.x, at.y)] = own_symbols;
        coded |= ((own_symbols.x & 15) == KIND_CODED ? 1u : 0u) << column;
      }
      states[column] = left = state;
    }
    if (form->is_first) coded_rows[row] = coded;
    if (r->is_short) return false;
  }
  return true;
}

// Reads a slice. False: invalid symbols. `parts`: its own; the other arguments are those of parse_slices.
static bool read_block_slice(symbol_reader *r, global const texcast_slice_to_decode *slice,
                             global const texcast_decoded_component *components, int count, global const uint *buckets,
                             global const ushort *starts, int table_sets, global texcast_decoded_part *parts,
                             global uint4 *symbols, local texcast_block_parser *memory) {
  const bool intra = slice->intra != 0;
  const int set_buckets = TEXCAST_LOSSY_CONTEXTS * TEXCAST_DECODE_BUCKETS, set_starts = TEXCAST_LOSSY_CONTEXTS * 16;
  r->buckets = buckets + components[0].tables * set_buckets;
  r->starts = starts + components[0].tables * set_starts;
  const int quantiser = intra ? 0 : (int)read_literal(r, 4);
  const int content = (int)read_literal(r, 2);
  if (quantiser >= 12 || content >= TEXCAST_CONTENTS) return false;
  for (int i = 0; i < slice->tiles; ++i) {
    global texcast_decoded_part *part = parts + i;
    part->quantiser = quantiser;
    parse_form form = {intra, true, false, 0, 0};
    for (int partition = 0; partition < 8; ++partition) vstore2((int2)(0, 0), partition, memory->vectors);
    for (int number = 0; number < count; ++number) {
      const texcast_component c = components[number].component;
      const int tables = content * table_sets + components[number].tables;
      r->buckets = buckets + tables * set_buckets;
      r->starts = starts + tables * set_starts;
      const part_rect p = rect_of_part(&c, slice->tile + i, slice->sub_slices, slice->sub_slice);
      form.is_first = number == 0;
      form.has_luma = follows_luma(&c, number);
      if (number == 0) {
        for (int row = 0; row < ROWS; ++row) memory->coded_rows[row] = 0;
        if (!intra && !read_partitions(r, &p, part, memory->vectors, &form.copied)) return false;
        part->copied = form.copied;
      }
      form.zero = 0;
      for (int partition = 0; partition < 8; ++partition) {
        const int2 v = vload2(partition, memory->vectors);
        form.zero |= (is_zero((int2)(v.x >> (c.across - 1), v.y >> (c.down - 1))) ? 1u : 0u) << partition;
      }
      if (!read_component(r, &c, &p, &form, memory->states, memory->coded_rows, symbols)) return false;
    }
  }
  return has_ended_well(r);
}
