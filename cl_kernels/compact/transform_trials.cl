// transform_trials.cl — codes transform blocks with a given prediction, many at once: their levels, and the fitted
// sub-blocks and squared errors without and with coefficients (codec/compact/encode/macroblock_trials.cpp). A slot is
// such a block: of a trial (slot_trial), and of the macroblock (slot_block).
#include "compact/transform_levels.cl"

static bool is_used(local const group_memory *m, int slot) { return m->slot_trial[slot] != NOBODY; }
static bool is_intra_slot(local const group_memory *m, int slot) { return m->slot_trial[slot] >= FIRST_INTRA; }
// The index of the results of a slot.
static int result_of(local const group_memory *m, int slot) {
  return m->slot_trial[slot] * BLOCKS + m->slot_block[slot];
}

static int8 texels_in_row(local const uint *texels) { return (int8)(texels_of_row(texels[0]), texels_of_row(texels[1])); }
// The residual of a row of a slot.
static int8 residual_of_row(local const group_memory *m, int slot, int row) {
  return texels_in_row(m->source[m->slot_block[slot]] + 2 * row) - texels_in_row(m->prediction[slot] + 2 * row);
}
static int sum_of_squares(int8 v) {
  const int8 squares = v * v;
  const int4 fours = squares.lo + squares.hi;
  return fours.x + fours.y + fours.z + fours.w;
}

// Transforms the residuals, and quantises the coefficients. `before` and `after` must be 0, and `last` -1.
static void transform_slots(local group_memory *m, const quantiser_state *q, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, row = n & 7;
    if (!is_used(m, slot)) continue;
    const int8 residual = residual_of_row(m, slot, row);
    atomic_add(&m->before[slot], sum_of_squares(residual));
    store_eight(m->residual[slot] + TRANSFORM_ROW * row, 1, forward_eight(residual, FORWARD_FIRST_SHIFT));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, column = n & 7;
    if (!is_used(m, slot)) continue;
    local int *from = m->residual[slot] + column;
    const int8 coefficients = forward_eight(load_eight(from, TRANSFORM_ROW), FORWARD_SECOND_SHIFT);
    store_eight(from, TRANSFORM_ROW, coefficients);
    const int8 levels = quantised(q, coefficients);
    local short *to = m->levels[result_of(m, slot)] + column;
    to[0] = (short)levels.s0;
    to[8] = (short)levels.s1;
    to[16] = (short)levels.s2;
    to[24] = (short)levels.s3;
    to[32] = (short)levels.s4;
    to[40] = (short)levels.s5;
    to[48] = (short)levels.s6;
    to[56] = (short)levels.s7;
    // Places ascend down a column.
    const ulong places = places_of_column[column];
    int last = levels.s0 != 0 ? 0 : -1;
    if (levels.s1 != 0) last = 1;
    if (levels.s2 != 0) last = 2;
    if (levels.s3 != 0) last = 3;
    if (levels.s4 != 0) last = 4;
    if (levels.s5 != 0) last = 5;
    if (levels.s6 != 0) last = 6;
    if (levels.s7 != 0) last = 7;
    if (last >= 0) atomic_max(&m->last[slot], (int)(places >> 8 * last & 255));
  }
}

// Chooses the levels of all slots, each by an item. These lie beside each other, as they walk through the coefficients
// together; in another part of the group in each tile, so that all parts of a multiprocessor are busy.
static void choose_levels_of_slots(local group_memory *m, const quantiser_state *q, int lambda, int item) {
  const int first_item = (int)get_group_id(0) % (DECIDE_ITEMS / 32) * 32;
  for (int slot = item - first_item; slot >= 0 && slot < SLOTS; slot += SLOTS) {
    if (!is_used(m, slot) || m->last[slot] < 0) continue;
    int first = -1;
    for (int other = 0; other < SLOTS; ++other) first = max(first, m->last[other]);
    const int component = component_of(m->slot_block[slot]);
    const level_rate rate = {m->costs[min(component, 1)], q->step, lambda, sample_weight(component) / 8};
    m->bits[slot] = choose_levels(&rate, m->residual[slot], m->levels[result_of(m, slot)], first, m->last[slot],
                                  is_intra_slot(m, slot));
  }
}

