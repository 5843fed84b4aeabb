// filter_kernel.h — the interpolation filter, for kLanes texels beside each other. Included in the namespaces narrow
// and wide (lanes.h).

// 32 times the filtered texels, whose neighbours lie at a distance of `step`.
inline I16 filtered_bytes(const uint8_t* at, ptrdiff_t step, const std::array<int16_t, 6>& taps) {
  at -= kTapsBefore * step;
  I16 sum = load_bytes(at) * taps[0];
  for (size_t i = 1; i < 6; ++i) sum += load_bytes(at + static_cast<ptrdiff_t>(i) * step) * taps[i];
  return sum;
}

inline void filter_once(const uint8_t* from, ptrdiff_t stride, ptrdiff_t step, int height,
                        const std::array<int16_t, 6>& taps, uint8_t* out, ptrdiff_t out_stride) {
  for (int y = 0; y < height; ++y)
    store_limited_bytes(out + y * out_stride, (filtered_bytes(from + y * stride, step, taps) + int16_t{16}) >> 5);
}

// A pair of taps for each pair of lanes.
inline I16 tap_pairs(int16_t first, int16_t second) { return mix_low(I16{} + first, I16{} + second); }

inline void filter_twice(const uint8_t* from, ptrdiff_t stride, int height, const FilterTaps& taps, uint8_t* out,
                         ptrdiff_t out_stride) {
  I16 rows[16 + kTapsBefore + kTapsAfter];
  for (int y = 0; y < height + kTapsBefore + kTapsAfter; ++y)
    rows[y] = filtered_bytes(from + (y - kTapsBefore) * stride, 1, *taps.across);
  const auto& down = *taps.down;
  const I16 pairs[3] = {tap_pairs(down[0], down[1]), tap_pairs(down[2], down[3]), tap_pairs(down[4], down[5])};
  for (int y = 0; y < height; ++y) {
    I32 low = I32{} + 512, high = low;
    for (int i = 0; i < 3; ++i) {
      low += multiply_pairs(mix_low(rows[y + 2 * i], rows[y + 2 * i + 1]), pairs[i]);
      high += multiply_pairs(mix_high(rows[y + 2 * i], rows[y + 2 * i + 1]), pairs[i]);
    }
    store_limited_bytes(out + y * out_stride, limited_words(low >> 10, high >> 10));
  }
}

// A direction without taps is left out: its filter would multiply by 32, and the rounded result is the same.
inline void filter(const uint8_t* from, ptrdiff_t stride, int width, int height, const FilterTaps& taps, uint8_t* out,
                   ptrdiff_t out_stride) {
  for (int x = 0; x < width; x += kLanes) {
    if (taps.across != nullptr && taps.down != nullptr)
      filter_twice(from + x, stride, height, taps, out + x, out_stride);
    else if (taps.across != nullptr)
      filter_once(from + x, stride, 1, height, *taps.across, out + x, out_stride);
    else if (taps.down != nullptr)
      filter_once(from + x, stride, stride, height, *taps.down, out + x, out_stride);
    else
      for (int y = 0; y < height; ++y) store_limited_bytes(out + x + y * out_stride, load_bytes(from + x + y * stride));
  }
}
