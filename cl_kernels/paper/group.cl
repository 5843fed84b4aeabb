// group.cl — shared by BC1 kernels in the paper's form: 16 work-items per block, several blocks per group.
//   work-group   16 x BLOCKS_PER_GROUP items, one-dimensional: item i is texel i % 16 of block i / 16 of the group
//   global       blocks rounded up to BLOCKS_PER_GROUP, times 16; spare blocks take part in the barriers and write
//                nothing
//   defines      BLOCKS_PER_GROUP=1..16 · WORDS_PER_TEXEL=3 or 4
//   exactness    integer; equals codec/ref/bc/bc1_palette.cpp bit for bit on every device
//   source       I. Perminov, "Online compression of visual data on GPU", sections 3.1 to 3.4
#include "bc1/palette.cl"

#ifndef BLOCKS_PER_GROUP
#define BLOCKS_PER_GROUP 8  // 128 items: the paper's plateau begins here (its table 3)
#endif

// A texel in local memory, a 4-byte word per channel, in 32 banks (the paper's figure 6). 4 words, its layout "a": R G
// B A in their order. Texel i begins in bank 4 i mod 32, so texels 0 and 8 share a bank. The two blocks of 32 items are
// 64 words apart, so that at every step of a loop over texels they access different words of one bank. 3 words, its
// layout "c" (without alpha): 3 i mod 32 are 32 different banks, and the blocks are 48 words apart.
#ifndef WORDS_PER_TEXEL
#define WORDS_PER_TEXEL 3
#endif

typedef local int (*texel_words)[WORDS_PER_TEXEL];

static void put_texel(texel_words texels, int item, int4 v) {
  texels[item][0] = v.x;
  texels[item][1] = v.y;
  texels[item][2] = v.z;
#if WORDS_PER_TEXEL == 4
  texels[item][3] = v.w;
#endif
}
static int3 three_at(local const int *p) { return (int3)(p[0], p[1], p[2]); }

// The item's position: block `block` of the frame, block `slot` of the group, texel `item` of the block.
typedef struct {
  int block, slot, item;
  bool inside;  // not a spare block
} group_place;

static void own_place(const texcast_target *t, group_place *p) {
  p->item = get_local_id(0) & 15;
  p->slot = get_local_id(0) >> 4;
  p->block = get_global_id(0) >> 4;  // includes the offset of a band, unlike get_group_id()
  p->inside = p->block < t->blocks_x * t->blocks_y;
}

// R, G, B and alpha, which is always opaque.
static int4 own_texel(SOURCE source, const texcast_source *s, const texcast_target *t, int block,
                      int item) {
  const int by = block / t->blocks_x;
  int4 rgb = load_rgb_texel(source, s, 4 * (block - by * t->blocks_x) + (item & 3), 4 * by + (item >> 2));
  rgb.w = 255;
  return rgb;
}

// The smallest value, the largest value and the sum of one channel, computed by the item that has the channel's number.
typedef struct {
  int low, high, sum;
} channel_range;

static void find_range(texel_words texels, int channel, local channel_range *out) {
  int low = 255, high = 0, sum = 0;
  for (int i = 0; i < 16; ++i) {
    const int v = texels[i][channel];
    low = min(low, v);
    high = max(high, v);
    sum += v;
  }
  out->low = low;
  out->high = high;
  out->sum = sum;
}

// Whether the channel falls where the channel with the widest range rises (ties: green, red, blue).
static bool falls(texel_words texels, int channel, local const channel_range *ranges) {
  const int red = ranges[0].high - ranges[0].low, green = ranges[1].high - ranges[1].low,
            blue = ranges[2].high - ranges[2].low;
  int widest = red > green ? 0 : 1;
  if (blue > max(red, green)) widest = 2;
  int products = 0;
  for (int i = 0; i < 16; ++i) products += texels[i][channel] * texels[i][widest];
  return 16 * products - ranges[channel].sum * ranges[widest].sum < 0;
}

// The block's first item collects the indices of all its items, and writes the block. End points in either order.
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
