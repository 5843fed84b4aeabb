// facts.cl — the pre-analysis of lossless slices: everything about a sub-block that does not depend on earlier
// sub-blocks of its slice.
//   work-items   one for each sub-block; global = slices times tile_columns times tile_rows, rounded up
//   in   now, before   textures in numbers of 8 bytes: the source, and the reference frame
//        due           slices, TEXCAST_UNIT_…
//        field         int2[tile][8]: vectors of partitions, in pixels
//        cost          ushort[context][symbol] of the component's tables; rank_cost: uint4[context in a group][symbol]
//        places        uint[bucket][8]: positions of the reference frame's sub-blocks (places.cl)
//   out  facts         texcast_facts[slice][sub-block of a tile]
//   defines            CHANNEL
#include "compact/places.cl"
#include "compact/syntax.cl"

// End points fitted to texels: opposite corners of their bounding box, on the diagonal along which the channels vary.
static uint fitted_ends(const uint texels[16]) {
#if CHANNEL
  uint low = 255, high = 0;
  for (int i = 0; i < 16; ++i) {
    low = min(low, texels[i]);
    high = max(high, texels[i]);
  }
  return high | low << 8;
#else
  int3 low = (int3)(255), high = (int3)(0), sum = (int3)(0);
  int with_red = 0, with_blue = 0;
  for (int i = 0; i < 16; ++i) {
    const int3 c = unpack_color(texels[i]);
    low = min(low, c);
    high = max(high, c);
    sum += c;
    with_red += c.y * c.x;
    with_blue += c.y * c.z;
  }
  const bool against_red = 16 * with_red < sum.y * sum.x, against_blue = 16 * with_blue < sum.y * sum.z;
  const int3 scale = (int3)(31, 63, 31);
  const int3 v = (high * scale + 127) / 255, w = (low * scale + 127) / 255;
  const int r0 = against_red ? w.x : v.x, r1 = against_red ? v.x : w.x;
  const int b0 = against_blue ? w.z : v.z, b1 = against_blue ? v.z : w.z;
  const uint first = (uint)r0 << 11 | (uint)v.y << 5 | (uint)b0;
  const uint second = (uint)r1 << 11 | (uint)w.y << 5 | (uint)b1;
  return max(first, second) | min(first, second) << 16;
#endif
}

// The rank of each texel's level: how many levels are nearer to the texel of the prediction block.
static void predicted_ranks(int kind, uint ends, const uint texels[16], const int levels[16], int ranks[16]) {
  const int steps = steps_of(is_full(kind, ends));
#if CHANNEL
  const int first = (int)(ends & 255), axis = (int)(ends >> 8) - first;
  const int length = (int)abs(axis), unit = axis > 0 ? 2 * steps : axis < 0 ? -2 * steps : 0;
#else
  const int3 first = color_of(ends & 0xFFFF), axis = color_of(ends >> 16) - first;
  const int length = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
#endif
  for (int i = 0; i < 16; ++i) {
#if CHANNEL
    const int along = ((int)texels[i] - first) * unit;
#else
    const int3 d = (unpack_color(texels[i]) - first) * axis;
    const int along = (d.x + d.y + d.z) * 2 * steps;
#endif
    int code = 0;  // how many thresholds, half a level apart, it lies beyond
    for (int step = 0; step <= 2 * steps; ++step) code += clamp(along - step * length, 0, 1);
    ranks[i] = rank_of(levels[i], code >> 1, (code & 1) != 0, steps);
  }
}

// The residuals of end points from a predictor: their approximate cost, their cost with each magnitude class of the
// neighbours, the number of their symbols, and their largest class.
#define DISTANCE_COST 24  // about the cost of 1 in a residual, in 1/32 bits
static void price_guess(global const ushort *cost, int which, const int values[VALUES], uint guess, texcast_facts *f) {
  int guessed[VALUES], d[VALUES], price[4] = {0, 0, 0, 0};
  values_of(guess, guessed);
  int distance = 0, symbols = 0, largest = 0;
  for (int step = 0; step < VALUES; ++step) {
    d[step] = values[step] - guessed[step];
    distance += (int)abs(d[step]) + min((int)abs(d[step]), 1);
    const int symbol = difference_symbol(fold(d[step])), bits = difference_bits(symbol);
    symbols += 1 + (bits + 3) / 4;
    largest = max(largest, class_of(d[step]));
    // In colours, only the context of the first residual depends on the neighbours.
    const int mode = ENDS_NEAR_BEFORE + which;
    if (CHANNEL || step == 0) {
      for (int n = 0; n < 4; ++n)
        price[n] += price_of(cost, difference_context(mode, step, d, n), symbol) + 32 * bits;
    } else {
      const int own = price_of(cost, difference_context(mode, step, d, 0), symbol) + 32 * bits;
      for (int n = 0; n < 4; ++n) price[n] += own;
    }
  }
  f->guess[which][0] = (uint)price[0] | (uint)price[1] << 16;
  f->guess[which][1] = (uint)price[2] | (uint)price[3] << 16;
  f->largest |= (uint)largest << 2 * which;
  f->counts |= (uint)symbols << 5 * which;
  f->distance[which / 2] ^= (0xFFFFu ^ (uint)(DISTANCE_COST * distance)) << 16 * (which & 1);
}

