// rank.cl — the likely partitions, by the distance of a subset's texels from their principal axis.
//   defines   MODE_0 · MODE_2 · SUBSETS

#define ESTIMATE_STEPS 1

// The trace of a subset's covariance (x), and the fraction of it along the principal axis (y).
static float2 spread_of(const bc7_moments *m) {
  bc7_matrix matrix;
  const float4 v = axis_of(m, ESTIMATE_STEPS, &matrix);
  const float along = dot_of(v, times(&matrix, v)) * reciprocal(max(dot_of(v, v), TINY));
  return (float2)(matrix.trace, along);
}
static float estimate(float2 spread, float count, int index_bits) {
  const float last = last_index(index_bits);
  return spread.x * ((1.0f - spread.y) + spread.y * reciprocal(last * last)) * reciprocal(count);
}

// The likeliest partitions into two, by the residual with indices of `bits_a` and of `bits_b` bits.
static void rank_pairs(const bc7_texels *x, const bc7_moments *all, uint *keys_a, int count_a, int bits_a, uint *keys_b,
                       int count_b, int bits_b) {
  for (int n = 0; n < count_a; ++n) keys_a[n] = 0xFFFFFFFFu;
  for (int n = 0; n < count_b; ++n) keys_b[n] = 0xFFFFFFFFu;
  for (int partition = 0; partition < 64; ++partition) {
    int16 second, third;
    set_subsets(2, partition, &second, &third);
    bc7_moments m1, m0 = *all;
    take_moments(x, second, &m1);
    leave_out(&m0, &m1);
    const float2 s0 = spread_of(&m0), s1 = spread_of(&m1);
    insert_key(keys_a, count_a, estimate(s0, m0.count, bits_a) + estimate(s1, m1.count, bits_a), partition);
    if (count_b > 0)
      insert_key(keys_b, count_b, estimate(s0, m0.count, bits_b) + estimate(s1, m1.count, bits_b), partition);
  }
}

#if SUBSETS == 3
// Partitions into three: the first 16 for mode 0, all for mode 2.
static void rank_triples(const bc7_texels *x, const bc7_moments *all, uint *keys_0, uint *keys_2) {
  for (int n = 0; n < MODE_0; ++n) keys_0[n] = 0xFFFFFFFFu;
  for (int n = 0; n < MODE_2; ++n) keys_2[n] = 0xFFFFFFFFu;
  for (int partition = 0; partition < 64; ++partition) {
    int16 second, third;
    set_subsets(3, partition, &second, &third);
    bc7_moments m1, m2, m0 = *all;
    take_moments(x, second, &m1);
    take_moments(x, third, &m2);
    leave_out(&m0, &m1);
    leave_out(&m0, &m2);
    const float2 s0 = spread_of(&m0), s1 = spread_of(&m1), s2 = spread_of(&m2);
    if (partition < 16)
      insert_key(keys_0, MODE_0,
                 (estimate(s0, m0.count, 3) + estimate(s1, m1.count, 3)) + estimate(s2, m2.count, 3), partition);
    insert_key(keys_2, MODE_2, (estimate(s0, m0.count, 2) + estimate(s1, m1.count, 2)) + estimate(s2, m2.count, 2),
               partition);
  }
}
#endif
