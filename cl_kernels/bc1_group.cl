// bc1_group.cl — BC1 range fit and LSpiro step 1 in the paper's form: 16 work-items a block, several blocks a group.
//   work-group   16 x BLOCKS_PER_GROUP items, one-dimensional: item i is texel i % 16 of block i / 16 of the group
//   global       blocks rounded up to BLOCKS_PER_GROUP, times 16; spare blocks take part in the barriers and write nothing
//   local mem    BLOCKS_PER_GROUP x 16 x 3 ints, twice for LSpiro
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      BLOCKS_PER_GROUP=1..16
//   exactness    integer; equals codec/ref/bc1_range.cpp and bc1_lspiro.cpp bit for bit on every device
//   source       I. Perminov, "Online compression of visual data on GPU", sections 3.1 to 3.4: rank sort of distinct
//                values, several blocks a group, a texel's three channels side by side so that texel i starts in bank
//                3 i mod 32 and 32 items never meet in a bank (its figure 6, layout "c")
#ifndef BLOCKS_PER_GROUP
#define BLOCKS_PER_GROUP 8  // 128 items: the paper's plateau begins here (its table 3)
#endif

#define UNUSED_CODE 255  // above every 5- or 6-bit code, so that empty places sort to the end

typedef struct {
  int3 low, high, direction;
} block_shape;

// Every item gives its texel and gets the extremes and directions of its block. Each of the 16 items runs through the
// block's 16 texels in local memory; neighbours read the same word, which the hardware broadcasts.
static block_shape shape_of(local int (*texel)[3]) {
  int3 low = (int3)(255), high = (int3)(0);
  for (int i = 0; i < 16; ++i) {
    const int3 v = (int3)(texel[i][0], texel[i][1], texel[i][2]);
    low = min(low, v);
    high = max(high, v);
  }
  const int3 range = high - low;
  int widest = 1;
  if (range.x > range.y) widest = 0;
  if (range.z > (widest == 0 ? range.x : range.y)) widest = 2;
  int3 sum = (int3)(0), products = (int3)(0);
  for (int i = 0; i < 16; ++i) {
    const int3 v = (int3)(texel[i][0], texel[i][1], texel[i][2]);
    sum += v;
    products += v * texel[i][widest];
  }
  const int widest_sum = widest == 0 ? sum.x : widest == 1 ? sum.y : sum.z;
  block_shape shape;
  shape.low = low;
  shape.high = high;
  shape.direction = select((int3)(1), (int3)(-1), 16 * products - sum * widest_sum < 0);
  return shape;
}

// 1 in each channel where a < b. (Not a sum of comparisons: see bc4.cl, nearest_sevenths.)
static int3 count_less(int3 a, int3 b) { return select((int3)(0), (int3)(1), a < b); }

// Indices of the block's items, gathered by its first item, which writes the block.
static void write_block(global uint2 *blocks, int block, bool inside, local uint *indices, int item, int3 v, int3 end0,
                        int3 end1) {
  const bc1_palette p = make_palette(end0, end1);
  const int at = 2 * dot3(v, p.axis);
  indices[item] = p.c0 == p.c1 ? 0 : (uint)BC1_INDEX(at, p) << (2 * item);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && inside) {
    uint all = 0;
    for (int i = 0; i < 16; ++i) all |= indices[i];
    blocks[block] = (uint2)(p.c0 | p.c1 << 16, all);
  }
}

kernel __attribute__((reqd_work_group_size(16 * BLOCKS_PER_GROUP, 1, 1)))
void bc1_range_group(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t) {
  local int texels[BLOCKS_PER_GROUP][16][3];
  local uint indices[BLOCKS_PER_GROUP][16];
  const int item = get_local_id(0) & 15, slot = get_local_id(0) >> 4;
  const int block = get_group_id(0) * BLOCKS_PER_GROUP + slot;
  const bool inside = block < t.blocks_x * t.blocks_y;
  const int by = block / t.blocks_x;
  const int4 rgb = load_rgb_texel(source, &s, 4 * (block - by * t.blocks_x) + (item & 3), 4 * by + (item >> 2));
  texels[slot][item][0] = rgb.x;
  texels[slot][item][1] = rgb.y;
  texels[slot][item][2] = rgb.z;
  barrier(CLK_LOCAL_MEM_FENCE);

  const block_shape shape = shape_of(texels[slot]);
  const int3 inset = (shape.high - shape.low) >> 4;
  const int3 high = shape.high - inset, low = shape.low + inset;
  const int3 high565 = (int3)(to_5_bits(high.x), to_6_bits(high.y), to_5_bits(high.z));
  const int3 low565 = (int3)(to_5_bits(low.x), to_6_bits(low.y), to_5_bits(low.z));
  write_block(blocks, block, inside, indices[slot], item, rgb.xyz, select(high565, low565, shape.direction < 0),
              select(low565, high565, shape.direction < 0));
}

