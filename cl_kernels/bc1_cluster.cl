// bc1_cluster.cl — BC1 by cluster fit, one work-item a block, one lane a texel or a split.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    as bc1_fit.cl; equals codec/ref/bc1_cluster.cpp and bc1_search.cpp bit for bit on every device
//   source       S. Brown, "DXT Compression Techniques", 2006; I. Castano, "High Quality DXT Compression using CUDA",
//                2007. Both judge every split by least squares in colour. Here bc1_cluster judges each by one number on
//                the axis first (codec/ref/bc1_cluster.cpp, gain_on_axis), 16 splits a step with their cuts as constant
//                lane swizzles, which costs four operations a split and no memory access.

#define POWER_ITERATIONS 4

// 2^-e for a positive value of exponent e.
static float power_of_two_below(float value) { return as_float((254u << 23) - (as_uint(value) & 0x7F800000u)); }

// Principal axis by the power method, in 1024ths with the largest component from 1024 to 2047; zero for a flat block.
static int3 principal_axis(const fit_block *f) {
  const int3 sum = f->sum;
  const float crr = (float)(16 * sum16(f->r * f->r) - sum.x * sum.x);
  const float crg = (float)(16 * sum16(f->r * f->g) - sum.x * sum.y);
  const float crb = (float)(16 * sum16(f->r * f->b) - sum.x * sum.z);
  const float cgg = (float)(16 * sum16(f->g * f->g) - sum.y * sum.y);
  const float cgb = (float)(16 * sum16(f->g * f->b) - sum.y * sum.z);
  const float cbb = (float)(16 * sum16(f->b * f->b) - sum.z * sum.z);
  float3 v = (float3)(crg, cgg, cgb);
  if (crr > cgg && crr >= cbb) v = (float3)(crr, crg, crb);
  if (cbb > cgg && cbb > crr) v = (float3)(crb, cgb, cbb);
  for (int step = 0;; ++step) {
    const float largest = max(max(fabs(v.x), fabs(v.y)), fabs(v.z));
    if (largest == 0.0f) return (int3)(0);
    v *= power_of_two_below(largest);
    if (step == POWER_ITERATIONS) break;
    v = (float3)((crr * v.x + crg * v.y) + crb * v.z, (crg * v.x + cgg * v.y) + cgb * v.z,
                 (crb * v.x + cgb * v.y) + cbb * v.z);
  }
  return convert_int3(v * 1024.0f);
}

// Prefix sums of the sorted texels: [p] holds R, G, B and place on the axis of the first p.
static void sorted_sums(const fit_block *f, int3 axis, int4 sums[17]) {
  const int16 place = f->r * axis.x + f->g * axis.y + f->b * axis.z;
  // Texels at one place keep their order: the lane's number makes all keys distinct.
  const int16 key = place * 16 + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  int16 rank = (int16)(16);  // less one for each key that is not smaller: key - other - 1 is negative for those
#define COUNT(n) rank += (key - key.s##n - 1) >> 31
  COUNT(0); COUNT(1); COUNT(2); COUNT(3); COUNT(4); COUNT(5); COUNT(6); COUNT(7);
  COUNT(8); COUNT(9); COUNT(a); COUNT(b); COUNT(c); COUNT(d); COUNT(e); COUNT(f);
#undef COUNT
  sums[0] = (int4)(0);
#define PLACE(n) sums[1 + rank.s##n] = (int4)(f->r.s##n, f->g.s##n, f->b.s##n, place.s##n)
  PLACE(0); PLACE(1); PLACE(2); PLACE(3); PLACE(4); PLACE(5); PLACE(6); PLACE(7);
  PLACE(8); PLACE(9); PLACE(a); PLACE(b); PLACE(c); PLACE(d); PLACE(e); PLACE(f);
#undef PLACE
  for (int p = 0; p < 16; ++p) sums[p + 1] += sums[p];
}

// The split's least-squares end points and their error, against the best so far.
static void try_split(const fit_block *f, const int4 sums[17], int cuts, bc1_candidate *best) {
  const int i = cuts & 31, j = cuts >> 5 & 31, k = cuts >> 10;
  fit_sums fit;
  fit.w = 48 - i - j - k;
  fit.ww = (j - i) + 4 * (k - j) + 9 * (16 - k);
  fit.wv = 3 * f->sum - sums[i].xyz - sums[j].xyz - sums[k].xyz;
  ends565 ends;
  fit_ends(f->sum, fit, &ends);
  keep_better(ends, fit_error(f->sum, fit, ends), best);
}

