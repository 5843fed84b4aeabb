// texels.cl — shared by the decoders of blocks: the item's block, and the position of its texels in the frame.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   blocks       of BLOCK_WIDTH x BLOCK_HEIGHT texels
//   out  frame   uchar4[height][stride / 4], R G B A: a frame as read by common/load.cl. Rows below the picture are not
//                written. Columns right of it are, up to the width of a 4 x 4 block: strides are multiples of 64
//   exactness    integer; the results of decode/*.cl equal those of codec/ref bit for bit on every device
#include "include/kernels/layout.h"

static uint texel_of(int r, int g, int b, int a) { return (uint)(r | g << 8 | b << 16) | (uint)(a) << 24; }
static uint opaque_texel(int r, int g, int b) { return texel_of(r, g, b, 255); }

// The item's block in raster order, and the position of its first texel in the frame.
static bool own_texels(const texcast_decoded *t, int *block, int *x, int *y) {
  *block = get_global_id(0);
  if (*block >= t->blocks_x * t->blocks_y) return false;
  const int row = *block / t->blocks_x;
  *x = BLOCK_WIDTH * (*block - row * t->blocks_x);
  *y = BLOCK_HEIGHT * row;
  return true;
}

static void put_texels(global uchar *frame, const texcast_decoded *t, int x, int y, uint4 texels) {
  if (y < t->height) *(global uint4 *)(frame + y * t->stride + 4 * x) = texels;
}

// One of four texels by the low two bits.
static uint one_of(uint4 texels, uint index) {
  const uint even = index & 2 ? texels.z : texels.x, odd = index & 2 ? texels.w : texels.y;
  return index & 1 ? odd : even;
}
