// lossy.cl — half-block by half-block of a lossy stream's tile what is best by what it loses and what it costs,
// behind those before it: of channels, what codec/compact/lossy_unit_encoder.cpp chooses. First what hangs on none
// before it is found for all at once, then tiles are walked along, the first component's, then those of the others.
//   defines  CHANNEL=1; LOSSY_ITEMS=32; RANK_ITEMS: how many items try a choice of end points' ranks, 1 or 4 (devices
//            for which a barrier costs much, as CPUs, do better with 1); LOSSY_GROUP: empty where the compiler is told
//            how many registers there are, which NVIDIA's does not heed in a kernel whose group it knows
//
// find_lossy_facts:
//   work-items   one a half-block: global = (TEXCAST_LOSSY_FACTS_ITEMS times tiles, components)
//   in   before      ulong[half-blocks], as decoders have it; anything where all tiles are alone
//        source      uint4[half-blocks]: 16 texels of a byte
//        components  texcast_lossy_component[count]
//        tiles       texcast_lossy_tile[]: tile_count of them from `first` on
//        made        ulong[half-blocks]: as the block encoder made them
//   out  facts       texcast_lossy_facts[tiles][half-blocks of a whole tile, component by component]
//
// choose_lossy:
//   work-group   LOSSY_ITEMS items, one a tile and component: global = (LOSSY_ITEMS times tiles, components), where the
//                second coordinate is the component. Component 0 by itself comes first, then the others
//   in   before, source, components, tiles, facts
//        cost        ushort[content][component][context][symbol], 1/32 bits
//        least_cost  ushort[content][component][context]
//   out  made        ulong[half-blocks]: as they are chosen
//        choices     texcast_lossy_choice[half-blocks], in the places of their half-blocks; of component 0 it is read
//                    with the others
//   exactness    integer; equals the encoder on every device
#include "compact/trace.cl"

#define NOTHING 0x7FFFFFFF
#define SLOTS 16  // choices of end points
#define ENDS_FIT 11
#define COLUMNS 16
#define ROWS 8
#ifndef RANK_ITEMS
#define RANK_ITEMS 4
#endif
#define ATTEMPTS (LOSSY_ITEMS / RANK_ITEMS)
#ifndef LOSSY_GROUP
#define LOSSY_GROUP __attribute__((reqd_work_group_size(LOSSY_ITEMS, 1, 1)))
#endif

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
// The second time, from SLOT_OWN on: next to those that the levels found best ask for, how much higher the first and the
// second end point are and 2 more, a digit a slot (kRefits in codec/compact/refitted_ends.h).
#define REFITS_OF_FIRST 0x41322132u
#define REFITS_OF_SECOND 0x03113222u

// Eighths to the nearest whole, halves away from 0.
static int rounded_eighths(int v) { return v >= 0 ? (v + 4) >> 3 : -((4 - v) >> 3); }

// 65536 / steps, rounded up: by 5 or 4 too large in 65536 or so, and what it divides is less than 2^11: exact.
#define INVERSE_STEPS(full) ((full) ? 9363 : 13108)
// Of levels, a byte each.
static ulong values_by_level(uint ends) {
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full), step = (int)(ends >> 8 & 255) - (int)(ends & 255);
  int number = (int)(ends & 255) * steps;
  uint low = 0, high = 0;
  for (int i = 0; i < 4; ++i, number += step) low |= (uint)(number * INVERSE_STEPS(full) >> 16) << 8 * i;
  for (int i = 0; i < 4; ++i, number += step) high |= (uint)(number * INVERSE_STEPS(full) >> 16 & 255) << 8 * i;
  if (!full) high = (high & 0xFFFFu) | 0xFF000000u;
  return (ulong)high << 32 | low;
}
static int value_at(ulong values, int level) { return (int)(values >> 8 * level) & 255; }
static int byte_at(uint bytes, int i) { return (int)(bytes >> 8 * i & 255); }
static uint widened(uint ends, int least_range) {
  const int first = (int)(ends & 255), second = (int)(ends >> 8), more = max(0, least_range - (first - second));
  return (uint)min(first + more / 2, 255) | (uint)max(second - (more - more / 2), 0) << 8;
}
static uint of_clamped(int first, int second) { return (uint)clamp(first, 0, 255) | (uint)clamp(second, 0, 255) << 8; }

// Where a texel lies along the line from one end point to the other, in eighths of a level, rounded up.
typedef struct line_of_ends {
  int first, scale, range, steps;
  uint inverse;  // 2^31 / range, rounded up
} line_of_ends;
static line_of_ends line_between(uint ends) {
  line_of_ends line;
  const int axis = (int)(ends >> 8 & 255) - (int)(ends & 255);
  line.first = (int)(ends & 255);
  line.range = (int)abs(axis);
  line.steps = axis < 0 ? 7 : 5;
  line.scale = axis > 0 ? 8 * 5 : -8 * line.steps;
  line.inverse = (0x80000000u + (uint)max(line.range - 1, 0)) / (uint)max(line.range, 1);
  return line;
}
static int eighths_along(const line_of_ends *line, int texel) {
  // Without a line all lies far before it. The inverse times the range is less than 2^8 more than 2^31, and the size
  // less than 2^14: too little to reach the next whole number.
  if (line->range == 0) return -8 * line->steps;
  const int number = line->scale * (texel - line->first);
  const bool is_after = number > 0;
  const uint size = (uint)(is_after ? number + line->range - 1 : -number);
  const int eighths = (int)mul_hi(2 * size, line->inverse);
  return is_after ? eighths : -eighths;
}
static int level_there(const line_of_ends *line, int eighths) { return clamp((eighths + 3) >> 3, 0, line->steps); }

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

// Facts: what does not hang on the half-blocks before.

