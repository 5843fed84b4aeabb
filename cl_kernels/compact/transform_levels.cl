// transform_levels.cl — quantisation, and the levels of a transform block with the least D + lambda R
// (codec/compact/encode/transform_quantiser.h and transform_levels.cpp).
#include "compact/transform_group.cl"

// The places of a column, a byte for each row.
constant ulong places_of_column[8] = {0x2315140A09030200UL, 0x242216130B080401UL, 0x30252117120C0705UL,
                                      0x312F262018110D06UL, 0x39322E271F19100EUL, 0x3A38332D281E1A0FUL,
                                      0x3E3B37342C291D1BUL, 0x3F3D3C36352B2A1CUL};
// For each place, if it is the last one with a level: its class (kLastFirst), and from bit 4 on the number of literal
// bits.
constant uchar last_classes[TEXCAST_COEFFICIENTS] = {
    0,  1,  2,  3,  4,  5,  6,  7,  24, 24, 25, 25, 42, 42, 42, 42, 43, 43, 43, 43, 44, 44, 44, 44, 61, 61, 61, 61, 61,
    61, 61, 61, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 78, 79, 79, 79, 79, 79, 79, 79, 79, 79, 79,
    79, 79, 79, 79, 79, 79};
#define SIGN_COST 32  // 1/32 bits

// Division by a step as a multiplication. The reciprocal is scaled to 15 or 16 bits.
typedef struct quantiser_state {
  int step, shift;
  uint reciprocal, rounding;
} quantiser_state;
static void find_quantiser(quantiser_state *q, int quantiser) {
  const int step = transform_step(quantiser);
  q->step = step;
  q->shift = 0;
  while ((4u << (17 + q->shift)) / (uint)step < 65536u) ++q->shift;
  q->reciprocal = (4u << (16 + q->shift)) / (uint)step;
  q->rounding = (uint)(step * 128 >> 10);
}
static int8 quantised(const quantiser_state *q, int8 coefficients) {
  const uint8 levels = ((abs(coefficients) + q->rounding) * q->reciprocal >> 16) >> (uint)q->shift;
  return (as_int8(levels) ^ (coefficients >> 31)) - (coefficients >> 31);
}

// How the levels of a block are chosen.
typedef struct level_rate {
  global const ushort *costs;  // of the component
  int step, lambda, weight;  // weight: of a squared error in 1/256, in the unit of 32 D
} level_rate;
// The levels chosen so far. Magnitudes, up to 15, have 4 bits each, by the row: those of the current diagonal and of
// the two before it.
typedef struct level_walk {
  uint current, near, far;
  int begun;  // the place of the last level; -1: there is none
  int bits;
  long score;
} level_walk;
typedef struct level_option {
  int magnitude, bits;
  long score;
} level_option;

// The bits of a symbol of levels.
static int level_bits(global const ushort *costs, int context, int symbol) { return costs[16 * context + symbol]; }
// The same with its escape.
static int magnitude_bits(global const ushort *costs, int context, int symbol) {
  if (symbol < MAGNITUDE_ESCAPE) return level_bits(costs, context, symbol);
  const int more = bit_length((uint)(symbol - MAGNITUDE_ESCAPE + 1)) - 1;
  return level_bits(costs, context, MAGNITUDE_ESCAPE) + level_bits(costs, TEXCAST_ESCAPE_CONTEXT, more) + 32 * more;
}
// How much more the error of a magnitude costs than that of zero: error^2 - coefficient^2, weighted.
static long level_distortion(const level_rate *rate, int coefficient, int magnitude) {
  const int level = (magnitude * rate->step + 2) >> 2;
  return (long)(level * (level - 2 * coefficient)) * rate->weight;
}
static void take_level(level_option *best, long score, int magnitude, int bits) {
  if (score >= best->score) return;
  best->score = score;
  best->magnitude = magnitude;
  best->bits = bits;
}

// The context of a magnitude, by those on the right and below.
static int next_context(const level_walk *walk, int row, int diagonal) {
  const uint near = walk->near >> 4 * row, far = walk->far >> 4 * row;
  const uint sum = (near & 15) + (near >> 4 & 15) + (far & 15) + (far >> 4 & 15) + (far >> 8 & 15);
  return magnitude_context(zone_of(diagonal), sum);
}

