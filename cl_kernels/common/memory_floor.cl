// memory_floor.cl — reads every byte of the source once, writes as many bytes as BC1's blocks have, and computes almost
// nothing: the lower bound with which kernel times are compared.
//   work-group   any, one-dimensional; one item per block of 4x4 texels
//   in   source  in the layout of place_source; rows are multiples of 64 bytes
//   out  blocks  uint2 per item; they mean nothing
#include "include/kernels/layout.h"

kernel void memory_floor(global const uint *source, global uint2 *blocks, const texcast_source s,
                         const texcast_target t) {
  const int block = get_global_id(0), count = t.blocks_x * t.blocks_y;
  if (block >= count) return;
  const int words = s.bytes / 4;
  uint2 sum = (uint2)(0u);
  for (int i = block; i < words; i += 2 * count) {
    sum.x ^= source[i];
    if (i + count < words) sum.y ^= source[i + count];
  }
  blocks[block] = sum;
}
