// transform_trials.cl — codes transform blocks with a given prediction, many at once: their levels, and the squared
// errors of their samples without and with coefficients (codec/compact/encode/macroblock_trials.cpp). A slot is such a
// block, of a trial and of the macroblock.
#include "compact/transform_levels.cl"

// A pass, in which some trials are coded. `has_both`: there are two inter trials.
typedef struct pass_state {
  int number;
  bool has_both;
} pass_state;
typedef struct slot_place {
  int trial, block;
} slot_place;

// Sets the trial and the transform block of a slot. False: it is not used.
static bool find_slot(local const group_memory *m, const pass_state *pass, int slot, slot_place *s) {
  if (pass->number == INTER_PASS) {
    s->trial = slot < BLOCKS ? 0 : 1;
    s->block = slot < BLOCKS ? slot : slot - BLOCKS;
    return (s->trial == 0 || pass->has_both) && has_block(m, s->block);
  }
  const uint3 lists = INTRA_BLOCKS;
  const uint list = pass->number == 0 ? lists.x : pass->number == 1 ? lists.y : lists.z;
  s->trial = FIRST_INTRA + slot % INTRA_MODES;
  s->block = (int)(list >> 4 * (slot / INTRA_MODES) & 15u);
  return s->block != NO_BLOCK && has_block(m, s->block);
}
static bool is_intra_pass(const pass_state *pass) { return pass->number != INTER_PASS; }

static int8 eight_texels(uint2 row) { return (int8)(texels_of_row(row.x), texels_of_row(row.y)); }
static uint2 packed_eight(int8 row) {
  const int8 limited = max(min(row, (int8)(255)), (int8)(0));
  return (uint2)(packed_row(limited.lo), packed_row(limited.hi));
}
// Columns of numbers.
static int8 load_column(local const block_numbers *from, int column) {
  local const short *at = (local const short *)from + column;
  return (int8)(at[0], at[8], at[16], at[24], at[32], at[40], at[48], at[56]);
}
static void store_column(local block_numbers *to, int column, int8 v) {
  local short *at = (local short *)to + column;
  at[0] = (short)v.s0;
  at[8] = (short)v.s1;
  at[16] = (short)v.s2;
  at[24] = (short)v.s3;
  at[32] = (short)v.s4;
  at[40] = (short)v.s5;
  at[48] = (short)v.s6;
  at[56] = (short)v.s7;
}

static int sum_of_squares(int8 v) {
  const int8 squares = v * v;
  const int4 fours = squares.lo + squares.hi;
  return fours.x + fours.y + fours.z + fours.w;
}

// Transforms the residual of a row that has been predicted. `before` and `after` must be 0, and `last` -1.
static void transform_row(local group_memory *m, int slot, int block, int row, uint2 prediction) {
  const int8 residual = eight_texels(m->source[block][row]) - eight_texels(prediction);
  m->prediction[slot][row] = prediction;
  atomic_add(&m->before[slot], sum_of_squares(residual));
  m->residual[slot].rows[row] = convert_short8(forward_eight(residual, FORWARD_FIRST_SHIFT));
}

// The last place in the scan with a level in a column, or -1. Places ascend down a column.
static int last_place(int column, int8 levels) {
  const ulong places = places_of_column[column];
  int last = levels.s0 != 0 ? 0 : -1;
  if (levels.s1 != 0) last = 1;
  if (levels.s2 != 0) last = 2;
  if (levels.s3 != 0) last = 3;
  if (levels.s4 != 0) last = 4;
  if (levels.s5 != 0) last = 5;
  if (levels.s6 != 0) last = 6;
  if (levels.s7 != 0) last = 7;
  return last < 0 ? -1 : (int)(places >> 8 * last & 255);
}
// Transforms the columns, and quantises the coefficients.
static void transform_columns(local group_memory *m, const pass_state *pass, const quantiser_state *q, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, column = n & 7;
    slot_place s;
    if (!find_slot(m, pass, slot, &s)) continue;
    const int8 coefficients = forward_eight(load_column(m->residual + slot, column), FORWARD_SECOND_SHIFT);
    const int8 levels = quantised(q, coefficients);
    store_column(m->residual + slot, column, coefficients);
    store_column(m->levels + slot, column, levels);
    const int last = last_place(column, levels);
    if (last >= 0) atomic_max(&m->last[slot], last);
  }
}