// A coefficient whose level is chosen.
typedef struct level_choice {
  int nearest, place, row, diagonal;
  long at_nearest, below;  // level_distortion() of the nearest magnitude, and of the one below it
} level_choice;

// The best level after others.
static void try_as_next(const level_rate *rate, const level_choice *c, int context, level_option *best) {
  const int nearest = c->nearest, bits = magnitude_bits(rate->costs, context, nearest) + SIGN_COST;
  const int bits_below = magnitude_bits(rate->costs, context, nearest - 1) + (nearest > 1 ? SIGN_COST : 0);
  const int bits_of_zero = level_bits(rate->costs, context, 0);
  take_level(best, c->at_nearest + (long)rate->lambda * bits, nearest, bits);
  take_level(best, c->below + (long)rate->lambda * bits_below, nearest - 1, bits_below);
  if (nearest == 2) take_level(best, (long)rate->lambda * bits_of_zero, 0, bits_of_zero);
}
// The best level as the last one.
static void try_as_last(const level_rate *rate, const level_choice *c, bool intra, level_option *best) {
  const int nearest = c->nearest, last_class = last_classes[c->place];
  const int context = last_magnitude_context(c->diagonal);
  const int common = level_bits(rate->costs, last_context(intra), last_class & 15) + 32 * (last_class >> 4) + SIGN_COST;
  if (nearest > 1) {
    const int bits = common + magnitude_bits(rate->costs, context, nearest - 2);
    take_level(best, c->below + (long)rate->lambda * bits, nearest - 1, bits);
  }
  const int bits = common + magnitude_bits(rate->costs, context, nearest - 1);
  take_level(best, c->at_nearest + (long)rate->lambda * bits, nearest, bits);
}

// Chooses a level, and returns it.
static int choose_level(const level_rate *rate, const level_choice *c, bool intra, level_walk *walk) {
  level_option next = {0, 0, LONG_MAX}, last = {0, 0, LONG_MAX};
  if (walk->begun >= 0) try_as_next(rate, c, next_context(walk, c->row, c->diagonal), &next);
  // It is rarely worth trying as the last one: not if only its error and its sign already cost more.
  const long least = min(c->at_nearest, c->nearest > 1 ? c->below : c->at_nearest) + (long)rate->lambda * SIGN_COST;
  if (walk->begun < 0 || least <= walk->score + next.score) try_as_last(rate, c, intra, &last);
  if (walk->begun < 0 || last.score <= walk->score + next.score) {
    walk->begun = c->place;
    walk->score = 0;
    walk->bits = 0;
    walk->current = walk->near = walk->far = 0;
    next = last;
  }
  walk->score += next.score;
  walk->bits += next.bits;
  walk->current |= (uint)min(next.magnitude, 15) << 4 * c->row;
  return next.magnitude;
}

// Chooses the levels of a block from the nearest ones, whose last place is `last`, from the highest frequency to the
// lowest. `first`: where the walk begins, at least `last`; items that do so together look up the same tables. Returns
// the bits of all levels in 1/32; 0: there is none.
static int choose_levels(const level_rate *rate, local const short *coefficients, local short *levels, int first,
                         int last, bool intra) {
  level_walk walk = {0, 0, 0, -1, 0, 0};
  int diagonal = 0;
  for (int place = first; place >= 0; --place) {
    const int position = zigzag[place], row = position >> 3, next = row + (position & 7);
    if (next != diagonal) {
      walk.far = walk.near;
      walk.near = walk.current;
      walk.current = 0;
      diagonal = next;
    }
    if (place > last) continue;
    const int nearest = (int)abs((int)levels[position]);
    if (nearest != 0) {
      const int coefficient = (int)abs((int)coefficients[position]);
      const level_choice choice = {nearest, place, row, diagonal, level_distortion(rate, coefficient, nearest),
                                   level_distortion(rate, coefficient, nearest - 1)};
      const int magnitude = choose_level(rate, &choice, intra, &walk);
      levels[position] = (short)(levels[position] < 0 ? -magnitude : magnitude);
    } else if (walk.begun >= 0) {
      const int bits = level_bits(rate->costs, next_context(&walk, row, diagonal), 0);
      walk.bits += bits;
      walk.score += (long)rate->lambda * bits;
    }
  }
  if (walk.begun < 0 || walk.score >= 0) return 0;
  for (int place = last; place > walk.begun; --place) levels[zigzag[place]] = 0;
  return walk.bits;
}
