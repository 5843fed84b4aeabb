// cluster.cl — BC1 by cluster fit, one work-item per block, one lane per texel or split.
//   work-group   GROUP_ITEMS, one-dimensional; global = blocks rounded up; items past the last block return early (no
//                barriers)
//   local mem    GROUP_ITEMS x (17 x float4 + 16 x int)
//   in   source  as in common/load.cl, with LOAD_FLOATS
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   in   table   uint4[1024], filled by bc1_cluster_table
//   exactness    as bc1/line_fit.cl; equals codec/ref/bc/bc1_cluster.cpp bit for bit on every device
//   source       S. Brown, "DXT Compression Techniques", 2006; I. Castano, "High Quality DXT Compression using CUDA",
//                2007. Both judge every split by least squares in colour. Here the likely ones are first judged by one
//                number on the axis (bc1/likely_splits.cl), and the best of each of 16 groups of them in colour.
#include "bc1/line_fit.cl"
#include "bc1/likely_splits.cl"

#ifndef GROUP_ITEMS
#define GROUP_ITEMS 64
#endif

// Precomputes everything that try_line_split() needs of a likely split: its cuts, the bits of the inverse, of the sum
// of weights in 16ths, and of the sum of their squares. Runs once per stage. The table is not in constant memory,
// because work-items look up different entries, and constant memory serves different addresses one after the other.
kernel void bc1_cluster_table(global uint4 *table) {
  const int n = get_global_id(0);
  if (n >= 16 * SPLIT_ROWS) return;
  const uint cuts = likely_splits[n];
  const int i = cuts & 31, j = cuts >> 5 & 31, k = cuts >> 10;
  table[n] = (uint4)(cuts, as_uint(likely_inverses[n]), as_uint((float)(48 - i - j - k) * 0.0625f),
                     as_uint((float)(144 - i - 3 * j - 5 * k)));
}

// The local memory of a work-item, GROUP_ITEMS apart. Cuts are looked up by number, and private memory that is indexed
// so is outside the multiprocessor. Data that is not needed for a while is also kept here instead of in registers, as
// fewer registers let more items run at once.
typedef struct {
  local float4 *cuts;  // 17: sums of R, G, B over the first n texels along the axis; w: texel n of the block, packed
  local int *rows;     // 16: the row of each lane's likeliest split
} item_memory;

static uint packed_texel(float r, float g, float b) {
  return (as_uint(r + ROUND) & 255u) | (as_uint(g + ROUND) & 255u) << 8 | as_uint(b + ROUND) << 16;
}

