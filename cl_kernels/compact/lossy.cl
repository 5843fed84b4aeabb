// lossy.cl — half-block by half-block of a lossy stream's tile what is best by what it loses and what it costs,
// behind those before it: of channels, what codec/compact/lossy_unit_encoder.cpp chooses.
//   work-group   LOSSY_ITEMS items, one a tile. Of a half-block an item tries a choice of end points with half of the
//                modes of indices; of equal scores the one stands that the encoder tries first
//   in   before      ulong[half-blocks], as decoders have it; anything where all tiles are alone
//        source      uint4[half-blocks]: 16 texels of a byte
//        components  texcast_lossy_component[count]
//        tiles       texcast_lossy_tile[]: of the groups from `first` on
//        cost        ushort[content][component][context][symbol], 1/32 bits
//        least_cost  ushort[content][component][context]
//   both made        ulong[half-blocks]: as the block encoder made them, then as they are chosen
//   out  choices     texcast_lossy_choice[half-blocks], in the places of their half-blocks
//   local memory     halves  ulong[16], of the row above; numbers  int[LOSSY_NUMBERS]; texels  uchar[32]
//   exactness        integer; equals the encoder on every device
#include "compact/trace.cl"

#define NOTHING 0x7FFFFFFF
#define SLOTS 16  // choices of end points
#define ENDS_FIT 11
#define COLUMNS 16
#define ROWS 8

// Where the slots' choices come from, in the order in which the encoder has them.
enum {
  SLOT_BEFORE,
  SLOT_LEFT,
  SLOT_ABOVE,
  SLOT_RECENT,                 // and the next three
  SLOT_FIT = SLOT_RECENT + 4,  // those fitted to the pixels before
  SLOT_OWN,                    // the block encoder's
  SLOT_MEAN,
  SLOT_WIDENED,  // the block encoder's with the least range
  SLOT_MOVED     // and the next three: the guesses', lighter or darker
};

// Local numbers.
enum {
  AT_TRACES,                      // of the row above
  AT_CODED = AT_TRACES + COLUMNS,  // of the first component's rows: a bit a column
  AT_ENDS = AT_CODED + ROWS,       // of slots
  AT_COST = AT_ENDS + SLOTS,
  AT_LEAST = AT_COST + SLOTS,
  AT_FIRST = AT_LEAST + SLOTS,
  AT_SCORE = AT_FIRST + SLOTS,  // the best without end points, with
  AT_ORDER = AT_SCORE + 2,
  AT_RECENT = AT_ORDER + 2,
  AT_NUMBERS = AT_RECENT + 4
};

// Eighths to the nearest whole, halves away from 0.
static int rounded_eighths(int v) { return v >= 0 ? (v + 4) >> 3 : -((4 - v) >> 3); }

// Of levels, a byte each.
static ulong values_by_level(uint ends) {
  const int first = (int)(ends & 255), second = (int)(ends >> 8 & 255);
  ulong out = 0;
  if (first > second) {
    for (int level = 0; level < 8; ++level) out |= (ulong)((first * (7 - level) + second * level) / 7) << 8 * level;
  } else {
    for (int level = 0; level < 6; ++level) out |= (ulong)((first * (5 - level) + second * level) / 5) << 8 * level;
    out |= 255UL << 56;
  }
  return out;
}
static int value_at(ulong values, int level) { return (int)(values >> 8 * level) & 255; }
// Digits of 4 bits.
static int digit(ulong digits, int i) { return (int)(digits >> 4 * i) & 15; }
static int texel_of(ulong half_block, int i) {
  const uint ends = ends_of(half_block);
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full), level = (int)(level_digits(full) >> 4 * index_at(indices_of(half_block), i)) & 15;
  const int first = (int)(ends & 255), second = (int)(ends >> 8 & 255);
  const int mixed = first * (steps - level) + second * level;
  return level > steps ? (level == 7 ? 255 : 0) : full ? mixed / 7 : mixed / 5;
}
static ulong with_levels(uint ends, ulong levels) {
  const uint index_digits = is_full(TEXCAST_CHANNEL, ends) ? 0x17654320u : 0x76154320u;
  ulong indices = 0;
  for (int i = 0; i < 16; ++i) indices |= (ulong)(index_digits >> 4 * digit(levels, i) & 15) << 3 * i;
  return indices << 16 | ends;
}
static ulong levels_with(ulong half_block, bool full) {
  const uint digits = level_digits(full);
  ulong levels = 0;
  for (int i = 0; i < 16; ++i) levels |= (ulong)(digits >> 4 * index_at(indices_of(half_block), i) & 15) << 4 * i;
  return levels;
}
static uint widened(uint ends, int least_range) {
  const int first = (int)(ends & 255), second = (int)(ends >> 8), more = max(0, least_range - (first - second));
  return (uint)min(first + more / 2, 255) | (uint)max(second - (more - more / 2), 0) << 8;
}
static uint of_clamped(int first, int second) { return (uint)clamp(first, 0, 255) | (uint)clamp(second, 0, 255) << 8; }

