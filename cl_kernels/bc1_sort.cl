// bc1_sort.cl — texels sorted along an axis, and a split of them judged in colour: what the cluster kernels share.
//   local mem  GROUP_ITEMS x 17 x int4, in the kernels
//   exactness  as bc1_fit.cl; equals codec/ref/bc1_cluster.cpp bit for bit on every device
#ifndef GROUP_ITEMS
#define GROUP_ITEMS 64
#endif

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

// Prefix sums of the sorted texels: cut p is at sums[p * GROUP_ITEMS] and holds R, G, B and place on the axis of the
// first p. Each item has a column of local memory of its own: cuts are looked up by number, and private memory that is
// looked up so lies outside the multiprocessor.
static void sorted_sums(const fit_block *f, int3 axis, local int4 *sums) {
  const int16 place = f->r * axis.x + f->g * axis.y + f->b * axis.z;
  // Texels at one place keep their order: the lane's number makes all keys distinct.
  const int16 key = place * 16 + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  int16 rank = (int16)(16);  // less one for each key that is not smaller: key - other - 1 is negative for those
#define COUNT(n) rank += (key - key.s##n - 1) >> 31
  COUNT(0); COUNT(1); COUNT(2); COUNT(3); COUNT(4); COUNT(5); COUNT(6); COUNT(7);
  COUNT(8); COUNT(9); COUNT(a); COUNT(b); COUNT(c); COUNT(d); COUNT(e); COUNT(f);
#undef COUNT
#define PLACE(n) sums[(1 + rank.s##n) * GROUP_ITEMS] = (int4)(f->r.s##n, f->g.s##n, f->b.s##n, place.s##n)
  PLACE(0); PLACE(1); PLACE(2); PLACE(3); PLACE(4); PLACE(5); PLACE(6); PLACE(7);
  PLACE(8); PLACE(9); PLACE(a); PLACE(b); PLACE(c); PLACE(d); PLACE(e); PLACE(f);
#undef PLACE
  int4 sum = (int4)(0);
  sums[0] = sum;
  for (int p = 1; p <= 16; ++p) {
    sum += sums[p * GROUP_ITEMS];
    sums[p * GROUP_ITEMS] = sum;
  }
}

// The split's least-squares end points and their error, against the best so far.
static void try_split(const fit_block *f, local const int4 *sums, int cuts, bc1_candidate *best) {
  const int i = cuts & 31, j = cuts >> 5 & 31, k = cuts >> 10;
  fit_sums fit;
  fit.w = 48 - i - j - k;
  fit.ww = (j - i) + 4 * (k - j) + 9 * (16 - k);
  fit.wv = 3 * f->sum - (sums[i * GROUP_ITEMS] + sums[j * GROUP_ITEMS] + sums[k * GROUP_ITEMS]).xyz;
  ends565 ends;
  fit_ends(f->sum, fit, &ends);
  keep_better(ends, fit_error(f->sum, fit, ends), best);
}