// The residuals that the levels give.
static void invert_slots(local group_memory *m, const quantiser_state *q, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, column = n & 7;
    if (m->bits[slot] == 0) continue;
    local const short *levels = m->levels[result_of(m, slot)] + column;
    int8 v = (int8)(levels[0], levels[8], levels[16], levels[24], levels[32], levels[40], levels[48], levels[56]);
    v = max(min((v * q->step + 2) >> 2, (int8)(32767)), (int8)(-32768));
    store_eight(m->residual[slot] + column, TRANSFORM_ROW, inverse_eight(v, TRANSFORM_FIRST_SHIFT));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, row = n & 7;
    if (m->bits[slot] == 0) continue;
    local int *at = m->residual[slot] + TRANSFORM_ROW * row;
    const int8 coded = inverse_eight(load_eight(at, 1), TRANSFORM_SECOND_SHIFT);
    store_eight(at, 1, coded);
    if (!is_intra_slot(m, slot)) atomic_add(&m->after[slot], sum_of_squares(residual_of_row(m, slot, row) - coded));
  }
}

// Whether inter coding without coefficients is worth trying.
static bool has_uncoded(local const group_memory *m, int slot, int lambda) {
  const long weight = block_weight(m->slot_block[slot]);
  return m->bits[slot] == 0 ||
         weight * m->before[slot] < 2 * ((long)lambda * m->bits[slot] + weight * m->after[slot]);
}
// Whether the transform block without coefficients has the texels of the prediction, as its vector leads from sub-blocks
// to sub-blocks.
static int4 vector_in_block(local const group_memory *m, int trial, int block) {
  const int2 vector = vector_of(m->trials[trial].vector, 0);
  return block < 4 ? texel_vector(vector, 1, 1) : texel_vector(vector, ACROSS, DOWN);
}
static bool is_copy(local const group_memory *m, int trial, int block) {
  return is_whole_blocks(vector_in_block(m, trial, block));
}
// Whether it has the bytes of the reference frame too: all of its sub-blocks there lie in the plane.
static bool is_exact_copy(local const group_memory *m, int trial, int block) {
  const int4 vector = vector_in_block(m, trial, block);
  local const plane_view *v = m->views + component_of(block);
  local const plane_part *part = m->parts + component_of(block);
  const int x = part->x + 2 * column_of(block) + (vector.x >> 2), y = part->y + 2 * row_of(block) + (vector.y >> 2);
  const int columns = min(part->columns - 2 * column_of(block), 2), rows = min(part->rows - 2 * row_of(block), 2);
  return is_whole_blocks(vector) && x >= 0 && y >= 0 && x + columns <= v->blocks_x && y + rows <= v->blocks_y;
}

// The texels of a sub-block of a slot before the fit, with the residual or without.
static uint4 wanted_texels(local const group_memory *m, int slot, int number, bool is_coded) {
  const int x = (number & 1) * 4, y = (number >> 1) * 4;
  uint rows[4];
  for (int j = 0; j < 4; ++j) {
    const uint texels = m->prediction[slot][2 * (y + j) + (x >> 2)];
    local const int *residual = m->residual[slot] + TRANSFORM_ROW * (y + j) + x;
    rows[j] = texels;
    if (is_coded) {
      const int4 sum = texels_of_row(texels) + (int4)(residual[0], residual[1], residual[2], residual[3]);
      rows[j] = packed_row(max(min(sum, (int4)(255)), (int4)(0)));
    }
  }
  return (uint4)(rows[0], rows[1], rows[2], rows[3]);
}
static uint4 source_texels(local const group_memory *m, int block, int number) {
  local const uint *from = m->source[block] + (number >> 1) * 8 + (number & 1);
  return (uint4)(from[0], from[2], from[4], from[6]);
}
static int squares_of(uint4 a, uint4 b) {
  const int16 off = unpacked_texels(a) - unpacked_texels(b);
  return sum16(off * off);
}