// Of a texture's half-block.
static int loss_of_half(ulong value, const uint source[4]) {
  const palette p = palette_of(TEXCAST_CHANNEL, value);
  const ulong indices = indices_of(value);
  int loss = 0;
  for (int i = 0; i < 16; ++i) {
    const int off = (int)shade(p, index_at(indices, i)) - byte_at(source[i / 4], i % 4);
    loss += off * off;
  }
  return loss;
}
static int2 vector_of_area(global const texcast_lossy_tile *tile, const texcast_component *c, int area) {
  const int2 v = (int2)(tile->vectors[2 * area], tile->vectors[2 * area + 1]);
  return reaches(v) ? (int2)(v.x >> (c->across - 1), v.y >> (c->down - 1)) : (int2)(0, 0);
}
static int area_at(const texcast_component *c, int column, int row) {
  return (row * c->down >> 2) * 4 + (column * c->across >> 2);
}
// Where the facts of a component's half-blocks begin in those of a tile, and of how many half-blocks a tile has them.
static int first_fact(global const texcast_lossy_component *components, int number) {
  int first = 0;
  for (int i = 0; i < number; ++i) first += components[i].component.tile_columns * components[i].component.tile_rows;
  return first;
}

kernel __attribute__((reqd_work_group_size(TEXCAST_LOSSY_FACTS_ITEMS, 1, 1)))
void find_lossy_facts(global const ulong *before, global const uint4 *source,
                      global const texcast_lossy_component *components, int count,
                      global const texcast_lossy_tile *tiles, int first, int tile_count, global const ulong *made,
                      global uint4 *all_facts) {
  local ulong moved_halves[TEXCAST_LOSSY_FACTS_ITEMS];
  const int number = (int)get_global_id(1), item = (int)get_local_id(0);
  const texcast_component c = components[number].component;
  const int halves = c.tile_columns * c.tile_rows, slot = (int)get_global_id(0) / halves;
  const int in_tile = (int)get_global_id(0) - slot * halves;
  const int row = in_tile / c.tile_columns, column = in_tile - row * c.tile_columns;
  global const texcast_lossy_tile *tile = tiles + first + min(slot, tile_count - 1);
  const int x = tile->tile % c.tiles_across * c.tile_columns + column;
  const int y = tile->tile / c.tiles_across * c.tile_rows + row;
  const bool is_there = slot < tile_count && x < c.blocks_x && y < c.blocks_y, alone = tile->alone != 0;
  texcast_lossy_facts facts;
  uint texels[4] = {0, 0, 0, 0};
  ulong moved = 0;
  if (is_there) {
    const int at = place_of(&c, x, y);
    const uint4 loaded = source[at];
    texels[0] = loaded.x, texels[1] = loaded.y, texels[2] = loaded.z, texels[3] = loaded.w;
    int sum = 0, squares = 0;
    for (int i = 0; i < 16; ++i) {
      const int texel = byte_at(texels[i / 4], i % 4);
      sum += texel;
      squares += texel * texel;
    }
    facts.sums = (uint)sum << TEXCAST_LOSSY_SUM_AT | (uint)squares;
    uint fitted = 0;
    ulong at_vector = 0;
    for (int i = 0; i < 4; ++i) facts.pixels[i] = 0;
    facts.moved_loss = facts.stayed_loss = facts.off = facts.lighter = 0;
    if (!alone) {
      const int2 v = vector_of_area(tile, &c, area_at(&c, column, row));
      // Texels at halves are means of two or four.
      const int tx = x * 4 + (v.x >> 1), ty = y * 4 + (v.y >> 1), right = v.x & 1, down = v.y & 1;
      uint pixels[16];
      load_window(before, &c, tx, ty, pixels);
      if (right + down != 0) {
        uint others[16];
        load_window(before, &c, tx + right, ty + down, others);
        for (int i = 0; i < 16; ++i) pixels[i] += others[i] + 1;
        if (right + down == 2) {
          load_window(before, &c, tx + 1, ty, others);
          for (int i = 0; i < 16; ++i) pixels[i] += others[i] + 1;
          load_window(before, &c, tx, ty + 1, others);
          for (int i = 0; i < 16; ++i) pixels[i] += others[i];
        }
        for (int i = 0; i < 16; ++i) pixels[i] >>= right + down;
      }
      int lightness = 0, off = 0, darkest = 255, lightest = 0;
      for (int i = 0; i < 16; ++i) {
        const int pixel = (int)pixels[i], difference = byte_at(texels[i / 4], i % 4) - pixel;
        facts.pixels[i / 4] |= pixels[i] << i % 4 * 8;
        lightness += difference;
        off += difference * difference;
        darkest = min(darkest, pixel);
        lightest = max(lightest, pixel);
      }
      facts.lighter = (lightness + (lightness < 0 ? -8 : 8)) / 16;
      facts.off = off;
      fitted = (uint)lightest | (uint)darkest << 8;
      const int from_x = x + (v.x >> 3), from_y = y + (v.y >> 3);
      if (((v.x | v.y) & 7) == 0 && has_place(&c, from_x, from_y)) {
        moved = before[place_of(&c, from_x, from_y)];
      } else if (darkest == lightest) {
        moved = fitted;
      } else {
        const line_of_ends line = line_between(fitted);
        // All are full: the first end point is larger.
        ulong indices = 0;
        for (int i = 0; i < 16; ++i)
          indices |= (ulong)(0x17654320u >> 4 * level_there(&line, eighths_along(&line, (int)pixels[i])) & 15) << 3 * i;
        moved = indices << 16 | fitted;
      }
      facts.moved_loss = loss_of_half(moved, texels);
      if ((v.x | v.y) != 0) facts.stayed_loss = loss_of_half(before[at], texels);
      const int nearest_x = clamp(x + rounded_eighths(v.x), 0, c.blocks_x - 1);
      const int nearest_y = clamp(y + rounded_eighths(v.y), 0, c.blocks_y - 1);
      at_vector = before[place_of(&c, nearest_x, nearest_y)];
    }
    facts.moved[0] = (uint)moved;
    facts.moved[1] = (uint)(moved >> 32);
    facts.at_vector[0] = (uint)at_vector;
    facts.at_vector[1] = (uint)(at_vector >> 32);
    facts.ends = fitted | ends_of(made[at]) << 16;
  }
  moved_halves[item] = moved;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_there) return;
  facts.left_loss = column > 0 && !alone ? loss_of_half(moved_halves[item - 1], texels) : 0;
  facts.above_loss = row > 0 && !alone ? loss_of_half(moved_halves[item - c.tile_columns], texels) : 0;
  // As texcast_lossy_facts has them.
  global uint4 *to =
      all_facts + 4 * (slot * first_fact(components, count) + first_fact(components, number) + in_tile);
  to[0] = (uint4)(facts.pixels[0], facts.pixels[1], facts.pixels[2], facts.pixels[3]);
  to[1] = (uint4)(facts.moved[0], facts.moved[1], facts.at_vector[0], facts.at_vector[1]);
  to[2] = (uint4)((uint)facts.moved_loss, (uint)facts.stayed_loss, (uint)facts.left_loss, (uint)facts.above_loss);
  to[3] = (uint4)(facts.sums, (uint)facts.off, facts.ends, (uint)facts.lighter);
}