// Fills `memory`, and computes the prefix sums of the places below their mean: that at cut p in lane p (that at cut 16
// is 0, as at cut 0).
static void sort_texels(const line_block *p, float3 axis, item_memory memory, float16 *below_mean) {
#define TEXEL(n) memory.cuts[0x##n * GROUP_ITEMS] = (float4)(p->r.s##n, p->g.s##n, p->b.s##n, 0.0f);
  EACH_LANE(TEXEL)
#undef TEXEL
  const float16 at = along(p, axis);
  const float mean = add16(at) * 0.0625f;
  const int16 key = ordered_keys(at);
  const float16 below = mean - places_of(key);
#define FETCH(n) const float4 t##n = memory.cuts[LANE_OF(key.s##n) * GROUP_ITEMS];
  EACH_LANE(FETCH)
#undef FETCH
  float4 sum = (float4)(0.0f);
  float gap = 0.0f;
#define ADD(n)                                                                                                \
  memory.cuts[0x##n * GROUP_ITEMS] = (float4)(sum.xyz, as_float(packed_texel(p->r.s##n, p->g.s##n, p->b.s##n))); \
  below_mean->s##n = gap;                                                                                     \
  sum += t##n;                                                                                                \
  gap += below.s##n;
  EACH_LANE(ADD)
#undef ADD
  memory.cuts[16 * GROUP_ITEMS] = sum;
}

// Reads the block's texels back, in their own order.
static void fetch_texels(item_memory memory, line_block *p) {
  uint16 texels;
#define FETCH(n) texels.s##n = as_uint(memory.cuts[0x##n * GROUP_ITEMS].w);
  EACH_LANE(FETCH)
#undef FETCH
#define BYTE(shift) (as_float16((texels >> (shift) & 255u) | 0x4B400000u) - ROUND)
  p->r = BYTE(0);
  p->g = BYTE(8);
  p->b = BYTE(16);
#undef BYTE
}

typedef struct {
  float3 sum, middle;  // of the texels; 1 / 4080 of that
  float error;         // of the best split so far
  float3 code_a, code_b;
} split_search;

// Compares the split's least-squares end points with the best so far, by their error.
static void try_line_split(item_memory memory, uint4 entry, split_search *best) {
  const int i = entry.x & 31, j = entry.x >> 5 & 31, k = entry.x >> 10;
  const float inverse = as_float(entry.y), share = as_float(entry.z);
  const float3 below =
      ((memory.cuts[i * GROUP_ITEMS] + memory.cuts[j * GROUP_ITEMS]) + memory.cuts[k * GROUP_ITEMS]).xyz;
  const float w = 16.0f * share;
  const float3 q = mad((float3)(48.0f - w), best->sum, -16.0f * below);
  const float3 step = q * inverse;
  line_ends ends;
  ends.code_a = to_codes(best->middle + (3.0f - share) * step);
  ends.code_b = to_codes(best->middle - share * step);
  ends.a = expand_codes(ends.code_a);
  ends.b = expand_codes(ends.code_b);
  line_sums s;
  s.w = w;
  s.ww = as_float(entry.w);
  s.wv = mad((float3)(3.0f), best->sum, -below);
  const float error = line_error(best->sum, &s, &ends);
  const bool better = error < best->error;
  best->error = better ? error : best->error;
  best->code_a = better ? ends.code_a : best->code_a;
  best->code_b = better ? ends.code_b : best->code_b;
}

kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void bc1_cluster(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t,
                 global const uint4 *table CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  local float4 cuts[17 * GROUP_ITEMS];
  local int rows[16 * GROUP_ITEMS];
  item_memory memory;
  memory.cuts = cuts + get_local_id(0);
  memory.rows = rows + get_local_id(0);
  int block;
  rgb_block texels;
  if (!load_own_block(source, &s, &t, &block, &texels)) return;
  line_block p;
  make_line_block(texels, &p);
  const float3 axis = line_axis(&p);
  line_sums sums;
  line_candidate best;
  start_line(&p, axis, &sums, &best);
  float16 below;
  sort_texels(&p, axis, memory, &below);
  const int16 likely = likely_rows(below);
#define KEEP(n) memory.rows[0x##n * GROUP_ITEMS] = likely.s##n;
  EACH_LANE(KEEP)
#undef KEEP

  split_search splits;
  splits.sum = p.sum;
  splits.middle = p.sum * 0.00024509803922f;  // 1 / 4080
  splits.error = best.error;
  splits.code_a = best.ends.code_a;
  splits.code_b = best.ends.code_b;
#pragma unroll 2
  for (int lane = 0; lane < 16; ++lane)
    try_line_split(memory, table[16 * memory.rows[lane * GROUP_ITEMS] + lane], &splits);

  // The weights that the texels choose themselves, and one more fit to these.
  fetch_texels(memory, &p);
  line_ends ends;
  ends.code_a = splits.code_a;
  ends.code_b = splits.code_b;
  ends.a = expand_codes(ends.code_a);
  ends.b = expand_codes(ends.code_b);
  best.error = INFINITY;
  try_ends(&p, &ends, &sums, &best);
  polish_line(&p, &sums, &best);
  blocks[place_of(&t, block)] = pack_line(&best.ends, best.places);
}