// A texel of the frame before, which may lie beyond the border.
static int texel_before(global const ulong *before, const texcast_component *c, int x, int y) {
  const int tx = clamp(x, 0, c->blocks_x * 4 - 1), ty = clamp(y, 0, c->blocks_y * 4 - 1);
  return texel_of(before[place_of(c, tx >> 2, ty >> 2)], (ty & 3) * 4 + (tx & 3));
}
// At halves of a texel.
static int texel_at_halves(global const ulong *before, const texcast_component *c, int x, int y, int2 v) {
  const int tx = x + (v.x >> 1), ty = y + (v.y >> 1), right = v.x & 1, down = v.y & 1;
  const int here = texel_before(before, c, tx, ty);
  if (right + down == 0) return here;
  const int both = here + texel_before(before, c, tx + right, ty + down);
  if (right + down == 1) return (both + 1) >> 1;
  return (both + texel_before(before, c, tx + 1, ty) + texel_before(before, c, tx, ty + 1) + 2) >> 2;
}

// Where a texel lies along the line from one end point to the other, in eighths of a level, rounded up.
typedef struct line_of_ends {
  int first, sign, range, steps;
} line_of_ends;
static void line_between(uint ends, line_of_ends *line) {
  const int axis = (int)(ends >> 8 & 255) - (int)(ends & 255);
  line->first = (int)(ends & 255);
  line->sign = axis > 0 ? 1 : -1;
  line->range = (int)abs(axis);
  line->steps = axis < 0 ? 7 : 5;
}
static int eighths_along(const line_of_ends *line, int texel) {
  const int number = 8 * line->steps * line->sign * (texel - line->first);
  // Divisions cut off towards 0. Without a line all lies far before it.
  return line->range == 0 ? -8 * line->steps : (number + (number > 0 ? line->range - 1 : 0)) / line->range;
}
static int level_there(const line_of_ends *line, int eighths) { return clamp((eighths + 3) >> 3, 0, line->steps); }

static ulong fitted_half(local const uchar *pixels, uint ends) {
  if ((ends & 255) == ends >> 8) return ends;
  line_of_ends line;
  line_between(ends, &line);
  ulong levels = 0;
  for (int i = 0; i < 16; ++i) levels |= (ulong)level_there(&line, eighths_along(&line, pixels[i])) << 4 * i;
  return with_levels(ends, levels);
}

// What an item has found best.
typedef struct found {
  int score, order, mode;
  ulong levels, ranks;
} found;
// Of modes of indices, in the order in which they are tried: levels of constant ones first.
enum { ORDER_SAME = 8, ORDER_PREDICTED = 11, ORDER_NEAR, ORDER_ALONE };

