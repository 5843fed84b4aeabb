// modes.cl — BC7's modes, their partitions, and codes of end points.
//   defines   HAS_ALPHA · SUBSETS: the most of any mode that is tried
#include "include/kernels/bc7_tables.h"

constant ushort partitions_of_2[64] = {BC7_PARTITIONS_OF_2};
constant uint partitions_of_3[64] = {BC7_PARTITIONS_OF_3};
constant uchar anchors_of_2[64] = {BC7_ANCHORS_OF_2};
constant uchar second_anchors_of_3[64] = {BC7_ANCHORS_2_OF_3};
constant uchar third_anchors_of_3[64] = {BC7_ANCHORS_3_OF_3};

// The fields of a mode, four bits each.
#define MODE_WORD(subsets, partition, rotation, selector, color, alpha, p, index, second) \
  (uint)(subsets | partition << 4 | rotation << 8 | selector << 12 | color << 16 | alpha << 20 | p << 24 | index << 28),
constant uint mode_words[8] = {BC7_FOR_EACH_MODE(MODE_WORD)};
#define FIELD(word, at) ((int)((word) >> (at) & 15))
#define MODE_SUBSETS(word) FIELD(word, 0)
#define MODE_PARTITION_BITS(word) FIELD(word, 4)
#define MODE_ROTATION_BITS(word) FIELD(word, 8)
#define MODE_SELECTOR_BITS(word) FIELD(word, 12)
#define MODE_COLOR_BITS(word) FIELD(word, 16)
#define MODE_ALPHA_BITS(word) FIELD(word, 20)
#define MODE_P_BITS(word) FIELD(word, 24)  // 0 none, 1 per end point, 2 per subset
#define MODE_INDEX_BITS(word) FIELD(word, 28)

static int small(float value) { return as_int(value + 8388608.0f) & 0x3FFFFF; }  // rounds to nearest
static float whole(uint value) { return as_float(0x4B000000u | value) - 8388608.0f; }
static float4 channels_of(uint end) {
  return (float4)(whole(end & 255), whole(end >> 8 & 255), whole(end >> 16 & 255), whole(end >> 24));
}
static int expand(int code, int bits) { return code << (8 - bits) | code >> (2 * bits - 8); }
static float last_index(int bits) { return whole((1u << bits) - 1); }

#define LANE_NUMBERS (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

// Masks of the lanes in the second and in the third subset.
static void set_subsets(int subsets, int partition, int16 *second, int16 *third) {
  *third = (int16)(0);
#if SUBSETS == 3
  if (subsets == 3) {
    const int16 of = (int16)((int)partitions_of_3[partition]) >> (2 * LANE_NUMBERS) & 3;
    *second = -(of & 1);
    *third = -(of >> 1);
    return;
  }
#endif
  *second = subsets == 2 ? -((int16)((int)partitions_of_2[partition]) >> LANE_NUMBERS & 1) : (int16)(0);
}
