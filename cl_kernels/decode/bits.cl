// bits.cl — fields of 128-bit blocks at any bit, numbered from the lowest of the first byte.

static uint word_of(uint4 block, int word) {
  const uint even = word & 2 ? block.z : block.x, odd = word & 2 ? block.w : block.y;
  return word & 1 ? odd : even;
}

// `count` bits, up to 16, from bit `at` on.
static int bits_at(uint4 block, int at, int count) {
  const int shift = at & 31;
  uint bits = word_of(block, at >> 5) >> shift;
  if (shift + count > 32) bits |= word_of(block, (at >> 5) + 1) << (32 - shift);
  return (int)(bits & ((1u << count) - 1));
}
