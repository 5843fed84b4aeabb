// lossless_decide.cl — mode decision of lossless slices: sub-block by sub-block the cheapest kind, source of the end
// points and source of the indices, given the sub-blocks before it; and the number of symbols.
//   work-group   DECIDE_SLICES slices with DECIDE_LANES items each; global = slices rounded up to groups. All items of
//                a slice load its analysis row by row, one of them decides. Components have a launch each, in order
//   in   reference, c, slices, slice_count, field, cost, analysis: as in lossless_analysis.cl
//   out  choices        uint2[slice][sub-block of a tile]: TEXCAST_CHOICE_…
//        coded_slices   texcast_coded_slice[slice]
//        totals         [0]: symbols of all slices; 0 before the first component
//   local rows          uint4[DECIDE_SLICES][TEXCAST_ROW_NUMBERS]: the analysis of a row
//        states         ushort[DECIDE_SLICES][16]: states of the row above
//   defines      CHANNEL
#include "compact/neighbour_state.cl"

#ifndef DECIDE_SLICES
#define DECIDE_SLICES TEXCAST_DECIDE_SLICES
#endif
#define DECIDE_LANES (TEXCAST_DECIDE_ITEMS / DECIDE_SLICES)

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

// The number of symbols of a slice's vectors.
static uint count_vectors(const slice_rect *u, global const int2 *field) {
  uint symbols = 0;
  for (int y = 0; y < (u->rows + 3) / 4; ++y) {
    for (int x = 0; x < (u->columns + 3) / 4; ++x) {
      const int2 v = partition_vector(field, y * 4 + x);
      const int2 left = x > 0 ? partition_vector(field, y * 4 + x - 1) : (int2)(0, 0);
      const int2 above = y > 0 ? partition_vector(field, y * 4 + x - 4) : (int2)(0, 0);
      int context;
      symbols += partition_symbol(v, left, above, &context) == 3 ? 1 + (uint)vector_symbols(v) : 1;
    }
  }
  return symbols;
}

// The decision for a sub-block. `left` and `above`: the states of its neighbours.
typedef struct decision {
  uint left, above, neighbours;
  int kind_context, ends_context, indices_context;
  int kind, ends_mode, indices_mode;
  uint symbols;  // of a coded sub-block after its kind
  uint state;
} decision;

// Finds the cheapest source of the end points. Returns its cost. `largest`: the magnitude class of the residuals.
static int decide_ends(decision *d, local const texcast_analysis *f, global const ushort *cost, bool intra,
                       const recent_ends *recent, uint *largest) {
  const uint flags = f->flags, ends = f->value[0] & END_MASK;
  d->ends_context = TEXCAST_ENDS_CONTEXT + (intra ? 16 : 0) + (int)(state_ends(d->left) * 4 + state_ends(d->above));
  d->neighbours = max(state_residual(d->left), state_residual(d->above));
  global const ushort *row = cost + d->ends_context * 16;
  int least = NOTHING;
  offer(&least, (flags & TEXCAST_HAS_REFERENCE_ENDS) != 0, row, ENDS_REFERENCE, 0);
  offer(&least, (flags & TEXCAST_HAS_LEFT_ENDS) != 0, row, ENDS_LEFT, 0);
  offer(&least, (flags & TEXCAST_HAS_ABOVE_ENDS) != 0, row, ENDS_ABOVE, 0);
  offer(&least, ends == recent->e0, row, ENDS_RECENT, 0);
  offer(&least, ends == recent->e1, row, ENDS_RECENT + 1, 0);
  offer(&least, ends == recent->e2, row, ENDS_RECENT + 2, 0);
  offer(&least, ends == recent->e3, row, ENDS_RECENT + 3, 0);
  *largest = 0;
  d->ends_mode = least & 15;
  if (least != NOTHING) return least >> 4;
  // The predictor with about the least cost.
  const uint d01 = f->distance[0], d23 = f->distance[1];
  offer(&least, (d01 & 0xFFFF) != 0xFFFF, row, ENDS_NEAR_REFERENCE, (int)(d01 & 0xFFFF));
  offer(&least, d01 >> 16 != 0xFFFF, row, ENDS_NEAR_LEFT, (int)(d01 >> 16));
  offer(&least, (d23 & 0xFFFF) != 0xFFFF, row, ENDS_NEAR_ABOVE, (int)(d23 & 0xFFFF));
  offer(&least, d23 >> 16 != 0xFFFF, row, ENDS_NEAR_FIT, (int)(d23 >> 16));
  d->ends_mode = least & 15;
  const int predictor = d->ends_mode - ENDS_NEAR_REFERENCE;
  const uint costs = f->residual_cost[predictor][d->neighbours >> 1];
  *largest = f->largest >> 2 * predictor & 3;
  d->symbols += f->counts >> 5 * predictor & 31;
  return row[d->ends_mode] + (int)((d->neighbours & 1) != 0 ? costs >> 16 : costs & 0xFFFF);
}

