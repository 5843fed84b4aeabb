// walk.cl — mode decision of lossless slices: sub-block by sub-block the cheapest kind, source of the end points and
// source of the indices, given the sub-blocks before it; and the number of symbols.
//   work-group   WALK_ITEMS items, one for each slice; global rounded up. Components have a launch each, in order
//   in   before, c, due, due_count, field, cost, facts   as in facts.cl
//   out  choices   uint2[slice][sub-block of a tile]: TEXCAST_CHOICE_…
//        units     texcast_coded_unit[slice]
//        totals    [0]: symbols of all slices; 0 before the first component
//   local traces   ushort[16 · WALK_ITEMS]: states of the row above
//   defines        CHANNEL, WALK_ITEMS
#include "compact/trace.cl"

// The cheapest option so far: cost << 4 | option. If costs are equal the smaller number wins.
#define NOTHING 0x7FFFFFFF
#define LEAST_JUMP 256    // in 1/32 bits: hardly any vector costs less
#define CHEAP_INDICES 96  // in 1/32 bits: hardly any other indices cost less
static void offer(int *least, bool possible, global const ushort *row, int what, int more) {
  if (possible) *least = min(*least, (row[what] + more) << 4 | what);
}

// Adds a tile to the list of those from which hash copies come.
static void touch(global texcast_coded_unit *unit, uint tile) {
  const uint count = unit->touched;
  if (count > TEXCAST_JUMPS) return;
  for (uint i = 0; i < count; ++i)
    if (unit->touched_tiles[i] == tile) return;
  if (count < TEXCAST_JUMPS) unit->touched_tiles[count] = tile;
  unit->touched = count + 1;
}

