// half_search.cl — motion search in half pixels for the partitions of a lossy stream's tiles, as
// search_half_pel_vectors() in codec/compact/motion/motion_search.cpp, and the partitions' lambda weights, as
// codec/compact/rate/adaptive_quantisation.cpp.
//   work-group   SEARCH_ITEMS items for each tile; global = tiles times SEARCH_ITEMS
//   in   now, then   planes of the first component: the source, and the reference frame
//        given       the previous source
//        votes       vote_count motion vectors of the frame, in pixels
//   both tiles       from `first` on: vectors of the previous frame, then those of this one; lambda weights
//   local areas      int2[16]; partial: int[SEARCH_ITEMS]
//   exactness        integer; equals the CPU's result on every device
#include "compact/halves.cl"

// 1024 ((k - 1/2) / 16)^(10 / 3), for k = 17 to 32: the errors from which on the weight is k.
constant int part_thresholds[16] = {1135, 1380, 1661, 1980, 2339, 2742, 3190, 3688,
                                    4238, 4842, 5505, 6228, 7015, 7870, 8795, 9793};
// The lambda weight of a partition, by its squared difference from the previous source at the vector.
static int part_of(const area *a, global const uchar *given, int2 v, int lambda, local int *partial) {
  const int item = (int)get_local_id(0), right = v.x & 1, down = v.y & 1;
  global const uchar *now = (global const uchar *)a->now;
  const int last_x = 4 * a->columns - 1, last_y = a->rows - 1;
  int squares = 0;
  for (int at = item; at < a->width * a->height; at += SEARCH_ITEMS) {
    const int j = at / a->width, i = at - j * a->width;
    const int x = a->x + i + (v.x >> 1), y = a->y + j + (v.y >> 1);
    const int here = given[clamp(y, 0, last_y) * 4 * a->columns + clamp(x, 0, last_x)];
    const int beside = given[clamp(y + down, 0, last_y) * 4 * a->columns + clamp(x + right, 0, last_x)];
    const int off = ((here + beside + 1) >> 1) - now[(a->y + j) * 4 * a->columns + a->x + i];
    squares += off * off;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[item] = squares;
  barrier(CLK_LOCAL_MEM_FENCE);
  long all = 0;
  for (int i = 0; i < SEARCH_ITEMS; ++i) all += partial[i];
  const long off = 1024 * 96 * all / ((long)lambda * a->width * a->height) + 205;
  int part = 16;
  for (int k = 0; k < 16; ++k) part += off >= part_thresholds[k] ? 1 : 0;
  return part;
}

kernel __attribute__((reqd_work_group_size(SEARCH_ITEMS, 1, 1)))
void search_halves(const texcast_component c, global texcast_lossy_tile *tiles, int first, global const uint *now,
                   global const uint *then, global const uint *given, const int8 votes, int vote_count,
                   local int2 *areas, local int *partial) {
  local int2 *vectors = areas, *old = areas + 8;
  global texcast_lossy_tile *tile = tiles + first + get_group_id(0);
  const int item = (int)get_local_id(0), price = tile->vector_price;
  const bool alone = tile->alone != 0;
  if (item < 8) {
    old[item] = (int2)(tile->vectors[2 * item], tile->vectors[2 * item + 1]);
    vectors[item] = (int2)(0, 0);
  }
  const int2 origin = tile_origin(&c, (uint)tile->tile);
  const int columns = min(c.blocks_x - origin.x, c.tile_columns), rows = min(c.blocks_y - origin.y, c.tile_rows);
  const int2 by_itself = (int2)(2 * tile->own[0], 2 * tile->own[1]);
  area a = {now, then, c.blocks_x, 4 * c.blocks_y, 0, 0, 0, 0};
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read the previous vectors
  if (item < 8) tile->lambda_parts[item] = 16;
  for (int y = 0; y < rows && !alone; y += 4) {
    for (int x = 0; x < columns; x += 4) {
      const int place = y + x / 4;
      a.x = (origin.x + x) * 4;
      a.y = (origin.y + y) * 4;
      a.width = min(4, columns - x) * 4;
      a.height = min(4, rows - y) * 4;
      found best = {(int2)(0, 0), 0};
      if ((tile->changed_areas >> place & 1) != 0) {
        // Candidates: vectors of neighbours, of the tile, of the frame, and of this partition in the previous frame.
        int looks[MOST_LOOKS];
        const int which = item / (SEARCH_ITEMS / MOST_LOOKS);
        const int2 left = x > 0 ? vectors[max(place - 1, 0)] : (int2)(0, 0);
        const int2 above = y > 0 ? vectors[max(place - 4, 0)] : (int2)(0, 0);
        const bool has_corner = y > 0 && x + 4 < columns;
        const int2 corner = has_corner ? vectors[max(place - 3, 0)] : (int2)(0, 0);
        const int2 mine = which == 1   ? left
                          : which == 2 ? above
                          : which == 3 ? by_itself
                          : which == 4 ? 2 * votes.s01
                          : which == 5 ? 2 * votes.s23
                          : which == 6 ? 2 * votes.s45
                          : which == 7 ? 2 * votes.s67
                                       : (int2)(0, 0);
        look_at(&a, mine, MOST_LOOKS, partial, looks);
        best.least = looks[0] - price;
        if (x > 0) take(&best, left, looks[1], price);
        if (y > 0) take(&best, above, looks[2], price);
        if (by_itself.x != 0 || by_itself.y != 0) take(&best, by_itself, looks[3], 3 * price);
        if (vote_count > 0) take(&best, 2 * votes.s01, looks[4], 3 * price);
        if (vote_count > 1) take(&best, 2 * votes.s23, looks[5], 3 * price);
        if (vote_count > 2) take(&best, 2 * votes.s45, looks[6], 3 * price);
        if (vote_count > 3) take(&best, 2 * votes.s67, looks[7], 3 * price);
        look_at(&a, item < SEARCH_ITEMS / 2 ? old[place] : corner, 2, partial, looks);
        take(&best, old[place], looks[0], 3 * price);
        if (has_corner) take(&best, corner, looks[1], 3 * price);
        // A local search from the best one, in smaller and smaller steps.
        for (int step = 16; step >= 2; step /= 2) {
          for (int tries = 0; tries < 4; ++tries) {
            const int2 from = (int2)(best.v.x & ~1, best.v.y & ~1);
            const int direction = item / (SEARCH_ITEMS / 4), d = (direction & 1) != 0 ? step : -step;
            look_at(&a, from + (direction < 2 ? (int2)(d, 0) : (int2)(0, d)), 4, partial, looks);
            bool better = take(&best, from + (int2)(-step, 0), looks[0], 4 * price);
            better |= take(&best, from + (int2)(step, 0), looks[1], 4 * price);
            better |= take(&best, from + (int2)(0, -step), looks[2], 4 * price);
            better |= take(&best, from + (int2)(0, step), looks[3], 4 * price);
            if (!better) break;
          }
        }
        // The eight half-pixel positions around the best one.
        const int2 from = best.v;
        const int around = which < 4 ? which : which + 1;
        look_at(&a, from + (int2)(around % 3 - 1, around / 3 - 1), MOST_LOOKS, partial, looks);
        for (int i = 0; i < MOST_LOOKS; ++i) {
          const int at = i < 4 ? i : i + 1;
          take(&best, from + (int2)(at % 3 - 1, at / 3 - 1), looks[i], 5 * price);
        }
      }
      // Screen content usually remains, even if the previous frame did not predict it. Its weight is 1.
      const bool is_screen = tile->content == TEXCAST_SCREEN;
      const int part =
          is_screen ? 16 : part_of(&a, (global const uchar *)given, best.v, tile->lambda, partial);
      if (item == 0) {
        vectors[place] = best.v;
        tile->lambda_parts[place] = (uchar)part;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  if (item < 8) {
    tile->vectors[2 * item] = vectors[item].x;
    tile->vectors[2 * item + 1] = vectors[item].y;
  }
}