kernel void bc1_cluster(global const uchar *source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t) {
  const int block = get_global_id(0);
  if (block >= t.blocks_x * t.blocks_y) return;
  const int by = block / t.blocks_x;
  rgb_block p;
  load_rgb_block(source, &s, 4 * (block - by * t.blocks_x), 4 * by, &p);
  fit_block f;
  make_fit_block(p, &f);
  bc1_candidate best;
  refine(p, &f, &best);

  int4 sums[17];
  sorted_sums(&f, principal_axis(&f), sums);
  // Centred on the mean; the sum at cut 0, and so at cut 16, is nothing.
#define CENTRED(p) (16 * sums[p].w - (p) * sums[16].w)
  const float16 centred = convert_float16(
      (int16)(0, CENTRED(1), CENTRED(2), CENTRED(3), CENTRED(4), CENTRED(5), CENTRED(6), CENTRED(7), CENTRED(8),
              CENTRED(9), CENTRED(10), CENTRED(11), CENTRED(12), CENTRED(13), CENTRED(14), CENTRED(15)));
#undef CENTRED
  float16 gain = (float16)(0.0f);
  int16 row = (int16)(-1);
#define ROW(n, i, j, k)                                                \
  {                                                                    \
    const float16 sum = (centred.i + centred.j) + centred.k;           \
    const float16 g = sum * sum * vload16(n, split_weights);           \
    row = select(row, (int16)(n), g > gain);                           \
    gain = fmax(g, gain);                                              \
  }
  FOR_EACH_SPLIT_ROW(ROW)
#undef ROW
  int rows[16];
  vstore16(row, 0, rows);
  for (int lane = 0; lane < 16; ++lane)
    if (rows[lane] >= 0) try_split(&f, sums, split_cuts[16 * rows[lane] + lane], &best);
  blocks[block] = pack_bc1(p.r, p.g, p.b, best.ends.a, best.ends.b);
}

// The block's squared error as it will be decoded: thirds cut off, indices as pack_bc1 chooses them.
static int decoded_error(const fit_block *f, ends565 ends) {
  const int16 w = project_weights(f, ends);
  const int3 a = expanded(ends.a), b = expanded(ends.b), p1 = third(a + 2 * b), p2 = third(2 * a + b);
  const int16 is_3 = w == 3, is_2 = w == 2, is_1 = w == 1;
  const int16 r = f->r - select(select(select((int16)(b.x), (int16)(p1.x), is_1), (int16)(p2.x), is_2), (int16)(a.x), is_3);
  const int16 g = f->g - select(select(select((int16)(b.y), (int16)(p1.y), is_1), (int16)(p2.y), is_2), (int16)(a.y), is_3);
  const int16 c = f->b - select(select(select((int16)(b.z), (int16)(p1.z), is_1), (int16)(p2.z), is_2), (int16)(a.z), is_3);
  return sum16(r * r + g * g + c * c);
}

#define SEARCH_ROUNDS 8

// One step at a time, the best of the neighbours: one channel of one end point up or down, or of both at once.
static void search(const fit_block *f, ends565 *ends_found) {
  const int3 largest = (int3)(31, 63, 31);
  ends565 best = *ends_found;
  int error = decoded_error(f, best);
  for (int round = 0; round < SEARCH_ROUNDS; ++round) {
    ends565 next = best;
    int next_error = error;
    for (int c = 0; c < 3; ++c)
      for (int move = 0; move < 9; ++move) {
        const int3 unit = select((int3)(0), (int3)(1), (int3)(0, 1, 2) == (int3)(c));
        ends565 ends;
        ends.a = best.a + unit * (move / 3 - 1);
        ends.b = best.b + unit * (move % 3 - 1);
        if (move == 4 || any(ends.a < 0) || any(ends.a > largest) || any(ends.b < 0) || any(ends.b > largest)) continue;
        const int e = decoded_error(f, ends);
        if (e < next_error) {
          next = ends;
          next_error = e;
        }
      }
    if (next_error == error) break;
    best = next;
    error = next_error;
  }
  *ends_found = best;
}

kernel void bc1_cluster_search(global const uchar *source, global uint2 *blocks, const texcast_source s,
                               const texcast_target t) {
  const int block = get_global_id(0);
  if (block >= t.blocks_x * t.blocks_y) return;
  const int by = block / t.blocks_x;
  rgb_block p;
  load_rgb_block(source, &s, 4 * (block - by * t.blocks_x), 4 * by, &p);
  fit_block f;
  make_fit_block(p, &f);
  bc1_candidate best;
  refine(p, &f, &best);
  int4 sums[17];
  for (int pass = 0; pass < 2; ++pass) {
    // The second time along the line that won: it is the better axis for these end points.
    sorted_sums(&f, pass == 0 ? principal_axis(&f) : expanded(best.ends.a) - expanded(best.ends.b), sums);
    for (int n = 0; n < SPLIT_COUNT; ++n) try_split(&f, sums, split_cuts[n], &best);
  }
  search(&f, &best.ends);
  blocks[block] = pack_bc1(p.r, p.g, p.b, best.ends.a, best.ends.b);
}