// Finds the cheapest source of the indices. Returns its cost.
static int decide_indices(decision *d, local const texcast_analysis *f, global const ushort *cost, bool intra,
                          uint largest) {
  const uint flags = f->flags;
  d->indices_context = TEXCAST_INDICES_CONTEXT + (intra ? 162 : 0) + (largest > 1 ? 81 : 0) +
                       (int)(state_indices(d->left) * 9 + state_indices(d->above));
  global const ushort *row = cost + d->indices_context * 16;
  int least = NOTHING;
  offer(&least, (flags & TEXCAST_IS_CONSTANT) != 0, row, INDICES_CONSTANT,
        symbol_cost(cost, TEXCAST_LEVEL_CONTEXT, (int)(flags >> TEXCAST_LEVEL_AT & 7)));
  offer(&least, (flags & TEXCAST_HAS_REFERENCE_INDICES) != 0, row, INDICES_REFERENCE, 0);
  offer(&least, (flags & TEXCAST_HAS_LEFT_INDICES) != 0, row, INDICES_LEFT, 0);
  offer(&least, (flags & TEXCAST_HAS_ABOVE_INDICES) != 0, row, INDICES_ABOVE, 0);
  offer(&least, (flags & TEXCAST_IS_PREDICTED) != 0, row, INDICES_PREDICTED, 0);
  if (least >> 4 >= CHEAP_INDICES) {
    const uint near01 = f->near[0], near23 = f->near[1];
    offer(&least, !intra, row, INDICES_NEAR, (int)(near01 & 0xFFFF));
    offer(&least, !intra, row, INDICES_NEAR + 1, (int)(near01 >> 16));
    offer(&least, !intra, row, INDICES_NEAR + 2, (int)(near23 & 0xFFFF));
    offer(&least, !intra, row, INDICES_NEAR + 3, (int)(near23 >> 16));
    offer(&least, (flags & TEXCAST_TRIES_INTRA_INDICES) != 0, row, INDICES_INTRA, (int)(f->costs >> 16));
  }
  const int mode = least & 15;
  d->indices_mode = mode;
  if (mode == INDICES_CONSTANT) ++d->symbols;
  if (mode == INDICES_INTRA) d->symbols += 8 + (f->counts >> 25);
  if (mode >= INDICES_NEAR && mode < INDICES_INTRA) d->symbols += 8 + (f->counts >> 20 & 31);
  return least >> 4;
}

