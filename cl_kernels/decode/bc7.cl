// bc7.cl — decodes BC7 blocks, one work-item per block.
//   in   blocks  uint4, little-endian, any bytes: blocks of the reserved mode are transparent black
//   out  frame   as in decode/texels.cl
//   exactness    integer; equals codec/ref/bc/bc7_decode.cpp bit for bit on every device
//   style        nothing is unpacked into arrays, which GPUs keep in scratch memory: the position of a mode's field can
//                be computed, so each field is read in place, and end points once per block
//   source       Khronos Data Format 1.3, "BPTC compressed texture image formats"
#include "decode/bits.cl"
#include "decode/texels.cl"
#include "include/kernels/bc7_tables.h"

// The fields of a mode, in the order of the table.
#define BC7_ROW(subsets, partition, rotation, selector, colour, alpha, p, index, second) \
  subsets, partition, rotation, selector, colour, alpha, p, index, second,
constant int bc7_modes[8 * 9] = {BC7_FOR_EACH_MODE(BC7_ROW)};
constant ushort bc7_two[64] = {BC7_PARTITIONS_OF_2};
constant uint bc7_three[64] = {BC7_PARTITIONS_OF_3};
constant uchar bc7_anchor_of_two[64] = {BC7_ANCHORS_OF_2};
constant uchar bc7_second_anchor[64] = {BC7_ANCHORS_2_OF_3}, bc7_third_anchor[64] = {BC7_ANCHORS_3_OF_3};

typedef struct {
  int subsets, partition, rotation, selector;
  int colour_bits, alpha_bits, p_bits;
  int index_bits, second_bits;
  int ends, shared, indices;       // the first bits of the end points, the p-bits, the indices
  int second_anchor, third_anchor;  // 16: none
  uint4 low, high;                  // end points of each subset, as texels
} bc7_block;

// False for the reserved mode.
static bool read_bc7(uint4 block, bc7_block *b) {
  int mode = 0;
  while (mode < 8 && (block.x >> mode & 1) == 0) ++mode;
  if (mode == 8) return false;
  constant int *row = bc7_modes + 9 * mode;
  int at = mode + 1;
  b->subsets = row[0];
  b->partition = bits_at(block, at, row[1]);
  at += row[1];
  b->rotation = bits_at(block, at, row[2]);
  at += row[2];
  b->selector = bits_at(block, at, row[3]);
  at += row[3];
  b->colour_bits = row[4];
  b->alpha_bits = row[5];
  b->p_bits = row[6];
  b->index_bits = row[7];
  b->second_bits = row[8];
  b->ends = at;
  b->shared = at + 2 * b->subsets * (3 * b->colour_bits + b->alpha_bits);
  b->indices = b->shared + (b->p_bits == 1 ? 2 * b->subsets : b->p_bits == 2 ? b->subsets : 0);
  b->second_anchor = 16;
  if (b->subsets == 2) b->second_anchor = bc7_anchor_of_two[b->partition];
  if (b->subsets == 3) b->second_anchor = bc7_second_anchor[b->partition];
  b->third_anchor = b->subsets == 3 ? bc7_third_anchor[b->partition] : 16;
  return true;
}

static int channel_of_end(uint4 block, const bc7_block *b, int number, int channel) {
  const int bits = channel < 3 ? b->colour_bits : b->alpha_bits, count = 2 * b->subsets;
  if (bits == 0) return 255;
  int value = bits_at(block, b->ends + channel * count * b->colour_bits + number * bits, bits);
  int all = bits;
  if (b->p_bits != 0) {
    value = value << 1 | bits_at(block, b->shared + (b->p_bits == 1 ? number : number >> 1), 1);
    ++all;
  }
  value <<= 8 - all;
  return value | value >> all;
}

// End point `number`: there are two per subset.
static uint end_of(uint4 block, const bc7_block *b, int number) {
  return texel_of(channel_of_end(block, b, number, 0), channel_of_end(block, b, number, 1),
                  channel_of_end(block, b, number, 2), channel_of_end(block, b, number, 3));
}

