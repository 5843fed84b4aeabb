// memory_floor.cl — reads the same bytes of the source and writes the same bytes of blocks as an encoder does, and
// computes next to nothing: what a kernel's time is measured against.
//   work-group   any, one-dimensional; one item a block of 4x4 texels, as the 16-wide kernels
//   in   source  as load.cl says
//   out  blocks  uint2 an item
kernel void memory_floor(SOURCE source, global uint2 *blocks, const texcast_source s,
                         const texcast_target t) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  blocks[block] = (uint2)((uint)sum16(p.r ^ p.g), (uint)sum16(p.b));
}
