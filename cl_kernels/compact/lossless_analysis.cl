// lossless_analysis.cl — the pre-analysis of lossless slices: everything about a sub-block that does not depend on
// earlier sub-blocks of its slice.
//   work-items   one for each sub-block; global = slices times tile_columns times tile_rows, rounded up
//   in   source, reference   textures in numbers of 8 bytes: the source, and the reference frame
//        slices              slices, TEXCAST_SLICE_…
//        field               int2[tile][8]: vectors of partitions, in pixels
//        cost                ushort[context][symbol] of the component's tables
//        rank_cost           uint4[context in a group][symbol]
//        index               uint[bucket][8]: positions of the reference frame's sub-blocks (sub_block_index.cl)
//   out  analysis            texcast_analysis[slice][sub-block of a tile]
//   defines      CHANNEL
#include "compact/sub_block_index.cl"
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
static void measure_residuals(global const ushort *cost, int which, const int values[VALUES], uint predictor,
                              texcast_analysis *f) {
  int predicted[VALUES], d[VALUES], costs[4] = {0, 0, 0, 0};
  values_of(predictor, predicted);
  int distance = 0, symbols = 0, largest = 0;
  for (int step = 0; step < VALUES; ++step) {
    d[step] = values[step] - predicted[step];
    distance += (int)abs(d[step]) + min((int)abs(d[step]), 1);
    const int symbol = residual_symbol(fold(d[step])), bits = residual_bits(symbol);
    symbols += 1 + (bits + 3) / 4;
    largest = max(largest, class_of(d[step]));
    // In colours, only the context of the first residual depends on the neighbours.
    const int mode = ENDS_NEAR_REFERENCE + which;
    if (CHANNEL || step == 0) {
      for (int n = 0; n < 4; ++n) costs[n] += symbol_cost(cost, residual_context(mode, step, d, n), symbol) + 32 * bits;
    } else {
      const int own = symbol_cost(cost, residual_context(mode, step, d, 0), symbol) + 32 * bits;
      for (int n = 0; n < 4; ++n) costs[n] += own;
    }
  }
  f->residual_cost[which][0] = (uint)costs[0] | (uint)costs[1] << 16;
  f->residual_cost[which][1] = (uint)costs[2] | (uint)costs[3] << 16;
  f->largest |= (uint)largest << 2 * which;
  f->counts |= (uint)symbols << 5 * which;
  f->distance[which / 2] ^= (0xFFFFu ^ (uint)(DISTANCE_COST * distance)) << 16 * (which & 1);
}

