// sort.cl — sorts the distinct values of each channel of a block in ascending order, with its 16 work-items.
//   defines      INSERTION_SORT=0: rank sort, in which all items work (the paper's section 3.1) · 1: one item per
//                channel inserts values one by one; the paper compares both
//                CHANNELS_IN_TURN=0: rank sort counts all three channels in one loop · 1: in one loop per channel
//   exactness    integer; both sorts and both orders give the same result
#include "paper/group.cl"

#ifndef INSERTION_SORT
#define INSERTION_SORT 0
#endif
#ifndef CHANNELS_IN_TURN
#define CHANNELS_IN_TURN 0
#endif

#if INSERTION_SORT

static int insert_values(texel_words values, int channel, texel_words sorted) {
  int n = 0;
  for (int i = 0; i < 16; ++i) {
    const int value = values[i][channel];
    int at = 0;
    while (at < n && sorted[at][channel] < value) ++at;
    if (at < n && sorted[at][channel] == value) continue;
    for (int j = n; j > at; --j) sorted[j][channel] = sorted[j - 1][channel];
    sorted[at][channel] = value;
    ++n;
  }
  return n;
}

// Every item passes its texel's codes. On return, after a barrier, `sorted` holds the distinct codes of each channel,
// and `distinct` their number.
static void sort_distinct(texel_words sorted, texel_words spare, local int *distinct, int item, int4 code) {
  put_texel(spare, item, code);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 3) distinct[item] = insert_values(spare, item, sorted);
  barrier(CLK_LOCAL_MEM_FENCE);
}

#else

#define UNUSED_CODE 255  // above every 5- or 6-bit code, so that empty positions are sorted to the end

// 1 in each channel where a < b. (Not a sum of comparisons: see bc4/eight_values.cl, nearest_sevenths.)
static int3 count_less(int3 a, int3 b) { return select((int3)(0), (int3)(1), a < b); }

// For each channel, the number of the block's 16 values that are smaller.
static int3 rank_of(texel_words values, int3 value) {
  int3 rank = (int3)(0);
#if CHANNELS_IN_TURN
  for (int i = 0; i < 16; ++i) rank.x += values[i][0] < value.x;
  for (int i = 0; i < 16; ++i) rank.y += values[i][1] < value.y;
  for (int i = 0; i < 16; ++i) rank.z += values[i][2] < value.z;
#else
  for (int i = 0; i < 16; ++i) rank += count_less(three_at(values[i]), value);
#endif
  return rank;
}

static void put_by_rank(texel_words to, int3 rank, int3 value) {
  to[rank.x][0] = value.x;
  to[rank.y][1] = value.y;
  to[rank.z][2] = value.z;
}

// As above, in two passes. The first places values by their rank: equal ones get the same position, and leave the
// positions after it free. The second places the contents of the positions by their rank, which moves free ones to the
// end.
static void sort_distinct(texel_words sorted, texel_words spare, local int *distinct, int item, int4 code) {
  put_texel(sorted, item, code);
  put_texel(spare, item, (int4)(UNUSED_CODE));
  if (item < 3) distinct[item] = 16;
  barrier(CLK_LOCAL_MEM_FENCE);
  put_by_rank(spare, rank_of(sorted, code.xyz), code.xyz);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int3 left = three_at(spare[item]);
  const int3 rank = rank_of(spare, left);
  put_by_rank(sorted, rank, left);
  // The rank of a free position is the number of distinct values; if no position is free, all 16 are distinct.
  if (left.x == UNUSED_CODE) distinct[0] = rank.x;
  if (left.y == UNUSED_CODE) distinct[1] = rank.y;
  if (left.z == UNUSED_CODE) distinct[2] = rank.z;
  barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
