// rd_ranks.cl — tries ranks as the indices of a sub-block, decided pair by pair.
#include "compact/rd_indices.cl"

// The predicted level of texel i; bit 3 is set if the position lies beyond it. `left` and `above` are what move_of()
// returned for these texels. `carried`: relative to the prediction block, with residual carry; otherwise intra.
static int predicted_level(bool carried, int steps, int eighths, int left, int above, int i) {
  if (!carried) return predicted_intra_level(i, left, above, steps) | 8;
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

// The constants of a candidate whose ranks are tried.
typedef struct rank_attempt {
  bool carried;  // relative to the prediction block, with residual carry; otherwise intra
  int steps;
  ulong values;  // of the levels
  local const uint *ranks;
  local const int *far_cost;
  global const ushort *cost;
} rank_attempt;
// The previous pair in the row, and the two pairs in the row above: results of move_of(), and ranks, limited to 2.
typedef struct rank_neighbours {
  int left_move, above_first[2], above_second[2];
  int left_rank, above_ranks[2];
} rank_neighbours;

// Tries three levels of a pair's second texel, after level `level` of the first one.
static void try_second(pair_choice *best, const rank_attempt *a, const rank_neighbours *n, const scale *by, int4 texels,
                       int pair, int level, int rank) {
  const ushort4 costs = vload4(0, a->cost + (n->above_ranks[0] + n->left_rank) * 16 + 4 * min(rank, PAIR_LIMIT));
  const int cost = a->far_cost[rank], loss_of_first = loss_at(a->values, level, texels.y >> 16);
  const int source = texels.w >> 16, best_level = texels.z & 15, loss_of_best = texels.w & 0xFFFF;
  const int moved_by_first = move_of(a->carried, a->steps, level, texels.x);
  const int predicted =
      predicted_level(a->carried, a->steps, texels.z >> 16, moved_by_first, n->above_second[0], 2 * pair + 1);
  const int nearest = predicted & 7, loss_of_nearest = loss_at(a->values, nearest, source);
  const int between = best_level > nearest ? best_level - 1 : best_level + 1;
  const uint ranks = a->ranks[predicted];
  const int options = rank | level << 4;
  take_pair(best, by, loss_of_first + loss_of_nearest, cost + costs.s0, options | nearest << 12);
  if (best_level == nearest || loss_of_best >= loss_of_nearest) return;
  const int best_rank = (int)(ranks >> 4 * best_level) & 15;
  take_pair(best, by, loss_of_first + loss_of_best, cost + cost_of_second(costs, best_rank) + a->far_cost[best_rank],
            options | best_rank << 8 | best_level << 12);
  if (best_level > a->steps || between == nearest) return;
  const int between_rank = (int)(ranks >> 4 * between) & 15;
  take_pair(best, by, loss_of_first + loss_at(a->values, between, source),
            cost + cost_of_second(costs, between_rank) + a->far_cost[between_rank],
            options | between_rank << 8 | between << 12);
}
// Tries the levels of a pair: all, or those of item `own`.
static void try_pair(pair_choice *best, const rank_attempt *a, const rank_neighbours *n, const scale *by, int4 texels,
                     int pair, int own) {
  const int source = texels.y >> 16, best_level = texels.x & 15;
  const int predicted =
      predicted_level(a->carried, a->steps, texels.x >> 16, n->left_move, n->above_first[0], 2 * pair);
  const int nearest = predicted & 7, between = best_level > nearest ? best_level - 1 : best_level + 1;
  for (int which = own; which < (RANK_ITEMS > 1 ? own + 1 : 3); ++which) {
    const int level = which == 0 ? nearest : which == 1 ? best_level : between;
    const bool may = which == 0 ||
                     (which < 3 && best_level != nearest && (texels.y & 0xFFFF) < loss_at(a->values, nearest, source) &&
                      (which == 1 || (best_level <= a->steps && between != nearest)));
    if (may) try_second(best, a, n, by, texels, pair, level, (int)(a->ranks[predicted] >> 4 * level) & 15);
  }
}
// Goes on to the next pair, after `options` (pair_choice) were chosen for this one.
static void go_on(rank_neighbours *n, const rank_attempt *a, int4 texels, int pair, int options) {
  const bool ends_row = (pair & 1) != 0;
  const int second_move = move_of(a->carried, a->steps, options >> 12, texels.z);
  const int first_rank = min(options & 15, 2), second_rank = min(options >> 8 & 15, 2);
  n->above_first[0] = n->above_first[1];
  n->above_second[0] = n->above_second[1];
  n->above_ranks[0] = n->above_ranks[1];
  n->above_first[1] = move_of(a->carried, a->steps, options >> 4 & 15, texels.x);
  n->above_second[1] = second_move;
  n->above_ranks[1] = first_rank * 12 + second_rank * 4;
  n->left_move = ends_row ? 0 : second_move;
  n->left_rank = ends_row ? 3 : second_rank;
}

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
    const uint ends = m->slot.ends[slot].x;
    const bool full = is_full(TEXCAST_CHANNEL, ends);
    rank_attempt a;
    a.carried = !form->intra && (both == 0 || (attempt & 1) == 0);
    a.steps = steps_of(full);
    a.values = values_by_level(ends);
    a.ranks = m->rank.ranks[full ? 1 : 0];
    a.far_cost = m->rank.far_cost[a.carried ? 0 : 1];
    a.cost = form->cost + (TEXCAST_RANKS_CONTEXT + (a.carried ? 0 : GROUP_INTRA) * 40) * 16;
    int spent = h->coded + (int)m->slot.ends[slot].y +
                symbol_cost(form->cost, TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->slot.modes[slot]),
                            a.carried ? INDICES_NEAR : INDICES_INTRA);
    // `loss` is that of decided pairs. The ranks of each other pair cost at least `least_cost`, and all other pairs
    // together have at least the loss `rest`.
    const int least_cost = m->rank.least_rank_cost[a.carried ? 0 : 1];
    int loss = 0, rest = m->slot.losses[2 * slot] + m->slot.losses[2 * slot + 1];
    bool is_over = false;
    bool is_alive = attempt < attempts && score_of(&h->by, rest, spent + 8 * least_cost) <= limit;
    rank_neighbours n = {0, {0, 0}, {0, 0}, 3, {36, 36}};
    for (int pair = 0; pair < 8 && !is_over; ++pair) {
      const int4 texels = m->slot.texels[candidate][pair];
      if (is_alive) {
        pair_choice choice = {NOTHING, 0, 0, 0};
        try_pair(&choice, &a, &n, &h->by, texels, pair, own);
        m->rank.pairs[pair & 1][item] = (int4)(choice.score, choice.options, choice.cost, choice.loss);
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
        go_on(&n, &a, texels, pair, chosen.y);
        spent += chosen.z;
        loss += chosen.w;
        rest -= (texels.y & 0xFFFF) + (texels.w & 0xFFFF);
        is_alive = score_of(&h->by, loss + rest, spent + (7 - pair) * least_cost) <= limit;
      }
    }
    if (is_alive && own == 0)
      take(best, score_of(&h->by, loss, spent), candidate << ORDER_BITS | (a.carried ? ORDER_NEAR : ORDER_INTRA));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