kernel __attribute__((reqd_work_group_size(WALK_ITEMS, 1, 1)))
void walk_units(global const ulong *before, const texcast_component c, global const uint *due, uint due_count,
                global const int2 *field, global const ushort *cost, global const texcast_facts *facts,
                global uint2 *choices, global texcast_coded_unit *units, volatile global uint *totals, int component,
                int components, local ushort *traces) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= due_count) return;
  local ushort *above_traces = traces + get_local_id(0);
  unit_place u;
  find_unit(&c, due[slot], &u);
  const bool alone = u.alone;
  global texcast_coded_unit *unit = units + slot;
  uint symbols = 0;
  if (component == 0) {
    unit->touched = 0;
    field += u.tile * 8;
    for (int area = 0; area < 8; ++area) unit->vectors[area] = pack_vector(alone ? (int2)(0, 0) : field[area]);
    field += u.first_area;
    if (!alone) {
      for (int y = 0; y < (u.rows + 3) / 4; ++y) {
        for (int x = 0; x < (u.columns + 3) / 4; ++x) {
          const int2 v = area_vector(field, y * 4 + x);
          const int2 left = x > 0 ? area_vector(field, y * 4 + x - 1) : (int2)(0, 0);
          const int2 above = y > 0 ? area_vector(field, y * 4 + x - 4) : (int2)(0, 0);
          int context;
          symbols += area_symbol(v, left, above, &context) == 3 ? 1 + (uint)vector_symbols(v) : 1;
        }
      }
    }
  } else {
    symbols = unit->end[component - 1];
  }

  uint recent0 = 0x0000FFFF, recent1 = 0xFFFF0000, recent2 = 0, recent3 = 0;
  int2 jump = (int2)(0, 0);
  for (int row = 0; row < u.rows; ++row) {
    uint left = 0;
    for (int column = 0; column < u.columns; ++column) {
      const uint at = slot * (uint)(c.tile_columns * c.tile_rows) + (uint)(row * c.tile_columns + column);
      global const texcast_facts *f = facts + at;
      const uint flags = f->flags;
      const ulong value = (ulong)f->value[0] | (ulong)f->value[1] << 32;
      const int x = u.x0 + column, y = u.y0 + row;
      const uint above = row > 0 ? above_traces[column * WALK_ITEMS] : 0;
      const uint begin = symbols;
      const bool moves = (flags & TEXCAST_FACT_VECTOR) != 0;
      const int kind_context = TEXCAST_KIND_CONTEXT + (alone ? 32 : moves ? 0 : 16) +
                               (int)(trace_kind(left) * 4 + trace_kind(above));
      global const ushort *kind_row = cost + kind_context * 16;
      int least = NOTHING, ends_mode = 0, indices_mode = 0, ends_context = 0, indices_context = 0;
      uint neighbours = 0, trace = 0;
      if (!alone) {
        offer(&least, (flags & TEXCAST_FACT_MOVED) != 0, kind_row, KIND_MOVED, 0);
        offer(&least, moves && (flags & TEXCAST_FACT_STAYED) != 0, kind_row, KIND_STAYED, 0);
        const bool is_there = (jump.x | jump.y) == 0 ? (flags & TEXCAST_FACT_STAYED) != 0
                                                     : has_place(&c, x + jump.x, y + jump.y) &&
                                                           before[place_of(&c, x + jump.x, y + jump.y)] == value;
        offer(&least, is_there, kind_row, KIND_JUMPED_ON, 0);
      }
      offer(&least, (flags & TEXCAST_FACT_LEFT) != 0, kind_row, KIND_LEFT, 0);
      offer(&least, (flags & TEXCAST_FACT_ABOVE) != 0, kind_row, KIND_ABOVE, 0);
      ++symbols;
      const uint ends = ends_of(value);
      const bool copied = least != NOTHING;
      if (!copied) {
        // End points.
        ends_context = TEXCAST_ENDS_CONTEXT + (alone ? 16 : 0) + (int)(trace_ends(left) * 4 + trace_ends(above));
        global const ushort *ends_row = cost + ends_context * 16;
        neighbours = max(trace_difference(left), trace_difference(above));
        int least_ends = NOTHING;
        offer(&least_ends, (flags & TEXCAST_FACT_ENDS_BEFORE) != 0, ends_row, ENDS_BEFORE, 0);
        offer(&least_ends, (flags & TEXCAST_FACT_ENDS_LEFT) != 0, ends_row, ENDS_LEFT, 0);
        offer(&least_ends, (flags & TEXCAST_FACT_ENDS_ABOVE) != 0, ends_row, ENDS_ABOVE, 0);
        offer(&least_ends, ends == recent0, ends_row, ENDS_RECENT, 0);
        offer(&least_ends, ends == recent1, ends_row, ENDS_RECENT + 1, 0);
        offer(&least_ends, ends == recent2, ends_row, ENDS_RECENT + 2, 0);
        offer(&least_ends, ends == recent3, ends_row, ENDS_RECENT + 3, 0);
        int ends_price = least_ends >> 4;
        uint largest = 0, of_difference = 0;
        const uint counts = f->counts;
        if (least_ends == NOTHING) {
          // The predictor with about the least cost.
          const uint d01 = f->distance[0], d23 = f->distance[1];
          offer(&least_ends, (d01 & 0xFFFF) != 0xFFFF, ends_row, ENDS_NEAR_BEFORE, (int)(d01 & 0xFFFF));
          offer(&least_ends, d01 >> 16 != 0xFFFF, ends_row, ENDS_NEAR_LEFT, (int)(d01 >> 16));
          offer(&least_ends, (d23 & 0xFFFF) != 0xFFFF, ends_row, ENDS_NEAR_ABOVE, (int)(d23 & 0xFFFF));
          offer(&least_ends, d23 >> 16 != 0xFFFF, ends_row, ENDS_NEAR_FIT, (int)(d23 >> 16));
          const int guess = (least_ends & 15) - ENDS_NEAR_BEFORE;
          const uint prices = f->guess[guess][neighbours >> 1];
          ends_price = ends_row[least_ends & 15] + (int)((neighbours & 1) != 0 ? prices >> 16 : prices & 0xFFFF);
          largest = f->largest >> 2 * guess & 3;
          of_difference = counts >> 5 * guess & 31;
        }
        ends_mode = least_ends & 15;
        // Indices.
        indices_context = TEXCAST_INDICES_CONTEXT + (alone ? 162 : 0) + (largest > 1 ? 81 : 0) +
                          (int)(trace_indices(left) * 9 + trace_indices(above));
        global const ushort *indices_row = cost + indices_context * 16;
        int least_indices = NOTHING;
        offer(&least_indices, (flags & TEXCAST_FACT_CONSTANT) != 0, indices_row, INDICES_CONSTANT,
              price_of(cost, TEXCAST_LEVEL_CONTEXT, (int)(flags >> TEXCAST_FACT_LEVEL_AT & 7)));
        offer(&least_indices, (flags & TEXCAST_FACT_INDICES_BEFORE) != 0, indices_row, INDICES_BEFORE, 0);
        offer(&least_indices, (flags & TEXCAST_FACT_INDICES_LEFT) != 0, indices_row, INDICES_LEFT, 0);
        offer(&least_indices, (flags & TEXCAST_FACT_INDICES_ABOVE) != 0, indices_row, INDICES_ABOVE, 0);
        offer(&least_indices, (flags & TEXCAST_FACT_PREDICTED) != 0, indices_row, INDICES_PREDICTED, 0);
        if (least_indices >> 4 >= CHEAP_INDICES) {
          const uint near01 = f->near[0], near23 = f->near[1];
          offer(&least_indices, !alone, indices_row, INDICES_NEAR, (int)(near01 & 0xFFFF));
          offer(&least_indices, !alone, indices_row, INDICES_NEAR + 1, (int)(near01 >> 16));
          offer(&least_indices, !alone, indices_row, INDICES_NEAR + 2, (int)(near23 & 0xFFFF));
          offer(&least_indices, !alone, indices_row, INDICES_NEAR + 3, (int)(near23 >> 16));
          offer(&least_indices, (flags & TEXCAST_FACT_FAR) != 0, indices_row, INDICES_ALONE, (int)(f->prices >> 16));
        }
        indices_mode = least_indices & 15;
        // Coded; or a hash copy, if that may cost less.
        offer(&least, true, kind_row, KIND_CODED, ends_price + (least_indices >> 4));
        const int jump_price = (int)(f->prices & 0xFFFF);
        offer(&least, !alone && jump_price != 0xFFFF && least >> 4 > kind_row[KIND_JUMPED] + LEAST_JUMP, kind_row,
              KIND_JUMPED, jump_price);
        if ((least & 15) == KIND_JUMPED) {
          jump = unpack_vector(f->jump);
          symbols += (uint)vector_symbols(jump);
        } else {
          symbols += 2 + of_difference;
          if (indices_mode == INDICES_CONSTANT) ++symbols;
          if (indices_mode == INDICES_ALONE) symbols += 8 + (counts >> 25);
          if (indices_mode >= INDICES_NEAR && indices_mode < INDICES_ALONE) symbols += 8 + (counts >> 20 & 31);
          trace = trace_of_coded(ends_mode, indices_mode, largest);
        }
      }
      const int kind = least & 15;
      if (kind != KIND_CODED) trace = kind == KIND_MOVED ? 0 : 1;
      if (kind == KIND_JUMPED || kind == KIND_JUMPED_ON)
        touch(unit, (uint)((y + jump.y) / c.tile_rows * c.tiles_across + (x + jump.x) / c.tile_columns));
      if ((!copied || kind == KIND_JUMPED_ON) && ends != recent0) {
        if (ends != recent1) {
          if (ends != recent2) recent3 = recent2;
          recent2 = recent1;
        }
        recent1 = recent0;
        recent0 = ends;
      }
      above_traces[column * WALK_ITEMS] = (ushort)trace;
      left = trace;
      choices[at] = (uint2)((uint)kind | (uint)ends_mode << TEXCAST_CHOICE_ENDS_AT |
                                (uint)indices_mode << TEXCAST_CHOICE_INDICES_AT |
                                (uint)(kind_context - TEXCAST_KIND_CONTEXT) << TEXCAST_CHOICE_KIND_CONTEXT_AT |
                                (uint)max(ends_context - TEXCAST_ENDS_CONTEXT, 0) << TEXCAST_CHOICE_ENDS_CONTEXT_AT |
                                neighbours << TEXCAST_CHOICE_NEIGHBOURS_AT,
                            (uint)max(indices_context - TEXCAST_INDICES_CONTEXT, 0) | begin << TEXCAST_CHOICE_SYMBOLS_AT);
    }
  }
  unit->end[component] = symbols;
  if (component == components - 1) unit->first = atomic_add(totals, symbols);
}
