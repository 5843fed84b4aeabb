// rd_decide.cl — rate-distortion mode decision of lossy tiles, as in codec/compact/encode/rd_slice_encoder.cpp: for
// each sub-block the coding with the least RD cost of all, given the sub-blocks before it.
//   defines      CHANNEL=1; LOSSY_ITEMS=32; RANK_ITEMS: how many items try a candidate's ranks, 1 or 4 (1 is faster on
//            devices with expensive barriers, as CPUs are); LOSSY_GROUP: empty if an option of NVIDIA's compiler limits
//            the registers, as it ignores that option for kernels with a fixed group size
//
// decide_lossy:
//   work-group   LOSSY_ITEMS items for each tile and component: global = (LOSSY_ITEMS times tiles, components), where
//                the second coordinate is the component. Component 0 has a launch of its own, before the others
//   in   reference, source, components, tiles, analysis: as for analyse_lossy
//        cost             ushort[content][component][context][symbol], 1/32 bits
//        least_cost       ushort[content][component][context]: of the cheapest symbol
//   out  reconstruction   ulong[sub-blocks]: the reconstruction
//        choices          texcast_lossy_choice[sub-blocks]; those of component 0 are read for the others
//   exactness    integer; equals the CPU's result on every device
#include "compact/rd_result.cl"

#ifndef LOSSY_GROUP
#define LOSSY_GROUP __attribute__((reqd_work_group_size(LOSSY_ITEMS, 1, 1)))
#endif

// A component of the tile that is decided.
typedef struct decided_tile {
  rd_form form;
  texcast_component c;
  int number;  // of the component
  int weight, x0, y0, columns, rows;
  global const uint *analysis, *source;
  bool has_luma;
  int to_luma;  // distance to luma's sub-block at the same position, which is decided before
} decided_tile;
// The current sub-block of the tile, its left neighbour, and the states of its neighbours (neighbour_state.cl).
typedef struct rd_position {
  int row, column, at;
  ulong left;
  uint left_state, above_state;
} rd_position;

// Finds the tile and the component of this work-group. Its result is a parameter because Oclgrind does not know the
// intrinsic that remains where the compiler inlines a function that returns a structure.
static void find_tile(decided_tile *t, global const texcast_lossy_component *components, int count,
                      global const texcast_lossy_tile *tile, global const ushort *all_cost,
                      global const ushort *all_least_cost, global const uint *all_analysis, global const uint *source) {
  t->number = (int)get_global_id(1);
  t->c = components[t->number].component;
  const int table = tile->content * count + t->number;
  t->form.intra = tile->intra != 0;
  t->form.least_range = components[t->number].least_range[tile->quantiser];
  t->form.least_saved = tile->least_saved;
  t->form.candidates = tile->candidates;
  t->form.refits = tile->refits;
  t->form.cost = all_cost + table * TEXCAST_LOSSY_CONTEXTS * 16;
  t->form.least_cost = all_least_cost + table * TEXCAST_LOSSY_CONTEXTS;
  t->weight = components[t->number].weight;
  t->x0 = tile->tile % t->c.tiles_across * t->c.tile_columns;
  t->y0 = tile->tile / t->c.tiles_across * t->c.tile_rows;
  t->columns = min(t->c.blocks_x - t->x0, t->c.tile_columns);
  t->rows = t->columns > 0 ? min(t->c.blocks_y - t->y0, t->c.tile_rows) : 0;
  t->analysis = all_analysis +
                ((int)get_group_id(0) * first_sub_block(components, count) + first_sub_block(components, t->number)) *
                    ANALYSIS_SOURCE;
  t->source = source;
  t->has_luma = follows_luma(&t->c, t->number);
  t->to_luma = components[0].component.first - t->c.first;
}

