// transform_samples.cl — where samples lie in memory (docs/compact.md, "Samples"). Functions without kernels. Numbers
// count 4 bytes, which are four samples beside each other.
//   defines      CHANNEL=1
//
// Planes are as SampleLayout in sample_planes.h of codec/compact/transform has them: those of the components one directly
// after the other, row by row, with blocks_x numbers in a row.
//
// Padded planes are those of the reference frame, for motion search and prediction. Each has more blocks of 4x4 samples,
// which repeat the edge: two on the left and on the right, one above and below. Six taps reach three samples, so that
// the outermost block has the same value in a row everywhere, and rows beyond the plane are as its outermost ones:
// coordinates may be limited to it. Six of them follow each other: luma at half pixels (bit 0 across, bit 1 down), Co
// and Cg.
#include "compact/sub_block_index.cl"
#include "compact/transform_blocks.cl"

// The beginning of a component's plane.
static int first_of_plane(global const texcast_lossy_component *components, int number) {
  int first = 0;
  for (int i = 0; i < number; ++i) first += 4 * components[i].component.blocks_x * components[i].component.blocks_y;
  return first;
}
// The samples of a sub-block.
static uint4 load_samples(global const uint *plane, int blocks_x, int x, int y) {
  global const uint *from = plane + 4 * y * blocks_x + x;
  return (uint4)(from[0], from[blocks_x], from[2 * blocks_x], from[3 * blocks_x]);
}
static void store_samples(global uint *plane, int blocks_x, int x, int y, uint4 samples) {
  global uint *to = plane + 4 * y * blocks_x + x;
  to[0] = samples.x;
  to[blocks_x] = samples.y;
  to[2 * blocks_x] = samples.z;
  to[3 * blocks_x] = samples.w;
}

// The numbers in a row of a padded plane, and its rows.
static int padded_columns(const texcast_component *c) { return c->blocks_x + 4; }
static int padded_rows(const texcast_component *c) { return 4 * (c->blocks_y + 2); }
// The beginning of a component's padded plane; luma's at whole pixels.
static int first_of_padded(global const texcast_lossy_component *components, int number) {
  int first = 0;
  for (int i = 0; i < number; ++i) {
    const texcast_component c = components[i].component;
    first += (i == 0 ? 4 : 1) * padded_columns(&c) * padded_rows(&c);
  }
  return first;
}
