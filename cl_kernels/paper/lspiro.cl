// lspiro.cl — BC1 by LSpiro step 1 in the paper's form (paper/group.cl describes work-items and layout), in one kernel,
// or split into two kernels, which the paper's table 4 compares.
//   local mem    BLOCKS_PER_GROUP x (16 x (2 x WORDS_PER_TEXEL + 1) + 18) words, less for the parts
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      KERNELS=KERNEL_WHOLE (default) · KERNEL_ENDS: step 1 only, writes a block's end points to its first
//                four
//                bytes · KERNEL_PACK: reads them there and writes the block
//                LINE_IN_FLOATS=1: the line in single precision with a division, as in the paper. Any division within
//                100 ulp, even a relaxed one, gives the bytes of the integer form; still, it is not for streams
//   exactness    integer; equals codec/ref/bc/bc1_lspiro.cpp bit for bit on every device
#include "paper/sort.cl"

#define KERNEL_WHOLE 0
#define KERNEL_ENDS 1
#define KERNEL_PACK 2
#ifndef KERNELS
#define KERNELS KERNEL_WHOLE
#endif
#ifndef LINE_IN_FLOATS
#define LINE_IN_FLOATS 0
#endif

// The line through n sorted distinct values of a channel, at its first and last rank (codec/ref/bc/bc1_lspiro.cpp has
// the derivation).
static int2 line_ends(texel_words sorted, int channel, int n) {
  const int2 largest = (int2)(channel == 1 ? 63 : 31);
#if LINE_IN_FLOATS
  // Everything before the division is a whole number below 2^18, so exact. The half that is added last keeps quotients
  // at least 1 / (4 x 272) away from the next whole number, which is 100 ulp of the largest that is not clamped.
  float sum = 0, slope = 0;
  for (int i = 0; i < n; ++i) {
    const float value = sorted[i][channel];
    sum += value;
    slope += (2 * i - (n - 1)) * value;
  }
  const float n1 = n + 1, denominator = n * n1;
  const float2 numerator = max((float2)(sum * n1 - 3 * slope, sum * n1 + 3 * slope), (float2)(0));
  return min(convert_int2((2 * numerator + denominator + 0.5f) / (2 * denominator)), largest);
#else
  int sum = 0, slope = 0;
  for (int i = 0; i < n; ++i) {
    sum += sorted[i][channel];
    slope += (2 * i - (n - 1)) * sorted[i][channel];
  }
  const int denominator = n * (n + 1);
  const int2 numerator = max((int2)(sum * (n + 1) - 3 * slope, sum * (n + 1) + 3 * slope), (int2)(0));
  return min((2 * numerator + denominator) / (2 * denominator), largest);
#endif
}

#if KERNELS != KERNEL_PACK

// The local memory of step 1 for the blocks of a group; the kernel declares it.
#define STEP1_LOCALS                                       \
  local int texels[BLOCKS_PER_GROUP][16][WORDS_PER_TEXEL]; \
  local int spare[BLOCKS_PER_GROUP][16][WORDS_PER_TEXEL];  \
  local channel_range ranges[BLOCKS_PER_GROUP][3];         \
  local int distinct[BLOCKS_PER_GROUP][3];                 \
  local int ends[BLOCKS_PER_GROUP][2][3]
#define STEP1_LOCALS_OF(slot) texels[slot], spare[slot], ranges[slot], distinct[slot], ends[slot]

// Every item passes its texel. On return, after a barrier, `ends` holds the block's two end points.
static void step1(texel_words texels, texel_words spare, local channel_range *ranges, local int *distinct,
                  local int (*ends)[3], int item, int4 rgb) {
  put_texel(texels, item, rgb);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 3) find_range(texels, item, &ranges[item]);
  barrier(CLK_LOCAL_MEM_FENCE);
  bool down = false;
  if (item < 3) down = falls(texels, item, ranges);
  barrier(CLK_LOCAL_MEM_FENCE);
  sort_distinct(texels, spare, distinct, item, (int4)(to_5_bits(rgb.x), to_6_bits(rgb.y), to_5_bits(rgb.z), rgb.w));
  if (item < 3) {
    const int2 line = line_ends(texels, item, distinct[item]);
    ends[0][item] = down ? line.x : line.y;
    ends[1][item] = down ? line.y : line.x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

#endif

#if KERNELS == KERNEL_WHOLE

kernel __attribute__((reqd_work_group_size(16 * BLOCKS_PER_GROUP, 1, 1)))
void bc1_lspiro1_group(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t) {
  STEP1_LOCALS;
  local uint indices[BLOCKS_PER_GROUP][16];
  group_place p;
  own_place(&t, &p);
  const int4 rgb = own_texel(source, &s, &t, p.block, p.item);
  step1(STEP1_LOCALS_OF(p.slot), p.item, rgb);
  write_block(blocks, p.block, p.inside, indices[p.slot], p.item, rgb.xyz, three_at(ends[p.slot][0]),
              three_at(ends[p.slot][1]));
}

#elif KERNELS == KERNEL_ENDS

static uint packed565(local const int *end) { return (uint)(end[0] << 11 | end[1] << 5 | end[2]); }

kernel __attribute__((reqd_work_group_size(16 * BLOCKS_PER_GROUP, 1, 1)))
void bc1_lspiro1_group_ends(SOURCE source, global uint2 *blocks, const texcast_source s,
                            const texcast_target t) {
  STEP1_LOCALS;
  group_place p;
  own_place(&t, &p);
  const int4 rgb = own_texel(source, &s, &t, p.block, p.item);
  step1(STEP1_LOCALS_OF(p.slot), p.item, rgb);
  if (p.item == 0 && p.inside)
    ((global uint *)(blocks + p.block))[0] = packed565(ends[p.slot][0]) | packed565(ends[p.slot][1]) << 16;
}

#else

// May also run on finished blocks, which it leaves unchanged: their first four bytes are end points too.
kernel __attribute__((reqd_work_group_size(16 * BLOCKS_PER_GROUP, 1, 1)))
void bc1_group_pack(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t) {
  local uint indices[BLOCKS_PER_GROUP][16];
  group_place p;
  own_place(&t, &p);
  const int4 rgb = own_texel(source, &s, &t, p.block, p.item);
  const int word = p.inside ? ((global const int *)(blocks + p.block))[0] : 0;
  const int3 shift = (int3)(11, 5, 0), mask = (int3)(31, 63, 31);
  barrier(CLK_GLOBAL_MEM_FENCE);  // all items have read the end points before the first one overwrites them
  write_block(blocks, p.block, p.inside, indices[p.slot], p.item, rgb.xyz, (int3)(word) >> shift & mask,
              (int3)(word >> 16) >> shift & mask);
}

#endif