kernel __attribute__((reqd_work_group_size(16 * BLOCKS_PER_GROUP, 1, 1)))
void bc1_lspiro1_group(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t) {
  local int texels[BLOCKS_PER_GROUP][16][3];
  local int sorted[BLOCKS_PER_GROUP][16][3];
  local uint indices[BLOCKS_PER_GROUP][16];
  local int ends[BLOCKS_PER_GROUP][2][3];
  local int distinct[BLOCKS_PER_GROUP][3];
  const int item = get_local_id(0) & 15, slot = get_local_id(0) >> 4;
  const int block = get_group_id(0) * BLOCKS_PER_GROUP + slot;
  const bool inside = block < t.blocks_x * t.blocks_y;
  const int by = block / t.blocks_x;
  const int4 rgb = load_rgb_texel(source, &s, 4 * (block - by * t.blocks_x) + (item & 3), 4 * by + (item >> 2));
  for (int c = 0; c < 3; ++c) sorted[slot][item][c] = UNUSED_CODE;
  if (item < 3) distinct[slot][item] = 16;
  texels[slot][item][0] = rgb.x;
  texels[slot][item][1] = rgb.y;
  texels[slot][item][2] = rgb.z;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int3 direction = shape_of(texels[slot]).direction;
  barrier(CLK_LOCAL_MEM_FENCE);

  // First pass: a value's rank is the number of smaller ones; equal values meet in one place of `sorted`, and the
  // places that they leave free keep UNUSED_CODE.
  int3 code = (int3)(to_5_bits(rgb.x), to_6_bits(rgb.y), to_5_bits(rgb.z));
  texels[slot][item][0] = code.x;
  texels[slot][item][1] = code.y;
  texels[slot][item][2] = code.z;
  barrier(CLK_LOCAL_MEM_FENCE);
  int3 rank = (int3)(0);
  for (int i = 0; i < 16; ++i)
    rank += count_less((int3)(texels[slot][i][0], texels[slot][i][1], texels[slot][i][2]), code);
  sorted[slot][rank.x][0] = code.x;
  sorted[slot][rank.y][1] = code.y;
  sorted[slot][rank.z][2] = code.z;
  barrier(CLK_LOCAL_MEM_FENCE);

  // Second pass: ranks among the distinct values that are left; the free places rank behind all of them.
  code = (int3)(sorted[slot][item][0], sorted[slot][item][1], sorted[slot][item][2]);
  rank = (int3)(0);
  for (int i = 0; i < 16; ++i)
    rank += count_less((int3)(sorted[slot][i][0], sorted[slot][i][1], sorted[slot][i][2]), code);
  texels[slot][rank.x][0] = code.x;
  texels[slot][rank.y][1] = code.y;
  texels[slot][rank.z][2] = code.z;
  // A free place's rank is the number of distinct values; where there is none, all 16 are distinct.
  if (code.x == UNUSED_CODE) distinct[slot][0] = rank.x;
  if (code.y == UNUSED_CODE) distinct[slot][1] = rank.y;
  if (code.z == UNUSED_CODE) distinct[slot][2] = rank.z;
  barrier(CLK_LOCAL_MEM_FENCE);

  // One item a channel fits the line (codec/ref/bc1_lspiro.cpp has the derivation).
  if (item < 3) {
    const int n = distinct[slot][item];
    int sum = 0, slope = 0;
    for (int i = 0; i < n; ++i) {
      sum += texels[slot][i][item];
      slope += (2 * i - (n - 1)) * texels[slot][i][item];
    }
    const int denominator = n * (n + 1);
    const int2 numerator = max((int2)(sum * (n + 1) - 3 * slope, sum * (n + 1) + 3 * slope), (int2)(0));
    const int2 end = min((2 * numerator + denominator) / (2 * denominator), (int2)(item == 1 ? 63 : 31));
    ends[slot][0][item] = end.x;
    ends[slot][1][item] = end.y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int3 low = (int3)(ends[slot][0][0], ends[slot][0][1], ends[slot][0][2]);
  const int3 high = (int3)(ends[slot][1][0], ends[slot][1][1], ends[slot][1][2]);
  write_block(blocks, block, inside, indices[slot], item, rgb.xyz, select(high, low, direction < 0),
              select(low, high, direction < 0));
}
