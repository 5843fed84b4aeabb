// half_pel_sad.cl — the SAD of a partition and the reference frame at a vector in half pixels, as in
// codec/compact/motion/motion_search.cpp.
#include "compact/partition.cl"

// The mean of each of four bytes, rounded up.
static uint mean_of_bytes(uint a, uint b) { return (a | b) - ((a ^ b) >> 1 & 0x7F7F7F7Fu); }
// A texel at a half-pixel position, or a whole one. Texels at the edge are repeated outside.
static int texel_between(global const uchar *plane, const partition_view *a, int x, int y, int right, int down) {
  const int last_x = 4 * a->columns - 1, last_y = a->rows - 1;
  const int x0 = clamp(x, 0, last_x), x1 = clamp(x + right, 0, last_x);
  global const uchar *upper = plane + clamp(y, 0, last_y) * 4 * a->columns;
  global const uchar *lower = plane + clamp(y + down, 0, last_y) * 4 * a->columns;
  if (right + down < 2) return (upper[x0] + lower[x1] + 1) >> 1;
  return (((upper[x0] + upper[x1] + 1) >> 1) + ((lower[x0] + lower[x1] + 1) >> 1) + 1) >> 1;
}

// The SAD of some rows of a partition and the reference frame at a vector in half pixels.
static int sad_of_rows(const partition_view *a, int2 v, int first_row, int step) {
  const int tx = a->x + (v.x >> 1), ty = a->y + (v.y >> 1), right = v.x & 1, down = v.y & 1;
  const bool inside = tx >= 0 && ty >= 0 && tx + right + a->width <= 4 * a->columns && ty + down + a->height <= a->rows;
  int sum = 0;
  for (int j = first_row; j < a->height; j += step) {
    global const uint *source = a->source + (a->y + j) * a->columns + a->x / 4;
    if (inside) {
      global const uint *upper = a->reference + (ty + j) * a->columns, *lower = upper + down * a->columns;
      for (int i = 0; i < a->width / 4; ++i) {
        const int x = tx + 4 * i;
        uint texels = four_texels(upper, x);
        if (right + down == 1) texels = mean_of_bytes(texels, four_texels(lower, x + right));
        if (right + down == 2)
          texels = mean_of_bytes(mean_of_bytes(texels, four_texels(upper, x + 1)),
                                 mean_of_bytes(four_texels(lower, x), four_texels(lower, x + 1)));
        sum += sad_of_four(source[i], texels);
      }
    } else {
      for (int i = 0; i < a->width; ++i)
        sum += (int)abs_diff((int)((global const uchar *)source)[i],
                             texel_between((global const uchar *)a->reference, a, tx + i, ty + j, right, down));
    }
  }
  return sum;
}

#include "compact/sad.cl"
