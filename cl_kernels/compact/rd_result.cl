// rd_result.cl — the result for a sub-block: indices of the best coding, end points refitted to them, and its modes.
#include "compact/rd_ranks.cl"

// Stores the index of texel i in the best coding, and its rank.
static void put_index(local group_memory *m, const rd_sub_block *h, int best_order, int both, int i) {
  const int candidate = best_order >> ORDER_BITS, order = best_order & ((1 << ORDER_BITS) - 1);
  const int slot = m->slot.tried[candidate];
  const bool full = is_full(TEXCAST_CHANNEL, m->slot.ends[slot].x);
  int level = order;
  if (order == ORDER_TEXELS) {
    level = (int)(m->slot.levels[2 * slot + i / 8] >> 4 * (i & 7) & 15);
  } else if (order >= ORDER_NEAR) {
    const int attempt = (candidate << both) + (order == ORDER_INTRA ? both : 0);
    const int option = m->rank.chosen[attempt][i / 2] >> 8 * (i & 1);
    level = option >> 4 & 15;
    atomic_or(m->best.rank_digits[h->is_second] + i / 8, (uint)(option & 15) << 4 * (i & 7));
  } else if (order == ORDER_PREDICTED) {
    const int4 pair = m->slot.texels[candidate][i / 2];
    level = ((i & 1) != 0 ? pair.z : pair.x) >> 4 & 15;
  } else if (order >= ORDER_SAME) {
    level = (int)(level_digits(full) >> 4 * index_at(indices_of(m->same[order - ORDER_SAME]), i) & 15);
  }
  atomic_or(m->best.indices[h->is_second] + i / 8, index_of_level(level, full) << 3 * (i & 7));
}
static ulong indices_found(local const group_memory *m, int time) {
  return (ulong)m->best.indices[time][1] << 24 | m->best.indices[time][0];
}
// Finds end points with the least squared error for the levels of the best coding
// (codec/compact/encode/refitted_end_points.h). False: there are none.
static bool refit(local const group_memory *m, rd_sub_block *h) {
  const bool full = is_full(TEXCAST_CHANNEL, m->best.ends);
  const int steps = steps_of(full);
  const uint digits = level_digits(full);
  const ulong indices = indices_found(m, 0);
  int count = 0, level_sum = 0, level_squares = 0, sum = 0, products = 0;
  for (int i = 0; i < 16; ++i) {
    const int level = (int)(digits >> 4 * index_at(indices, i) & 15), texel = analysis_byte(h, ANALYSIS_SOURCE, i);
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
// Writes the best coding to `choice`, and the state for the next sub-blocks (neighbour_state.cl) to `state`. Returns
// its 8 bytes.
static ulong write_choice(local group_memory *m, const rd_sub_block *h, int time, texcast_lossy_choice *choice,
                          uint *state) {
  const int order = m->best.choice, modes = m->best.modes, ends_mode = modes & 15;
  const uint ends = m->best.ends;
  const int mode = order < ORDER_SAME ? INDICES_CONSTANT : (int)(MODES_BY_ORDER >> 4 * max(order - ORDER_SAME, 0) & 15);
  int difference[VALUES] = {0, 0};
  if (ends_mode >= ENDS_NEAR_REFERENCE && ends_mode <= ENDS_NEAR_FIT) {
    const uint from = predictor_ends(h, ends_mode - ENDS_NEAR_REFERENCE);
    difference[0] = (int)(ends & 255) - (int)(from & 255);
    difference[1] = (int)(ends >> 8) - (int)(from >> 8);
  }
  const uint mask = (1u << TEXCAST_LOSSY_RESIDUAL_BITS) - 1;
  choice->modes = (uint)KIND_CODED | (uint)ends_mode << 4 | (uint)mode << 8 |
                  ((uint)difference[0] & mask) << TEXCAST_LOSSY_RESIDUAL_AT |
                  ((uint)difference[1] & mask) << (TEXCAST_LOSSY_RESIDUAL_AT + TEXCAST_LOSSY_RESIDUAL_BITS);
  choice->contexts |= (uint)indices_context_of(h, modes) << 14;
  choice->ranks[0] = m->best.rank_digits[time][0];
  choice->ranks[1] = m->best.rank_digits[time][1];
  *state = state_of_coded(ends_mode, mode, (uint)(modes >> 4));
  // The latest end points come first.
  int known = 0;
  while (known < 3 && m->recent[known] != (int)ends) ++known;
  for (; known > 0; --known) m->recent[known] = m->recent[known - 1];
  m->recent[0] = (int)ends;
  return indices_found(m, time) << END_BITS | ends;
}
// The 8 bytes of a sub-block that is a copy.
static ulong uncoded_value(const rd_sub_block *h, global const ulong *co_located) {
  if (h->kind == KIND_LEFT) return h->left;
  if (h->kind == KIND_ABOVE) return h->above;
  return h->kind == KIND_CO_LOCATED ? *co_located
                                    : joined(h->analysis[ANALYSIS_MOTION_COPY], h->analysis[ANALYSIS_MOTION_COPY + 1]);
}

// A number (ANALYSIS_…) of a sub-block's pre-analysis. `in_tile` is its place in the pre-analysis of the tile,
// `position` its position in the texture. Luma's sub-block at the same position is `to_luma` from there.
static uint analysis_number(global const uint *analysis, global const uint *source, global const ulong *reconstruction,
                            int number, int in_tile, int position, bool has_luma, int to_luma) {
  if (number < ANALYSIS_SOURCE) return analysis[in_tile * ANALYSIS_SOURCE + number];
  if (number < ANALYSIS_LUMA) return source[position * 4 + number - ANALYSIS_SOURCE];
  return has_luma ? ((global const uint *)reconstruction)[(position + to_luma) * 2 + number - ANALYSIS_LUMA] : 0;
}
