// half_pel_search.cl — motion search in half pixels for the partitions of a lossy stream's tiles, as
// search_half_pel_vectors() in codec/compact/motion/motion_search.cpp, and the partitions' lambda weights, as
// codec/compact/rate/adaptive_quantisation.cpp.
//   work-group   SEARCH_ITEMS items for each tile; global = tiles times SEARCH_ITEMS
//   in   source, reference   planes of the first component: the source, and the reference frame
//        previous            the previous source
//        matched             uint[tile number][8]: a candidate for each partition, in pixels (window_index.cl)
//        global_vectors      global_count motion vectors of the frame, in pixels
//   both tiles               from `first` on: vectors of the previous frame, then those of this one; lambda weights
//   local vector_memory      int2[16]; partial: int[SEARCH_ITEMS]
//   exactness    integer; equals the CPU's result on every device
#include "compact/half_pel_sad.cl"

#define MATCHED_COST 24  // no other partition has the vector; with less, films need more bits

// 1024 ((k - 1/2) / 16)^(10 / 3), for k = 17 to 32: the errors from which on the weight is k.
constant int weight_thresholds[16] = {1135, 1380, 1661, 1980, 2339, 2742, 3190, 3688,
                                      4238, 4842, 5505, 6228, 7015, 7870, 8795, 9793};
