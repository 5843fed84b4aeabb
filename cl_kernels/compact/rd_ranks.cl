// rd_ranks.cl — tries ranks as the indices of a sub-block, decided pair by pair.
#include "compact/rd_indices.cl"

// The predicted level of texel i; bit 3 is set if the position lies beyond it. `left` and `above` are what move_of()
// returned for these texels. `carried`: relative to the prediction block, with residual carry; otherwise intra.
static int predicted_level(bool carried, int steps, int eighths, int left, int above, int i) {
  if (!carried) {
    const int predictor = i == 0 ? steps / 2 : i < 4 ? left : (i & 3) == 0 ? above : (left + above + 1) / 2;
    return predictor | 8;
  }
  const int position = eighths + left + above, nearest = clamp((position + 3) >> 3, 0, steps);
  return nearest | (position > 8 * nearest ? 8 : 0);
}
// The influence of a texel on the prediction of the next ones: its residual carry in eighths of a level, or (intra) its
// level.
static int move_of(bool carried, int steps, int level, int texel) {
  const int on_line = min(level, steps);
  return carried ? 3 * (on_line - (texel >> 4 & 15)) : on_line;
}

// The best options of a pair that an item tries. `options`: rank and level of the first texel, then of the second one,
// 4 bits each.
typedef struct pair_choice {
  int score, options, cost, loss;
} pair_choice;
static void take_pair(pair_choice *best, const scale *by, int loss, int cost, int options) {
  const int score = score_of(by, loss, cost);
  if (score >= best->score) return;
  best->score = score;
  best->options = options;
  best->cost = cost;
  best->loss = loss;
}
static int cost_of_second(ushort4 costs, int rank) { return rank == 1 ? costs.s1 : rank == 2 ? costs.s2 : costs.s3; }