// The ranks of the indices relative to the prediction block, and their costs. The cost of intra indices too, if more
// than three of these ranks are not 0, or if the slice is intra.
static void analyse_indices(global const ushort *cost, global const uint4 *rank_cost, int kind, bool intra, uint ends,
                            const uint texels[16], const int levels[16], texcast_analysis *f) {
  int far = 16, ranks[16];
  if (!intra) {
    predicted_ranks(kind, ends, texels, levels, ranks);
    far = 0;
    for (int i = 0; i < 16; ++i) far += min(ranks[i], 1);
    if (far == 0) f->flags |= TEXCAST_IS_PREDICTED;
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
  f->flags |= TEXCAST_TRIES_INTRA_INDICES;
  uint bits = 0;
#if CHANNEL
  intra_ranks(levels, steps_of(is_full(kind, ends)), ranks);
  for (int pair = 0; pair < 8; ++pair)
    bits += (uint)symbol_cost(cost, TEXCAST_RANKS_CONTEXT + GROUP_INTRA * 40 + rank_context(pair, ranks),
                              rank_symbol(pair, ranks));
  for (int i = 0; i < 16; ++i)
    if (ranks[i] >= PAIR_LIMIT)
      bits += (uint)symbol_cost(cost, TEXCAST_FAR_RANK_CONTEXT + GROUP_INTRA, ranks[i] - PAIR_LIMIT);
  f->counts |= (uint)far_count(ranks) << 25;
#else
  for (int pair = 0; pair < 8; ++pair)
    bits += (uint)symbol_cost(cost, level_pair_context(pair, levels), levels[2 * pair] << 2 | levels[2 * pair + 1]);
#endif
  f->costs |= bits << 16;
}

// The cheapest vector of a hash copy: to one of the positions where the reference frame has the sub-block. Returns its
// cost, or 0xFFFF if there is no such position.
static uint find_hash_copy(global const ulong *reference, const texcast_component *c, global const uint *index,
                           global const ushort *cost, ulong value, int x, int y, uint *hash_vector) {
  const ulong hash = hash_of(value);
  const uint tag = tag_of(hash);
  global const uint *bucket = index + (uint)(hash >> c->index_shift) * INDEX_WAYS;
  uint least = 0xFFFF;
  for (int way = 0; way < INDEX_WAYS; ++way) {
    const uint entry = bucket[way];
    if (!has_tag(entry, tag)) continue;
    const int position = (int)(entry >> TAG_BITS);
    if (reference[c->first + position * c->step] != value) continue;
    const int py = position / c->blocks_x, px = position - py * c->blocks_x;
    const int2 v = (int2)(px - x, py - y);
    const uint bits = (uint)vector_cost(cost, true, v);
    if (bits >= least) continue;
    least = bits;
    *hash_vector = pack_vector(v);
  }
  return least;
}

// Stores an analysis in numbers of 16 bytes: single members of neighbouring items lie too far apart for fast stores.
static void store_analysis(global texcast_analysis *to, const texcast_analysis *f) {
  global uint4 *out = (global uint4 *)to;
  out[0] = (uint4)(f->flags, f->value[0], f->value[1], f->reference_ends);
  out[1] = (uint4)(f->fitted, f->hash_vector, f->costs, f->near[0]);
  out[2] = (uint4)(f->near[1], f->ranks[0], f->ranks[1], f->counts);
  out[3] = (uint4)(f->largest, f->distance[0], f->distance[1], f->residual_cost[0][0]);
  out[4] = (uint4)(f->residual_cost[0][1], f->residual_cost[1][0], f->residual_cost[1][1], f->residual_cost[2][0]);
  out[5] = (uint4)(f->residual_cost[2][1], f->residual_cost[3][0], f->residual_cost[3][1], f->unused);
}

static int round_div4(int v) { return v >= 0 ? (v + 2) / 4 : -((2 - v) / 4); }

kernel void analyse_sub_blocks(global const ulong *source, global const ulong *reference, const texcast_component c,
                               global const uint *slices, uint slice_count, global const int2 *field,
                               global const ushort *cost, global const uint4 *rank_cost, global const uint *index,
                               global texcast_analysis *analysis) {
  uint slot;
  slice_rect u;
  int2 in_slice;
  if (!find_sub_block_of_slice(&c, slices, slice_count, &slot, &u, &in_slice)) return;
  const int column = in_slice.x, row = in_slice.y;
  const int x = u.x0 + column, y = u.y0 + row;
  const bool intra = u.intra;

  const int position = position_of(&c, x, y);
  const ulong value = source[position];
  const bool has_left = column > 0, has_above = row > 0;
  const ulong left = has_left ? source[position - c.step] : 0,
              above = has_above ? source[position - c.blocks_x * c.step] : 0;
  int2 vector = (int2)(0, 0);
  if (!intra) {
    vector = field[u.tile * 8 + (uint)(u.first_partition + partition_at(&c, column, row))];
    if (!is_codable(vector)) vector = (int2)(0, 0);
    vector = (int2)(vector.x >> (c.across - 1), vector.y >> (c.down - 1));
  }
  texcast_analysis f;
  f.flags = (vector.x | vector.y) != 0 ? TEXCAST_HAS_VECTOR : 0;
  f.value[0] = (uint)value;
  f.value[1] = (uint)(value >> 32);
  if (has_left && left == value) f.flags |= TEXCAST_IS_LEFT;
  if (has_above && above == value) f.flags |= TEXCAST_IS_ABOVE;
  if (!intra) {
    if (reference[position] == value) f.flags |= TEXCAST_IS_CO_LOCATED;
    const int px = x + (vector.x >> 2), py = y + (vector.y >> 2);
    if (((vector.x | vector.y) & 3) == 0 && has_sub_block(&c, px, py) && reference[position_of(&c, px, py)] == value)
      f.flags |= TEXCAST_IS_MOTION_COPY;
  }
  f.reference_ends = f.fitted = f.hash_vector = f.counts = f.largest = f.unused = 0;
  f.costs = 0xFFFF;
  f.near[0] = f.near[1] = f.ranks[0] = f.ranks[1] = 0;
  for (int i = 0; i < TEXCAST_PREDICTORS; ++i) f.residual_cost[i][0] = f.residual_cost[i][1] = 0;
  f.distance[0] = f.distance[1] = 0xFFFFFFFF;
  const uint copies = TEXCAST_IS_MOTION_COPY | TEXCAST_IS_LEFT | TEXCAST_IS_ABOVE |
                      ((f.flags & TEXCAST_HAS_VECTOR) != 0 ? TEXCAST_IS_CO_LOCATED : 0);
  if ((f.flags & copies) == 0) {
    const uint ends = ends_of(value);
    const ulong indices = indices_of(value);
    uint texels[16];
    if (!intra) {
      const int bx = clamp(x + round_div4(vector.x), 0, c.blocks_x - 1);
      const int by = clamp(y + round_div4(vector.y), 0, c.blocks_y - 1);
      const ulong nearest = reference[position_of(&c, bx, by)];
      f.reference_ends = ends_of(nearest);
      if (f.reference_ends == ends) f.flags |= TEXCAST_HAS_REFERENCE_ENDS;
      if (indices_of(nearest) == indices) f.flags |= TEXCAST_HAS_REFERENCE_INDICES;
      load_window(reference, &c, x * 4 + vector.x, y * 4 + vector.y, texels);
      f.fitted = fitted_ends(texels);
      uint hash_vector = 0;
      if (u.whole) f.costs = find_hash_copy(reference, &c, index, cost, value, x, y, &hash_vector);
      f.hash_vector = hash_vector;
    }
    if (has_left && ends_of(left) == ends) f.flags |= TEXCAST_HAS_LEFT_ENDS;
    if (has_above && ends_of(above) == ends) f.flags |= TEXCAST_HAS_ABOVE_ENDS;
    if (has_left && indices_of(left) == indices) f.flags |= TEXCAST_HAS_LEFT_INDICES;
    if (has_above && indices_of(above) == indices) f.flags |= TEXCAST_HAS_ABOVE_INDICES;
    if (indices == (indices & (LEVELS - 1)) * EACH_INDEX) f.flags |= TEXCAST_IS_CONSTANT;
    int levels[16];
    levels_of(value, is_full(c.kind, ends), levels);
    f.flags |= (uint)levels[0] << TEXCAST_LEVEL_AT;
    int values[VALUES];
    values_of(ends, values);
    if (!intra) measure_residuals(cost, 0, values, f.reference_ends, &f);
    if (has_left || intra) measure_residuals(cost, 1, values, ends_of(left), &f);
    if (has_above) measure_residuals(cost, 2, values, ends_of(above), &f);
    if (!intra) measure_residuals(cost, 3, values, f.fitted, &f);
    analyse_indices(cost, rank_cost, c.kind, intra, ends, texels, levels, &f);
  }
  store_analysis(analysis + (uint)get_global_id(0), &f);
}