// The lambda weight of a partition, by its squared difference from the previous source at the vector.
static int lambda_weight(const partition_view *a, global const uchar *previous, int2 v, int lambda,
                         local int *partial) {
  const int item = (int)get_local_id(0), right = v.x & 1, down = v.y & 1;
  global const uchar *source = (global const uchar *)a->source;
  const int last_x = 4 * a->columns - 1, last_y = a->rows - 1;
  int squares = 0;
  for (int at = item; at < a->width * a->height; at += SEARCH_ITEMS) {
    const int j = at / a->width, i = at - j * a->width;
    const int x = a->x + i + (v.x >> 1), y = a->y + j + (v.y >> 1);
    const int here = previous[clamp(y, 0, last_y) * 4 * a->columns + clamp(x, 0, last_x)];
    const int beside = previous[clamp(y + down, 0, last_y) * 4 * a->columns + clamp(x + right, 0, last_x)];
    const int off = ((here + beside + 1) >> 1) - source[(a->y + j) * 4 * a->columns + a->x + i];
    squares += off * off;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[item] = squares;
  barrier(CLK_LOCAL_MEM_FENCE);
  long all = 0;
  for (int i = 0; i < SEARCH_ITEMS; ++i) all += partial[i];
  const long off = 1024 * 96 * all / ((long)lambda * a->width * a->height) + 205;
  int weight = 16;
  for (int k = 0; k < 16; ++k) weight += off >= weight_thresholds[k] ? 1 : 0;
  return weight;
}

kernel __attribute__((reqd_work_group_size(SEARCH_ITEMS, 1, 1)))
void search_half_pel(const texcast_component c, global texcast_lossy_tile *tiles, int first, global const uint *source,
                     global const uint *reference, global const uint *previous, global const uint *matched,
                     const int8 global_vectors, int global_count, local int2 *vector_memory, local int *partial) {
  local int2 *vectors = vector_memory, *old = vector_memory + 8;
  global texcast_lossy_tile *tile = tiles + first + get_group_id(0);
  const int item = (int)get_local_id(0), bit_cost = tile->vector_cost;
  const bool intra = tile->intra != 0;
  if (item < 8) {
    old[item] = (int2)(tile->vectors[2 * item], tile->vectors[2 * item + 1]);
    vectors[item] = (int2)(0, 0);
    tile->lambda_weights[item] = 16;
  }
  const int2 origin = tile_origin(&c, (uint)tile->tile);
  const int columns = min(c.blocks_x - origin.x, c.tile_columns), rows = min(c.blocks_y - origin.y, c.tile_rows);
  const int2 own_candidate = (int2)(2 * tile->own[0], 2 * tile->own[1]);
  partition_view a = {source, reference, c.blocks_x, 4 * c.blocks_y, 0, 0, 0, 0};
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read the previous vectors
  for (int y = 0; y < rows && !intra; y += 4) {
    for (int x = 0; x < columns; x += 4) {
      const int number = y + x / 4;
      a.x = (origin.x + x) * 4;
      a.y = (origin.y + y) * 4;
      a.width = min(4, columns - x) * 4;
      a.height = min(4, rows - y) * 4;
      found best = {(int2)(0, 0), 0};
      if ((tile->changed_partitions >> number & 1) != 0) {
        // Candidates: vectors of neighbours, of the tile, of the frame, and of this partition in the previous frame.
        int sads[MOST_VECTORS];
        const int which = item / (SEARCH_ITEMS / MOST_VECTORS);
        const int2 left = x > 0 ? vectors[max(number - 1, 0)] : (int2)(0, 0);
        const int2 above = y > 0 ? vectors[max(number - 4, 0)] : (int2)(0, 0);
        const bool has_corner = y > 0 && x + 4 < columns;
        const int2 corner = has_corner ? vectors[max(number - 3, 0)] : (int2)(0, 0);
        const int2 mine = which == 1   ? left
                          : which == 2 ? above
                          : which == 3 ? own_candidate
                          : which == 4 ? 2 * global_vectors.s01
                          : which == 5 ? 2 * global_vectors.s23
                          : which == 6 ? 2 * global_vectors.s45
                          : which == 7 ? 2 * global_vectors.s67
                                       : (int2)(0, 0);
        find_sads(&a, mine, MOST_VECTORS, partial, sads);
        best.least = sads[0] - bit_cost;
        if (x > 0) take(&best, left, sads[1], bit_cost);
        if (y > 0) take(&best, above, sads[2], bit_cost);
        if (own_candidate.x != 0 || own_candidate.y != 0) take(&best, own_candidate, sads[3], 3 * bit_cost);
        if (global_count > 0) take(&best, 2 * global_vectors.s01, sads[4], 3 * bit_cost);
        if (global_count > 1) take(&best, 2 * global_vectors.s23, sads[5], 3 * bit_cost);
        if (global_count > 2) take(&best, 2 * global_vectors.s45, sads[6], 3 * bit_cost);
        if (global_count > 3) take(&best, 2 * global_vectors.s67, sads[7], 3 * bit_cost);
        const int2 match = 2 * unpack_vector(matched[8 * tile->tile + number]);
        const int quarter = item / (SEARCH_ITEMS / 4);
        find_sads(&a, quarter == 1 ? corner : quarter == 2 ? match : old[number], 4, partial, sads);
        take(&best, old[number], sads[0], 3 * bit_cost);
        if (has_corner) take(&best, corner, sads[1], 3 * bit_cost);
        if (match.x != 0 || match.y != 0) take(&best, match, sads[2], MATCHED_COST * bit_cost);
        // A local search from the best one, in smaller and smaller steps.
        for (int step = 16; step >= 2; step /= 2) {
          for (int tries = 0; tries < 4; ++tries) {
            const int2 from = (int2)(best.v.x & ~1, best.v.y & ~1);
            const int direction = item / (SEARCH_ITEMS / 4), d = (direction & 1) != 0 ? step : -step;
            find_sads(&a, from + (direction < 2 ? (int2)(d, 0) : (int2)(0, d)), 4, partial, sads);
            bool better = take(&best, from + (int2)(-step, 0), sads[0], 4 * bit_cost);
            better |= take(&best, from + (int2)(step, 0), sads[1], 4 * bit_cost);
            better |= take(&best, from + (int2)(0, -step), sads[2], 4 * bit_cost);
            better |= take(&best, from + (int2)(0, step), sads[3], 4 * bit_cost);
            if (!better) break;
          }
        }
        // The eight half-pixel positions around the best one.
        const int2 from = best.v;
        const int around = which < 4 ? which : which + 1;
        find_sads(&a, from + (int2)(around % 3 - 1, around / 3 - 1), MOST_VECTORS, partial, sads);
        for (int i = 0; i < MOST_VECTORS; ++i) {
          const int at = i < 4 ? i : i + 1;
          take(&best, from + (int2)(at % 3 - 1, at / 3 - 1), sads[i], 5 * bit_cost);
        }
      }
      const int weight = tile->adapts_lambda == 0
                             ? 16
                             : lambda_weight(&a, (global const uchar *)previous, best.v, tile->lambda, partial);
      if (item == 0) {
        vectors[number] = best.v;
        tile->lambda_weights[number] = (uchar)weight;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  if (item < 8) {
    tile->vectors[2 * item] = vectors[item].x;
    tile->vectors[2 * item + 1] = vectors[item].y;
  }
}