// What scores hang on.
typedef struct scale {
  int weight, lambda;
} scale;
static int score_of(const scale *by, int loss, int cost) {
  return loss * by->weight + (int)((long)by->lambda * cost >> 5);
}
static int loss_at(ulong values, int level, int texel) {
  const int off = value_at(values, level) - texel;
  return off * off;
}
static int loss_of_levels(ulong values, ulong levels, local const uchar *source) {
  int loss = 0;
  for (int i = 0; i < 16; ++i) loss += loss_at(values, digit(levels, i), source[i]);
  return loss;
}

// The level that is taken to be next, and from bit 3 on whether the place lies beyond it.
static int predicted_level(bool carried, const line_of_ends *line, int eighths, ulong levels, ulong predicted, int i) {
  const int left = min(digit(levels, max(i - 1, 0)), line->steps);
  const int above = min(digit(levels, max(i - 4, 0)), line->steps);
  if (!carried) {
    const int guess = i == 0 ? line->steps / 2 : i < 4 ? left : (i & 3) == 0 ? above : (left + above + 1) / 2;
    return guess | 8;
  }
  int place = eighths;
  if ((i & 3) != 0) place += 3 * (left - digit(predicted, i - 1));
  if (i >= 4) place += 3 * (above - digit(predicted, i - 4));
  const int nearest = level_there(line, place);
  return nearest | (place > 8 * nearest ? 8 : 0);
}
// A texel's levels that may be worth their bits, each rank, level and loss in a number: the predicted one, the nearest
// to the source, and what lies before that one.
#define OPTION_RANK(option) ((option) & 15)
#define OPTION_LEVEL(option) ((option) >> 4 & 15)
#define OPTION_LOSS(option) ((option) >> 8)
static int option_of(ulong values, int level, int texel, int predicted, int steps) {
  return rank_of(level, predicted & 7, predicted >= 8, steps) | level << 4 | loss_at(values, level, texel) << 8;
}
static int options_of(ulong values, int texel, int predicted, int best, int steps, int options[3]) {
  const int nearest = predicted & 7;
  options[0] = options[1] = options[2] = option_of(values, nearest, texel, predicted, steps);
  if (best == nearest) return 1;
  options[1] = option_of(values, best, texel, predicted, steps);
  if (OPTION_LOSS(options[1]) >= OPTION_LOSS(options[0])) return 1;
  const int between = best > nearest ? best - 1 : best + 1;
  if (best > steps || between == nearest) return 2;
  options[2] = option_of(values, between, texel, predicted, steps);
  return 3;
}
static int far_cost(global const ushort *cost, int group, int rank) {
  return rank >= PAIR_LIMIT ? price_of(cost, TEXCAST_FAR_RANK_CONTEXT + group, rank - PAIR_LIMIT) : 0;
}
static int rank_context_of(int group, int pair, ulong ranks) {
  const int i = 2 * pair;
  const int above = i >= 4 ? min(digit(ranks, max(i - 4, 0)), 2) * 3 + min(digit(ranks, max(i - 3, 0)), 2) : 9;
  const int left = (i & 3) != 0 ? min(digit(ranks, max(i - 1, 0)), 2) : 3;
  return TEXCAST_RANKS_CONTEXT + group * 40 + above * 4 + left;
}

