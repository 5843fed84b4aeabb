// lossless_decide.cl — mode decision of lossless slices: sub-block by sub-block the cheapest kind, source of the end
// points and source of the indices, given the sub-blocks before it; and the number of symbols.
//   work-group   DECIDE_ITEMS items, one for each slice; global rounded up. Components have a launch each, in order
//   in   reference, c, slices, slice_count, field, cost, analysis: as in lossless_analysis.cl
//   out  choices        uint2[slice][sub-block of a tile]: TEXCAST_CHOICE_…
//        coded_slices   texcast_coded_slice[slice]
//        totals         [0]: symbols of all slices; 0 before the first component
//   local states        ushort[16 · DECIDE_ITEMS]: states of the row above
//   defines      CHANNEL, DECIDE_ITEMS
#include "compact/neighbour_state.cl"

// The cheapest option so far: cost << 4 | option. If costs are equal the smaller number wins.
#define NOTHING 0x7FFFFFFF
#define LEAST_HASH_COPY 256  // in 1/32 bits: hardly any vector costs less
#define CHEAP_INDICES 96     // in 1/32 bits: hardly any other indices cost less
static void offer(int *least, bool possible, global const ushort *row, int what, int more) {
  if (possible) *least = min(*least, (row[what] + more) << 4 | what);
}

// Adds a tile to the list of those from which hash copies come.
static void add_referenced(global texcast_coded_slice *coded_slice, uint tile) {
  const uint count = coded_slice->referenced;
  if (count > TEXCAST_HASH_COPY_TILES) return;
  for (uint i = 0; i < count; ++i)
    if (coded_slice->referenced_tiles[i] == tile) return;
  if (count < TEXCAST_HASH_COPY_TILES) coded_slice->referenced_tiles[count] = tile;
  coded_slice->referenced = count + 1;
}