static void read_ends(uint4 block, bc7_block *b) {
  b->low = (uint4)(end_of(block, b, 0), 0, 0, 0);
  b->high = (uint4)(end_of(block, b, 1), 0, 0, 0);
  if (b->subsets > 1) {
    b->low.y = end_of(block, b, 2);
    b->high.y = end_of(block, b, 3);
  }
  if (b->subsets > 2) {
    b->low.z = end_of(block, b, 4);
    b->high.z = end_of(block, b, 5);
  }
}

static int4 channels_of(uint texel) {
  return (int4)((int)(texel & 255), (int)(texel >> 8 & 255), (int)(texel >> 16 & 255), (int)(texel >> 24));
}

static int subset_of(const bc7_block *b, int texel) {
  if (b->subsets == 2) return bc7_two[b->partition] >> texel & 1;
  return b->subsets == 3 ? (int)(bc7_three[b->partition] >> 2 * texel & 3) : 0;
}

// 64ths from one end point to the other.
static int weight_of(int index, int bits) {
  if (bits == 2) return (128 * index + 3) / 6;
  return bits == 3 ? (128 * index + 7) / 14 : (128 * index + 15) / 30;
}

static int weight_at(uint4 block, const bc7_block *b, int texel) {
  const int missing = (texel > 0 ? 1 : 0) + (texel > b->second_anchor ? 1 : 0) + (texel > b->third_anchor ? 1 : 0);
  const bool is_anchor = texel == 0 || texel == b->second_anchor || texel == b->third_anchor;
  const int bits = b->index_bits - (is_anchor ? 1 : 0);
  return weight_of(bits_at(block, b->indices + texel * b->index_bits - missing, bits), b->index_bits);
}

static int second_weight_at(uint4 block, const bc7_block *b, int texel) {
  const int first = b->indices + 16 * b->index_bits - 1, missing = texel > 0 ? 1 : 0;
  const int index = bits_at(block, first + texel * b->second_bits - missing, b->second_bits - 1 + missing);
  return weight_of(index, b->second_bits);
}

static uint bc7_texel(uint4 block, const bc7_block *b, int texel) {
  const int subset = subset_of(b, texel);
  const int4 low = channels_of(one_of(b->low, subset)), high = channels_of(one_of(b->high, subset));
  int colour = weight_at(block, b, texel), alpha = colour;
  if (b->second_bits != 0) {
    alpha = second_weight_at(block, b, texel);
    if (b->selector != 0) {
      const int other = alpha;
      alpha = colour;
      colour = other;
    }
  }
  const int4 weight = (int4)(colour, colour, colour, alpha);
  const int4 c = ((64 - weight) * low + weight * high + 32) >> 6;
  if (b->rotation == 1) return texel_of(c.w, c.y, c.z, c.x);
  if (b->rotation == 2) return texel_of(c.x, c.w, c.z, c.y);
  if (b->rotation == 3) return texel_of(c.x, c.y, c.w, c.z);
  return texel_of(c.x, c.y, c.z, c.w);
}

kernel void decode_bc7(global const uint4 *blocks, global uchar *frame, const texcast_decoded t) {
  int block, x, y;
  if (!own_texels(&t, &block, &x, &y)) return;
  const uint4 bits = blocks[block];
  bc7_block b;
  const bool is_block = read_bc7(bits, &b);
  if (is_block) read_ends(bits, &b);
  for (int row = 0; row < 4; ++row) {
    uint4 texels = (uint4)(0);
    if (is_block)
      texels = (uint4)(bc7_texel(bits, &b, 4 * row), bc7_texel(bits, &b, 4 * row + 1), bc7_texel(bits, &b, 4 * row + 2),
                       bc7_texel(bits, &b, 4 * row + 3));
    put_texels(frame, &t, x, y + row, texels);
  }
}
