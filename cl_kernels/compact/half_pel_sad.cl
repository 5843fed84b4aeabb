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

// Sixteen texels of a row and the one after them, in whole numbers of four: from the one with byte `x` on. Beyond the
// row its last number is repeated.
typedef struct row_numbers {
  uint number[5];
  int shift;  // of byte `x` in the first number, in bits
} row_numbers;
static void load_numbers(row_numbers *r, global const uint *row, int columns, int x) {
#pragma unroll
  for (int i = 0; i < 5; ++i) r->number[i] = row[min((x >> 2) + i, columns - 1)];
  r->shift = 8 * (x & 3);
}
// Four texels from byte 4 * i on, or from the one after it.
static uint texels_at(const row_numbers *r, int i, int after) {
  return (uint)(((ulong)r->number[i + 1] << 32 | r->number[i]) >> (r->shift + 8 * after));
}

// The SAD of a row of a partition, at most 16 texels, and the reference frame between whole pixels, all of which exist.
static int sad_inside(const partition_view *a, int x, int y, int right, int down, global const uint *source) {
  row_numbers upper, lower;
  load_numbers(&upper, a->reference + y * a->columns, a->columns, x);
  if (down != 0) load_numbers(&lower, a->reference + (y + 1) * a->columns, a->columns, x);
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (4 * i >= a->width) continue;
    uint texels = texels_at(&upper, i, 0);
    if (right != 0) texels = mean_of_bytes(texels, texels_at(&upper, i, 1));
    if (down != 0) {
      uint below = texels_at(&lower, i, 0);
      if (right != 0) below = mean_of_bytes(below, texels_at(&lower, i, 1));
      texels = mean_of_bytes(texels, below);
    }
    sum += sad_of_four(source[i], texels);
  }
  return sum;
}

// The SAD of some rows of a partition and the reference frame at a vector in half pixels.
static int sad_of_rows(const partition_view *a, int2 v, int first_row, int step) {
  const int tx = a->x + (v.x >> 1), ty = a->y + (v.y >> 1), right = v.x & 1, down = v.y & 1;
  const bool inside = tx >= 0 && ty >= 0 && tx + right + a->width <= 4 * a->columns && ty + down + a->height <= a->rows;
  int sum = 0;
  for (int j = first_row; j < a->height; j += step) {
    global const uint *source = a->source + (a->y + j) * a->columns + a->x / 4;
    if (inside) {
      sum += sad_inside(a, tx, ty + j, right, down, source);
    } else {
      for (int i = 0; i < a->width; ++i)
        sum += (int)abs_diff((int)((global const uchar *)source)[i],
                             texel_between((global const uchar *)a->reference, a, tx + i, ty + j, right, down));
    }
  }
  return sum;
}

#include "compact/sad.cl"