// Decides a sub-block. `copies_again`: the latest hash copy's vector predicts it.
static void decide_sub_block(decision *d, local const texcast_analysis *f, global const ushort *cost, bool intra,
                             bool copies_again, const recent_ends *recent) {
  const uint flags = f->flags;
  const bool has_vector = (flags & TEXCAST_HAS_VECTOR) != 0;
  d->kind_context = TEXCAST_KIND_CONTEXT + (int)(state_kind(d->left) * 4 + state_kind(d->above));
  if (intra)
    d->kind_context += 32;
  else if (!has_vector)
    d->kind_context += 16;
  global const ushort *row = cost + d->kind_context * 16;
  int least = NOTHING;
  offer(&least, !intra && (flags & TEXCAST_IS_MOTION_COPY) != 0, row, KIND_MOTION_COPY, 0);
  offer(&least, !intra && has_vector && (flags & TEXCAST_IS_CO_LOCATED) != 0, row, KIND_CO_LOCATED, 0);
  offer(&least, copies_again, row, KIND_HASH_COPY_AGAIN, 0);
  offer(&least, (flags & TEXCAST_IS_LEFT) != 0, row, KIND_LEFT, 0);
  offer(&least, (flags & TEXCAST_IS_ABOVE) != 0, row, KIND_ABOVE, 0);
  d->ends_mode = d->indices_mode = d->ends_context = d->indices_context = 0;
  d->neighbours = 0;
  d->symbols = 0;
  uint largest = 0;
  if (least == NOTHING) {
    d->symbols = 2;
    const int ends_cost = decide_ends(d, f, cost, intra, recent, &largest);
    const int indices_cost = decide_indices(d, f, cost, intra, largest);
    // Coded; or a hash copy, if that may cost less.
    offer(&least, true, row, KIND_CODED, ends_cost + indices_cost);
    const int hash_copy_cost = (int)(f->costs & 0xFFFF);
    offer(&least, !intra && hash_copy_cost != 0xFFFF && least >> 4 > row[KIND_HASH_COPY] + LEAST_HASH_COPY, row,
          KIND_HASH_COPY, hash_copy_cost);
  }
  d->kind = least & 15;
  d->state = d->kind == KIND_MOTION_COPY ? 0 : 1;
  if (d->kind == KIND_CODED) d->state = state_of_coded(d->ends_mode, d->indices_mode, largest);
}

static uint2 packed_choice(const decision *d, uint begin) {
  return (uint2)((uint)d->kind | (uint)d->ends_mode << TEXCAST_CHOICE_ENDS_AT |
                     (uint)d->indices_mode << TEXCAST_CHOICE_INDICES_AT |
                     (uint)(d->kind_context - TEXCAST_KIND_CONTEXT) << TEXCAST_CHOICE_KIND_CONTEXT_AT |
                     (uint)max(d->ends_context - TEXCAST_ENDS_CONTEXT, 0) << TEXCAST_CHOICE_ENDS_CONTEXT_AT |
                     d->neighbours << TEXCAST_CHOICE_NEIGHBOURS_AT,
                 (uint)max(d->indices_context - TEXCAST_INDICES_CONTEXT, 0) | begin << TEXCAST_CHOICE_SYMBOLS_AT);
}

// A slice's decisions so far.
typedef struct progress {
  recent_ends recent;
  int2 hash_vector;  // of the latest hash copy
  uint symbols;
} progress;

// Begins a slice's component. The first one counts the symbols of the vectors, too.
static void start_slice(progress *p, const slice_rect *u, global const int2 *field, int component,
                        global texcast_coded_slice *coded_slice) {
  start_recent(&p->recent);
  p->hash_vector = (int2)(0, 0);
  p->symbols = 0;
  if (component > 0) {
    p->symbols = coded_slice->end[component - 1];
    return;
  }
  coded_slice->referenced = 0;
  field += u->tile * 8;
  for (int partition = 0; partition < 8; ++partition)
    coded_slice->vectors[partition] = pack_vector(u->intra ? (int2)(0, 0) : field[partition]);
  if (!u->intra) p->symbols = count_vectors(u, field + u->first_partition);
}

// Whether the latest hash copy's vector predicts the sub-block at (x, y).
static bool is_copied_again(const progress *p, global const ulong *reference, const texcast_component *c,
                            local const texcast_analysis *f, int x, int y) {
  const int2 v = p->hash_vector;
  if (is_zero(v)) return (f->flags & TEXCAST_IS_CO_LOCATED) != 0;
  const ulong value = (ulong)f->value[0] | (ulong)f->value[1] << 32;
  return has_sub_block(c, x + v.x, y + v.y) && reference[position_of(c, x + v.x, y + v.y)] == value;
}

