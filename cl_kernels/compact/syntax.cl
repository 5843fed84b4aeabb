// syntax.cl — the symbols of a slice's sub-blocks, and their contexts, as in slice_syntax.h and contexts.h of
// codec/compact/bitstream/include/compact.
#include "compact/sub_block.cl"

enum { KIND_MOTION_COPY, KIND_CO_LOCATED, KIND_LEFT, KIND_ABOVE, KIND_CODED, KIND_HASH_COPY_AGAIN, KIND_HASH_COPY };
enum {
  ENDS_REFERENCE,
  ENDS_LEFT,
  ENDS_ABOVE,
  ENDS_NEAR_REFERENCE,
  ENDS_NEAR_LEFT,
  ENDS_NEAR_ABOVE,
  ENDS_NEAR_FIT,
  ENDS_RECENT
};
enum {
  INDICES_PREDICTED,
  INDICES_CONSTANT,
  INDICES_REFERENCE,
  INDICES_LEFT,
  INDICES_ABOVE,
  INDICES_NEAR,
  INDICES_INTRA = 9,
  INDICES_LUMA,
  INDICES_MIRRORED_LUMA,
  INDICES_TEXELS
};
#define GROUP_INTRA 4
#define PAIR_LIMIT 3

// Whether a mode of indices has ranks. (Bits instead of comparisons, as Oclgrind 21.10 takes the wrong branch if a
// number of few bits is compared with several others.)
static bool has_ranks(int indices_mode) { return (0x3E0u >> indices_mode & 1) != 0; }
// Whether a component may copy luma's indices.
static bool follows_luma(const texcast_component *c, int number) { return number > 0 && c->across * c->down == 1; }

static int bit_length(uint size) { return 32 - (int)clz(size); }
static int symbol_cost(global const ushort *cost, int context, int symbol) { return cost[context * 16 + symbol]; }

// Vector components: a symbol for the number of bits, then these bits, four to a symbol.
static int distance_context(bool of_block, bool is_y, int bits_of_x) {
  return TEXCAST_DISTANCE_CONTEXT + (of_block ? 18 : 0) + (is_y ? 1 + bits_of_x : 0);
}
static int vector_cost(global const ushort *cost, bool of_block, int2 v) {
  const int x = bit_length(abs(v.x)), y = bit_length(abs(v.y));
  return symbol_cost(cost, distance_context(of_block, false, 0), x) + 32 * x +
         symbol_cost(cost, distance_context(of_block, true, x), y) + 32 * y;
}
static int vector_symbols(int2 v) { return 2 + (bit_length(abs(v.x)) + 3) / 4 + (bit_length(abs(v.y)) + 3) / 4; }

// Whether a vector can be coded: no symbol stands for more bits.
static bool is_codable(int2 v) { return abs(v.x) < 1u << 14 && abs(v.y) < 1u << 14; }
static int2 partition_vector(global const int2 *field, int partition) {
  const int2 v = field[partition];
  return is_codable(v) ? v : (int2)(0, 0);
}
static bool is_zero(int2 v) { return (v.x | v.y) == 0; }
// The partition of a sub-block at a position in the tile or slice.
static int partition_at(const texcast_component *c, int column, int row) {
  return (row * c->down >> 2) * 4 + (column * c->across >> 2);
}
// The symbol of a partition's vector, and its context.
static uint partition_symbol(int2 v, int2 left, int2 above, int *context) {
  *context = TEXCAST_VECTOR_CONTEXT + (is_zero(left) ? 1 : 0) + (is_zero(above) ? 2 : 0);
  if (is_zero(v)) return 0;
  if (v.x == left.x && v.y == left.y) return 1;
  return v.x == above.x && v.y == above.y ? 2 : 3;
}

// Residuals of end points: each is folded, and has a symbol and up to nine literal bits.
static uint fold(int difference) { return difference <= 0 ? (uint)(-2 * difference) : (uint)(2 * difference - 1); }
static int residual_symbol(uint folded) {
  return folded < 12 ? (int)folded : folded < 16 ? 12 : folded < 32 ? 13 : folded < 96 ? 14 : 15;
}
static int residual_bits(int symbol) {
  return symbol < 12 ? 0 : symbol == 12 ? 2 : symbol == 13 ? 4 : symbol == 14 ? 6 : 9;
}
static uint residual_first(int symbol) {
  return symbol < 12 ? (uint)symbol : symbol == 12 ? 12u : symbol == 13 ? 16u : symbol == 14 ? 32u : 96u;
}
static int class_of(int difference) {
  const int size = (int)abs(difference);
  return min(size, 2) + clamp(size - 3, 0, 1);
}
static int sign_of(int difference) { return clamp(difference, 0, 1); }
// The context of residual `step` in coding order. `d` has the residuals before it in that order.
static int residual_context(int ends_mode, int step, const int d[VALUES], int neighbours) {
  int at = neighbours;
#if CHANNEL
  if (step == 1) at = 4 + neighbours * 8 + class_of(d[0]) * 2 + sign_of(d[0]);
#else
  if (step == 1) at = 4 + class_of(d[0]) * 2 + sign_of(d[0]);
  if (step == 2) at = 12 + class_of(d[0]) * 8 + class_of(d[1]) * 2 + sign_of(d[1]);
  if (step == 3) at = 44 + class_of(d[0]) * 8 + class_of(d[1]) * 2 + sign_of(d[0]);
  if (step == 4) at = 76 + class_of(d[3]) * 16 + class_of(d[1]) * 4 + sign_of(d[3]) * 2 + sign_of(d[1]);
  if (step == 5) at = 140 + class_of(d[4]) * 16 + class_of(d[2]) * 4 + sign_of(d[4]) * 2 + sign_of(d[2]);
#endif
  return TEXCAST_RESIDUAL_CONTEXT + (ends_mode - ENDS_NEAR_REFERENCE) * 204 + at;
}

