// finish.cl — the second of two kernels that encode ASTC blocks: fits what the first one chose, and writes the best.
//   in         source, as in common/load.cl · tables, as in include/kernels/astc.h · blocks, written by astc/choices.cl
//   out        16 bytes per block
//   items      one per block
//   defines    GROUP_ITEMS: items of a work-group · DEAL_BLOCKS=1: they take its blocks by the kind of their choice, at
//              GROUP_ITEMS x BLOCKS_EACH x 4 bytes of local memory · BLOCKS_EACH: how many blocks each item then takes,
//              so that more of them are sorted; the last work-groups have none
//   exactness  defined float order, equals codec/ref/astc/astc_encode.cpp
//
// Neighbours on a GPU do what any of them has to: a channel apart takes a second plane of weights, a coarse grid
// two products of matrices, two partitions a second pair of end points. So blocks of one kind are dealt to neighbours.
#include "astc/flat.cl"
#include "astc/handed_over.cl"
#include "astc/write.cl"

#ifndef GROUP_ITEMS
#define GROUP_ITEMS 64
#endif
#ifndef DEAL_BLOCKS
#define DEAL_BLOCKS 1
#endif

#ifndef BLOCKS_EACH
#define BLOCKS_EACH 1
#endif

#if DEAL_BLOCKS
#define GROUPS_OF_BLOCKS 5  // the last one has nothing to do

static int group_of(astc_tables tables, uint choice) {
  const int kind = kind_of(choice);
  if (choice == FLAT_BLOCK) return GROUPS_OF_BLOCKS - 1;
  if (kind != TEXCAST_ASTC_DUAL) return has_two_partitions(kind) ? 1 : 0;
  const uint word = tables[TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * (choice >> 13 & 0xFFF)];
  return word >> 16 == (SIDE | SIDE << 8) ? 2 : 3;
}

// Counting sort of a work-group's GROUP_ITEMS * BLOCKS_EACH blocks by their groups. `order` has the local number of each,
// above three bits for its group. The order within a group varies, which changes no block.
static void deal(const int *groups, local int *counts, local uint *order) {
  const int item = get_local_id(0);
  int places[BLOCKS_EACH];
  for (int i = item; i < GROUPS_OF_BLOCKS; i += GROUP_ITEMS) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < BLOCKS_EACH; ++i) places[i] = atomic_inc(&counts[groups[i]]);
  // Every item has read its blocks, which others will write.
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int i = 0; i < BLOCKS_EACH; ++i) {
    int place = places[i];
    for (int before = 0; before < GROUPS_OF_BLOCKS - 1; ++before)
      if (before < groups[i]) place += counts[before];
    order[place] = (uint)(GROUP_ITEMS * i + item) << 3 | (uint)groups[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

static void finish_block(SOURCE source, const texcast_source *s, int bx, int by, astc_tables tables,
                         global uint4 *out) {
  astc_texels x;
  float4 flat;
  load_texels(source, s, SIDE * bx, SIDE * by, &x, &flat);
  astc_moments all;
  moments_of_block(&x, &all);
  const uint4 words = *out;
  astc_fitted best;
  best.error = UNKNOWN;
#if KEPT == 1
  astc_decoded ends;
  fit(&x, &all, tables, taken_over(&x, words, &ends), &ends, &best);
#else
#pragma unroll 1
  for (int n = 0; n < KEPT; ++n) {
    const uint choice = n == 0 ? words.x : n == 1 ? words.y : n == 2 ? words.z : words.w;
    if (choice == NO_CHOICE) break;
    fit_along_lines(&x, &all, tables, choice, &best);
  }
#endif
  *out = write_block(tables, &best);
}

kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void astc_finish(SOURCE source, global uint4 *blocks, const texcast_source s, const texcast_target t,
                 astc_tables tables CHANGED_TILES) {
  int bx, by;
#if DEAL_BLOCKS
  local int counts[GROUPS_OF_BLOCKS];
  local uint order[GROUP_ITEMS * BLOCKS_EACH];
  int groups[BLOCKS_EACH];
  // The last groups have nothing to do if items take several blocks.
  const int begin = (int)get_global_offset(0), first = begin + (int)get_group_id(0) * (GROUP_ITEMS * BLOCKS_EACH);
  const int end = min(begin + (int)get_global_size(0), t.blocks_x * t.blocks_y);
  if (first >= end) return;
  for (int i = 0; i < BLOCKS_EACH; ++i) {
    const int block = first + GROUP_ITEMS * i + (int)get_local_id(0);
    groups[i] = GROUPS_OF_BLOCKS - 1;
    if (block >= end) continue;
    block_at(&t, block, &bx, &by);
    if (IN_CHANGED_TILE(&t, bx, by)) groups[i] = group_of(tables, blocks[place_of(&t, block)].x);
  }
  deal(groups, counts, order);
#pragma unroll 1
  for (int i = 0; i < BLOCKS_EACH; ++i) {
    const uint dealt = order[GROUP_ITEMS * i + (int)get_local_id(0)];
    const int block = first + (int)(dealt >> 3);
    if ((dealt & 7) == GROUPS_OF_BLOCKS - 1) continue;
    block_at(&t, block, &bx, &by);
    finish_block(source, &s, bx, by, tables, blocks + place_of(&t, block));
  }
#else
  int block;
  if (!own_block(&t, &block, &bx, &by)) return;
  SKIP_UNCHANGED(&t);
  if (blocks[place_of(&t, block)].x == FLAT_BLOCK) return;
  finish_block(source, &s, bx, by, tables, blocks + place_of(&t, block));
#endif
}