// The walk along a tile.

// Of a half-block's facts the numbers, with its source and luma behind them.
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
// What the items of a group have in common.
typedef struct group_memory {
  int4 pairs[2][LOSSY_ITEMS];  // an item's best of every other pair: score, options, cost, loss
  int4 texels[SLOTS][8];       // of what is tried, two and two
  ulong halves[2][COLUMNS];    // of every other row
  uint traces[2][COLUMNS];
  uint facts[2][FACT_NUMBERS];  // of every other half-block
  int lambda[ROWS];             // of areas
  int stands[ROWS];             // an area's vector is zero
  int coded_first[ROWS];        // of the first component's rows: a bit a column
  int recent[4];                // end points
  ulong same[5];                // half-blocks whose levels may be taken: at the vector, left, above, luma, mirrored
  int loss_of_four[8];
  int near_cost[LOSSY_ITEMS];
  uint near_ends[LOSSY_ITEMS / 4];
  // Of slots.
  uint2 ends[SLOTS];       // and what they cost to say
  int said[SLOTS];         // mode, from bit 4 on the largest class of a difference
  int2 least[SLOTS];       // score, and the first slot of the same end points
  uint levels[2 * SLOTS];  // nearest to eight texels
  int losses[2 * SLOTS];   // theirs
  int tried[SLOTS];        // slots, in the order in which they are
  int loss_of_part[2][LOSSY_ITEMS];
  // Of ranks: those of levels, 4 bits each, not full and full, by the level that is predicted; then of ranks that are
  // counted from the pixels before, and alone, what far ones take and a pair at least.
  uint ranks[2][16];
  int far_cost[2][16], least_rank_cost[2];
  ushort chosen[2 * SLOTS][8];  // of attempts and pairs: rank and level, of one texel and the other, 4 bits each
  uint alive[2][ATTEMPTS];      // of every other pair
  // Best: of the first and the second time their score and what it is, the indices; and of both.
  int score, order;
  uint indices[2][2], rank_digits[2][2];
  uint best_ends;
  int best_said, best_order;
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

// End points of guesses, by which others are said, and which there are.
static uint guess_ends(const half_at *h, int guess) {
  if (guess == 1) return ends_of(h->left);
  if (guess == 2) return ends_of(h->above);
  return guess == 0 ? h->facts[FACT_AT_VECTOR] & END_MASK : h->fitted;
}
static bool has_guess(const walk_form *form, const half_at *h, int guess) {
  return guess == 1 ? h->has_left || form->alone : guess == 2 ? h->has_above : !form->alone;
}

// End points that are said by a guess, if there are any: the block encoder's, and what else is tried at first …
static bool near_ends(const walk_form *form, const half_at *h, int slot, uint *ends) {
  const uint own = h->facts[FACT_ENDS] >> 16;
  *ends = own;
  if (slot == SLOT_MEAN) *ends = (((h->facts[FACT_SUMS] >> TEXCAST_LOSSY_SUM_AT) + 8) >> 4) * 0x101;
  if (slot == SLOT_WIDENED) {
    *ends = widened(own, form->least_range);
    return is_full(TEXCAST_CHANNEL, own);
  }
  if (slot < SLOT_MOVED) return true;
  const int lighter = (int)h->facts[FACT_LIGHTER], moved = min(slot - SLOT_MOVED, 3);
  const uint from = guess_ends(h, moved);
  *ends = of_clamped((int)(from & 255) + lighter, (int)(from >> 8) + lighter);
  return slot < SLOT_MOVED + 4 && !form->alone && lighter != 0 && has_guess(form, h, moved);
}
// … and then.
static bool refitted_ends(local const group_memory *m, const walk_form *form, const half_at *h, int slot, uint *ends) {
  const int number = slot - SLOT_OWN, first = (int)(h->refitted & 255) + (int)(REFITS_OF_FIRST >> 4 * number & 15) - 2,
            second = (int)(h->refitted >> 8) + (int)(REFITS_OF_SECOND >> 4 * number & 15) - 2;
  *ends = of_clamped(first, second);
  return number < form->refits && *ends == ((uint)first | (uint)second << 8) && *ends != m->best_ends &&
         is_full(TEXCAST_CHANNEL, *ends) == is_full(TEXCAST_CHANNEL, m->best_ends);
}
// What it takes to say a slot's end points by a guess: an item for each.
static void price_near(local group_memory *m, const walk_form *form, const half_at *h, int item) {
  const int slot = SLOT_OWN + (item >> 2), guess = item & 3;
  uint ends;
  const bool is_there = h->is_second ? refitted_ends(m, form, h, slot, &ends) : near_ends(form, h, slot, &ends);
  const bool is_choice = is_there && has_guess(form, h, guess);
  int cost = NOTHING;
  if (is_choice) {
    const uint from = guess_ends(h, guess);
    const int mode = ENDS_NEAR_BEFORE + guess;
    int difference[VALUES];
    difference[0] = (int)(ends & 255) - (int)(from & 255);
    difference[1] = (int)(ends >> 8) - (int)(from >> 8);
    cost = price_of(form->cost, TEXCAST_ENDS_CONTEXT + h->ends_context, mode);
    for (int step = 0; step < VALUES; ++step) {
      const int symbol = difference_symbol(fold(difference[step]));
      cost += price_of(form->cost, difference_context(mode, step, difference, h->neighbours), symbol);
      cost += 32 * difference_bits(symbol);
    }
  }
  m->near_cost[item] = cost;
  if (guess == 0) m->near_ends[item >> 2] = ends;
}

// A slot's end points, what they take and what half of the texels lose at least: two items a slot.
static void find_slot(local group_memory *m, const walk_form *form, const half_at *h, int item) {
  const int slot = item >> 1, part = item & 1;
  uint ends = 0;
  int mode = -1, largest = 0, cost = NOTHING;
  if (slot >= SLOT_OWN) {
    ends = m->near_ends[slot - SLOT_OWN];
    for (int guess = 0; guess < 4; ++guess) {
      const int of_guess = m->near_cost[4 * (slot - SLOT_OWN) + guess];
      if (of_guess < cost) cost = of_guess, mode = ENDS_NEAR_BEFORE + guess;
    }
    const uint from = guess_ends(h, mode - ENDS_NEAR_BEFORE);
    largest = max(class_of((int)(ends & 255) - (int)(from & 255)), class_of((int)(ends >> 8) - (int)(from >> 8)));
  } else if (!h->is_second) {
    if (slot == SLOT_BEFORE && !form->alone) mode = ENDS_BEFORE, ends = guess_ends(h, 0);
    if (slot == SLOT_LEFT && h->has_left) mode = ENDS_LEFT, ends = ends_of(h->left);
    if (slot == SLOT_ABOVE && h->has_above) mode = ENDS_ABOVE, ends = ends_of(h->above);
    if (slot >= SLOT_RECENT && slot < SLOT_FIT) {
      mode = ENDS_RECENT + slot - SLOT_RECENT;
      ends = (uint)m->recent[slot - SLOT_RECENT];
    }
    if (slot == SLOT_FIT && !form->alone) mode = ENDS_FIT, ends = h->fitted;
    if (mode >= 0) cost = price_of(form->cost, TEXCAST_ENDS_CONTEXT + h->ends_context, mode);
  }
  const ulong values = values_by_level(ends);
  uint levels = 0;
  int loss = 0;
  for (int i = 0; i < 8 && cost != NOTHING; ++i) {
    const int texel = fact_byte(h, FACT_SOURCE, 8 * part + i);
    int nearest = NOTHING;  // how far, and its level: of two as near the first
    for (int level = 0; level < LEVELS; ++level)
      nearest = min(nearest, (int)abs(value_at(values, level) - texel) * 8 + level);
    levels |= (uint)(nearest & 7) << 4 * i;
    loss += (nearest >> 3) * (nearest >> 3);
  }
  m->levels[item] = levels;
  m->losses[item] = loss;
  if (part == 0) {
    m->ends[slot] = (uint2)(ends, (uint)cost);
    m->said[slot] = (mode & 15) | largest << 4;
  }
}
// What a slot scores at least. Of slots with the same end points the cheapest stays, in the place of the first.
static void find_least(local group_memory *m, const half_at *h, int slot) {
  const uint ends = m->ends[slot].x;
  const int cost = (int)m->ends[slot].y;
  bool is_choice = cost != NOTHING;
  int first = slot;
  for (int other = 0; other < SLOTS; ++other) {
    const uint2 of_other = m->ends[other];
    const bool is_same = of_other.x == ends && (int)of_other.y != NOTHING;
    if (is_same) first = min(first, other);
    if (is_same && (int)of_other.y + (other < slot ? 0 : 1) <= cost) is_choice = false;
  }
  int least = NOTHING;
  if (is_choice)
    least = score_of(&h->by, m->losses[2 * slot] + m->losses[2 * slot + 1], h->coded + cost + h->least_of_indices);
  m->least[slot] = (int2)(least < h->score ? least : NOTHING, first);
}
// Those that may lose least are tried first. Returns how many are.
static int order_slots(local group_memory *m, int candidates, int item) {
  const int slot = item % SLOTS;
  const int2 own = m->least[slot];
  int tried_before = 0, tries = 0;
  for (int other = 0; other < SLOTS; ++other) {
    const int2 of_other = m->least[other];
    if (of_other.x < own.x || (of_other.x == own.x && of_other.y < own.y)) ++tried_before;
    if (of_other.x != NOTHING) ++tries;
  }
  tries = min(tries, candidates);
  if (item < SLOTS && own.x != NOTHING && tried_before < tries) m->tried[tried_before] = slot;
  return tries;
}
// Of what is tried, of each texel: how far along the line the pixel before is, in the upper 16 bits, the level there,
// from bit 4 on, and the source's nearest level; the source, and below 16 bits what that level loses.
static void find_texels(local group_memory *m, const half_at *h, int tries, int item) {
  const int i = item & 15, texel = fact_byte(h, FACT_SOURCE, i), pixel = fact_byte(h, FACT_PIXELS, i);
  for (int candidate = item >> 4; candidate < tries; candidate += LOSSY_ITEMS / 16) {
    const int slot = m->tried[candidate];
    const uint ends = m->ends[slot].x;
    const line_of_ends line = line_between(ends);
    const int eighths = eighths_along(&line, pixel), nearest = (int)(m->levels[2 * slot + i / 8] >> 4 * (i & 7) & 15);
    local int2 *to = (local int2 *)m->texels[candidate];
    to[i] = (int2)(eighths * 65536 | level_there(&line, eighths) << 4 | nearest,
                   texel << 16 | loss_at(values_by_level(ends), nearest, texel));
  }
}

// Of modes of indices, in the order in which they are tried: levels of constant ones first. From ORDER_SAME on which
// mode each is, a digit each.
enum { ORDER_SAME = 8, ORDER_LUMA = 11, ORDER_PREDICTED = 13, ORDER_NEAR, ORDER_TEXELS, ORDER_ALONE };
#define ORDER_BITS 5
#define MODES_BY_ORDER 0x9C50BA432UL
// What an item has found best; of equal scores what is tried first. `order`: 32 numbers a choice of end points.
typedef struct found {
  int score, order;
} found;
static bool take(found *best, int score, int order) {
  if (score > best->score || (score == best->score && order > best->order)) return false;
  best->score = score;
  best->order = order;
  return true;
}
static int indices_context_of(const half_at *h, int said) { return h->indices_context + (said >> 4 > 1 ? 81 : 0); }

// All texels of one level, and levels that are found elsewhere: of four choices of end points at a time, eight items
// each.
static void try_known_levels(found *best, local group_memory *m, const walk_form *form, const half_at *h, int tries,
                             int item) {
  const int sum = (int)(h->facts[FACT_SUMS] >> TEXCAST_LOSSY_SUM_AT);
  const int squares = (int)(h->facts[FACT_SUMS] & ((1u << TEXCAST_LOSSY_SUM_AT) - 1));
  // An item has a level, and of levels elsewhere half of the texels.
  const int level = item & 7, which = item >> 1 & 3, part = item & 1;
  const bool is_predicted = which == 3;
  // Bits instead of comparisons: Oclgrind takes more than two bits of `which` where it is compared.
  const uint there_are = (form->alone ? 0u : 9u) | (h->has_left ? 2u : 0u) | (h->has_above ? 4u : 0u);
  const bool may = (there_are >> which & 1) != 0;
  const uint indices = (uint)(indices_of(m->same[which]) >> 24 * part);
  for (int from = 0; from < tries; from += 4) {
    const int candidate = from + (item >> 3), slot = m->tried[min(candidate, tries - 1)];
    const uint ends = m->ends[slot].x;
    const ulong values = values_by_level(ends);
    const uint digits = level_digits(is_full(TEXCAST_CHANNEL, ends));
    const int context = TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->said[slot]);
    const int spent = h->coded + (int)m->ends[slot].y;
    if (candidate < tries) {
      const int value = value_at(values, level);
      const int cost = spent + price_of(form->cost, context, INDICES_CONSTANT) +
                       price_of(form->cost, TEXCAST_LEVEL_CONTEXT, level);
      take(best, score_of(&h->by, 16 * value * value - 2 * value * sum + squares, cost),
           candidate << ORDER_BITS | level);
    }
    int loss = 0;
    if (may) {
      for (int i = 0; i < 8; ++i) {
        const int2 t = ((local const int2 *)m->texels[min(candidate, tries - 1)])[8 * part + i];
        const int there = is_predicted ? t.x >> 4 & 15 : (int)(digits >> 4 * (indices >> 3 * i & 7) & 15);
        loss += loss_at(values, there, t.y >> 16);
      }
    }
    m->loss_of_part[from >> 2 & 1][item] = loss;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (may && part == 0 && candidate < tries) {
      const int mode = is_predicted ? INDICES_PREDICTED : INDICES_BEFORE + which;
      const int of_both = loss + m->loss_of_part[from >> 2 & 1][item + 1];
      take(best, score_of(&h->by, of_both, spent + price_of(form->cost, context, mode)),
           candidate << ORDER_BITS | (is_predicted ? ORDER_PREDICTED : ORDER_SAME + which));
    }
  }
}
// Luma's levels, both ways round: of eight choices of end points at a time, four items each.
static void try_luma_levels(found *best, local group_memory *m, const walk_form *form, const half_at *h, int tries,
                            int item) {
  const int which = item >> 1 & 1, part = item & 1;
  const uint indices = (uint)(indices_of(m->same[ORDER_LUMA - ORDER_SAME + which]) >> 24 * part);
  for (int from = 0; from < tries; from += LOSSY_ITEMS / 4) {
    const int candidate = from + (item >> 2), slot = m->tried[min(candidate, tries - 1)];
    const uint ends = m->ends[slot].x;
    const ulong values = values_by_level(ends);
    const uint digits = level_digits(is_full(TEXCAST_CHANNEL, ends));
    int loss = 0;
    for (int i = 0; i < 8; ++i)
      loss += loss_at(values, (int)(digits >> 4 * (indices >> 3 * i & 7) & 15), fact_byte(h, FACT_SOURCE, 8 * part + i));
    barrier(CLK_LOCAL_MEM_FENCE);
    m->loss_of_part[0][item] = loss;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part == 0 && candidate < tries) {
      const int context = TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->said[slot]);
      const int cost = h->coded + (int)m->ends[slot].y + price_of(form->cost, context, INDICES_LUMA + which);
      take(best, score_of(&h->by, loss + m->loss_of_part[0][item + 1], cost),
           candidate << ORDER_BITS | (ORDER_LUMA + which));
    }
  }
}
// The levels nearest to the source, told one after the other: of eight choices of end points at a time, four items each,
// a row of texels to an item.
static void try_texels(found *best, local group_memory *m, const walk_form *form, const half_at *h, int tries, int item) {
  const int part = item & 3;
  for (int from = 0; from < tries; from += LOSSY_ITEMS / 4) {
    const int candidate = from + (item >> 2), slot = m->tried[min(candidate, tries - 1)];
    const uint2 levels = (uint2)(m->levels[2 * slot], m->levels[2 * slot + 1]);
    int cost = 0;
    for (int i = 4 * part; i < 4 * part + 4; ++i)
      cost += price_of(form->cost, texel_context(levels, i), level_in(levels, i));
    barrier(CLK_LOCAL_MEM_FENCE);
    m->loss_of_part[1][item] = cost;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part == 0 && candidate < tries) {
      for (int i = 1; i < 4; ++i) cost += m->loss_of_part[1][item + i];
      const int context = TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->said[slot]);
      cost += h->coded + (int)m->ends[slot].y + price_of(form->cost, context, INDICES_TEXELS);
      take(best, score_of(&h->by, m->losses[2 * slot] + m->losses[2 * slot + 1], cost),
           candidate << ORDER_BITS | ORDER_TEXELS);
    }
  }
}

