// lspiro_line.cl — BC1 by LSpiro step 1, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    integer; equals codec/ref/bc/bc1_lspiro.cpp bit for bit on every device
//   source       I. Perminov, "Online compression of visual data on GPU", section 2.3 (after L. Spiro 2011)
#include "bc1/palette.cl"

// Ends of the regression line over the sorted distinct values, which are a set of bits: (low, high), rounded. The order
// of the bits is the sorted order, so each distinct value costs one step and no comparison.
static int2 fit_line(uint set_low, uint set_high, int largest_code) {
  const int n = popcount(set_low) + popcount(set_high);
  int sum = 0, ranked = 0, rank = 0;
  while (set_low) {
    const int value = 31 - clz(set_low & -set_low);
    set_low &= set_low - 1;
    sum += value;
    ranked += rank++ * value;
  }
  while (set_high) {
    const int value = 63 - clz(set_high & -set_high);
    set_high &= set_high - 1;
    sum += value;
    ranked += rank++ * value;
  }
  const int slope = 2 * ranked - (n - 1) * sum;  // sum of (2 rank - (n - 1)) value
  const int denominator = n * (n + 1);
  const int2 numerator = max((int2)(sum * (n + 1) - 3 * slope, sum * (n + 1) + 3 * slope), (int2)(0));
  return min((2 * numerator + denominator) / (2 * denominator), (int2)(largest_code));
}

static int16 quantise(int16 v, int levels) {
  v = v * levels + 128;
  return (v + (v >> 8)) >> 8;
}

// Step 1: the ends of each channel's line, along the channels' directions.
static void lspiro_line(rgb_block p, ends565 *ends) {
  const int3 range = (int3)(max16(p.r) - min16(p.r), max16(p.g) - min16(p.g), max16(p.b) - min16(p.b));
  const int3 direction = channel_directions(p.r, p.g, p.b, range);

  const uint16 one = (uint16)(1);
  const int16 green = quantise(p.g, 63);
  const uint16 green_bit = one << as_uint16(green & 31);
  const uint16 is_high = as_uint16(green > 31);
  const int2 r = fit_line(or16(one << as_uint16(quantise(p.r, 31))), 0, 31);
  const int2 g = fit_line(or16(green_bit & ~is_high), or16(green_bit & is_high), 63);
  const int2 b = fit_line(or16(one << as_uint16(quantise(p.b, 31))), 0, 31);
  const int3 low = (int3)(r.x, g.x, b.x), high = (int3)(r.y, g.y, b.y);
  ends->a = select(high, low, direction < 0);
  ends->b = select(low, high, direction < 0);
}

kernel void bc1_lspiro1(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  ends565 ends;
  lspiro_line(p, &ends);
  blocks[block] = pack_bc1(p.r, p.g, p.b, ends.a, ends.b);
}