// Ranks and levels are coded in pairs: texels 2 · pair and 2 · pair + 1.
static int rank_context(int pair, const int ranks[16]) {
  const int i = 2 * pair;
  const int above = i >= 4 ? min(ranks[max(i - 4, 0)], 2) * 3 + min(ranks[max(i - 3, 0)], 2) : 9;
  const int left = i % 4 != 0 ? min(ranks[max(i - 1, 0)], 2) : 3;
  return above * 4 + left;
}
static int rank_symbol(int pair, const int ranks[16]) {
  return min(ranks[2 * pair], PAIR_LIMIT) << 2 | min(ranks[2 * pair + 1], PAIR_LIMIT);
}
static int level_pair_context(int pair, const int levels[16]) {
  const int i = 2 * pair;
  const int above = i >= 4 ? levels[max(i - 4, 0)] * 4 + levels[max(i - 3, 0)] : 16;
  const int left = i % 4 != 0 ? levels[max(i - 1, 0)] : 4;
  return TEXCAST_LEVELS_CONTEXT + above * 5 + left;
}

#if CHANNEL
// The levels of 16 texels, 4 bits each, eight texels in a number. Those that are not known yet are 0.
static int level_in(uint2 levels, int i) { return (int)((i < 8 ? levels.x : levels.y) >> 4 * (i & 7) & 15); }
static void put_level(uint2 *levels, int i, int level) {
  if (i < 8)
    levels->x |= (uint)level << 4 * i;
  else
    levels->y |= (uint)level << 4 * (i - 8);
}
// The context of texel i's level, by the levels on the left, above, and above on the right.
static int part_of_level(int level) {
  return 1 + clamp(level, 0, 1) + clamp(level - 2, 0, 1) + clamp(level - 4, 0, 1) + clamp(level - 6, 0, 1);
}
static int direct_level_context(uint2 levels, int i) {
  const int left = level_in(levels, max(i - 1, 0)), above = level_in(levels, max(i - 4, 0));
  const int beside = level_in(levels, max(i - 3, 0));
  const int of_left = (i & 3) != 0 ? part_of_level(left) : 0, of_above = i >= 4 ? part_of_level(above) : 0;
  const int of_beside = i >= 4 && (i & 3) != 3 ? 1 + clamp(beside - 3, 0, 1) : 0;
  return TEXCAST_DIRECT_LEVEL_CONTEXT + (of_left * 6 + of_above) * 3 + of_beside;
}
#endif

// The rank of a level by its distance from the level `nearest`. `beyond`: the texel's position lies beyond that level.
static int rank_of(int level, int nearest, bool beyond, int steps) {
  if (level > steps) return level;
  const int distance = level - nearest, size = (int)abs(distance);
  if (distance == 0) return 0;
  const bool is_near_side = (distance > 0) == beyond;
  const int opposite = nearest - distance;
  return 1 + min(size - 1, steps - nearest) + min(size - 1, nearest) +
         (!is_near_side && opposite >= 0 && opposite <= steps ? 1 : 0);
}

static void levels_of(ulong sub_block, bool full, int levels[16]) {
  const uint digits = level_digits(full);
  const ulong indices = indices_of(sub_block);
  for (int i = 0; i < 16; ++i) levels[i] = (int)(digits >> 4 * index_at(indices, i) & 15);
}
// The level that is predicted for texel i from those on the left and above.
static int predicted_intra_level(int i, int left, int above, int steps) {
  return i == 0 ? steps / 2 : i < 4 ? left : (i & 3) == 0 ? above : (left + above + 1) / 2;
}
// Intra ranks of a channel: relative to that level.
static void intra_ranks(const int levels[16], int steps, int ranks[16]) {
  for (int i = 0; i < 16; ++i) {
    const int left = min(levels[max(i - 1, 0)], steps), above = min(levels[max(i - 4, 0)], steps);
    ranks[i] = rank_of(levels[i], predicted_intra_level(i, left, above, steps), true, steps);
  }
}
// The number of rank escapes.
static int far_count(const int ranks[16]) {
  int count = 0;
#if CHANNEL
  for (int i = 0; i < 16; ++i) count += clamp(ranks[i] - PAIR_LIMIT + 1, 0, 1);
#endif
  return count;
}
