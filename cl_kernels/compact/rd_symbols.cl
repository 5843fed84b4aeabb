// rd_symbols.cl — the symbols of lossy tiles, as decide_lossy decided them, in coding order and with the content class
// whose tables code them in the fewest bits, as in codec/compact/encode/rd_slice_encoder.cpp.
//   defines      CHANNEL=1; SYMBOL_ITEMS
//   work-group   SYMBOL_ITEMS items for each tile; global = tiles times SYMBOL_ITEMS
//   in   components                texcast_lossy_component[count]
//        tiles                     texcast_lossy_tile[]: those of the groups, from `first` on
//        cost                      ushort[content][component][context][symbol], 1/32 bits
//        reconstruction, choices   from decide_lossy
//        begin, end                the room in `symbols` for those of these tiles
//   both used                      [1]: symbols so far, from `begin` on
//   out  symbols                   ushort: context << 4 | symbol, each tile's from its `first` on
//        coded                     texcast_coded_tile[]: those of the groups, from `first` on
//   local counts                   uint[SYMBOL_ITEMS]; totals: int[SYMBOL_ITEMS][CONTENTS]; shared: uint[3]
//   exactness    integer; equals the CPU's result on every device
#include "compact/syntax.cl"
#include "compact/sub_block_index.cl"

#ifndef SYMBOL_ITEMS
#define SYMBOL_ITEMS 64
#endif
#define CONTENTS TEXCAST_CONTENTS

// The destination of symbols. If `out` is 0 they are only counted, and their costs with the tables of each class are
// added up.
typedef struct sink {
  global ushort *out;
  uint count;
  int total[CONTENTS];
  global const ushort *cost[CONTENTS];
} sink;
static void put(sink *s, int context, int symbol) {
  if (s->out != 0) {
    s->out[s->count] = (ushort)(context << 4 | symbol);
  } else {
    for (int i = 0; i < CONTENTS; ++i) s->total[i] += symbol_cost(s->cost[i], context, symbol);
  }
  ++s->count;
}
static void put_bits(sink *s, uint value, int count) {
  for (int done = 0; done < count; done += 4)
    put(s, TEXCAST_LITERAL_CONTEXT + min(count - done, 4) - 1, (int)(value >> done & 15));
}

// Literal bits of a tile's header. They are not part of the cost, as they cost the same with all tables.
static void put_head_bits(sink *s, uint value, int count) {
  int total[CONTENTS];
  for (int i = 0; i < CONTENTS; ++i) total[i] = s->total[i];
  put_bits(s, value, count);
  for (int i = 0; i < CONTENTS; ++i) s->total[i] = total[i];
}
static void put_distance(sink *s, int context, int distance) {
  const uint size = abs(distance);
  const int length = bit_length(size);
  put(s, context, length);
  if (length == 0) return;
  // clamp() gives the sign, as Oclgrind does not support funnel shifts.
  put_head_bits(s, (size & ((1u << (length - 1)) - 1)) << 1 | (uint)clamp(-distance, 0, 1), length);
}
static int2 coded_vector(global const texcast_lossy_tile *tile, int partition) {
  const int2 v = (int2)(tile->vectors[2 * partition], tile->vectors[2 * partition + 1]);
  return is_codable(v) ? v : (int2)(0, 0);
}
static void put_head(sink *s, global const texcast_lossy_tile *tile, uint content, uint coded_partitions, int columns,
                     int rows) {
  if (tile->intra == 0) put_head_bits(s, (uint)tile->quantiser, 4);
  put_head_bits(s, content, 2);
  if (tile->intra != 0) return;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const int at = y * 4 + x;
      const int2 v = coded_vector(tile, at);
      const int2 left = x > 0 ? coded_vector(tile, at - 1) : (int2)(0, 0);
      const int2 above = y > 0 ? coded_vector(tile, at - 4) : (int2)(0, 0);
      const int copied_left = x > 0 && (coded_partitions >> (at - 1) & 1) == 0 ? 1 : 0;
      const int copied_above = y > 0 && (coded_partitions >> max(at - 4, 0) & 1) == 0 ? 1 : 0;
      const int context = (is_zero(left) ? 1 : 0) + (is_zero(above) ? 2 : 0) + 4 * (copied_left + copied_above);
      const int from = is_zero(v) ? 0 : v.x == left.x && v.y == left.y ? 1 : v.x == above.x && v.y == above.y ? 2 : 3;
      put(s, TEXCAST_PARTITION_CONTEXT + context,
          from + ((coded_partitions >> at & 1) == 0 ? TEXCAST_PARTITION_COPIED : 0));
      if (from < 3) continue;
      const int2 more = v - (x > 0 ? left : above);
      put_distance(s, distance_context(false, false, 0), more.x);
      put_distance(s, distance_context(false, true, bit_length(abs(more.x))), more.y);
    }
  }
}