// Chooses the levels of all slots, each by an item. These lie beside each other, as they walk through the coefficients
// together; in another part of the group in each tile, so that all parts of a multiprocessor are busy.
static void choose_levels_of_slots(local group_memory *m, const pass_state *pass, global const ushort *costs,
                                   const quantiser_state *q, int lambda, int item) {
  const int first_item = (int)get_group_id(0) % (DECIDE_ITEMS / 32) * 32;
  for (int slot = item - first_item; slot >= 0 && slot < SLOTS; slot += SLOTS) {
    slot_place s;
    if (!find_slot(m, pass, slot, &s) || m->last[slot] < 0) continue;
    int first = -1;
    for (int other = 0; other < SLOTS; ++other) first = max(first, m->last[other]);
    const int component = component_of(s.block);
    // Co and Cg have the same tables.
    const level_rate rate = {costs + min(component, 1) * TEXCAST_TRANSFORM_CONTEXTS * 16, q->step, lambda,
                             sample_weight(component) / 8};
    m->bits[slot] = choose_levels(&rate, (local const short *)(m->residual + slot), (local short *)(m->levels + slot),
                                  first, m->last[slot], is_intra_pass(pass));
  }
}

// The residuals that the levels give, and the samples with them.
static void invert_columns(local group_memory *m, const quantiser_state *q, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, column = n & 7;
    if (m->bits[slot] == 0) continue;
    const int8 levels = load_column(m->levels + slot, column);
    const int8 v = max(min((levels * q->step + 2) >> 2, (int8)(32767)), (int8)(-32768));
    store_column(m->residual + slot, column, inverse_eight(v, TRANSFORM_FIRST_SHIFT));
  }
}
static void invert_rows(local group_memory *m, const pass_state *pass, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, row = n & 7;
    if (m->bits[slot] == 0) continue;
    slot_place s;
    find_slot(m, pass, slot, &s);
    const int8 residual = inverse_eight(convert_int8(m->residual[slot].rows[row]), TRANSFORM_SECOND_SHIFT);
    const uint2 samples = packed_eight(eight_texels(m->prediction[slot][row]) + residual);
    *(local uint2 *)(m->residual[slot].rows + row) = samples;
    atomic_add(&m->after[slot],
               sum_of_squares(eight_texels(m->source[s.block][row]) - eight_texels(samples)));
  }
}
// A row of samples of a slot, with the residual or without.
static uint2 row_of_samples(local const group_memory *m, int slot, int row, bool is_coded) {
  return is_coded ? *(local const uint2 *)(m->residual[slot].rows + row) : m->prediction[slot][row];
}

static void reset_slot(local group_memory *m, int slot) {
  m->before[slot] = m->after[slot] = m->bits[slot] = 0;
  m->last[slot] = -1;
}
// Decides which blocks have coefficients, and prepares the slots for the next pass.
static void score_slots(local group_memory *m, const pass_state *pass, int lambda, int item) {
  for (int slot = item; slot < SLOTS; slot += DECIDE_ITEMS) {
    slot_place s;
    if (!find_slot(m, pass, slot, &s)) continue;
    const long weight = block_weight(s.block), uncoded = weight * m->before[slot];
    const int bits = m->bits[slot];
    const long coded = bits > 0 ? (long)lambda * bits + weight * m->after[slot] : LONG_MAX;
    m->uncoded_scores[slot] = uncoded;
    m->scores[slot] = min(uncoded, coded);
    m->coded[slot] = coded < uncoded ? 1 : 0;
    reset_slot(m, slot);
  }
}

// Codes all slots, whose residuals are transformed by rows. All items call this together after a barrier.
static void code_slots(local group_memory *m, const pass_state *pass, global const ushort *costs,
                       const quantiser_state *q, int lambda, int item) {
  transform_columns(m, pass, q, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  choose_levels_of_slots(m, pass, costs, q, lambda, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  invert_columns(m, q, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  invert_rows(m, pass, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  score_slots(m, pass, lambda, item);
  barrier(CLK_LOCAL_MEM_FENCE);
}
