// filter_kernel.h — the interpolation filters, for kLanes texels beside each other. Included in the namespaces narrow
// and wide (lanes.h).

// Stores texels, or their means with those that are there.
template <bool kIsMean>
void put_texels(uint8_t* to, I16 texels) {
  if constexpr (kIsMean)
    store_means(to, texels);
  else
    store_limited_bytes(to, texels);
}

// 32 times the samples halfway between two texels; neighbours lie at a distance of `step`. In [-2040, 10200].
inline I16 halfway(const uint8_t* at, ptrdiff_t step) {
  const I16 inner = load_bytes(at) + load_bytes(at + step);
  const I16 middle = load_bytes(at - step) + load_bytes(at + 2 * step);
  const I16 outer = load_bytes(at - 2 * step) + load_bytes(at + 3 * step);
  return outer + inner * int16_t{19} - middle * int16_t{4};
}

template <bool kIsMean>
void half_once(const uint8_t* from, ptrdiff_t stride, ptrdiff_t step, int height, uint8_t* out, ptrdiff_t out_stride) {
  for (int y = 0; y < height; ++y)
    put_texels<kIsMean>(out + y * out_stride, (halfway(from + y * stride, step) + int16_t{16}) >> 5);
}

// A pair of taps for each pair of lanes.
inline I16 tap_pairs(int16_t first, int16_t second) { return mix_low(I16{} + first, I16{} + second); }

// The sums of rows from `row` on, multiplied by pairs of taps, plus `half`, shifted by `shift`.
template <int kPairs>
I16 sum_of_rows(const I16* row, const I16* pairs, int half, int shift) {
  I32 low = I32{} + half, high = low;
  for (int i = 0; i < kPairs; ++i) {
    low += multiply_pairs(mix_low(row[2 * i], row[2 * i + 1]), pairs[i]);
    high += multiply_pairs(mix_high(row[2 * i], row[2 * i + 1]), pairs[i]);
  }
  return limited_words(low >> shift, high >> shift);
}

template <bool kIsMean>
void half_twice(const uint8_t* from, ptrdiff_t stride, int height, uint8_t* out, ptrdiff_t out_stride) {
  I16 rows[16 + kTapsBefore + kTapsAfter];
  for (int y = 0; y < height + kTapsBefore + kTapsAfter; ++y) rows[y] = halfway(from + (y - kTapsBefore) * stride, 1);
  const I16 pairs[3] = {tap_pairs(1, -4), tap_pairs(19, 19), tap_pairs(-4, 1)};
  for (int y = 0; y < height; ++y) put_texels<kIsMean>(out + y * out_stride, sum_of_rows<3>(rows + y, pairs, 512, 10));
}

template <bool kIsMean>
void half_samples(const uint8_t* from, ptrdiff_t stride, int width, int height, int halves, uint8_t* out,
                  ptrdiff_t out_stride) {
  for (int x = 0; x < width; x += kLanes) {
    if (halves == 3)
      half_twice<kIsMean>(from + x, stride, height, out + x, out_stride);
    else if (halves != 0)
      half_once<kIsMean>(from + x, stride, halves == 1 ? 1 : stride, height, out + x, out_stride);
    else
      for (int y = 0; y < height; ++y) put_texels<kIsMean>(out + x + y * out_stride, load_bytes(from + x + y * stride));
  }
}
inline void half(const uint8_t* from, ptrdiff_t stride, int width, int height, int halves, bool is_mean, uint8_t* out,
                 ptrdiff_t out_stride) {
  if (is_mean)
    half_samples<true>(from, stride, width, height, halves, out, out_stride);
  else
    half_samples<false>(from, stride, width, height, halves, out, out_stride);
}

// 64 times the filtered texels, in [-2040, 18360].
inline I16 of_four_taps(const uint8_t* at, ptrdiff_t step, const std::array<int16_t, 4>& taps) {
  return load_bytes(at - step) * taps[0] + load_bytes(at) * taps[1] + load_bytes(at + step) * taps[2] +
         load_bytes(at + 2 * step) * taps[3];
}

inline void eighth_once(const uint8_t* from, ptrdiff_t stride, ptrdiff_t step, int height,
                        const std::array<int16_t, 4>& taps, uint8_t* out, ptrdiff_t out_stride) {
  for (int y = 0; y < height; ++y)
    store_limited_bytes(out + y * out_stride, (of_four_taps(from + y * stride, step, taps) + int16_t{32}) >> 6);
}

inline void eighth_twice(const uint8_t* from, ptrdiff_t stride, int height, const std::array<int16_t, 4>& across,
                         const std::array<int16_t, 4>& down, uint8_t* out, ptrdiff_t out_stride) {
  I16 rows[16 + 3];
  for (int y = 0; y < height + 3; ++y) rows[y] = of_four_taps(from + (y - 1) * stride, 1, across);
  const I16 pairs[2] = {tap_pairs(down[0], down[1]), tap_pairs(down[2], down[3])};
  for (int y = 0; y < height; ++y) store_limited_bytes(out + y * out_stride, sum_of_rows<2>(rows + y, pairs, 2048, 12));
}

// A direction without a fraction is left out: its filter would multiply by 64, and the rounded result is the same.
inline void eighth(const uint8_t* from, ptrdiff_t stride, int width, int height, int eighth_x, int eighth_y,
                   uint8_t* out, ptrdiff_t out_stride) {
  const auto &across = eighth_taps(eighth_x), &down = eighth_taps(eighth_y);
  for (int x = 0; x < width; x += kLanes) {
    if (eighth_x != 0 && eighth_y != 0)
      eighth_twice(from + x, stride, height, across, down, out + x, out_stride);
    else if (eighth_x != 0)
      eighth_once(from + x, stride, 1, height, across, out + x, out_stride);
    else if (eighth_y != 0)
      eighth_once(from + x, stride, stride, height, down, out + x, out_stride);
    else
      for (int y = 0; y < height; ++y) store_limited_bytes(out + x + y * out_stride, load_bytes(from + x + y * stride));
  }
}