// Decides a row of sub-blocks. `rows`: their analysis; `choices`: of the first one; `above_states`: of the row above,
// then of this one.
static void decide_row(progress *p, global const ulong *reference, const texcast_component *c, const slice_rect *u,
                       int row, global const ushort *cost, local const uint4 *rows, global uint2 *choices,
                       global texcast_coded_slice *coded_slice, local ushort *above_states) {
  decision d;
  d.left = 0;
  for (int column = 0; column < u->columns; ++column) {
    local const texcast_analysis *f = (local const texcast_analysis *)rows + column;
    const int x = u->x0 + column, y = u->y0 + row;
    d.above = row > 0 ? above_states[column] : 0;
    const bool copies_again = !u->intra && is_copied_again(p, reference, c, f, x, y);
    decide_sub_block(&d, f, cost, u->intra, copies_again, &p->recent);
    choices[column] = packed_choice(&d, p->symbols);
    ++p->symbols;
    if (d.kind == KIND_CODED) p->symbols += d.symbols;
    if (d.kind == KIND_HASH_COPY) {
      p->hash_vector = unpack_vector(f->hash_vector);
      p->symbols += (uint)vector_symbols(p->hash_vector);
    }
    if (d.kind == KIND_HASH_COPY || d.kind == KIND_HASH_COPY_AGAIN)
      add_referenced(coded_slice, (uint)((y + p->hash_vector.y) / c->tile_rows * c->tiles_across +
                                         (x + p->hash_vector.x) / c->tile_columns));
    if (d.kind == KIND_CODED || d.kind == KIND_HASH_COPY || d.kind == KIND_HASH_COPY_AGAIN)
      push_recent(&p->recent, f->value[0] & END_MASK);
    above_states[column] = (ushort)d.state;
    d.left = d.state;
  }
}

kernel __attribute__((reqd_work_group_size(TEXCAST_DECIDE_ITEMS, 1, 1)))
void decide_lossless(global const ulong *reference, const texcast_component c, global const uint *slices,
                     uint slice_count, global const int2 *field, global const ushort *cost,
                     global const texcast_analysis *analysis, global uint2 *choices,
                     global texcast_coded_slice *coded_slices, volatile global uint *totals, int component,
                     int components, local uint4 *rows, local ushort *states) {
  const uint of_group = (uint)get_local_id(0) / DECIDE_LANES, lane = (uint)get_local_id(0) % DECIDE_LANES;
  const uint slot = (uint)get_group_id(0) * DECIDE_SLICES + of_group;
  const bool exists = slot < slice_count;
  slice_rect u;
  find_slice(&c, slices[min(slot, slice_count - 1)], &u);
  const int slice_rows = exists ? u.rows : 0;
  global texcast_coded_slice *coded_slice = coded_slices + slot;
  rows += of_group * TEXCAST_ROW_NUMBERS;
  states += of_group * 16;
  progress p;
  if (exists && lane == 0) start_slice(&p, &u, field, component, coded_slice);
  for (int row = 0; row < c.tile_rows; ++row) {
    const uint at = slot * (uint)(c.tile_columns * c.tile_rows) + (uint)(row * c.tile_columns);
    global const uint4 *from = (global const uint4 *)(analysis + at);
    const int columns = row < slice_rows ? max(u.columns, 0) : 0;
    const uint numbers = (uint)columns * (uint)(sizeof(texcast_analysis) / sizeof(uint4));
    for (uint i = lane; i < numbers; i += DECIDE_LANES) rows[i] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < slice_rows && lane == 0)
      decide_row(&p, reference, &c, &u, row, cost, rows, choices + at, coded_slice, states);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (!exists || lane > 0) return;
  coded_slice->end[component] = p.symbols;
  if (component == components - 1) coded_slice->first = atomic_add(totals, p.symbols);
}