kernel __attribute__((reqd_work_group_size(DECIDE_ITEMS, 1, 1)))
void decide_lossless(global const ulong *reference, const texcast_component c, global const uint *slices,
                     uint slice_count, global const int2 *field, global const ushort *cost,
                     global const texcast_analysis *analysis, global uint2 *choices,
                     global texcast_coded_slice *coded_slices, volatile global uint *totals, int component,
                     int components, local ushort *states) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= slice_count) return;
  local ushort *above_states = states + get_local_id(0);
  slice_rect u;
  find_slice(&c, slices[slot], &u);
  const bool intra = u.intra;
  global texcast_coded_slice *coded_slice = coded_slices + slot;
  uint symbols = 0;
  if (component == 0) {
    coded_slice->referenced = 0;
    field += u.tile * 8;
    for (int partition = 0; partition < 8; ++partition)
      coded_slice->vectors[partition] = pack_vector(intra ? (int2)(0, 0) : field[partition]);
    field += u.first_partition;
    if (!intra) {
      for (int y = 0; y < (u.rows + 3) / 4; ++y) {
        for (int x = 0; x < (u.columns + 3) / 4; ++x) {
          const int2 v = partition_vector(field, y * 4 + x);
          const int2 left = x > 0 ? partition_vector(field, y * 4 + x - 1) : (int2)(0, 0);
          const int2 above = y > 0 ? partition_vector(field, y * 4 + x - 4) : (int2)(0, 0);
          int context;
          symbols += partition_symbol(v, left, above, &context) == 3 ? 1 + (uint)vector_symbols(v) : 1;
        }
      }
    }
  } else {
    symbols = coded_slice->end[component - 1];
  }

  uint recent0 = 0x0000FFFF, recent1 = 0xFFFF0000, recent2 = 0, recent3 = 0;
  int2 hash_vector = (int2)(0, 0);
  for (int row = 0; row < u.rows; ++row) {
    uint left = 0;
    for (int column = 0; column < u.columns; ++column) {
      const uint at = slot * (uint)(c.tile_columns * c.tile_rows) + (uint)(row * c.tile_columns + column);
      global const texcast_analysis *f = analysis + at;
      const uint flags = f->flags;
      const ulong value = (ulong)f->value[0] | (ulong)f->value[1] << 32;
      const int x = u.x0 + column, y = u.y0 + row;
      const uint above = row > 0 ? above_states[column * DECIDE_ITEMS] : 0;
      const uint begin = symbols;
      const bool has_vector = (flags & TEXCAST_HAS_VECTOR) != 0;
      const int kind_context = TEXCAST_KIND_CONTEXT +
                               (intra        ? 32
                                : has_vector ? 0
                                             : 16) +
                               (int)(state_kind(left) * 4 + state_kind(above));
      global const ushort *kind_row = cost + kind_context * 16;
      int least = NOTHING, ends_mode = 0, indices_mode = 0, ends_context = 0, indices_context = 0;
      uint neighbours = 0, state = 0;
      if (!intra) {
        offer(&least, (flags & TEXCAST_IS_MOTION_COPY) != 0, kind_row, KIND_MOTION_COPY, 0);
        offer(&least, has_vector && (flags & TEXCAST_IS_CO_LOCATED) != 0, kind_row, KIND_CO_LOCATED, 0);
        const bool is_there = (hash_vector.x | hash_vector.y) == 0
                                  ? (flags & TEXCAST_IS_CO_LOCATED) != 0
                                  : has_sub_block(&c, x + hash_vector.x, y + hash_vector.y) &&
                                        reference[position_of(&c, x + hash_vector.x, y + hash_vector.y)] == value;
        offer(&least, is_there, kind_row, KIND_HASH_COPY_AGAIN, 0);
      }
      offer(&least, (flags & TEXCAST_IS_LEFT) != 0, kind_row, KIND_LEFT, 0);
      offer(&least, (flags & TEXCAST_IS_ABOVE) != 0, kind_row, KIND_ABOVE, 0);
      ++symbols;
      const uint ends = ends_of(value);
      const bool is_copy = least != NOTHING;
      if (!is_copy) {
        // End points.
        ends_context = TEXCAST_ENDS_CONTEXT + (intra ? 16 : 0) + (int)(state_ends(left) * 4 + state_ends(above));
        global const ushort *ends_row = cost + ends_context * 16;
        neighbours = max(state_residual(left), state_residual(above));
        int least_ends = NOTHING;
        offer(&least_ends, (flags & TEXCAST_HAS_REFERENCE_ENDS) != 0, ends_row, ENDS_REFERENCE, 0);
        offer(&least_ends, (flags & TEXCAST_HAS_LEFT_ENDS) != 0, ends_row, ENDS_LEFT, 0);
        offer(&least_ends, (flags & TEXCAST_HAS_ABOVE_ENDS) != 0, ends_row, ENDS_ABOVE, 0);
        offer(&least_ends, ends == recent0, ends_row, ENDS_RECENT, 0);
        offer(&least_ends, ends == recent1, ends_row, ENDS_RECENT + 1, 0);
        offer(&least_ends, ends == recent2, ends_row, ENDS_RECENT + 2, 0);
        offer(&least_ends, ends == recent3, ends_row, ENDS_RECENT + 3, 0);
        int ends_cost = least_ends >> 4;
        uint largest = 0, of_difference = 0;
        const uint counts = f->counts;
        if (least_ends == NOTHING) {
          // The predictor with about the least cost.
          const uint d01 = f->distance[0], d23 = f->distance[1];
          offer(&least_ends, (d01 & 0xFFFF) != 0xFFFF, ends_row, ENDS_NEAR_REFERENCE, (int)(d01 & 0xFFFF));
          offer(&least_ends, d01 >> 16 != 0xFFFF, ends_row, ENDS_NEAR_LEFT, (int)(d01 >> 16));
          offer(&least_ends, (d23 & 0xFFFF) != 0xFFFF, ends_row, ENDS_NEAR_ABOVE, (int)(d23 & 0xFFFF));
          offer(&least_ends, d23 >> 16 != 0xFFFF, ends_row, ENDS_NEAR_FIT, (int)(d23 >> 16));
          const int predictor = (least_ends & 15) - ENDS_NEAR_REFERENCE;
          const uint costs = f->residual_cost[predictor][neighbours >> 1];
          ends_cost = ends_row[least_ends & 15] + (int)((neighbours & 1) != 0 ? costs >> 16 : costs & 0xFFFF);
          largest = f->largest >> 2 * predictor & 3;
          of_difference = counts >> 5 * predictor & 31;
        }
        ends_mode = least_ends & 15;
        // Indices.
        indices_context = TEXCAST_INDICES_CONTEXT + (intra ? 162 : 0) + (largest > 1 ? 81 : 0) +
                          (int)(state_indices(left) * 9 + state_indices(above));
        global const ushort *indices_row = cost + indices_context * 16;
        int least_indices = NOTHING;
        offer(&least_indices, (flags & TEXCAST_IS_CONSTANT) != 0, indices_row, INDICES_CONSTANT,
              symbol_cost(cost, TEXCAST_LEVEL_CONTEXT, (int)(flags >> TEXCAST_LEVEL_AT & 7)));
        offer(&least_indices, (flags & TEXCAST_HAS_REFERENCE_INDICES) != 0, indices_row, INDICES_REFERENCE, 0);
        offer(&least_indices, (flags & TEXCAST_HAS_LEFT_INDICES) != 0, indices_row, INDICES_LEFT, 0);
        offer(&least_indices, (flags & TEXCAST_HAS_ABOVE_INDICES) != 0, indices_row, INDICES_ABOVE, 0);
        offer(&least_indices, (flags & TEXCAST_IS_PREDICTED) != 0, indices_row, INDICES_PREDICTED, 0);
        if (least_indices >> 4 >= CHEAP_INDICES) {
          const uint near01 = f->near[0], near23 = f->near[1];
          offer(&least_indices, !intra, indices_row, INDICES_NEAR, (int)(near01 & 0xFFFF));
          offer(&least_indices, !intra, indices_row, INDICES_NEAR + 1, (int)(near01 >> 16));
          offer(&least_indices, !intra, indices_row, INDICES_NEAR + 2, (int)(near23 & 0xFFFF));
          offer(&least_indices, !intra, indices_row, INDICES_NEAR + 3, (int)(near23 >> 16));
          offer(&least_indices, (flags & TEXCAST_TRIES_INTRA_INDICES) != 0, indices_row, INDICES_INTRA,
                (int)(f->costs >> 16));
        }
        indices_mode = least_indices & 15;
        // Coded; or a hash copy, if that may cost less.
        offer(&least, true, kind_row, KIND_CODED, ends_cost + (least_indices >> 4));
        const int hash_copy_cost = (int)(f->costs & 0xFFFF);
        offer(&least, !intra && hash_copy_cost != 0xFFFF && least >> 4 > kind_row[KIND_HASH_COPY] + LEAST_HASH_COPY,
              kind_row, KIND_HASH_COPY, hash_copy_cost);
        if ((least & 15) == KIND_HASH_COPY) {
          hash_vector = unpack_vector(f->hash_vector);
          symbols += (uint)vector_symbols(hash_vector);
        } else {
          symbols += 2 + of_difference;
          if (indices_mode == INDICES_CONSTANT) ++symbols;
          if (indices_mode == INDICES_INTRA) symbols += 8 + (counts >> 25);
          if (indices_mode >= INDICES_NEAR && indices_mode < INDICES_INTRA) symbols += 8 + (counts >> 20 & 31);
          state = state_of_coded(ends_mode, indices_mode, largest);
        }
      }
      const int kind = least & 15;
      if (kind != KIND_CODED) state = kind == KIND_MOTION_COPY ? 0 : 1;
      if (kind == KIND_HASH_COPY || kind == KIND_HASH_COPY_AGAIN)
        add_referenced(coded_slice, (uint)((y + hash_vector.y) / c.tile_rows * c.tiles_across +
                                           (x + hash_vector.x) / c.tile_columns));
      if ((!is_copy || kind == KIND_HASH_COPY_AGAIN) && ends != recent0) {
        if (ends != recent1) {
          if (ends != recent2) recent3 = recent2;
          recent2 = recent1;
        }
        recent1 = recent0;
        recent0 = ends;
      }
      above_states[column * DECIDE_ITEMS] = (ushort)state;
      left = state;
      choices[at] =
          (uint2)((uint)kind | (uint)ends_mode << TEXCAST_CHOICE_ENDS_AT |
                      (uint)indices_mode << TEXCAST_CHOICE_INDICES_AT |
                      (uint)(kind_context - TEXCAST_KIND_CONTEXT) << TEXCAST_CHOICE_KIND_CONTEXT_AT |
                      (uint)max(ends_context - TEXCAST_ENDS_CONTEXT, 0) << TEXCAST_CHOICE_ENDS_CONTEXT_AT |
                      neighbours << TEXCAST_CHOICE_NEIGHBOURS_AT,
                  (uint)max(indices_context - TEXCAST_INDICES_CONTEXT, 0) | begin << TEXCAST_CHOICE_SYMBOLS_AT);
    }
  }
  coded_slice->end[component] = symbols;
  if (component == components - 1) coded_slice->first = atomic_add(totals, symbols);
}
