// lossless_symbols.cl — writes the symbols that decide_lossless decided.
//   work-items   one for each sub-block, as in lossless_analysis.cl
//   in   source, c, slices, slice_count, field, analysis, choices, coded_slices: as in lossless_decide.cl
//   out  symbols      ushort: context << 4 | symbol, each slice's from its `first` on
//   defines      CHANNEL
#include "compact/syntax.cl"

static global ushort *put(global ushort *out, int context, int symbol) {
  *out = (ushort)(context << 4 | symbol);
  return out + 1;
}
static global ushort *put_bits(global ushort *out, uint value, int count) {
  for (int done = 0; done < count; done += 4)
    out = put(out, TEXCAST_LITERAL_CONTEXT + min(count - done, 4) - 1, (int)(value >> done & 15));
  return out;
}
static global ushort *put_distance(global ushort *out, int context, int distance) {
  const uint size = abs(distance);
  const int length = bit_length(size);
  out = put(out, context, length);
  // clamp() gives the sign, as Oclgrind does not support funnel shifts.
  const uint sign = (uint)clamp(-distance, 0, 1);
  return length == 0 ? out : put_bits(out, (size & ((1u << (length - 1)) - 1)) << 1 | sign, length);
}
static global ushort *put_vector(global ushort *out, bool of_block, int2 v) {
  out = put_distance(out, distance_context(of_block, false, 0), v.x);
  return put_distance(out, distance_context(of_block, true, bit_length(abs(v.x))), v.y);
}
static void put_partitions(global ushort *out, global const int2 *field, int columns, int rows) {
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const int2 v = partition_vector(field, y * 4 + x);
      const int2 left = x > 0 ? partition_vector(field, y * 4 + x - 1) : (int2)(0, 0);
      const int2 above = y > 0 ? partition_vector(field, y * 4 + x - 4) : (int2)(0, 0);
      int context;
      const uint symbol = partition_symbol(v, left, above, &context);
      out = put(out, context, (int)symbol);
      if (symbol == 3) out = put_vector(out, false, v);
    }
  }
}

static global ushort *put_ranks(global ushort *out, int group, const int ranks[16]) {
  for (int pair = 0; pair < 8; ++pair) {
    out = put(out, TEXCAST_RANKS_CONTEXT + group * 40 + rank_context(pair, ranks), rank_symbol(pair, ranks));
#if CHANNEL
    for (int i = 2 * pair; i < 2 * pair + 2; ++i)
      if (ranks[i] >= PAIR_LIMIT) out = put(out, TEXCAST_FAR_RANK_CONTEXT + group, ranks[i] - PAIR_LIMIT);
#endif
  }
  return out;
}

kernel void write_symbols(global const ulong *source, const texcast_component c, global const uint *slices,
                          uint slice_count, global const int2 *field, global const texcast_analysis *analysis,
                          global const uint2 *choices, global const texcast_coded_slice *coded_slices,
                          global ushort *symbols, int component) {
  uint slot;
  slice_rect u;
  int2 in_slice;
  if (!find_sub_block_of_slice(&c, slices, slice_count, &slot, &u, &in_slice)) return;
  const int column = in_slice.x, row = in_slice.y;
  if (component == 0 && column == 0 && row == 0 && !u.intra)
    put_partitions(symbols + coded_slices[slot].first, field + u.tile * 8 + u.first_partition, (u.columns + 3) / 4,
                   (u.rows + 3) / 4);

  const uint2 choice = choices[get_global_id(0)];
  const int kind = (int)(choice.x & 7);
  global ushort *out = symbols + coded_slices[slot].first + (choice.y >> TEXCAST_CHOICE_SYMBOLS_AT);
  out = put(out, TEXCAST_KIND_CONTEXT + (int)(choice.x >> TEXCAST_CHOICE_KIND_CONTEXT_AT & 63), kind);
  if (kind != KIND_CODED && kind != KIND_HASH_COPY) return;
  global const texcast_analysis *f = analysis + get_global_id(0);
  if (kind == KIND_HASH_COPY) {
    put_vector(out, true, unpack_vector(f->hash_vector));
    return;
  }
  const ulong value = (ulong)f->value[0] | (ulong)f->value[1] << 32;
  const uint ends = ends_of(value);
  const int ends_mode = (int)(choice.x >> TEXCAST_CHOICE_ENDS_AT & 15);
  const int indices_mode = (int)(choice.x >> TEXCAST_CHOICE_INDICES_AT & 15);
  out = put(out, TEXCAST_ENDS_CONTEXT + (int)(choice.x >> TEXCAST_CHOICE_ENDS_CONTEXT_AT & 31), ends_mode);
  if (ends_mode >= ENDS_NEAR_REFERENCE && ends_mode <= ENDS_NEAR_FIT) {
    const int neighbours = (int)(choice.x >> TEXCAST_CHOICE_NEIGHBOURS_AT & 3),
              position = position_of(&c, u.x0 + column, u.y0 + row);
    uint predictor = ends_mode == ENDS_NEAR_REFERENCE ? f->reference_ends : f->fitted;
    if (ends_mode == ENDS_NEAR_LEFT) predictor = column > 0 ? ends_of(source[position - c.step]) : 0;
    if (ends_mode == ENDS_NEAR_ABOVE) predictor = ends_of(source[position - c.blocks_x * c.step]);
    int values[VALUES], predicted[VALUES], d[VALUES];
    values_of(ends, values);
    values_of(predictor, predicted);
    for (int step = 0; step < VALUES; ++step) {
      d[step] = values[step] - predicted[step];
      const uint folded = fold(d[step]);
      const int symbol = residual_symbol(folded);
      out = put(out, residual_context(ends_mode, step, d, neighbours), symbol);
      out = put_bits(out, folded - residual_first(symbol), residual_bits(symbol));
    }
  }
  out = put(out, TEXCAST_INDICES_CONTEXT + (int)(choice.y & 0xFFFF), indices_mode);
  int levels[16];
  levels_of(value, is_full(c.kind, ends), levels);
  if (indices_mode == INDICES_CONSTANT) put(out, TEXCAST_LEVEL_CONTEXT, levels[0]);
  if (indices_mode >= INDICES_NEAR && indices_mode < INDICES_INTRA) {
    int ranks[16];
    for (int i = 0; i < 16; ++i)
#if CHANNEL
      ranks[i] = (int)(f->ranks[i / 8] >> 3 * (i % 8) & 7);
#else
      ranks[i] = (int)(f->ranks[0] >> 2 * i & 3);
#endif
    put_ranks(out, indices_mode - INDICES_NEAR, ranks);
  }
  if (indices_mode == INDICES_INTRA) {
#if CHANNEL
    int ranks[16];
    intra_ranks(levels, steps_of(is_full(c.kind, ends)), ranks);
    put_ranks(out, GROUP_INTRA, ranks);
#else
    for (int pair = 0; pair < 8; ++pair)
      out = put(out, level_pair_context(pair, levels), levels[2 * pair] << 2 | levels[2 * pair + 1]);
#endif
  }
}