// Initialises the group's memory for a tile. No item may read it before the next barrier.
static void begin_tile(local group_memory *m, const decided_tile *t, global const texcast_lossy_tile *tile,
                       global const ulong *reconstruction, int item) {
  if (item < ROWS) {
    const int2 v = t->form.intra ? (int2)(0, 0) : half_texel_vector(tile, &t->c, item);
    m->zero_vector[item] = is_zero(v);
    m->lambda[item] = t->form.intra ? tile->lambda : tile->lambda * tile->lambda_weights[item] / 16;
    m->coded_first[item] = 0;
  }
  if (item < 2) m->rank.least_rank_cost[item] = NOTHING;
  if (item < 2 * 16) {
    const int group = item < 16 ? 0 : GROUP_INTRA, rank = item & 15;
    m->rank.far_cost[item >> 4][rank] =
        rank < PAIR_LIMIT ? 0 : symbol_cost(t->form.cost, TEXCAST_FAR_RANK_CONTEXT + group, rank - PAIR_LIMIT);
    // Bit 3 of a predicted level: the position lies beyond it.
    uint ranks = 0;
    for (int level = 0; level < LEVELS; ++level)
      ranks |= (uint)rank_of(level, rank & 7, rank >= 8, steps_of(item >= 16)) << 4 * level;
    m->rank.ranks[item >> 4][rank] = ranks;
  }
  if (item < 4) m->recent[item] = item == 0 ? 0xFFFF : 0;
  if (item < ANALYSIS_NUMBERS && t->rows > 0)
    m->analysis[0][item] = analysis_number(t->analysis, t->source, reconstruction, item, 0,
                                           position_of(&t->c, t->x0, t->y0), t->has_luma, t->to_luma);
}
// The rest of the initialisation, after a barrier: the least cost of a pair's ranks, and which sub-blocks of component
// 0 are coded.
static void begin_tile_after_barrier(local group_memory *m, const decided_tile *t,
                                     global const texcast_lossy_component *components,
                                     global const texcast_lossy_tile *tile, global const texcast_lossy_choice *choices,
                                     int item) {
  for (int i = item; i < 2 * 40; i += LOSSY_ITEMS) {
    const int context = i < 40 ? i : GROUP_INTRA * 40 + i - 40;
    atomic_min(m->rank.least_rank_cost + i / 40, (int)t->form.least_cost[TEXCAST_RANKS_CONTEXT + context]);
  }
  if (t->number == 0) return;
  const texcast_component f = components[0].component;
  const int fx = tile->tile % f.tiles_across * f.tile_columns, fy = tile->tile / f.tiles_across * f.tile_rows;
  for (int i = item; i < f.tile_columns * f.tile_rows; i += LOSSY_ITEMS) {
    const int y = i / f.tile_columns, x = i - y * f.tile_columns;
    if (has_sub_block(&f, fx + x, fy + y) && (choices[position_of(&f, fx + x, fy + y)].modes & 15) == KIND_CODED)
      atomic_or(m->coded_first + y, 1 << x);
  }
}

// Finds the neighbours of a sub-block, and the contexts that depend on them.
static void find_contexts(rd_sub_block *h, local const group_memory *m, const decided_tile *t, rd_position *p) {
  const int above_row = (p->row + 1) & 1;
  h->by.weight = t->weight;
  h->by.lambda = m->lambda[partition_at(&t->c, p->column, p->row)];
  h->has_left = p->column > 0;
  h->has_above = p->row > 0;
  h->left = h->has_left ? p->left : 0;
  h->above = h->has_above ? m->sub_blocks[above_row][p->column] : 0;
  if (!h->has_left) p->left_state = 0;
  p->above_state = h->has_above ? m->states[above_row][p->column] : 0;
  const bool intra = t->form.intra, is_zero = m->zero_vector[partition_at(&t->c, p->column, p->row)] != 0;
  int coded_first = 0;
  for (int i = 0; i < t->c.down; ++i) coded_first |= m->coded_first[(p->row * t->c.down + i) & (ROWS - 1)];
  const bool is_coded_first = t->number > 0 && (coded_first >> p->column * t->c.across & ((1 << t->c.across) - 1)) != 0;
  h->kind_context = (intra ? 4 : (is_zero ? 1 : 0) + (is_coded_first ? 2 : 0)) * 16 +
                    (int)state_kind(p->left_state) * 4 + (int)state_kind(p->above_state);
  h->ends_context = (intra ? 16 : 0) + (int)state_ends(p->left_state) * 4 + (int)state_ends(p->above_state);
  h->indices_context = (intra ? 162 : 0) + (int)state_indices(p->left_state) * 9 + (int)state_indices(p->above_state);
  h->neighbours = (int)max(state_residual(p->left_state), state_residual(p->above_state));
  h->coded = t->form.cost[(TEXCAST_LOSSY_KIND_CONTEXT + h->kind_context) * 16 + KIND_CODED];
  h->least_of_indices = min(t->form.least_cost[TEXCAST_INDICES_CONTEXT + h->indices_context],
                            t->form.least_cost[TEXCAST_INDICES_CONTEXT + h->indices_context + 81]);
}