// The ranks of the indices relative to the prediction block, and their costs. The cost of intra indices too, if more
// than three of these ranks are not 0, or if the slice is intra.
static void guess_indices(global const ushort *cost, global const uint4 *rank_cost, int kind, bool alone, uint ends,
                          const uint texels[16], const int levels[16], texcast_facts *f) {
  int far = 16, ranks[16];
  if (!alone) {
    predicted_ranks(kind, ends, texels, levels, ranks);
    far = 0;
    for (int i = 0; i < 16; ++i) far += min(ranks[i], 1);
    if (far == 0) f->flags |= TEXCAST_FACT_PREDICTED;
    uint4 near = (uint4)(0);
    for (int pair = 0; pair < 8; ++pair) near += rank_cost[rank_context(pair, ranks) * 16 + rank_symbol(pair, ranks)];
    for (int i = 0; i < 16; ++i) {
#if CHANNEL
      if (ranks[i] >= PAIR_LIMIT) {
        global const ushort *row = cost + TEXCAST_FAR_RANK_CONTEXT * 16 + ranks[i] - PAIR_LIMIT;
        near += (uint4)(row[0], row[16], row[32], row[48]);
      }
      f->ranks[i / 8] |= (uint)ranks[i] << 3 * (i % 8);
#else
      f->ranks[0] |= (uint)ranks[i] << 2 * i;
#endif
    }
    f->near[0] = near.x | near.y << 16;
    f->near[1] = near.z | near.w << 16;
    f->counts |= (uint)far_count(ranks) << 20;
  }
  if (far <= 3) return;
  f->flags |= TEXCAST_FACT_FAR;
  uint price = 0;
#if CHANNEL
  alone_ranks(levels, steps_of(is_full(kind, ends)), ranks);
  for (int pair = 0; pair < 8; ++pair)
    price += (uint)price_of(cost, TEXCAST_RANKS_CONTEXT + GROUP_ALONE * 40 + rank_context(pair, ranks),
                            rank_symbol(pair, ranks));
  for (int i = 0; i < 16; ++i)
    if (ranks[i] >= PAIR_LIMIT) price += (uint)price_of(cost, TEXCAST_FAR_RANK_CONTEXT + GROUP_ALONE, ranks[i] - PAIR_LIMIT);
  f->counts |= (uint)far_count(ranks) << 25;
#else
  for (int pair = 0; pair < 8; ++pair)
    price += (uint)price_of(cost, level_context(pair, levels), levels[2 * pair] << 2 | levels[2 * pair + 1]);
#endif
  f->prices |= price << 16;
}

// The cheapest vector of a hash copy: to one of the positions where the reference frame has the sub-block. Returns its
// cost, or 0xFFFF if there is no such position.
static uint find_jump(global const ulong *before, const texcast_component *c, global const uint *places,
                      global const ushort *cost, ulong value, int x, int y, uint *jump) {
  const ulong hash = hash_of(value);
  const uint tag = tag_of(hash);
  global const uint *bucket = places + (uint)(hash >> c->places_shift) * PLACE_WAYS;
  uint least = 0xFFFF;
  for (int way = 0; way < PLACE_WAYS; ++way) {
    const uint entry = bucket[way];
    if (!has_tag(entry, tag)) continue;
    const int place = (int)(entry >> TAG_BITS);
    if (before[c->first + place * c->step] != value) continue;
    const int py = place / c->blocks_x, px = place - py * c->blocks_x;
    const int2 v = (int2)(px - x, py - y);
    const uint price = (uint)vector_price(cost, true, v);
    if (price >= least) continue;
    least = price;
    *jump = pack_vector(v);
  }
  return least;
}

static int round_div4(int v) { return v >= 0 ? (v + 2) / 4 : -((2 - v) / 4); }

