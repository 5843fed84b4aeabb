// complexity.cl — estimates the complexity of a lossy stream's tiles, as codec/compact/rate/complexity.cpp does.
//   work-group   SEARCH_ITEMS items for each tile; global = tiles times SEARCH_ITEMS
//   in   source, previous, reference   planes of the first component, each of this frame, the previous one, and the
//                                      reference frame
//        global_vectors                global_count motion vectors of the frame, in pixels
//   both tiles                         one for each work-group
//   local partial                      int[SEARCH_ITEMS]
//   exactness    integer; equals the CPU's result on every device
#include "compact/half_pel_sad.cl"

// The sum of `own` over all items, which must call this together.
static int sum_of(int own, local int *partial) {
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[get_local_id(0)] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int i = 0; i < SEARCH_ITEMS; ++i) sum += partial[i];
  return sum;
}
static bool is_inside(const partition_view *a, int2 v) {
  return a->x + v.x >= 0 && a->y + v.y >= 0 && a->x + v.x + a->width <= 4 * a->columns &&
         a->y + v.y + a->height <= a->rows;
}

kernel __attribute__((reqd_work_group_size(SEARCH_ITEMS, 1, 1)))
void estimate_complexity(const texcast_component c, global texcast_lossy_complexity *tiles, global const uint *source,
                         global const uint *previous, global const uint *reference, const int8 global_vectors,
                         int global_count, local int *partial) {
  global texcast_lossy_complexity *tile = tiles + get_group_id(0);
  const int item = (int)get_local_id(0);
  const int2 origin = tile_origin(&c, (uint)tile->tile);
  const int width = 4 * min(c.blocks_x - origin.x, c.tile_columns),
            height = 4 * min(c.blocks_y - origin.y, c.tile_rows);
  const int x0 = 4 * origin.x, y0 = 4 * origin.y;
  // Intra complexity: differences of pixels from their left and upper neighbours.
  int own = 0;
  for (int j = item; j < height; j += SEARCH_ITEMS) {
    global const uchar *row = (global const uchar *)(source + (y0 + j) * c.blocks_x) + x0;
    for (int i = 0; i < width; ++i) {
      if (i > 0) own += (int)abs_diff((int)row[i], (int)row[i - 1]);
      if (j > 0) own += (int)abs_diff((int)row[i], (int)row[i - 4 * c.blocks_x]);
    }
  }
  const uint least_of_pixels = (uint)(width * height) / 16;
  const uint intra = least_of_pixels + (uint)sum_of(own, partial) / 2;
  // Inter complexity: the vectors, and whether the content is new, depend on the SADs with the previous source. The
  // estimate depends on those with the reference frame at these vectors.
  uint previous_sad = 0, inter = 0;
  const bool is_compared = tile->intra == 0;
  for (int y = 0; y < height && is_compared; y += 16) {
    for (int x = 0; x < width; x += 16) {
      const int number = y / 16 * 4 + x / 16;
      partition_view a = {source, previous, c.blocks_x,         4 * c.blocks_y,
                          x0 + x, y0 + y,   min(16, width - x), min(16, height - y)};
      const int which = item / (SEARCH_ITEMS / MOST_VECTORS);
      const int2 previous_vector = (int2)(tile->previous_vectors[2 * number], tile->previous_vectors[2 * number + 1]);
      const int2 candidate = (int2)(tile->vectors[0], tile->vectors[1]);
      const int2 vectors[7] = {(int2)(0, 0),       previous_vector,    candidate,         global_vectors.s01,
                               global_vectors.s23, global_vectors.s45, global_vectors.s67};
      int sums[MOST_VECTORS];
      find_sads(&a, 2 * vectors[min(which, 6)], MOST_VECTORS, partial, sums);
      int2 best = vectors[0];
      int least = sums[0];
      for (int i = 1; i < 3 + global_count; ++i) {
        if (!is_inside(&a, vectors[i]) || sums[i] >= least) continue;
        least = sums[i];
        best = vectors[i];
      }
      previous_sad += (uint)least;
      a.reference = reference;
      inter += (uint)sum_of(sad_of_rows(&a, 2 * best, item, SEARCH_ITEMS), partial);
    }
  }
  if (item > 0) return;
  const bool is_new_content = is_compared && 2 * (ulong)previous_sad >= intra;
  tile->estimate = is_compared && !is_new_content ? least_of_pixels + min(intra, inter) : intra;
  tile->is_new_content = is_new_content ? 1 : 0;
}