// The level that is taken to be next, and from bit 3 on whether the place lies beyond it. `left`, `above`: levels; of
// what is carried, by how many eighths they move what is next.
static int predicted_level(bool carried, int steps, int eighths, int left, int above, int i) {
  if (!carried) {
    const int guess = i == 0 ? steps / 2 : i < 4 ? left : (i & 3) == 0 ? above : (left + above + 1) / 2;
    return guess | 8;
  }
  const int place = eighths + left + above, nearest = clamp((place + 3) >> 3, 0, steps);
  return nearest | (place > 8 * nearest ? 8 : 0);
}
// How far a level moves what is carried next to it, or the level.
static int move_of(bool carried, int steps, int level, int texel) {
  const int on_line = min(level, steps);
  return carried ? 3 * (on_line - (texel >> 4 & 15)) : on_line;
}

// Of a pair's options that an item tries the best: of both texels rank and level, 4 bits each.
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

// Levels pair by pair, each what is best behind the pairs before it: counted from the pixels before, or alone.
// RANK_ITEMS items try a choice of end points, each another level of a pair's first texel: the predicted one, the
// nearest to the source where that loses less, and what lies before that one; the second texel's likewise.
static void try_ranks(found *best, local group_memory *m, const walk_form *form, const half_at *h, int tries, int both,
                      int item) {
  const int attempts = tries << both, limit = min(h->score - 1, m->score), own = item % RANK_ITEMS;
  for (int from = 0; from < attempts; from += ATTEMPTS) {
    const int attempt = from + item / RANK_ITEMS, candidate = min(attempt >> both, tries - 1);
    const int slot = m->tried[candidate];
    const bool carried = !form->alone && (both == 0 || (attempt & 1) == 0);
    const uint ends = m->ends[slot].x;
    const ulong values = values_by_level(ends);
    const bool full = is_full(TEXCAST_CHANNEL, ends);
    const int steps = steps_of(full);
    local const uint *rank_table = m->ranks[full ? 1 : 0];
    local const int *far_cost = m->far_cost[carried ? 0 : 1];
    global const ushort *rank_cost = form->cost + (TEXCAST_RANKS_CONTEXT + (carried ? 0 : GROUP_ALONE) * 40) * 16;
    int spent = h->coded + (int)m->ends[slot].y +
                price_of(form->cost, TEXCAST_INDICES_CONTEXT + indices_context_of(h, m->said[slot]),
                         carried ? INDICES_NEAR : INDICES_ALONE);
    // Of the pairs that are chosen, and of the others what they lose and cost at least.
    const int least_cost = m->least_rank_cost[carried ? 0 : 1];
    int loss = 0, rest = m->losses[2 * slot] + m->losses[2 * slot + 1];
    bool is_over = false;
    bool is_alive = attempt < attempts && score_of(&h->by, rest, spent + 8 * least_cost) <= limit;
    // Of the pair before in its row, and of the two in the row above: as move_of has it, and ranks up to 2.
    int left_move = 0, above_first[2] = {0, 0}, above_second[2] = {0, 0};
    int left_rank = 3, above_ranks[2] = {36, 36};
    for (int pair = 0; pair < 8 && !is_over; ++pair) {
      const int i = 2 * pair;
      const int4 texels = m->texels[candidate][pair];
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
          // Of the second one.
          const int second_source = texels.w >> 16, second_best = texels.z & 15, loss_of_best = texels.w & 0xFFFF;
          const int second_predicted =
              predicted_level(carried, steps, texels.z >> 16, move_of(carried, steps, level, texels.x),
                              above_second[0], i + 1);
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
        m->pairs[pair & 1][item] = (int4)(of_pair.score, of_pair.options, of_pair.cost, of_pair.loss);
      }
#if RANK_ITEMS > 1
      if (own == 0) m->alive[pair & 1][item / RANK_ITEMS] = is_alive ? 1 : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      is_over = true;
      for (int other = 0; other < ATTEMPTS; ++other) is_over = is_over && m->alive[pair & 1][other] == 0;
#else
      is_over = !is_alive;
#endif
      if (is_alive) {
        local const int4 *of_first = m->pairs[pair & 1] + (item - own);
        int4 chosen = of_first[0];
#if RANK_ITEMS > 1
        if (of_first[1].x < chosen.x) chosen = of_first[1];
        if (of_first[2].x < chosen.x) chosen = of_first[2];
#endif
        if (own == 0) m->chosen[attempt][pair] = (ushort)chosen.y;
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
      take(best, score_of(&h->by, loss, spent), candidate << ORDER_BITS | (carried ? ORDER_NEAR : ORDER_ALONE));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A texel's index with what was found best, and its rank.
static void put_index(local group_memory *m, const half_at *h, int best_order, int both, int i) {
  const int candidate = best_order >> ORDER_BITS, order = best_order & ((1 << ORDER_BITS) - 1);
  const int slot = m->tried[candidate];
  const bool full = is_full(TEXCAST_CHANNEL, m->ends[slot].x);
  int level = order;
  if (order == ORDER_TEXELS) {
    level = (int)(m->levels[2 * slot + i / 8] >> 4 * (i & 7) & 15);
  } else if (order >= ORDER_NEAR) {
    const int attempt = (candidate << both) + (order == ORDER_ALONE ? both : 0);
    const int option = m->chosen[attempt][i / 2] >> 8 * (i & 1);
    level = option >> 4 & 15;
    atomic_or(m->rank_digits[h->is_second] + i / 8, (uint)(option & 15) << 4 * (i & 7));
  } else if (order == ORDER_PREDICTED) {
    const int4 pair = m->texels[candidate][i / 2];
    level = ((i & 1) != 0 ? pair.z : pair.x) >> 4 & 15;
  } else if (order >= ORDER_SAME) {
    level = (int)(level_digits(full) >> 4 * index_at(indices_of(m->same[order - ORDER_SAME]), i) & 15);
  }
  atomic_or(m->indices[h->is_second] + i / 8, ((full ? 0x17654320u : 0x76154320u) >> 4 * level & 7) << 3 * (i & 7));
}
static ulong indices_found(local const group_memory *m, int time) {
  return (ulong)m->indices[time][1] << 24 | m->indices[time][0];
}
// The end points with which the levels found best would lose least: the line of least squares through the texels
// (codec/compact/refitted_ends.h). Whether there are any.
static bool refit(local const group_memory *m, half_at *h) {
  const bool full = is_full(TEXCAST_CHANNEL, m->best_ends);
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
  const int order = m->best_order, said = m->best_said, ends_mode = said & 15;
  const uint ends = m->best_ends;
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
  choice->ranks[0] = m->rank_digits[time][0];
  choice->ranks[1] = m->rank_digits[time][1];
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

kernel LOSSY_GROUP
void choose_lossy(global const ulong *before, global const uint *source,
                  global const texcast_lossy_component *components, int count,
                  global const texcast_lossy_tile *tiles, int first, global const ushort *all_cost,
                  global const ushort *all_least_cost, global const uint *all_facts, global ulong *made,
                  global texcast_lossy_choice *choices) {
  local group_memory memory;
  local group_memory *m = &memory;
  const int item = (int)get_local_id(0), number = (int)get_global_id(1), number_of_tile = (int)get_group_id(0);
  global const texcast_lossy_tile *tile = tiles + first + number_of_tile;
  const texcast_component c = components[number].component;
  const int table = tile->content * count + number;
  walk_form form;
  form.alone = tile->alone != 0;
  form.least_range = components[number].least_range[tile->quantiser];
  form.least_saved = tile->least_saved;
  form.candidates = tile->candidates;
  form.refits = tile->refits;
  form.cost = all_cost + table * TEXCAST_LOSSY_CONTEXTS * 16;
  form.least_cost = all_least_cost + table * TEXCAST_LOSSY_CONTEXTS;
  const int weight = components[number].weight;
  const int x0 = tile->tile % c.tiles_across * c.tile_columns, y0 = tile->tile / c.tiles_across * c.tile_rows;
  const int columns = min(c.blocks_x - x0, c.tile_columns);
  const int rows = columns > 0 ? min(c.blocks_y - y0, c.tile_rows) : 0;
  global const uint *facts =
      all_facts + (number_of_tile * first_fact(components, count) + first_fact(components, number)) * FACT_SOURCE;

  if (item < ROWS) {
    const int2 v = form.alone ? (int2)(0, 0) : vector_of_area(tile, &c, item);
    m->stands[item] = (v.x | v.y) == 0;
    m->lambda[item] = form.alone ? tile->lambda : tile->lambda * tile->lambda_parts[item] / 16;
    m->coded_first[item] = 0;
  }
  if (item < 2) m->least_rank_cost[item] = NOTHING;
  if (item < 2 * 16) {
    const int group = item < 16 ? 0 : GROUP_ALONE, rank = item & 15;
    m->far_cost[item >> 4][rank] =
        rank < PAIR_LIMIT ? 0 : price_of(form.cost, TEXCAST_FAR_RANK_CONTEXT + group, rank - PAIR_LIMIT);
    // Predicted levels beyond which the place lies have bit 3.
    uint ranks = 0;
    for (int level = 0; level < LEVELS; ++level)
      ranks |= (uint)rank_of(level, rank & 7, rank >= 8, steps_of(item >= 16)) << 4 * level;
    m->ranks[item >> 4][rank] = ranks;
  }
  if (item < 4) m->recent[item] = item == 0 ? 0xFFFF : 0;
  const bool has_luma = follows_luma(&c, number);
  // Luma's half-blocks lie in their plane as these in theirs, and are chosen before.
  const int to_luma = components[0].component.first - c.first;
  if (item < FACT_NUMBERS && rows > 0)
    m->facts[0][item] = fact_of(facts, source, made, item, 0, place_of(&c, x0, y0), has_luma, to_luma);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < 2 * 40; i += LOSSY_ITEMS) {
    const int context = i < 40 ? i : GROUP_ALONE * 40 + i - 40;
    atomic_min(m->least_rank_cost + i / 40, (int)form.least_cost[TEXCAST_RANKS_CONTEXT + context]);
  }
  if (number > 0) {
    const texcast_component f = components[0].component;
    const int fx = tile->tile % f.tiles_across * f.tile_columns, fy = tile->tile / f.tiles_across * f.tile_rows;
    for (int i = item; i < f.tile_columns * f.tile_rows; i += LOSSY_ITEMS) {
      const int y = i / f.tile_columns, x = i - y * f.tile_columns;
      if (has_place(&f, fx + x, fy + y) && (choices[place_of(&f, fx + x, fy + y)].modes & 15) == KIND_CODED)
        atomic_or(m->coded_first + y, 1 << x);
    }
  }

  ulong left = 0;
  uint left_trace = 0;
  int row = 0, column = 0;
  while (row < rows) {
    half_at h;
    texcast_lossy_choice choice;
    bool is_worth_it = false;
    int at = 0;
    // From one half-block that may be worth end points of its own to the next; all items do the same.
    while (row < rows && !is_worth_it) {
      barrier(CLK_LOCAL_MEM_FENCE);
      h.facts = m->facts[(row * columns + column) & 1];
      at = place_of(&c, x0 + column, y0 + row);
      // The next ones' facts come meanwhile.
      const bool ends_row = column + 1 == columns;
      const int next_row = ends_row ? row + 1 : row, next_column = ends_row ? 0 : column + 1;
      uint next_fact = 0;
      if (next_row < rows && item < FACT_NUMBERS)
        next_fact = fact_of(facts, source, made, item, next_row * c.tile_columns + next_column,
                            place_of(&c, x0 + next_column, y0 + next_row), has_luma, to_luma);
      const int area = area_at(&c, column, row), above_row = (row + 1) & 1;
      h.by.weight = weight;
      h.by.lambda = m->lambda[area];
      h.has_left = column > 0;
      h.has_above = row > 0;
      h.left = h.has_left ? left : 0;
      h.above = h.has_above ? m->halves[above_row][column] : 0;
      if (!h.has_left) left_trace = 0;
      const uint above_trace = h.has_above ? m->traces[above_row][column] : 0;
      const bool is_zero = m->stands[area] != 0;
      int coded_first = 0;
      for (int i = 0; i < c.down; ++i) coded_first |= m->coded_first[(row * c.down + i) & (ROWS - 1)];
      const bool is_coded_first = number > 0 && (coded_first >> column * c.across & ((1 << c.across) - 1)) != 0;
      h.kind_context = (form.alone ? 4 : (is_zero ? 1 : 0) + (is_coded_first ? 2 : 0)) * 16 +
                       (int)trace_kind(left_trace) * 4 + (int)trace_kind(above_trace);
      h.ends_context = (form.alone ? 16 : 0) + (int)trace_ends(left_trace) * 4 + (int)trace_ends(above_trace);
      h.indices_context =
          (form.alone ? 162 : 0) + (int)trace_indices(left_trace) * 9 + (int)trace_indices(above_trace);
      h.neighbours = (int)max(trace_difference(left_trace), trace_difference(above_trace));
      global const ushort *kind_cost = form.cost + (TEXCAST_LOSSY_KIND_CONTEXT + h.kind_context) * 16;
      h.coded = kind_cost[KIND_CODED];
      h.least_of_indices = min(form.least_cost[TEXCAST_INDICES_CONTEXT + h.indices_context],
                               form.least_cost[TEXCAST_INDICES_CONTEXT + h.indices_context + 81]);
      const int least_said = form.least_cost[TEXCAST_ENDS_CONTEXT + h.ends_context];

      h.score = NOTHING;
      h.kind = KIND_MOVED;
      if (!form.alone) {
        h.score = score_of(&h.by, (int)h.facts[FACT_MOVED_LOSS], kind_cost[KIND_MOVED]);
        const int stayed = score_of(&h.by, (int)h.facts[FACT_STAYED_LOSS], kind_cost[KIND_STAYED]);
        if (!is_zero && stayed < h.score) h.score = stayed, h.kind = KIND_STAYED;
      }
      // What those next to it would lose is known where they are moved.
      const bool may_left = h.has_left && score_of(&h.by, 0, kind_cost[KIND_LEFT]) < h.score;
      const bool may_above = h.has_above && score_of(&h.by, 0, kind_cost[KIND_ABOVE]) < h.score;
      const bool measures_left = may_left && left_trace != 0, measures_above = may_above && above_trace != 0;
      if (item < 8 && (measures_left || measures_above))
        m->loss_of_four[item] =
            loss_of_four(item < 4 ? h.left : h.above, h.facts[FACT_SOURCE + (item & 3)], item & 3);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (may_left) {
        int loss = (int)h.facts[FACT_LEFT_LOSS];
        if (measures_left) loss = m->loss_of_four[0] + m->loss_of_four[1] + m->loss_of_four[2] + m->loss_of_four[3];
        const int score = score_of(&h.by, loss, kind_cost[KIND_LEFT]);
        if (score < h.score) h.score = score, h.kind = KIND_LEFT;
      }
      if (may_above) {
        int loss = (int)h.facts[FACT_ABOVE_LOSS];
        if (measures_above) loss = m->loss_of_four[4] + m->loss_of_four[5] + m->loss_of_four[6] + m->loss_of_four[7];
        const int score = score_of(&h.by, loss, kind_cost[KIND_ABOVE]);
        if (score < h.score) h.score = score, h.kind = KIND_ABOVE;
      }
      is_worth_it = score_of(&h.by, 0, h.coded + least_said + h.least_of_indices + form.least_saved) < h.score;
      if (item < FACT_NUMBERS) m->facts[(next_row * columns + next_column) & 1][item] = next_fact;
      choice.modes = (uint)h.kind;
      choice.contexts = (uint)h.kind_context | (uint)h.ends_context << 7 | (uint)h.neighbours << 12;
      choice.ranks[0] = choice.ranks[1] = 0;
      if (!is_worth_it) {
        left = uncoded_value(&h, before + at);
        left_trace = h.kind == KIND_MOVED ? 0 : 1;
        if (item == 0) {
          made[at] = left;
          choices[at] = choice;
          m->halves[row & 1][column] = left;
          m->traces[row & 1][column] = left_trace;
        }
        row = next_row;
        column = next_column;
      }
    }

    // Behind the last one nothing is tried.
    h.fitted = form.alone ? 0 : widened(h.facts[FACT_ENDS] & 0xFFFF, form.least_range);
    h.is_second = false;
    h.refitted = 0;
    if (item == 0) {
      m->same[0] = joined(h.facts[FACT_AT_VECTOR], h.facts[FACT_AT_VECTOR + 1]);
      m->same[1] = h.left;
      m->same[2] = h.above;
      m->same[3] = joined(h.facts[FACT_LUMA], h.facts[FACT_LUMA + 1]);
      m->same[4] = mirrored_indices(indices_of(m->same[3])) << END_BITS;
    }
    if (item < 4) m->indices[item >> 1][item & 1] = m->rank_digits[item >> 1][item & 1] = 0;
    // Without the frame before where that tells little.
    const bool is_foreign = (int)h.facts[FACT_OFF] * h.by.weight > score_of(&h.by, 0, TEXCAST_FOREIGN_BITS * 32);
    const int both = !form.alone && is_foreign ? 1 : 0;
    const int times = form.refits > 0 ? 2 : 1;
    int best_time = -1;
    bool goes_on = is_worth_it;
    // Twice whatever comes of the first time: PoCL takes no barriers in what hangs on that.
    for (int time = 0; time < times; ++time) {
      h.is_second = time == 1;
      if (goes_on) price_near(m, &form, &h, item);
      if (item == 0) m->score = m->order = NOTHING;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (goes_on) find_slot(m, &form, &h, item);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (goes_on && item < SLOTS) find_least(m, &h, item);
      barrier(CLK_LOCAL_MEM_FENCE);
      int tries = 0;
      if (goes_on) tries = order_slots(m, h.is_second ? SLOTS : form.candidates, item);
      barrier(CLK_LOCAL_MEM_FENCE);
      find_texels(m, &h, tries, item);
      barrier(CLK_LOCAL_MEM_FENCE);
      found best;
      best.score = h.score - 1;
      best.order = NOTHING;
      try_known_levels(&best, m, &form, &h, tries, item);
      if (has_luma) try_luma_levels(&best, m, &form, &h, tries, item);
      if (form.alone || is_foreign) try_texels(&best, m, &form, &h, tries, item);
      if (best.order != NOTHING) atomic_min(&m->score, best.score);
      barrier(CLK_LOCAL_MEM_FENCE);
      try_ranks(&best, m, &form, &h, tries, both, item);
      if (best.order != NOTHING) atomic_min(&m->score, best.score);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (best.order != NOTHING && best.score == m->score) atomic_min(&m->order, best.order);
      barrier(CLK_LOCAL_MEM_FENCE);
      const int order = m->order;
      goes_on = order != NOTHING && form.refits > 0;
      if (order != NOTHING) {
        best_time = time;
        h.score = m->score;
        if (item < 16) put_index(m, &h, order, both, item);
        if (item == 0) {
          const int slot = m->tried[order >> ORDER_BITS];
          m->best_ends = m->ends[slot].x;
          m->best_said = m->said[slot];
          m->best_order = order & ((1 << ORDER_BITS) - 1);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (goes_on) goes_on = refit(m, &h);
    }
    if (is_worth_it && item == 0) {
      uint trace = h.kind == KIND_MOVED ? 0 : 1;
      const ulong value =
          best_time >= 0 ? tell_coded(m, &h, best_time, &choice, &trace) : uncoded_value(&h, before + at);
      made[at] = value;
      choices[at] = choice;
      m->halves[row & 1][column] = value;
      m->traces[row & 1][column] = trace;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_worth_it) {
      left = m->halves[row & 1][column];
      left_trace = m->traces[row & 1][column];
      const bool ends_row = column + 1 == columns;
      row = ends_row ? row + 1 : row;
      column = ends_row ? 0 : column + 1;
    }
  }
}
