// memory_floor.cl — reads every byte of the source once and writes as many bytes of blocks as BC1 does, and computes next
// to nothing: what a kernel's time is measured against.
//   work-group   any, one-dimensional; one item a block of 4x4 texels
//   in   source  as place_source lays it out; rows are multiples of 64 bytes
//   out  blocks  uint2 an item; they mean nothing
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
