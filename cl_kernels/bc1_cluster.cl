// bc1_cluster.cl — BC1 by cluster fit, one work-item a block, one lane a texel or a split.
//   work-group   GROUP_ITEMS, one-dimensional; global = blocks rounded up; items past the last block return early (no
//                barriers)
//   local mem    GROUP_ITEMS x 17 x int4
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   in   cuts    ushort[1024], as bc1_cluster_table fills it
//   exactness    as bc1_fit.cl; equals codec/ref/bc1_cluster.cpp bit for bit on every device
//   source       S. Brown, "DXT Compression Techniques", 2006; I. Castano, "High Quality DXT Compression using CUDA",
//                2007. Both judge every split by least squares in colour. Here the likely ones are judged by one number
//                on the axis first (codec/ref/bc1_cluster.cpp, gain_on_axis), 16 splits a step with their cuts as
//                constant lane swizzles: four operations a split and no memory access.

#define ROW_MASK 63

// Fills `cuts` (1024 entries) with likely_splits, once for a stage. Work-items look up entries of their own, and constant
// memory serves different addresses one after the other (an H200, 3840x2160: 312 us with constant memory, 300 without).
kernel void bc1_cluster_table(global ushort *cuts) {
  const int n = get_global_id(0);
  cuts[n] = n < 16 * SPLIT_ROWS ? likely_splits[n] : 0;
}

kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void bc1_cluster(SOURCE source, global uint2 *blocks, const texcast_source s, const texcast_target t,
                 global const ushort *cuts) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  fit_block f;
  make_fit_block(p, &f);
  bc1_candidate best;
  refine(p, &f, &best);

  local int4 columns[17 * GROUP_ITEMS];
  local int4 *sums = columns + get_local_id(0);
  sorted_sums(&f, principal_axis(&f), sums);
  // Centred on the mean and turned positive; the sum at cut 0, and so at cut 16, is nothing.
  const int whole = sums[16 * GROUP_ITEMS].w;
#define CENTRED(p) ((p) * whole - 16 * sums[(p) * GROUP_ITEMS].w)
  const float16 centred = convert_float16(
      (int16)(0, CENTRED(1), CENTRED(2), CENTRED(3), CENTRED(4), CENTRED(5), CENTRED(6), CENTRED(7), CENTRED(8),
              CENTRED(9), CENTRED(10), CENTRED(11), CENTRED(12), CENTRED(13), CENTRED(14), CENTRED(15)));
#undef CENTRED
  int16 gain = (int16)(0);
#define ROW(n, i, j, k)                                                                                \
  {                                                                                                    \
    const float16 g = ((centred.i + centred.j) + centred.k) * vload16(n, likely_weights);              \
    gain = max(gain, (as_int16(g) & ~ROW_MASK) | n);                                                   \
  }
  FOR_EACH_SPLIT_ROW(ROW)
#undef ROW
#define TRY(lane) try_split(&f, sums, cuts[16 * (gain.s##lane & ROW_MASK) + 0x##lane], &best)
  TRY(0); TRY(1); TRY(2); TRY(3); TRY(4); TRY(5); TRY(6); TRY(7);
  TRY(8); TRY(9); TRY(a); TRY(b); TRY(c); TRY(d); TRY(e); TRY(f);
#undef TRY
  blocks[block] = pack_bc1(p.r, p.g, p.b, best.ends.a, best.ends.b);
}
