// rd_group.cl — what a work-group that decides a lossy tile shares, and what its items know of the tile and of the
// sub-block that is decided.
#include "compact/rd_common.cl"

#ifndef RANK_ITEMS
#define RANK_ITEMS 4
#endif
#define ATTEMPTS (LOSSY_ITEMS / RANK_ITEMS)

// Numbers of a sub-block's facts, with its source and luma behind them.
enum {
  FACT_PIXELS,
  FACT_MOVED = 4,
  FACT_AT_VECTOR = 6,
  FACT_MOVED_LOSS = 8,
  FACT_STAYED_LOSS,
  FACT_LEFT_LOSS,
  FACT_ABOVE_LOSS,
  FACT_SUMS,
  FACT_OFF,
  FACT_ENDS,
  FACT_LIGHTER,
  FACT_SOURCE,
  FACT_LUMA = FACT_SOURCE + 4,  // of components that follow luma, luma's half-block in the same place
  FACT_NUMBERS = FACT_LUMA + 2
};
// Candidates of end points, a slot each.
typedef struct slot_memory {
  int4 texels[SLOTS][8];   // of what is tried, two and two
  uint2 ends[SLOTS];       // and their cost
  int said[SLOTS];         // mode, from bit 4 on the largest class of a difference
  int2 least[SLOTS];       // score, and the first slot of the same end points
  uint levels[2 * SLOTS];  // nearest to eight texels
  int losses[2 * SLOTS];   // theirs
  int tried[SLOTS];        // slots, in the order in which they are
  int near_cost[LOSSY_ITEMS];
  uint near_ends[LOSSY_ITEMS / 4];
} slot_memory;
// Ranks of levels. Two groups: relative to the predicted level, and intra.
typedef struct rank_memory {
  uint ranks[2][16];                      // of levels, 4 bits each, not full and full, by the predicted level
  int far_cost[2][16], least_rank_cost[2];  // of far ranks, and of a pair at least
  int4 pairs[2][LOSSY_ITEMS];             // an item's best of every other pair: score, options, cost, loss
  ushort chosen[2 * SLOTS][8];            // of attempts and pairs: rank and level, of one texel and the other, 4 bits each
  uint alive[2][ATTEMPTS];                // of every other pair
} rank_memory;
// The best so far: of the first and the second time their score and order, indices and ranks; then of both.
typedef struct best_memory {
  int score, order;
  uint indices[2][2], rank_digits[2][2];
  uint ends;
  int said, choice;
} best_memory;
typedef struct group_memory {
  slot_memory slot;
  rank_memory rank;
  best_memory best;
  ulong halves[2][COLUMNS];  // of every other row
  uint traces[2][COLUMNS];
  uint facts[2][FACT_NUMBERS];  // of every other sub-block
  int lambda[ROWS];             // of partitions
  int stands[ROWS];             // a partition's vector is zero
  int coded_first[ROWS];        // of the first component's rows: a bit for each column
  int recent[4];                // end points
  ulong same[5];  // sub-blocks whose levels may be taken: at the vector, left, above, luma, mirrored luma
  int loss_of_four[8];
  int loss_of_part[2][LOSSY_ITEMS];
} group_memory;
// What does not change along a tile.
typedef struct walk_form {
  bool alone;
  int least_range, least_saved, candidates, refits;
  global const ushort *cost, *least_cost;
} walk_form;
// The half-block at hand.
typedef struct half_at {
  local const uint *facts;
  scale by;
  bool has_left, has_above;
  ulong left, above;
  int kind_context, ends_context, indices_context, neighbours;
  int coded, least_of_indices;  // costs
  uint fitted;                  // end points
  bool is_second;               // time that end points are tried …
  uint refitted;                // … next to these
  int score, kind;              // without end points of its own
} half_at;

static ulong joined(uint low, uint high) { return (ulong)high << 32 | low; }
static int fact_byte(const half_at *h, int fact, int i) { return byte_at(h->facts[fact + i / 4], i % 4); }

// Of four texels of a half-block.
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
