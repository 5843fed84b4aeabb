// rd_end_points.cl — the candidates for a sub-block's end points, and the order in which they are tried.
#include "compact/rd_group.cl"

// The candidates in the slots, in the order of the CPU encoder.
enum {
  SLOT_REFERENCE,
  SLOT_LEFT,
  SLOT_ABOVE,
  SLOT_RECENT,                 // this and the next three: the component's recent end points
  SLOT_FIT = SLOT_RECENT + 4,  // fitted to the prediction block
  SLOT_OWN,                    // the block encoder's
  SLOT_MEAN,
  SLOT_WIDENED,  // the block encoder's, with the minimum range
  SLOT_SHIFTED   // this and the next three: the predictors, lighter or darker
};
// In the second pass the slots from SLOT_OWN on are next to the refitted end points. A hexadecimal digit for each slot:
// how much larger the first and the second end point are, plus 2 (kRefits in
// codec/compact/encode/refitted_end_points.h).
#define REFITS_OF_FIRST 0x41322132u
#define REFITS_OF_SECOND 0x03113222u

// The predictors, from which end points are coded by residuals, and whether there is such a predictor.
static uint predictor_ends(const rd_sub_block *h, int predictor) {
  if (predictor == 1) return ends_of(h->left);
  if (predictor == 2) return ends_of(h->above);
  return predictor == 0 ? h->analysis[ANALYSIS_AT_VECTOR] & END_MASK : h->fitted;
}
static bool has_predictor(const rd_form *form, const rd_sub_block *h, int predictor) {
  return predictor == 1 ? h->has_left || form->intra : predictor == 2 ? h->has_above : !form->intra;
}

// The end points of a slot that are coded by residuals, in the first pass. False: there are none.
static bool near_ends(const rd_form *form, const rd_sub_block *h, int slot, uint *ends) {
  const uint own = h->analysis[ANALYSIS_ENDS] >> 16;
  *ends = own;
  if (slot == SLOT_MEAN) *ends = (((h->analysis[ANALYSIS_SUMS] >> TEXCAST_LOSSY_SUM_AT) + 8) >> 4) * 0x101;
  if (slot == SLOT_WIDENED) {
    *ends = widened_ends(own, form->least_range);
    return is_full(TEXCAST_CHANNEL, own);
  }
  if (slot < SLOT_SHIFTED) return true;
  const int lighter = (int)h->analysis[ANALYSIS_LIGHTER], predictor = min(slot - SLOT_SHIFTED, 3);
  const uint from = predictor_ends(h, predictor);
  *ends = of_clamped((int)(from & 255) + lighter, (int)(from >> 8) + lighter);
  return slot < SLOT_SHIFTED + 4 && !form->intra && lighter != 0 && has_predictor(form, h, predictor);
}
// The same in the second pass.
static bool refitted_ends(local const group_memory *m, const rd_form *form, const rd_sub_block *h, int slot,
                          uint *ends) {
  const int number = slot - SLOT_OWN, first = (int)(h->refitted & 255) + (int)(REFITS_OF_FIRST >> 4 * number & 15) - 2,
            second = (int)(h->refitted >> 8) + (int)(REFITS_OF_SECOND >> 4 * number & 15) - 2;
  *ends = of_clamped(first, second);
  return number < form->refits && *ends == ((uint)first | (uint)second << 8) && *ends != m->best.ends &&
         is_full(TEXCAST_CHANNEL, *ends) == is_full(TEXCAST_CHANNEL, m->best.ends);
}
// The cost of coding a slot's end points by residuals from a predictor: an item for each slot and predictor.
static void find_near_costs(local group_memory *m, const rd_form *form, const rd_sub_block *h, int item) {
  const int slot = SLOT_OWN + (item >> 2), predictor = item & 3;
  uint ends;
  const bool is_there = h->is_second ? refitted_ends(m, form, h, slot, &ends) : near_ends(form, h, slot, &ends);
  const bool is_choice = is_there && has_predictor(form, h, predictor);
  int cost = NOTHING;
  if (is_choice) {
    const uint from = predictor_ends(h, predictor);
    const int mode = ENDS_NEAR_REFERENCE + predictor;
    int difference[VALUES];
    difference[0] = (int)(ends & 255) - (int)(from & 255);
    difference[1] = (int)(ends >> 8) - (int)(from >> 8);
    cost = symbol_cost(form->cost, TEXCAST_ENDS_CONTEXT + h->ends_context, mode);
    for (int step = 0; step < VALUES; ++step) {
      const int symbol = residual_symbol(fold(difference[step]));
      cost += symbol_cost(form->cost, residual_context(mode, step, difference, h->neighbours), symbol);
      cost += 32 * residual_bits(symbol);
    }
  }
  m->slot.near_cost[item] = cost;
  if (predictor == 0) m->slot.near_ends[item >> 2] = ends;
}