static void take_kind(rd_sub_block *h, int kind, int loss, int cost) {
  const int score = score_of(&h->by, loss, cost);
  if (score < h->score) h->score = score, h->kind = kind;
}
// The best kind of copy: the motion copy, the co-located sub-block, or a neighbour.
static void try_copies(rd_sub_block *h, local group_memory *m, const decided_tile *t, const rd_position *p, int item) {
  global const ushort *kind_cost = t->form.cost + (TEXCAST_LOSSY_KIND_CONTEXT + h->kind_context) * 16;
  h->score = NOTHING;
  h->kind = KIND_MOTION_COPY;
  if (!t->form.intra) {
    h->score = score_of(&h->by, (int)h->analysis[ANALYSIS_MOTION_COPY_LOSS], kind_cost[KIND_MOTION_COPY]);
    if (m->zero_vector[partition_at(&t->c, p->column, p->row)] == 0)
      take_kind(h, KIND_CO_LOCATED, (int)h->analysis[ANALYSIS_CO_LOCATED_LOSS], kind_cost[KIND_CO_LOCATED]);
  }
  // The pre-analysis has the loss of a neighbour's copy if that neighbour is a motion copy.
  const bool may_left = h->has_left && score_of(&h->by, 0, kind_cost[KIND_LEFT]) < h->score;
  const bool may_above = h->has_above && score_of(&h->by, 0, kind_cost[KIND_ABOVE]) < h->score;
  const bool measures_left = may_left && p->left_state != 0, measures_above = may_above && p->above_state != 0;
  if (item < 8 && (measures_left || measures_above))
    m->loss_of_four[item] =
        loss_of_four(item < 4 ? h->left : h->above, h->analysis[ANALYSIS_SOURCE + (item & 3)], item & 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (may_left) {
    int loss = (int)h->analysis[ANALYSIS_LEFT_LOSS];
    if (measures_left) loss = m->loss_of_four[0] + m->loss_of_four[1] + m->loss_of_four[2] + m->loss_of_four[3];
    take_kind(h, KIND_LEFT, loss, kind_cost[KIND_LEFT]);
  }
  if (may_above) {
    int loss = (int)h->analysis[ANALYSIS_ABOVE_LOSS];
    if (measures_above) loss = m->loss_of_four[4] + m->loss_of_four[5] + m->loss_of_four[6] + m->loss_of_four[7];
    take_kind(h, KIND_ABOVE, loss, kind_cost[KIND_ABOVE]);
  }
}

// Goes on from `p` to the next sub-block that may be worth coding with end points, and decides those before it, which
// are copies. All items do the same. False: no such sub-block is left.
static bool find_next(rd_sub_block *h, texcast_lossy_choice *choice, local group_memory *m, const decided_tile *t,
                      rd_position *p, global const ulong *reference, global ulong *reconstruction,
                      global texcast_lossy_choice *choices, int item) {
  bool is_worth_it = false;
  while (p->row < t->rows && !is_worth_it) {
    barrier(CLK_LOCAL_MEM_FENCE);
    h->analysis = m->analysis[(p->row * t->columns + p->column) & 1];
    p->at = position_of(&t->c, t->x0 + p->column, t->y0 + p->row);
    // The next sub-block's pre-analysis is loaded meanwhile.
    const bool ends_row = p->column + 1 == t->columns;
    const int next_row = ends_row ? p->row + 1 : p->row, next_column = ends_row ? 0 : p->column + 1;
    uint next_number = 0;
    if (next_row < t->rows && item < ANALYSIS_NUMBERS)
      next_number =
          analysis_number(t->analysis, t->source, reconstruction, item, next_row * t->c.tile_columns + next_column,
                          position_of(&t->c, t->x0 + next_column, t->y0 + next_row), t->has_luma, t->to_luma);
    find_contexts(h, m, t, p);
    const int least_ends_cost = t->form.least_cost[TEXCAST_ENDS_CONTEXT + h->ends_context];
    try_copies(h, m, t, p, item);
    is_worth_it =
        score_of(&h->by, 0, h->coded + least_ends_cost + h->least_of_indices + t->form.least_saved) < h->score;
    if (item < ANALYSIS_NUMBERS) m->analysis[(next_row * t->columns + next_column) & 1][item] = next_number;
    choice->modes = (uint)h->kind;
    choice->contexts = (uint)h->kind_context | (uint)h->ends_context << 7 | (uint)h->neighbours << 12;
    choice->ranks[0] = choice->ranks[1] = 0;
    if (!is_worth_it) {
      p->left = uncoded_value(h, reference + p->at);
      p->left_state = h->kind == KIND_MOTION_COPY ? 0 : 1;
      if (item == 0) {
        reconstruction[p->at] = p->left;
        choices[p->at] = *choice;
        m->sub_blocks[p->row & 1][p->column] = p->left;
        m->states[p->row & 1][p->column] = p->left_state;
      }
      p->row = next_row;
      p->column = next_column;
    }
  }
  return is_worth_it;
}

// Tries the candidates for end points once. Returns whether it found a better coding than all before. If `goes_on` is
// false it only passes the barriers.
static bool try_end_points(local group_memory *m, const rd_form *form, rd_sub_block *h, bool goes_on, bool has_luma,
                           bool is_foreign, int both, int item) {
  if (goes_on) find_near_costs(m, form, h, item);
  if (item == 0) m->best.score = m->best.order = NOTHING;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (goes_on) find_slot(m, form, h, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (goes_on && item < SLOTS) find_least(m, h, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  int tries = 0;
  if (goes_on) tries = order_slots(m, h->is_second ? SLOTS : form->candidates, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  find_texels(m, h, tries, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  found best;
  best.score = h->score - 1;
  best.order = NOTHING;
  try_known_levels(&best, m, form, h, tries, item);
  if (has_luma) try_luma_levels(&best, m, form, h, tries, item);
  if (form->intra || is_foreign) try_texels(&best, m, form, h, tries, item);
  if (best.order != NOTHING) atomic_min(&m->best.score, best.score);
  barrier(CLK_LOCAL_MEM_FENCE);
  try_ranks(&best, m, form, h, tries, both, item);
  if (best.order != NOTHING) atomic_min(&m->best.score, best.score);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (best.order != NOTHING && best.score == m->best.score) atomic_min(&m->best.order, best.order);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int order = m->best.order;
  if (order == NOTHING) return false;
  h->score = m->best.score;
  if (item < 16) put_index(m, h, order, both, item);
  if (item == 0) {
    const int slot = m->slot.tried[order >> ORDER_BITS];
    m->best.ends = m->slot.ends[slot].x;
    m->best.modes = m->slot.modes[slot];
    m->best.choice = order & ((1 << ORDER_BITS) - 1);
  }
  return true;
}

// Decides end points and indices: in the first pass by the candidates, in the second one by end points refitted to the
// best of these. Returns the pass that found the best coding, or -1 if copies are better. `is_worth_it` is false after
// the tile's last sub-block.
static int decide_coded(local group_memory *m, const decided_tile *t, rd_sub_block *h, bool is_worth_it, int item) {
  h->fitted = t->form.intra ? 0 : widened_ends(h->analysis[ANALYSIS_ENDS] & 0xFFFF, t->form.least_range);
  h->refitted = 0;
  if (item == 0) {
    m->same[0] = joined(h->analysis[ANALYSIS_AT_VECTOR], h->analysis[ANALYSIS_AT_VECTOR + 1]);
    m->same[1] = h->left;
    m->same[2] = h->above;
    m->same[3] = joined(h->analysis[ANALYSIS_LUMA], h->analysis[ANALYSIS_LUMA + 1]);
    m->same[4] = mirrored_indices(indices_of(m->same[3])) << END_BITS;
  }
  if (item < 4) m->best.indices[item >> 1][item & 1] = m->best.rank_digits[item >> 1][item & 1] = 0;
  // If the reference frame predicts the sub-block badly, modes without it are tried too.
  const bool is_foreign =
      (int)h->analysis[ANALYSIS_PREDICTION_LOSS] * h->by.weight > score_of(&h->by, 0, TEXCAST_FOREIGN_BITS * 32);
  const int both = !t->form.intra && is_foreign ? 1 : 0, times = t->form.refits > 0 ? 2 : 1;
  int best_time = -1;
  bool goes_on = is_worth_it;
  // There are always two passes, because PoCL does not support barriers in code that depends on the first one's result.
  for (int time = 0; time < times; ++time) {
    h->is_second = time == 1;
    const bool is_better = try_end_points(m, &t->form, h, goes_on, t->has_luma, is_foreign, both, item);
    if (is_better) best_time = time;
    barrier(CLK_LOCAL_MEM_FENCE);
    goes_on = is_better && t->form.refits > 0 && refit(m, h);
  }
  return best_time;
}

kernel LOSSY_GROUP
void decide_lossy(global const ulong *reference, global const uint *source,
                  global const texcast_lossy_component *components, int count, global const texcast_lossy_tile *tiles,
                  int first, global const ushort *all_cost, global const ushort *all_least_cost,
                  global const uint *all_analysis, global ulong *reconstruction, global texcast_lossy_choice *choices) {
  local group_memory memory;
  local group_memory *m = &memory;
  const int item = (int)get_local_id(0);
  global const texcast_lossy_tile *tile = tiles + first + get_group_id(0);
  decided_tile t;
  find_tile(&t, components, count, tile, all_cost, all_least_cost, all_analysis, source);
  begin_tile(m, &t, tile, reconstruction, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  begin_tile_after_barrier(m, &t, components, tile, choices, item);
  rd_position p;
  p.left = 0;
  p.left_state = p.above_state = 0;
  p.row = p.column = p.at = 0;
  while (p.row < t.rows) {
    rd_sub_block h;
    texcast_lossy_choice choice;
    const bool is_worth_it = find_next(&h, &choice, m, &t, &p, reference, reconstruction, choices, item);
    const int best_time = decide_coded(m, &t, &h, is_worth_it, item);
    if (is_worth_it && item == 0) {
      uint state = h.kind == KIND_MOTION_COPY ? 0 : 1;
      const ulong value =
          best_time >= 0 ? write_choice(m, &h, best_time, &choice, &state) : uncoded_value(&h, reference + p.at);
      reconstruction[p.at] = value;
      choices[p.at] = choice;
      m->sub_blocks[p.row & 1][p.column] = value;
      m->states[p.row & 1][p.column] = state;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_worth_it) {
      p.left = m->sub_blocks[p.row & 1][p.column];
      p.left_state = m->states[p.row & 1][p.column];
      const bool ends_row = p.column + 1 == t.columns;
      p.row = ends_row ? p.row + 1 : p.row;
      p.column = ends_row ? 0 : p.column + 1;
    }
  }
}