// Whether a sub-block's error is wanted, without or with coefficients.
static bool is_wanted(local const group_memory *m, int slot, int number, bool is_coded, int lambda) {
  if (!is_used(m, slot) || !has_part(m, m->slot_block[slot], number)) return false;
  return is_coded ? m->bits[slot] > 0 : is_intra_slot(m, slot) || has_uncoded(m, slot, lambda);
}
// Whether it is a copy without coefficients.
static bool is_copied(local const group_memory *m, int slot, bool is_coded) {
  return !is_coded && !is_intra_slot(m, slot) && is_copy(m, m->slot_trial[slot], m->slot_block[slot]);
}
static void keep_squares(local group_memory *m, int slot, int number, int is_coded, uint4 texels) {
  m->squares[slot][is_coded][number] = squares_of(texels, source_texels(m, m->slot_block[slot], number));
}

// Lists the sub-blocks that have to be fitted, so that work-items beside each other fit them. Copies have the texels of
// the prediction; they are only fitted if they are no exact copies. `jobs` must be 0.
static void list_jobs(local group_memory *m, int lambda, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, is_coded = n >> 2 & 1, number = n & 3;
    m->squares[slot][is_coded][number] = 0;
    if (!is_wanted(m, slot, number, is_coded != 0, lambda)) continue;
    const bool copied = is_copied(m, slot, is_coded != 0);
    if (copied) keep_squares(m, slot, number, is_coded, wanted_texels(m, slot, number, false));
    if (!copied || !is_exact_copy(m, m->slot_trial[slot], m->slot_block[slot])) m->job[atomic_inc(&m->jobs)] = (uchar)n;
  }
}
// Fits them.
static void fit_slots(local group_memory *m, int item) {
  for (int i = item; i < m->jobs; i += DECIDE_ITEMS) {
    const int n = m->job[i], slot = n / 8, is_coded = n >> 2 & 1, number = n & 3;
    uint4 texels = (uint4)(0, 0, 0, 0);
    m->fitted[result_of(m, slot)][is_coded][number] =
        fit_block(wanted_texels(m, slot, number, is_coded != 0), &texels);
    if (!is_copied(m, slot, is_coded != 0)) keep_squares(m, slot, number, is_coded, texels);
  }
}

// Decides which blocks have coefficients.
static void score_slots(local group_memory *m, int lambda, int item) {
  for (int slot = item; slot < SLOTS; slot += DECIDE_ITEMS) {
    if (!is_used(m, slot)) continue;
    const int block = m->slot_block[slot], bits = m->bits[slot], result = result_of(m, slot);
    const long weight = block_weight(block);
    local const int *uncoded = m->squares[slot][0], *coded = m->squares[slot][1];
    long best = LONG_MAX;
    if (is_intra_slot(m, slot) || has_uncoded(m, slot, lambda))
      best = weight * (uncoded[0] + uncoded[1] + uncoded[2] + uncoded[3]);
    const long score = bits > 0 ? (long)lambda * bits + weight * (coded[0] + coded[1] + coded[2] + coded[3]) : LONG_MAX;
    m->uncoded_scores[slot] = best;
    m->scores[result] = min(best, score);
    m->coded[result] = score < best ? 1 : 0;
  }
}

// Codes all slots. All items call this together after a barrier.
static void code_slots(local group_memory *m, const quantiser_state *q, int lambda, int item) {
  transform_slots(m, q, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  choose_levels_of_slots(m, q, lambda, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  invert_slots(m, q, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  list_jobs(m, lambda, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  fit_slots(m, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  score_slots(m, lambda, item);
  barrier(CLK_LOCAL_MEM_FENCE);
}
