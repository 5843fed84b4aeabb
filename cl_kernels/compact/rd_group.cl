// rd_group.cl — the local memory of a work-group that decides a lossy tile, and the private state of its items.
#include "compact/rd_common.cl"

#ifndef RANK_ITEMS
#define RANK_ITEMS 4  // items that try a candidate's ranks
#endif
#define ATTEMPTS (LOSSY_ITEMS / RANK_ITEMS)  // candidates whose ranks are tried at once

// Positions of members in a sub-block's pre-analysis (texcast_lossy_analysis), and of its source and luma behind them.
enum {
  ANALYSIS_PIXELS,
  ANALYSIS_MOTION_COPY = 4,
  ANALYSIS_AT_VECTOR = 6,
  ANALYSIS_MOTION_COPY_LOSS = 8,
  ANALYSIS_CO_LOCATED_LOSS,
  ANALYSIS_LEFT_LOSS,
  ANALYSIS_ABOVE_LOSS,
  ANALYSIS_SUMS,
  ANALYSIS_PREDICTION_LOSS,
  ANALYSIS_ENDS,
  ANALYSIS_LIGHTER,
  ANALYSIS_SOURCE,
  ANALYSIS_LUMA = ANALYSIS_SOURCE + 4,  // luma's sub-block there, for components that may copy luma's indices
  ANALYSIS_NUMBERS = ANALYSIS_LUMA + 2
};
// Candidates for end points, a slot each.
typedef struct slot_memory {
  int4 texels[SLOTS][8];       // of candidates that are tried, in pairs, as find_texels() has them
  uint2 ends[SLOTS];           // and their cost
  int modes[SLOTS];            // mode; from bit 4 on the largest magnitude class of a residual
  int2 least[SLOTS];           // least RD cost; the first slot with the same end points
  uint levels[2 * SLOTS];      // nearest to eight texels, 4 bits each
  int losses[2 * SLOTS];       // with these levels
  int tried[SLOTS];            // slots, in the order in which they are tried
  int near_cost[LOSSY_ITEMS];  // by slot and predictor
  uint near_ends[LOSSY_ITEMS / 4];
} slot_memory;
// Ranks of levels, for two rank groups: relative to the prediction block, and intra.
typedef struct rank_memory {
  uint ranks[2][16];                        // of all levels, 4 bits each: [full][predicted_level()]
  int far_cost[2][16], least_rank_cost[2];  // of escapes by rank; of a pair's ranks
  int4 pairs[2][LOSSY_ITEMS];               // an item's best, alternating by pair: RD cost, options, bits, loss
  ushort chosen[2 * SLOTS][8];              // by attempt and pair: options
  uint alive[2][ATTEMPTS];                  // whether an attempt may still be the best; alternating by pair
} rank_memory;
// The best coding so far. RD cost and order are those of the current pass, indices and ranks those of each pass, and
// the others those of the best pass.
typedef struct best_memory {
  int score, order;
  uint indices[2][2], rank_digits[2][2];
  uint ends;
  int modes, choice;
} best_memory;
typedef struct group_memory {
  slot_memory slot;
  rank_memory rank;
  best_memory best;
  ulong sub_blocks[2][COLUMNS];        // sub-blocks of this row and the one above
  uint states[2][COLUMNS];             // their states (neighbour_state.cl)
  uint analysis[2][ANALYSIS_NUMBERS];  // of this sub-block and the next
  int lambda[ROWS];                    // of partitions
  int zero_vector[ROWS];               // whether a partition's vector is zero
  int coded_first[ROWS];               // coded sub-blocks in a row of the first component: a bit for each column
  int recent[4];                       // end points, the latest first
  ulong same[5];                       // whose indices may be copied: at the vector, left, above, luma, mirrored luma
  int loss_of_four[8];                 // loss of each row as a copy of the left neighbour, then of the upper one
  int loss_of_part[2][LOSSY_ITEMS];    // loss or cost of an item's texels
} group_memory;
// Constants of a component in a tile.
typedef struct rd_form {
  bool intra;
  int least_range, least_saved, candidates, refits;
  global const ushort *cost, *least_cost;
} rd_form;
// The current sub-block.
typedef struct rd_sub_block {
  local const uint *analysis;
  scale by;
  bool has_left, has_above;
  ulong left, above;
  int kind_context, ends_context, indices_context, neighbours;
  int coded, least_of_indices;  // costs: of the kind, and of the indices' mode at least
  uint fitted;                  // end points, with the minimum range
  bool is_second;               // this is the second pass, which tries end points …
  uint refitted;                // … next to these
  int score, kind;              // RD cost of the best so far; the best kind of copy
} rd_sub_block;

static ulong joined(uint low, uint high) { return (ulong)high << 32 | low; }
static int analysis_byte(const rd_sub_block *h, int number, int i) {
  return byte_at(h->analysis[number + i / 4], i % 4);
}

// The loss of a row of texels in a sub-block.
static int loss_of_four(ulong value, uint source, int four) {
  const uint ends = ends_of(value);
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int first = (int)(ends & 255), second = (int)(ends >> 8 & 255), steps = steps_of(full);
  const uint digits = level_digits(full), indices = (uint)(indices_of(value) >> 12 * four);
  int loss = 0;
  for (int i = 0; i < 4; ++i) {
    const int level = (int)(digits >> 4 * (indices >> 3 * i & 7) & 15);
    const int mixed = (first * steps + (second - first) * level) * INVERSE_STEPS(full) >> 16;
    const int off = (level <= steps ? mixed : level == 7 ? 255 : 0) - byte_at(source, i);
    loss += off * off;
  }
  return loss;
}