static void put_ranks(sink *s, int group, global const texcast_lossy_choice *choice) {
  int ranks[16];
  for (int i = 0; i < 16; ++i) ranks[i] = (int)(choice->ranks[i / 8] >> 4 * (i % 8) & 15);
  for (int pair = 0; pair < 8; ++pair) {
    put(s, TEXCAST_RANKS_CONTEXT + group * 40 + rank_context(pair, ranks), rank_symbol(pair, ranks));
    for (int i = 2 * pair; i < 2 * pair + 2; ++i)
      if (ranks[i] >= PAIR_LIMIT) put(s, TEXCAST_FAR_RANK_CONTEXT + group, ranks[i] - PAIR_LIMIT);
  }
}
static void put_sub_block(sink *s, global const texcast_lossy_choice *choice, ulong value) {
  const uint modes = choice->modes, contexts = choice->contexts;
  const int kind = (int)(modes & 15), ends_mode = (int)(modes >> 4 & 15), indices_mode = (int)(modes >> 8 & 15);
  put(s, TEXCAST_LOSSY_KIND_CONTEXT + (int)(contexts & 127), kind);
  if (kind != KIND_CODED) return;
  put(s, TEXCAST_ENDS_CONTEXT + (int)(contexts >> 7 & 31), ends_mode);
  if (ends_mode >= ENDS_NEAR_REFERENCE && ends_mode <= ENDS_NEAR_FIT) {
    int d[VALUES];
    for (int step = 0; step < VALUES; ++step) {
      d[step] = (int)(modes << (32 - TEXCAST_LOSSY_RESIDUAL_AT - TEXCAST_LOSSY_RESIDUAL_BITS * (step + 1))) >>
                (32 - TEXCAST_LOSSY_RESIDUAL_BITS);
      const uint folded = fold(d[step]);
      const int symbol = residual_symbol(folded);
      put(s, residual_context(ends_mode, step, d, (int)(contexts >> 12 & 3)), symbol);
      put_bits(s, folded - residual_first(symbol), residual_bits(symbol));
    }
  }
  put(s, TEXCAST_INDICES_CONTEXT + (int)(contexts >> 14 & 511), indices_mode);
  if (indices_mode == INDICES_CONSTANT) {
    const uint digits = level_digits(is_full(TEXCAST_CHANNEL, ends_of(value)));
    put(s, TEXCAST_LEVEL_CONTEXT, (int)(digits >> 4 * index_at(indices_of(value), 0) & 15));
  }
  if (has_ranks(indices_mode))
    put_ranks(s, indices_mode == INDICES_INTRA ? GROUP_INTRA : indices_mode - INDICES_NEAR, choice);
  if (indices_mode == INDICES_TEXELS) {
    const uint digits = level_digits(is_full(TEXCAST_CHANNEL, ends_of(value)));
    uint2 levels = (uint2)(0, 0);
    for (int i = 0; i < 16; ++i) {
      const int level = (int)(digits >> 4 * index_at(indices_of(value), i) & 15);
      put(s, direct_level_context(levels, i), level);
      put_level(&levels, i, level);
    }
  }
}