// Pair by pair what is best behind the pairs before it: counted from the pixels before, or alone.
static void try_ranks(found *best, bool carried, uint ends, ulong values, ulong nearest, local const uchar *texels,
                      global const ushort *cost, const scale *by, int spent) {
  line_of_ends line;
  line_between(ends, &line);
  const int group = carried ? 0 : GROUP_ALONE;
  ulong levels = 0, ranks = 0, predicted = 0;
  int loss = 0;
  for (int pair = 0; pair < 8; ++pair) {
    const int i = 2 * pair;
    const int at_first = carried ? eighths_along(&line, texels[16 + i]) : 0;
    const int at_second = carried ? eighths_along(&line, texels[17 + i]) : 0;
    const int context = rank_context_of(group, pair, ranks);
    int first[3], second[3], least = NOTHING, best_first = 0, best_second = 0, pair_cost = 0;
    const int count = options_of(values, texels[i], predicted_level(carried, &line, at_first, levels, predicted, i),
                                 digit(nearest, i), line.steps, first);
    predicted |= (ulong)level_there(&line, at_first) << 4 * i;
    for (int a = 0; a < count; ++a) {
      const int of_first = a == 0 ? first[0] : a == 1 ? first[1] : first[2];
      const int rank = OPTION_RANK(of_first);
      const ulong with = levels | (ulong)OPTION_LEVEL(of_first) << 4 * i;
      const int count_of_second =
          options_of(values, texels[i + 1], predicted_level(carried, &line, at_second, with, predicted, i + 1),
                     digit(nearest, i + 1), line.steps, second);
      for (int b = 0; b < count_of_second; ++b) {
        const int of_second = b == 0 ? second[0] : b == 1 ? second[1] : second[2];
        const int other = OPTION_RANK(of_second);
        const int both = price_of(cost, context, 4 * min(rank, PAIR_LIMIT) + min(other, PAIR_LIMIT)) +
                         far_cost(cost, group, rank) + far_cost(cost, group, other);
        const int score = score_of(by, OPTION_LOSS(of_first) + OPTION_LOSS(of_second), both);
        if (score >= least) continue;
        least = score;
        best_first = of_first;
        best_second = of_second;
        pair_cost = both;
      }
    }
    predicted |= (ulong)level_there(&line, at_second) << 4 * (i + 1);
    ranks |= (ulong)(OPTION_RANK(best_first) | OPTION_RANK(best_second) << 4) << 4 * i;
    levels |= (ulong)(OPTION_LEVEL(best_first) | OPTION_LEVEL(best_second) << 4) << 4 * i;
    spent += pair_cost;
    loss += OPTION_LOSS(best_first) + OPTION_LOSS(best_second);
    if (score_of(by, loss, spent) >= best->score) return;
  }
  best->score = score_of(by, loss, spent);
  best->order = carried ? ORDER_NEAR : ORDER_ALONE;
  best->mode = carried ? INDICES_NEAR : INDICES_ALONE;
  best->levels = levels;
  best->ranks = ranks;
}
static void take(found *best, int score, int order, int mode, ulong levels) {
  if (score >= best->score) return;
  best->score = score;
  best->order = order;
  best->mode = mode;
  best->levels = levels;
  best->ranks = 0;
}

// By the guess from which it takes least; `possible`: bits of the guesses.
typedef struct said_ends {
  int cost, mode, largest, difference[2];
} said_ends;
static void say_near(said_ends *said, uint ends, const uint guesses[4], uint possible, global const ushort *cost,
                     int context, int neighbours) {
  for (int guess = 0; guess < 4; ++guess) {
    if ((possible >> guess & 1) == 0) continue;
    const int mode = ENDS_NEAR_BEFORE + guess;
    int difference[VALUES];
    difference[0] = (int)(ends & 255) - (int)(guesses[guess] & 255);
    difference[1] = (int)(ends >> 8) - (int)(guesses[guess] >> 8);
    int all = price_of(cost, context, mode);
    for (int step = 0; step < VALUES; ++step) {
      const int symbol = difference_symbol(fold(difference[step]));
      all += price_of(cost, difference_context(mode, step, difference, neighbours), symbol);
      all += 32 * difference_bits(symbol);
    }
    if (all >= said->cost) continue;
    said->cost = all;
    said->mode = mode;
    said->largest = max(class_of(difference[0]), class_of(difference[1]));
    said->difference[0] = difference[0];
    said->difference[1] = difference[1];
  }
}

