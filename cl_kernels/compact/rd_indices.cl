// rd_indices.cl — tries the modes of a sub-block's indices, for each candidate of end points.
#include "compact/rd_end_points.cl"

// The order of modes, which decides between equal RD costs. The first eight are constant levels. MODES_BY_ORDER has the
// modes from ORDER_SAME on, a hexadecimal digit each.
enum { ORDER_SAME = 8, ORDER_LUMA = 11, ORDER_PREDICTED = 13, ORDER_NEAR, ORDER_TEXELS, ORDER_INTRA };
#define ORDER_BITS 5
#define MODES_BY_ORDER 0x9C50BA432UL
// The best coding that an item has found. `order`: candidate << ORDER_BITS | order of the mode.
typedef struct found {
  int score, order;
} found;
// The earlier one wins between equal scores (RD costs).
static bool take(found *best, int score, int order) {
  if (score > best->score || (score == best->score && order > best->order)) return false;
  best->score = score;
  best->order = order;
  return true;
}
static int indices_context_of(const rd_sub_block *h, int modes) {
  return h->indices_context + (modes >> 4 > 1 ? 81 : 0);
}

// Tries constant levels, and levels that are copied or predicted: four candidates at once, with eight items each.
static void try_known_levels(found *best, local group_memory *m, const rd_form *form, const rd_sub_block *h, int tries,
                             int item) {
  const int sum = (int)(h->analysis[ANALYSIS_SUMS] >> TEXCAST_LOSSY_SUM_AT);
  const int squares = (int)(h->analysis[ANALYSIS_SUMS] & ((1u << TEXCAST_LOSSY_SUM_AT) - 1));
  // An item tries one constant level, and half of the texels of another mode.
  const int level = item & 7, which = item >> 1 & 3, part = item & 1;
  const bool is_predicted = which == 3;
  // Bits instead of comparisons: Oclgrind reads more than two bits of `which` where it is compared.
  const uint there_are = (form->intra ? 0u : 9u) | (h->has_left ? 2u : 0u) | (h->has_above ? 4u : 0u);
  const bool may = (there_are >> which & 1) != 0;
  const uint indices = (uint)(indices_of(m->same[which]) >> 24 * part);
  for (int from = 0; from < tries; from += 4) {
    const int candidate = from + (item >> 3), slot = m->slot.tried[min(candidate, tries - 1)];
    const uint ends = m->slot.ends[slot].x;
    const ulong values = values_by_level(ends);
    const uint digits = level_digits(is_full(TEXCAST_CHANNEL, ends));
    const int context = TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->slot.modes[slot]);
    const int spent = h->coded + (int)m->slot.ends[slot].y;
    if (candidate < tries) {
      const int value = value_at(values, level);
      const int cost = spent + symbol_cost(form->cost, context, INDICES_CONSTANT) +
                       symbol_cost(form->cost, TEXCAST_LEVEL_CONTEXT, level);
      take(best, score_of(&h->by, 16 * value * value - 2 * value * sum + squares, cost),
           candidate << ORDER_BITS | level);
    }
    int loss = 0;
    if (may) {
      for (int i = 0; i < 8; ++i) {
        const int2 t = ((local const int2 *)m->slot.texels[min(candidate, tries - 1)])[8 * part + i];
        const int there = is_predicted ? t.x >> 4 & 15 : (int)(digits >> 4 * (indices >> 3 * i & 7) & 15);
        loss += loss_at(values, there, t.y >> 16);
      }
    }
    m->loss_of_part[from >> 2 & 1][item] = loss;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (may && part == 0 && candidate < tries) {
      const int mode = is_predicted ? INDICES_PREDICTED : INDICES_REFERENCE + which;
      const int of_both = loss + m->loss_of_part[from >> 2 & 1][item + 1];
      take(best, score_of(&h->by, of_both, spent + symbol_cost(form->cost, context, mode)),
           candidate << ORDER_BITS | (is_predicted ? ORDER_PREDICTED : ORDER_SAME + which));
    }
  }
}
// Tries luma's indices and its mirrored ones: eight candidates at once, with four items each.
static void try_luma_levels(found *best, local group_memory *m, const rd_form *form, const rd_sub_block *h, int tries,
                            int item) {
  const int which = item >> 1 & 1, part = item & 1;
  const uint indices = (uint)(indices_of(m->same[ORDER_LUMA - ORDER_SAME + which]) >> 24 * part);
  for (int from = 0; from < tries; from += LOSSY_ITEMS / 4) {
    const int candidate = from + (item >> 2), slot = m->slot.tried[min(candidate, tries - 1)];
    const uint ends = m->slot.ends[slot].x;
    const ulong values = values_by_level(ends);
    const uint digits = level_digits(is_full(TEXCAST_CHANNEL, ends));
    int loss = 0;
    for (int i = 0; i < 8; ++i)
      loss += loss_at(values, (int)(digits >> 4 * (indices >> 3 * i & 7) & 15),
                      analysis_byte(h, ANALYSIS_SOURCE, 8 * part + i));
    barrier(CLK_LOCAL_MEM_FENCE);
    m->loss_of_part[0][item] = loss;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part == 0 && candidate < tries) {
      const int context = TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->slot.modes[slot]);
      const int cost = h->coded + (int)m->slot.ends[slot].y + symbol_cost(form->cost, context, INDICES_LUMA + which);
      take(best, score_of(&h->by, loss + m->loss_of_part[0][item + 1], cost),
           candidate << ORDER_BITS | (ORDER_LUMA + which));
    }
  }
}
// Tries the levels nearest to the source, coded directly one after the other: eight candidates at once, with four items
// each, a row of texels to an item.
static void try_texels(found *best, local group_memory *m, const rd_form *form, const rd_sub_block *h, int tries,
                       int item) {
  const int part = item & 3;
  for (int from = 0; from < tries; from += LOSSY_ITEMS / 4) {
    const int candidate = from + (item >> 2), slot = m->slot.tried[min(candidate, tries - 1)];
    const uint2 levels = (uint2)(m->slot.levels[2 * slot], m->slot.levels[2 * slot + 1]);
    int cost = 0;
    for (int i = 4 * part; i < 4 * part + 4; ++i)
      cost += symbol_cost(form->cost, direct_level_context(levels, i), level_in(levels, i));
    barrier(CLK_LOCAL_MEM_FENCE);
    m->loss_of_part[1][item] = cost;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part == 0 && candidate < tries) {
      for (int i = 1; i < 4; ++i) cost += m->loss_of_part[1][item + i];
      const int context = TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->slot.modes[slot]);
      cost += h->coded + (int)m->slot.ends[slot].y + symbol_cost(form->cost, context, INDICES_TEXELS);
      take(best, score_of(&h->by, m->slot.losses[2 * slot] + m->slot.losses[2 * slot + 1], cost),
           candidate << ORDER_BITS | ORDER_TEXELS);
    }
  }
}