kernel void find_facts(global const ulong *now, global const ulong *before, const texcast_component c,
                       global const uint *due, uint due_count, global const int2 *field, global const ushort *cost,
                       global const uint4 *rank_cost, global const uint *places, global texcast_facts *facts) {
  uint slot;
  unit_place u;
  int2 in_unit;
  if (!find_half_block_of_unit(&c, due, due_count, &slot, &u, &in_unit)) return;
  const int column = in_unit.x, row = in_unit.y;
  const int x = u.x0 + column, y = u.y0 + row;
  const bool alone = u.alone;

  const int place = place_of(&c, x, y);
  const ulong value = now[place];
  const bool has_left = column > 0, has_above = row > 0;
  const ulong left = has_left ? now[place - c.step] : 0, above = has_above ? now[place - c.blocks_x * c.step] : 0;
  int2 vector = (int2)(0, 0);
  if (!alone) {
    vector = field[u.tile * 8 + (uint)(u.first_area + (row * c.down >> 2) * 4 + (column * c.across >> 2))];
    if (!reaches(vector)) vector = (int2)(0, 0);
    vector = (int2)(vector.x >> (c.across - 1), vector.y >> (c.down - 1));
  }
  texcast_facts f;
  f.flags = (vector.x | vector.y) != 0 ? TEXCAST_FACT_VECTOR : 0;
  f.value[0] = (uint)value;
  f.value[1] = (uint)(value >> 32);
  if (has_left && left == value) f.flags |= TEXCAST_FACT_LEFT;
  if (has_above && above == value) f.flags |= TEXCAST_FACT_ABOVE;
  if (!alone) {
    if (before[place] == value) f.flags |= TEXCAST_FACT_STAYED;
    const int px = x + (vector.x >> 2), py = y + (vector.y >> 2);
    if (((vector.x | vector.y) & 3) == 0 && has_place(&c, px, py) && before[place_of(&c, px, py)] == value)
      f.flags |= TEXCAST_FACT_MOVED;
  }
  f.before_ends = f.fitted = f.jump = f.counts = f.largest = f.unused = 0;
  f.prices = 0xFFFF;
  f.near[0] = f.near[1] = f.ranks[0] = f.ranks[1] = 0;
  for (int i = 0; i < TEXCAST_GUESSES; ++i) f.guess[i][0] = f.guess[i][1] = 0;
  f.distance[0] = f.distance[1] = 0xFFFFFFFF;
  const uint copies = TEXCAST_FACT_MOVED | TEXCAST_FACT_LEFT | TEXCAST_FACT_ABOVE |
                      ((f.flags & TEXCAST_FACT_VECTOR) != 0 ? TEXCAST_FACT_STAYED : 0);
  if ((f.flags & copies) == 0) {
    const uint ends = ends_of(value);
    const ulong indices = indices_of(value);
    uint texels[16];
    if (!alone) {
      const int bx = clamp(x + round_div4(vector.x), 0, c.blocks_x - 1);
      const int by = clamp(y + round_div4(vector.y), 0, c.blocks_y - 1);
      const ulong nearest = before[place_of(&c, bx, by)];
      f.before_ends = ends_of(nearest);
      if (f.before_ends == ends) f.flags |= TEXCAST_FACT_ENDS_BEFORE;
      if (indices_of(nearest) == indices) f.flags |= TEXCAST_FACT_INDICES_BEFORE;
      load_window(before, &c, x * 4 + vector.x, y * 4 + vector.y, texels);
      f.fitted = fitted_ends(texels);
      uint jump = 0;
      if (u.whole) f.prices = find_jump(before, &c, places, cost, value, x, y, &jump);
      f.jump = jump;
    }
    if (has_left && ends_of(left) == ends) f.flags |= TEXCAST_FACT_ENDS_LEFT;
    if (has_above && ends_of(above) == ends) f.flags |= TEXCAST_FACT_ENDS_ABOVE;
    if (has_left && indices_of(left) == indices) f.flags |= TEXCAST_FACT_INDICES_LEFT;
    if (has_above && indices_of(above) == indices) f.flags |= TEXCAST_FACT_INDICES_ABOVE;
    if (indices == (indices & (LEVELS - 1)) * EACH_INDEX) f.flags |= TEXCAST_FACT_CONSTANT;
    int levels[16];
    levels_of(value, is_full(c.kind, ends), levels);
    f.flags |= (uint)levels[0] << TEXCAST_FACT_LEVEL_AT;
    int values[VALUES];
    values_of(ends, values);
    if (!alone) price_guess(cost, 0, values, f.before_ends, &f);
    if (has_left || alone) price_guess(cost, 1, values, ends_of(left), &f);
    if (has_above) price_guess(cost, 2, values, ends_of(above), &f);
    if (!alone) price_guess(cost, 3, values, f.fitted, &f);
    guess_indices(cost, rank_cost, c.kind, alone, ends, texels, levels, &f);
  }
  facts[(uint)get_global_id(0)] = f;
}
