// transform_blocks_check.cl — kernels that only tests run (tests/kernels/transform_check.cpp): each gives the results of
// functions of transform_blocks.cl.
//   defines      CHANNEL=1
//   exactness    integer; equals codec/compact/transform bit for bit on every device
#include "compact/transform_blocks.cl"

// One work-item for each block.
kernel void check_fits(global const uint4 *wanted, global ulong *sub_blocks, global uint4 *texels) {
  const size_t at = get_global_id(0);
  uint4 fitted;
  sub_blocks[at] = fit_block(wanted[at], &fitted);
  texels[at] = fitted;
}

// One work-item for each sub-block. `texels`: all of them at once; `single_texels`: one by one.
kernel void check_texels(global const ulong *sub_blocks, global uint4 *texels, global uint4 *single_texels) {
  const size_t at = get_global_id(0);
  const ulong value = sub_blocks[at];
  texels[at] = nearest_texels(value);
  int16 single;
  single.lo.lo = (int4)((int)nearest_texel(value, 0), (int)nearest_texel(value, 1), (int)nearest_texel(value, 2),
                        (int)nearest_texel(value, 3));
  single.lo.hi = (int4)((int)nearest_texel(value, 4), (int)nearest_texel(value, 5), (int)nearest_texel(value, 6),
                        (int)nearest_texel(value, 7));
  single.hi.lo = (int4)((int)nearest_texel(value, 8), (int)nearest_texel(value, 9), (int)nearest_texel(value, 10),
                        (int)nearest_texel(value, 11));
  single.hi.hi = (int4)((int)nearest_texel(value, 12), (int)nearest_texel(value, 13), (int)nearest_texel(value, 14),
                        (int)nearest_texel(value, 15));
  single_texels[at] = packed_texels(single);
}

// A group of eight work-items for each block. `given`: levels and then residuals of each block. `results`: residuals and
// then coefficients. `memory`: TRANSFORM_AREA numbers.
kernel __attribute__((reqd_work_group_size(TRANSFORM_SIDE, 1, 1)))
void check_transforms(global const short *given, global const int *quantisers, global short *results,
                      local int *memory) {
  const int i = (int)get_local_id(0), first = (int)get_group_id(0) * 128;
  const int step = transform_step(quantisers[get_group_id(0)]);
  for (int k = 0; k < 8; ++k) memory[TRANSFORM_ROW * k + i] = dequantised(given[first + 8 * k + i], step);
  store_eight(memory + i, TRANSFORM_ROW,
              inverse_eight(load_eight(memory + i, TRANSFORM_ROW), TRANSFORM_FIRST_SHIFT));
  barrier(CLK_LOCAL_MEM_FENCE);
  int8 row = inverse_eight(load_eight(memory + TRANSFORM_ROW * i, 1), TRANSFORM_SECOND_SHIFT);
  vstore8(convert_short8(row), i, results + first);
  row = forward_eight(convert_int8(vload8(i, given + first + 64)), FORWARD_FIRST_SHIFT);
  store_eight(memory + TRANSFORM_ROW * i, 1, row);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int8 column = forward_eight(load_eight(memory + i, TRANSFORM_ROW), FORWARD_SECOND_SHIFT);
  const short8 words = convert_short8(column);
  global short *to = results + first + 64 + i;
  to[0] = words.s0;
  to[8] = words.s1;
  to[16] = words.s2;
  to[24] = words.s3;
  to[32] = words.s4;
  to[40] = words.s5;
  to[48] = words.s6;
  to[56] = words.s7;
}

// The texel at a place in a window.
static int filtered_texel(global const uchar *at, int8 across, int8 down, int shift) {
  int rows[6];
  for (int j = 0; j < 6; ++j)
    rows[j] = six_taps(across, at[21 * j], at[21 * j + 1], at[21 * j + 2], at[21 * j + 3], at[21 * j + 4],
                       at[21 * j + 5]);
  return predicted_texel(six_taps(down, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]), shift);
}
// 16x16 work-items for each vector: texels of a block. `window`: rows of 21 texels, of which the block's first one is
// TAPS_BEFORE from the edges; `vectors`: x and y in quarter pixels; then across and down of the component.
kernel void check_interpolation(global const uchar *window, global const int4 *vectors, global int4 *texel_vectors,
                                global uchar *texels) {
  const int x = (int)get_global_id(0), y = (int)get_global_id(1), number = (int)get_global_id(2);
  const int4 given = vectors[number], by = texel_vector(given.xy, given.z, given.w);
  global const uchar *at = window + number * 21 * 21 + y * 21 + x;
  int texel = 0;
  if (is_subsampled(given.z, given.w)) {
    texel = filtered_texel(at, taps_at_eighth(by.z), taps_at_eighth(by.w), SUBSAMPLED_TAPS_SHIFT);
  } else {
    const int4 samples = half_samples(by.zw >> 1);
    const int first = filtered_texel(at, taps_at_half(samples.x), taps_at_half(samples.y), TAPS_SHIFT);
    const int second = filtered_texel(at, taps_at_half(samples.z), taps_at_half(samples.w), TAPS_SHIFT);
    texel = (int)means_of_four((uint)first, (uint)second);
    if (!is_mean(samples)) texel = first;
  }
  texels[(number * 16 + y) * 16 + x] = (uchar)texel;
  if (x == 0 && y == 0) texel_vectors[number] = (int4)(by.x, by.y, is_whole_blocks(by) ? 1 : 0, 0);
}

// 8x8 work-items for each transform block. `edges`: eight texels on the left, and eight above; `modes`: mode, whether
// there are texels on the left, and above.
kernel void check_intra(global const uint4 *edges, global const int4 *modes, global uchar *texels) {
  const int x = (int)get_global_id(0), y = (int)get_global_id(1), number = (int)get_global_id(2);
  const int4 mode = modes[number];
  const uint2 left = edges[number].xy, above = edges[number].zw;
  const bool has_left = mode.y != 0, has_above = mode.z != 0;
  const int mean = intra_mean(left, above, has_left, has_above);
  texels[(number * 8 + y) * 8 + x] =
      (uchar)intra_texel(mode.x, x, y, left, above, has_left, has_above, mean);
}