kernel __attribute__((reqd_work_group_size(LOSSY_ITEMS, 1, 1)))
void choose_lossy(global const ulong *before, global const uint4 *source,
                  global const texcast_lossy_component *components, int count,
                  global const texcast_lossy_tile *tiles, int first, global const ushort *all_cost,
                  global const ushort *all_least_cost, global ulong *made, global texcast_lossy_choice *choices,
                  local ulong *halves, local int *numbers, local uchar *texels) {
  const int item = (int)get_local_id(0), slot = item & (SLOTS - 1);
  const bool is_upper = item >= SLOTS;  // tries the other modes
  global const texcast_lossy_tile *tile = tiles + first + get_group_id(0);
  const bool alone = tile->alone != 0;
  if (item < ROWS) numbers[AT_CODED + item] = 0;
  for (int number = 0; number < count; ++number) {
    const texcast_component c = components[number].component;
    scale by;
    by.weight = components[number].weight;
    const int least_range = components[number].least_range[tile->quantiser];
    const int table = tile->content * count + number;
    global const ushort *cost = all_cost + table * TEXCAST_LOSSY_CONTEXTS * 16;
    global const ushort *least_cost = all_least_cost + table * TEXCAST_LOSSY_CONTEXTS;
    const int x0 = tile->tile % c.tiles_across * c.tile_columns, y0 = tile->tile / c.tiles_across * c.tile_rows;
    const int columns = clamp(c.blocks_x - x0, 0, c.tile_columns), rows = clamp(c.blocks_y - y0, 0, c.tile_rows);
    if (item < COLUMNS) numbers[AT_TRACES + item] = 0;
    if (item < 4) numbers[AT_RECENT + item] = item == 0 ? 0xFFFF : item == 1 ? (int)0xFFFF0000u : 0;
    for (int place = 0; place < columns * rows; ++place) {
      const int row = place / columns, column = place - row * columns, x = x0 + column, y = y0 + row;
      const int at = place_of(&c, x, y);
      int2 v = (int2)(0, 0);
      by.lambda = tile->lambda;
      if (!alone) {
        const int area = (row * c.down >> 2) * 4 + (column * c.across >> 2);
        by.lambda = by.lambda * tile->lambda_parts[area] / 16;
        v = (int2)(tile->vectors[2 * area] >> (c.across - 1), tile->vectors[2 * area + 1] >> (c.down - 1));
      }
      const bool is_zero = (v.x | v.y) == 0, has_left = column > 0, has_above = row > 0;
      const ulong plain = made[at];
      const int from_x = x + (v.x >> 3), from_y = y + (v.y >> 3);
      const bool is_block = ((v.x | v.y) & 7) == 0 && has_place(&c, from_x, from_y);
      barrier(CLK_LOCAL_MEM_FENCE);  // all are done with the half-block before
      if (item < 16) {
        texels[item] = ((global const uchar *)(source + at))[item];
        texels[16 + item] = alone ? 0 : (uchar)texel_at_halves(before, &c, x * 4 + (item & 3), y * 4 + (item >> 2), v);
      }
      if (item < 2) {
        numbers[AT_SCORE + item] = NOTHING;
        numbers[AT_ORDER + item] = NOTHING;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint above_trace = has_above ? (uint)numbers[AT_TRACES + column] : 0;
      const uint left_trace = has_left ? (uint)numbers[AT_TRACES + column - 1] : 0;
      const ulong above = has_above ? halves[column] : 0, left = has_left ? halves[column - 1] : 0;
      uint coded_first = 0;
      for (int i = 0; i < c.down; ++i) coded_first |= (uint)numbers[AT_CODED + ((row * c.down + i) & (ROWS - 1))];
      const bool is_coded_first = number > 0 && (coded_first >> column * c.across & ((1u << c.across) - 1)) != 0;
      const int kind_context = (alone ? 4 : (is_zero ? 1 : 0) + (is_coded_first ? 2 : 0)) * 16 +
                               (int)trace_kind(left_trace) * 4 + (int)trace_kind(above_trace);
      global const ushort *kind_cost = cost + (TEXCAST_LOSSY_KIND_CONTEXT + kind_context) * 16;

      // Sums over the texels, and what is fitted to those before.
      int sum = 0, squares = 0, lightness = 0, off = 0, darkest = 255, lightest = 0;
      for (int i = 0; i < 16; ++i) {
        const int texel = texels[i], pixel = texels[16 + i];
        sum += texel;
        squares += texel * texel;
        lightness += texel - pixel;
        off += (texel - pixel) * (texel - pixel);
        darkest = min(darkest, pixel);
        lightest = max(lightest, pixel);
      }
      const uint fitted = (uint)lightest | (uint)darkest << 8;

      // Without end points of its own.
      ulong offered = left;
      bool may = has_left;
      if (item == KIND_MOVED) {
        may = !alone;
        if (may) offered = is_block ? before[place_of(&c, from_x, from_y)] : fitted_half(texels + 16, fitted);
      }
      if (item == KIND_STAYED) {
        may = !alone && !is_zero;
        if (may) offered = before[at];
      }
      if (item == KIND_ABOVE) {
        may = has_above;
        offered = above;
      }
      may = may && item < KIND_CODED;
      int offered_score = NOTHING;
      if (may) {
        int loss = 0;
        for (int i = 0; i < 16; ++i) {
          const int difference = texel_of(offered, i) - texels[i];
          loss += difference * difference;
        }
        offered_score = score_of(&by, loss, kind_cost[item]);
        atomic_min(numbers + AT_SCORE, offered_score);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const int score = numbers[AT_SCORE];
      if (may && offered_score == score) atomic_min(numbers + AT_ORDER, item);

      // Choices of end points.
      const int ends_context = (alone ? 16 : 0) + (int)trace_ends(left_trace) * 4 + (int)trace_ends(above_trace);
      const int indices_context =
          (alone ? 162 : 0) + (int)trace_indices(left_trace) * 9 + (int)trace_indices(above_trace);
      const int neighbours = (int)max(trace_difference(left_trace), trace_difference(above_trace));
      const int coded = kind_cost[KIND_CODED];
      const int least_of_indices = min(least_cost[TEXCAST_INDICES_CONTEXT + indices_context],
                                       least_cost[TEXCAST_INDICES_CONTEXT + indices_context + 81]);
      const int least_said = least_cost[TEXCAST_ENDS_CONTEXT + ends_context];
      const bool is_worth_it =
          score_of(&by, 0, coded + least_said + least_of_indices + tile->least_saved) < score;
      const int nearest_x = clamp(x + rounded_eighths(v.x), 0, c.blocks_x - 1);
      const int nearest_y = clamp(y + rounded_eighths(v.y), 0, c.blocks_y - 1);
      const ulong at_vector = alone ? 0 : before[place_of(&c, nearest_x, nearest_y)];
      uint guesses[4];
      guesses[0] = ends_of(at_vector);
      guesses[1] = ends_of(left);
      guesses[2] = ends_of(above);
      guesses[3] = alone ? 0 : widened(fitted, least_range);
      const uint possible =
          (alone ? 0u : 9u) | (has_left || alone ? 2u : 0u) | (has_above ? 4u : 0u);  // bits
      const uint own = ends_of(plain);
      const int more = (lightness + (lightness < 0 ? -8 : 8)) / 16;
      uint ends = 0;
      said_ends said;
      said.cost = NOTHING;
      said.mode = said.largest = said.difference[0] = said.difference[1] = 0;
      if (is_worth_it) {
        int mode = -1;
        if (slot == SLOT_BEFORE && !alone) mode = ENDS_BEFORE, ends = guesses[0];
        if (slot == SLOT_LEFT && has_left) mode = ENDS_LEFT, ends = guesses[1];
        if (slot == SLOT_ABOVE && has_above) mode = ENDS_ABOVE, ends = guesses[2];
        if (slot >= SLOT_RECENT && slot < SLOT_FIT) {
          mode = ENDS_RECENT + slot - SLOT_RECENT;
          ends = (uint)numbers[AT_RECENT + slot - SLOT_RECENT] & END_MASK;
        }
        if (slot == SLOT_FIT && !alone) mode = ENDS_FIT, ends = guesses[3];
        if (mode >= 0) {
          said.cost = price_of(cost, TEXCAST_ENDS_CONTEXT + ends_context, mode);
          said.mode = mode;
        }
        if (slot >= SLOT_OWN) {
          bool is_choice = slot < SLOT_MOVED + 4;
          if (slot == SLOT_OWN) ends = own;
          if (slot == SLOT_MEAN) ends = (uint)((sum + 8) >> 4) * 0x101;
          if (slot == SLOT_WIDENED) {
            is_choice = (own & 255) > own >> 8;
            ends = widened(own, least_range);
          }
          if (slot >= SLOT_MOVED) {
            const int guess = min(slot - SLOT_MOVED, 3);
            const uint from = guess == 0 ? guesses[0] : guess == 1 ? guesses[1] : guess == 2 ? guesses[2] : guesses[3];
            is_choice = is_choice && !alone && more != 0 && (possible >> guess & 1) != 0;
            ends = of_clamped((int)(from & 255) + more, (int)(from >> 8) + more);
          }
          if (is_choice)
            say_near(&said, ends, guesses, possible, cost, TEXCAST_ENDS_CONTEXT + ends_context, neighbours);
        }
      }
      if (!is_upper) {
        numbers[AT_ENDS + slot] = (int)ends;
        numbers[AT_COST + slot] = said.cost;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      // Of slots with the same end points the cheapest, in the place of the first.
      bool is_choice = said.cost != NOTHING;
      int first = slot;
      if (is_choice) {
        for (int other = 0; other < SLOTS; ++other) {
          const int other_cost = numbers[AT_COST + other];
          if (other == slot || other_cost == NOTHING || numbers[AT_ENDS + other] != (int)ends) continue;
          first = min(first, other);
          if (other_cost < said.cost || (other_cost == said.cost && other < slot)) is_choice = false;
        }
      }
      const bool full = is_full(TEXCAST_CHANNEL, ends);
      ulong values = 0, nearest = 0;
      int least = NOTHING, least_loss = 0;
      if (is_choice) {
        values = values_by_level(ends);
        for (int i = 0; i < 16; ++i) {
          int level = 0, loss = loss_at(values, 0, texels[i]);
          for (int other = 1; other < LEVELS; ++other) {
            const int of_other = loss_at(values, other, texels[i]);
            if (of_other >= loss) continue;
            loss = of_other;
            level = other;
          }
          nearest |= (ulong)level << 4 * i;
          least_loss += loss;
        }
        least = score_of(&by, least_loss, coded + said.cost + least_of_indices);
      }
      if (!is_upper) {
        numbers[AT_LEAST + slot] = least;
        numbers[AT_FIRST + slot] = first;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      int tried_before = 0;
      for (int other = 0; other < SLOTS; ++other) {
        const int least_of_other = numbers[AT_LEAST + other];
        if (least_of_other < least || (least_of_other == least && numbers[AT_FIRST + other] < first)) ++tried_before;
      }

      // Modes of indices.
      found best;
      best.score = score;
      best.order = best.mode = 0;
      best.levels = best.ranks = 0;
      const bool tries = is_choice && least < score && tried_before < tile->candidates;
      const int with_indices = TEXCAST_INDICES_CONTEXT + indices_context + (said.largest > 1 ? 81 : 0);
      if (tries) {
        const int spent = coded + said.cost;
        global const ushort *mode_cost = cost + with_indices * 16;
        if (is_upper) {
          for (int level = 0; level < LEVELS; ++level) {
            const int value = value_at(values, level);
            const int all = spent + mode_cost[INDICES_CONSTANT] + price_of(cost, TEXCAST_LEVEL_CONTEXT, level);
            // Of all texels together.
            const int loss = 16 * value * value - 2 * value * sum + squares;
            take(&best, score_of(&by, loss, all), level, INDICES_CONSTANT, 0x1111111111111111UL * (ulong)level);
          }
        }
        for (int same = INDICES_BEFORE; same <= INDICES_ABOVE; ++same) {
          const bool has_same = same == INDICES_BEFORE ? !alone : same == INDICES_LEFT ? has_left : has_above;
          if (!has_same || is_upper != (same == INDICES_ABOVE)) continue;
          const ulong levels =
              levels_with(same == INDICES_BEFORE ? at_vector : same == INDICES_LEFT ? left : above, full);
          take(&best, score_of(&by, loss_of_levels(values, levels, texels), spent + mode_cost[same]),
               ORDER_SAME + same - INDICES_BEFORE, same, levels);
        }
        if (is_upper && !alone) {
          line_of_ends line;
          line_between(ends, &line);
          ulong levels = 0;
          for (int i = 0; i < 16; ++i)
            levels |= (ulong)level_there(&line, eighths_along(&line, texels[16 + i])) << 4 * i;
          take(&best, score_of(&by, loss_of_levels(values, levels, texels), spent + mode_cost[INDICES_PREDICTED]),
               ORDER_PREDICTED, INDICES_PREDICTED, levels);
        }
        const bool is_foreign = off * by.weight > score_of(&by, 0, TEXCAST_FOREIGN_BITS * 32);
        if (is_upper ? alone || is_foreign : !alone)
          try_ranks(&best, !is_upper, ends, values, nearest, texels, cost, &by,
                    spent + mode_cost[is_upper ? INDICES_ALONE : INDICES_NEAR]);
      }
      const bool is_better = best.score < score;
      const int order = tried_before << 4 | best.order;
      if (is_better) atomic_min(numbers + AT_SCORE + 1, best.score);
      barrier(CLK_LOCAL_MEM_FENCE);
      const int best_score = numbers[AT_SCORE + 1];
      if (is_better && best.score == best_score) atomic_min(numbers + AT_ORDER + 1, order);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read what was made
      const bool has_coded = best_score < score;
      const bool is_winner = has_coded ? is_better && best.score == best_score && order == numbers[AT_ORDER + 1]
                                       : may && item == numbers[AT_ORDER];
      if (is_winner) {
        texcast_lossy_choice choice;
        ulong value = offered;
        uint trace = item == KIND_MOVED ? 0 : 1;
        choice.modes = (uint)item;
        choice.ranks[0] = choice.ranks[1] = 0;
        if (has_coded) {
          value = with_levels(ends, best.levels);
          trace = trace_of_coded(said.mode, best.mode, (uint)said.largest);
          const uint mask = (1u << TEXCAST_LOSSY_DIFFERENCE_BITS) - 1;
          choice.modes = (uint)KIND_CODED | (uint)said.mode << 4 | (uint)best.mode << 8 |
                         ((uint)said.difference[0] & mask) << TEXCAST_LOSSY_DIFFERENCE_AT |
                         ((uint)said.difference[1] & mask)
                             << (TEXCAST_LOSSY_DIFFERENCE_AT + TEXCAST_LOSSY_DIFFERENCE_BITS);
          choice.ranks[0] = (uint)best.ranks;
          choice.ranks[1] = (uint)(best.ranks >> 32);
          if (number == 0) numbers[AT_CODED + row] |= 1 << column;
          // The latest comes first.
          int known = 0;
          while (known < 3 && numbers[AT_RECENT + known] != (int)ends) ++known;
          for (; known > 0; --known) numbers[AT_RECENT + known] = numbers[AT_RECENT + known - 1];
          numbers[AT_RECENT] = (int)ends;
        }
        const int indices = with_indices - TEXCAST_INDICES_CONTEXT;
        choice.contexts = (uint)kind_context | (uint)ends_context << 7 | (uint)neighbours << 12 | (uint)indices << 14;
        made[at] = value;
        choices[at] = choice;
        halves[column] = value;
        numbers[AT_TRACES + column] = (int)trace;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