// A slot's end points, their cost, and the nearest levels and least loss of half of the texels: two items a slot.
static void find_slot(local group_memory *m, const rd_form *form, const rd_sub_block *h, int item) {
  const int slot = item >> 1, part = item & 1;
  uint ends = 0;
  int mode = -1, largest = 0, cost = NOTHING;
  if (slot >= SLOT_OWN) {
    ends = m->slot.near_ends[slot - SLOT_OWN];
    for (int predictor = 0; predictor < 4; ++predictor) {
      const int of_predictor = m->slot.near_cost[4 * (slot - SLOT_OWN) + predictor];
      if (of_predictor < cost) cost = of_predictor, mode = ENDS_NEAR_REFERENCE + predictor;
    }
    const uint from = predictor_ends(h, mode - ENDS_NEAR_REFERENCE);
    largest = max(class_of((int)(ends & 255) - (int)(from & 255)), class_of((int)(ends >> 8) - (int)(from >> 8)));
  } else if (!h->is_second) {
    if (slot == SLOT_REFERENCE && !form->intra) mode = ENDS_REFERENCE, ends = predictor_ends(h, 0);
    if (slot == SLOT_LEFT && h->has_left) mode = ENDS_LEFT, ends = ends_of(h->left);
    if (slot == SLOT_ABOVE && h->has_above) mode = ENDS_ABOVE, ends = ends_of(h->above);
    if (slot >= SLOT_RECENT && slot < SLOT_FIT) {
      mode = ENDS_RECENT + slot - SLOT_RECENT;
      ends = (uint)m->recent[slot - SLOT_RECENT];
    }
    if (slot == SLOT_FIT && !form->intra) mode = ENDS_FIT, ends = h->fitted;
    if (mode >= 0) cost = symbol_cost(form->cost, TEXCAST_ENDS_CONTEXT + h->ends_context, mode);
  }
  const ulong values = values_by_level(ends);
  uint levels = 0;
  int loss = 0;
  for (int i = 0; i < 8 && cost != NOTHING; ++i) {
    const int texel = analysis_byte(h, ANALYSIS_SOURCE, 8 * part + i);
    int nearest = NOTHING;  // distance * 8 + level: the lower one of two equally near levels
    for (int level = 0; level < LEVELS; ++level)
      nearest = min(nearest, (int)abs(value_at(values, level) - texel) * 8 + level);
    levels |= (uint)(nearest & 7) << 4 * i;
    loss += (nearest >> 3) * (nearest >> 3);
  }
  m->slot.levels[item] = levels;
  m->slot.losses[item] = loss;
  if (part == 0) {
    m->slot.ends[slot] = (uint2)(ends, (uint)cost);
    m->slot.modes[slot] = (mode & 15) | largest << 4;
  }
}
// The least RD cost that a slot can have. If slots have the same end points only the cheapest remains, in the order of
// the first of them.
static void find_least(local group_memory *m, const rd_sub_block *h, int slot) {
  const uint ends = m->slot.ends[slot].x;
  const int cost = (int)m->slot.ends[slot].y;
  bool is_choice = cost != NOTHING;
  int first = slot;
  for (int other = 0; other < SLOTS; ++other) {
    const uint2 of_other = m->slot.ends[other];
    const bool is_same = of_other.x == ends && (int)of_other.y != NOTHING;
    if (is_same) first = min(first, other);
    if (is_same && (int)of_other.y + (other < slot ? 0 : 1) <= cost) is_choice = false;
  }
  int least = NOTHING;
  if (is_choice)
    least = score_of(&h->by, m->slot.losses[2 * slot] + m->slot.losses[2 * slot + 1],
                     h->coded + cost + h->least_of_indices);
  m->slot.least[slot] = (int2)(least < h->score ? least : NOTHING, first);
}
// Orders the slots by that cost. Returns how many are tried, at most `candidates`.
static int order_slots(local group_memory *m, int candidates, int item) {
  const int slot = item % SLOTS;
  const int2 own = m->slot.least[slot];
  int earlier = 0, tries = 0;
  for (int other = 0; other < SLOTS; ++other) {
    const int2 of_other = m->slot.least[other];
    if (of_other.x < own.x || (of_other.x == own.x && of_other.y < own.y)) ++earlier;
    if (of_other.x != NOTHING) ++tries;
  }
  tries = min(tries, candidates);
  if (item < SLOTS && own.x != NOTHING && earlier < tries) m->slot.tried[earlier] = slot;
  return tries;
}
// For each candidate and texel: in the upper 16 bits the position of the prediction along the line, in eighths; from
// bit 4 on the level there; and below it the level nearest to the source. In the second number: the source texel, and
// in the lower 16 bits the loss of that level.
static void find_texels(local group_memory *m, const rd_sub_block *h, int tries, int item) {
  const int i = item & 15, texel = analysis_byte(h, ANALYSIS_SOURCE, i), pixel = analysis_byte(h, ANALYSIS_PIXELS, i);
  for (int candidate = item >> 4; candidate < tries; candidate += LOSSY_ITEMS / 16) {
    const int slot = m->slot.tried[candidate];
    const uint ends = m->slot.ends[slot].x;
    const line_of_ends line = line_between(ends);
    const int eighths = eighths_along(&line, pixel),
              nearest = (int)(m->slot.levels[2 * slot + i / 8] >> 4 * (i & 7) & 15);
    local int2 *to = (local int2 *)m->slot.texels[candidate];
    to[i] = (int2)(eighths * 65536 | level_there(&line, eighths) << 4 | nearest,
                   texel << 16 | loss_at(values_by_level(ends), nearest, texel));
  }
}