// Decides levels pair by pair, each pair with the least RD cost after those before it: relative to the prediction
// block, or intra. RANK_ITEMS items try a candidate for end points, each with another level of a pair's first texel:
// the predicted one; the nearest to the source if it has less loss; and the one next to that, towards the predicted
// one. The same levels of the second texel are tried.
static void try_ranks(found *best, local group_memory *m, const rd_form *form, const rd_sub_block *h, int tries,
                      int both, int item) {
  const int attempts = tries << both, limit = min(h->score - 1, m->best.score), own = item % RANK_ITEMS;
  for (int from = 0; from < attempts; from += ATTEMPTS) {
    const int attempt = from + item / RANK_ITEMS, candidate = min(attempt >> both, tries - 1);
    const int slot = m->slot.tried[candidate];
    const bool carried = !form->intra && (both == 0 || (attempt & 1) == 0);
    const uint ends = m->slot.ends[slot].x;
    const ulong values = values_by_level(ends);
    const bool full = is_full(TEXCAST_CHANNEL, ends);
    const int steps = steps_of(full);
    local const uint *rank_table = m->rank.ranks[full ? 1 : 0];
    local const int *far_cost = m->rank.far_cost[carried ? 0 : 1];
    global const ushort *rank_cost = form->cost + (TEXCAST_RANKS_CONTEXT + (carried ? 0 : GROUP_INTRA) * 40) * 16;
    int spent = h->coded + (int)m->slot.ends[slot].y +
                symbol_cost(form->cost, TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->slot.modes[slot]),
                            carried ? INDICES_NEAR : INDICES_INTRA);
    // `loss` is that of decided pairs. The ranks of each other pair cost at least `least_cost`, and all other pairs
    // together have at least the loss `rest`.
    const int least_cost = m->rank.least_rank_cost[carried ? 0 : 1];
    int loss = 0, rest = m->slot.losses[2 * slot] + m->slot.losses[2 * slot + 1];
    bool is_over = false;
    bool is_alive = attempt < attempts && score_of(&h->by, rest, spent + 8 * least_cost) <= limit;
    // The previous pair in the row, and the two pairs in the row above: results of move_of(), and ranks, limited to 2.
    int left_move = 0, above_first[2] = {0, 0}, above_second[2] = {0, 0};
    int left_rank = 3, above_ranks[2] = {36, 36};
    for (int pair = 0; pair < 8 && !is_over; ++pair) {
      const int i = 2 * pair;
      const int4 texels = m->slot.texels[candidate][pair];
      if (is_alive) {
        const int source = texels.y >> 16, best_level = texels.x & 15;
        const int predicted = predicted_level(carried, steps, texels.x >> 16, left_move, above_first[0], i);
        const int nearest = predicted & 7, between = best_level > nearest ? best_level - 1 : best_level + 1;
        pair_choice of_pair = {NOTHING, 0, 0, 0};
        for (int which = own; which < (RANK_ITEMS > 1 ? own + 1 : 3); ++which) {
          const int level = which == 0 ? nearest : which == 1 ? best_level : between;
          const bool may = which == 0 || (which < 3 && best_level != nearest &&
                                          (texels.y & 0xFFFF) < loss_at(values, nearest, source) &&
                                          (which == 1 || (best_level <= steps && between != nearest)));
          if (!may) continue;
          const int rank = (int)(rank_table[predicted] >> 4 * level) & 15;
          const ushort4 costs = vload4(0, rank_cost + (above_ranks[0] + left_rank) * 16 + 4 * min(rank, PAIR_LIMIT));
          const int cost = far_cost[rank], loss_of_first = loss_at(values, level, source);
          // The second texel.
          const int second_source = texels.w >> 16, second_best = texels.z & 15, loss_of_best = texels.w & 0xFFFF;
          const int second_predicted = predicted_level(
              carried, steps, texels.z >> 16, move_of(carried, steps, level, texels.x), above_second[0], i + 1);
          const int second_nearest = second_predicted & 7;
          const int loss_of_nearest = loss_at(values, second_nearest, second_source);
          const int second_between = second_best > second_nearest ? second_best - 1 : second_best + 1;
          const uint ranks = rank_table[second_predicted];
          const int options = rank | level << 4;
          take_pair(&of_pair, &h->by, loss_of_first + loss_of_nearest, cost + costs.s0, options | second_nearest << 12);
          if (second_best == second_nearest || loss_of_best >= loss_of_nearest) continue;
          const int second_rank = (int)(ranks >> 4 * second_best) & 15;
          take_pair(&of_pair, &h->by, loss_of_first + loss_of_best,
                    cost + cost_of_second(costs, second_rank) + far_cost[second_rank],
                    options | second_rank << 8 | second_best << 12);
          if (second_best > steps || second_between == second_nearest) continue;
          const int between_rank = (int)(ranks >> 4 * second_between) & 15;
          take_pair(&of_pair, &h->by, loss_of_first + loss_at(values, second_between, second_source),
                    cost + cost_of_second(costs, between_rank) + far_cost[between_rank],
                    options | between_rank << 8 | second_between << 12);
        }
        m->rank.pairs[pair & 1][item] = (int4)(of_pair.score, of_pair.options, of_pair.cost, of_pair.loss);
      }
#if RANK_ITEMS > 1
      if (own == 0) m->rank.alive[pair & 1][item / RANK_ITEMS] = is_alive ? 1 : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      is_over = true;
      for (int other = 0; other < ATTEMPTS; ++other) is_over = is_over && m->rank.alive[pair & 1][other] == 0;
#else
      is_over = !is_alive;
#endif
      if (is_alive) {
        local const int4 *of_first = m->rank.pairs[pair & 1] + (item - own);
        int4 chosen = of_first[0];
#if RANK_ITEMS > 1
        if (of_first[1].x < chosen.x) chosen = of_first[1];
        if (of_first[2].x < chosen.x) chosen = of_first[2];
#endif
        if (own == 0) m->rank.chosen[attempt][pair] = (ushort)chosen.y;
        const bool ends_row = (pair & 1) != 0;
        const int first_move = move_of(carried, steps, chosen.y >> 4 & 15, texels.x);
        const int second_move = move_of(carried, steps, chosen.y >> 12, texels.z);
        const int first_rank = min(chosen.y & 15, 2), second_rank = min(chosen.y >> 8 & 15, 2);
        above_first[0] = above_first[1];
        above_second[0] = above_second[1];
        above_ranks[0] = above_ranks[1];
        above_first[1] = first_move;
        above_second[1] = second_move;
        above_ranks[1] = first_rank * 12 + second_rank * 4;
        left_move = ends_row ? 0 : second_move;
        left_rank = ends_row ? 3 : second_rank;
        spent += chosen.z;
        loss += chosen.w;
        rest -= (texels.y & 0xFFFF) + (texels.w & 0xFFFF);
        is_alive = score_of(&h->by, loss + rest, spent + (7 - pair) * least_cost) <= limit;
      }
    }
    if (is_alive && own == 0)
      take(best, score_of(&h->by, loss, spent), candidate << ORDER_BITS | (carried ? ORDER_NEAR : ORDER_INTRA));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
