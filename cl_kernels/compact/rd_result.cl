// rd_result.cl — what was found best for a sub-block: its indices, end points next to it, and what is coded.
#include "compact/rd_ranks.cl"

// A texel's index with what was found best, and its rank.
static void put_index(local group_memory *m, const half_at *h, int best_order, int both, int i) {
  const int candidate = best_order >> ORDER_BITS, order = best_order & ((1 << ORDER_BITS) - 1);
  const int slot = m->slot.tried[candidate];
  const bool full = is_full(TEXCAST_CHANNEL, m->slot.ends[slot].x);
  int level = order;
  if (order == ORDER_TEXELS) {
    level = (int)(m->slot.levels[2 * slot + i / 8] >> 4 * (i & 7) & 15);
  } else if (order >= ORDER_NEAR) {
    const int attempt = (candidate << both) + (order == ORDER_ALONE ? both : 0);
    const int option = m->rank.chosen[attempt][i / 2] >> 8 * (i & 1);
    level = option >> 4 & 15;
    atomic_or(m->best.rank_digits[h->is_second] + i / 8, (uint)(option & 15) << 4 * (i & 7));
  } else if (order == ORDER_PREDICTED) {
    const int4 pair = m->slot.texels[candidate][i / 2];
    level = ((i & 1) != 0 ? pair.z : pair.x) >> 4 & 15;
  } else if (order >= ORDER_SAME) {
    level = (int)(level_digits(full) >> 4 * index_at(indices_of(m->same[order - ORDER_SAME]), i) & 15);
  }
  atomic_or(m->best.indices[h->is_second] + i / 8, ((full ? 0x17654320u : 0x76154320u) >> 4 * level & 7) << 3 * (i & 7));
}
static ulong indices_found(local const group_memory *m, int time) {
  return (ulong)m->best.indices[time][1] << 24 | m->best.indices[time][0];
}
// The end points with which the levels found best would lose least: the line of least squares through the texels
// (codec/compact/refitted_ends.h). Whether there are any.
static bool refit(local const group_memory *m, half_at *h) {
  const bool full = is_full(TEXCAST_CHANNEL, m->best.ends);
  const int steps = steps_of(full);
  const uint digits = level_digits(full);
  const ulong indices = indices_found(m, 0);
  int count = 0, level_sum = 0, level_squares = 0, sum = 0, products = 0;
  for (int i = 0; i < 16; ++i) {
    const int level = (int)(digits >> 4 * index_at(indices, i) & 15), texel = fact_byte(h, FACT_SOURCE, i);
    const int counts = level <= steps ? 1 : 0;
    count += counts;
    level_sum += counts * level;
    level_squares += counts * level * level;
    sum += counts * texel;
    products += counts * level * texel;
  }
  const int spread = count * level_squares - level_sum * level_sum, rise = count * products - level_sum * sum;
  if (spread == 0) return false;
  const int by = count * spread, at_first = sum * spread - rise * level_sum;
  const int at_second = at_first + steps * count * rise;
  h->refitted = of_clamped((max(at_first, 0) + by / 2) / by, (max(at_second, 0) + by / 2) / by);
  return is_full(TEXCAST_CHANNEL, h->refitted) == full;
}
// What was found best, and what the next half-blocks need to know of it.
static ulong tell_coded(local group_memory *m, const half_at *h, int time, texcast_lossy_choice *choice, uint *trace) {
  const int order = m->best.choice, said = m->best.said, ends_mode = said & 15;
  const uint ends = m->best.ends;
  const int mode =
      order < ORDER_SAME ? INDICES_CONSTANT : (int)(MODES_BY_ORDER >> 4 * max(order - ORDER_SAME, 0) & 15);
  int difference[VALUES] = {0, 0};
  if (ends_mode >= ENDS_NEAR_BEFORE && ends_mode <= ENDS_NEAR_FIT) {
    const uint from = guess_ends(h, ends_mode - ENDS_NEAR_BEFORE);
    difference[0] = (int)(ends & 255) - (int)(from & 255);
    difference[1] = (int)(ends >> 8) - (int)(from >> 8);
  }
  const uint mask = (1u << TEXCAST_LOSSY_DIFFERENCE_BITS) - 1;
  choice->modes = (uint)KIND_CODED | (uint)ends_mode << 4 | (uint)mode << 8 |
                  ((uint)difference[0] & mask) << TEXCAST_LOSSY_DIFFERENCE_AT |
                  ((uint)difference[1] & mask) << (TEXCAST_LOSSY_DIFFERENCE_AT + TEXCAST_LOSSY_DIFFERENCE_BITS);
  choice->contexts |= (uint)indices_context_of(h, said) << 14;
  choice->ranks[0] = m->best.rank_digits[time][0];
  choice->ranks[1] = m->best.rank_digits[time][1];
  *trace = trace_of_coded(ends_mode, mode, (uint)(said >> 4));
  // The latest comes first.
  int known = 0;
  while (known < 3 && m->recent[known] != (int)ends) ++known;
  for (; known > 0; --known) m->recent[known] = m->recent[known - 1];
  m->recent[0] = (int)ends;
  return indices_found(m, time) << END_BITS | ends;
}
// Without end points of its own.
static ulong uncoded_value(const half_at *h, global const ulong *in_place_before) {
  if (h->kind == KIND_LEFT) return h->left;
  if (h->kind == KIND_ABOVE) return h->above;
  return h->kind == KIND_STAYED ? *in_place_before : joined(h->facts[FACT_MOVED], h->facts[FACT_MOVED + 1]);
}

// A number of FACT_… of a half-block: `in_tile` counts those of the tile that have facts, `place` is its own among all,
// and luma's in the same place lies `to_luma` from there.
static uint fact_of(global const uint *facts, global const uint *source, global const ulong *made, int number,
                    int in_tile, int place, bool has_luma, int to_luma) {
  if (number < FACT_SOURCE) return facts[in_tile * FACT_SOURCE + number];
  if (number < FACT_LUMA) return source[place * 4 + number - FACT_SOURCE];
  return has_luma ? ((global const uint *)made)[(place + to_luma) * 2 + number - FACT_LUMA] : 0;
}
