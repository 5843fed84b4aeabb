// keys.cl — the likeliest partitions, by keys with the residual error in the upper bits and the partition's number in
// the lowest six.

// Keeps the `count` smallest keys in order.
static void insert_key(uint *keys, int count, float sum, int partition) {
  uint key = (as_uint(max(sum, 0.0f)) & ~63u) | (uint)partition;
  for (int n = 0; n < count; ++n) {
    const uint smaller = min(keys[n], key);
    key = max(keys[n], key);
    keys[n] = smaller;
  }
}

// Removes the first key and shifts the others, so that the array is never indexed by a variable and stays in registers.
static int next_partition(uint *keys, int count) {
  const int partition = keys[0] & 63;
  for (int n = 1; n < count; ++n) keys[n - 1] = keys[n];
  return partition;
}