kernel __attribute__((reqd_work_group_size(SYMBOL_ITEMS, 1, 1)))
void symbolise_tiles(global const texcast_lossy_component *components, int count,
                     global const texcast_lossy_tile *tiles, int first, global const ushort *all_cost,
                     global const ulong *reconstruction, global const texcast_lossy_choice *choices, uint begin,
                     uint end, volatile global uint *used, global ushort *symbols,
                     global texcast_coded_tile *coded_tiles, local uint *counts, local int *totals,
                     local uint *shared) {
  const int item = (int)get_local_id(0), group = (int)get_group_id(0);
  global const texcast_lossy_tile *tile = tiles + first + group;
  global texcast_coded_tile *coded = coded_tiles + first + group;
  const bool intra = tile->intra != 0;
  // Finds partitions with a sub-block that is not a motion copy.
  if (item == 0) shared[0] = intra ? 255 : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int number = 0; number < count; ++number) {
    const texcast_component c = components[number].component;
    const tile_blocks h = blocks_of(&c, tile->tile);
    for (int i = item; i < h.count; i += SYMBOL_ITEMS) {
      const int row = i / h.columns, column = i - row * h.columns;
      if ((choices[position_of(&c, h.x0 + column, h.y0 + row)].modes & 15) != KIND_MOTION_COPY)
        atomic_or(shared, 1u << partition_at(&c, column, row));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint coded_partitions = shared[0];
  // Counts the symbols, and adds up their costs.
  const texcast_component luma = components[0].component;
  const tile_blocks of_first = blocks_of(&luma, tile->tile);
  const int partition_columns = (of_first.columns + 3) / 4;
  const int partition_rows = of_first.columns > 0 ? (of_first.count / of_first.columns + 3) / 4 : 0;
  sink mine;
  mine.out = 0;
  mine.count = 0;
  for (int i = 0; i < CONTENTS; ++i) mine.total[i] = 0;
  for (int number = 0; number < count; ++number) {
    const texcast_component c = components[number].component;
    for (int i = 0; i < CONTENTS; ++i) mine.cost[i] = all_cost + (i * count + number) * TEXCAST_LOSSY_CONTEXTS * 16;
    if (number == 0 && item == 0) put_head(&mine, tile, 0, coded_partitions, partition_columns, partition_rows);
    const tile_blocks h = blocks_of(&c, tile->tile);
    for (int i = item; i < h.count; i += SYMBOL_ITEMS) {
      const int row = i / h.columns, column = i - row * h.columns;
      const int position = position_of(&c, h.x0 + column, h.y0 + row);
      if ((coded_partitions >> partition_at(&c, column, row) & 1) != 0)
        put_sub_block(&mine, choices + position, reconstruction[position]);
    }
  }
  counts[item] = mine.count;
  for (int i = 0; i < CONTENTS; ++i) totals[CONTENTS * item + i] = mine.total[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    // The coded tile has to be shorter than the raw one.
    uint sub_blocks = 0;
    for (int number = 0; number < count; ++number) {
      const texcast_component c = components[number].component;
      sub_blocks += (uint)blocks_of(&c, tile->tile).count;
    }
    coded->most_words = max(4 * sub_blocks, 1u) - 1;
    uint all = 0;
    int total[CONTENTS];
    for (int c = 0; c < CONTENTS; ++c) total[c] = 0;
    for (int i = 0; i < SYMBOL_ITEMS; ++i) {
      all += counts[i];
      for (int c = 0; c < CONTENTS; ++c) total[c] += totals[CONTENTS * i + c];
    }
    uint cheapest = 0;
    int least = total[0];
    for (int c = 1; c < CONTENTS; ++c)
      if (total[c] < least) least = total[c], cheapest = (uint)c;
    const uint at = begin + atomic_add(used, all);
    const bool has_room = at + all <= end;
    shared[1] = has_room ? at : TEXCAST_LOSSY_NO_ROOM;
    shared[2] = cheapest;
    coded->first = shared[1];
    coded->content = shared[2];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool has_room = shared[1] != TEXCAST_LOSSY_NO_ROOM;
  // Writes the symbols, those of as many sub-blocks at once as there are items.
  uint done = 0;
  for (int number = 0; number < count; ++number) {
    const texcast_component c = components[number].component;
    for (int i = 0; i < CONTENTS; ++i) mine.cost[i] = all_cost + (i * count + number) * TEXCAST_LOSSY_CONTEXTS * 16;
    const tile_blocks h = blocks_of(&c, tile->tile);
    const int rounds = has_room ? (h.count + SYMBOL_ITEMS - 1) / SYMBOL_ITEMS : 0;
    for (int round = number == 0 && has_room ? -1 : 0; round < rounds; ++round) {
      const int i = round * SYMBOL_ITEMS + item, row = i / max(h.columns, 1), column = i - row * h.columns;
      const bool is_head = round < 0;
      bool is_coded = is_head ? item == 0 : i < h.count;
      int position = 0;
      if (is_coded && !is_head) {
        position = position_of(&c, h.x0 + column, h.y0 + row);
        is_coded = (coded_partitions >> partition_at(&c, column, row) & 1) != 0;
      }
      mine.out = 0;
      mine.count = 0;
      if (is_coded && is_head) put_head(&mine, tile, shared[2], coded_partitions, partition_columns, partition_rows);
      if (is_coded && !is_head) put_sub_block(&mine, choices + position, reconstruction[position]);
      barrier(CLK_LOCAL_MEM_FENCE);
      counts[item] = mine.count;
      barrier(CLK_LOCAL_MEM_FENCE);
      uint earlier = 0, all = 0;
      for (int j = 0; j < SYMBOL_ITEMS; ++j) {
        earlier += j < item ? counts[j] : 0;
        all += counts[j];
      }
      mine.out = symbols + shared[1] + done + earlier;
      mine.count = 0;
      if (is_coded && is_head) put_head(&mine, tile, shared[2], coded_partitions, partition_columns, partition_rows);
      if (is_coded && !is_head) put_sub_block(&mine, choices + position, reconstruction[position]);
      done += all;
    }
    if (item == 0) coded->end[number] = done;
  }
}
