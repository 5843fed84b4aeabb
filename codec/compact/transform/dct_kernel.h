// dct_kernel.h — the transforms, of eight columns at once. Included in namespace narrow (lanes.h).

inline I16 factor_pairs(int first, int second) {
  const auto a = static_cast<int16_t>(first), b = static_cast<int16_t>(second);
  return I16{a, b, a, b, a, b, a, b};
}

inline void transpose(I16 (&rows)[8]) {
  for (int stage = 0; stage < 3; ++stage) {
    I16 mixed[8];
    for (int i = 0; i < 4; ++i) {
      mixed[2 * i] = mix_low(rows[i], rows[i + 4]);
      mixed[2 * i + 1] = mix_high(rows[i], rows[i + 4]);
    }
    for (int i = 0; i < 8; ++i) rows[i] = mixed[i];
  }
}

// The sums for four columns, from pairs of rows. Row y and row 7 - y have the same even part, and odd parts that differ
// in the sign. kFew: the rows from 4 on are 0.
template <bool kFew>
inline void inverse_half(const I16 (&pairs)[4], int shift, I32 (&out)[8]) {
  const I32 rounding = I32{} + (1 << (shift - 1));
  for (int y = 0; y < 4; ++y) {
    I32 even = rounding, odd;
    if constexpr (kFew) {  // rows 0 and 2; 1 and 3
      even += multiply_pairs(pairs[0], factor_pairs(kDctBasis[0][y], kDctBasis[2][y]));
      odd = multiply_pairs(pairs[1], factor_pairs(kDctBasis[1][y], kDctBasis[3][y]));
    } else {  // rows 0 and 4, 2 and 6; 1 and 3, 5 and 7
      even += multiply_pairs(pairs[0], factor_pairs(kDctBasis[0][y], kDctBasis[4][y])) +
              multiply_pairs(pairs[1], factor_pairs(kDctBasis[2][y], kDctBasis[6][y]));
      odd = multiply_pairs(pairs[2], factor_pairs(kDctBasis[1][y], kDctBasis[3][y])) +
            multiply_pairs(pairs[3], factor_pairs(kDctBasis[5][y], kDctBasis[7][y]));
    }
    out[y] = (even + odd) >> shift;
    out[7 - y] = (even - odd) >> shift;
  }
}
template <bool kFew>
inline void inverse_columns(I16 (&rows)[8], int shift) {
  I16 low[4]{}, high[4]{};
  constexpr int kPairs = kFew ? 2 : 4;
  constexpr int kFirst[4] = {0, kFew ? 1 : 2, 1, 5}, kSecond[4] = {kFew ? 2 : 4, kFew ? 3 : 6, 3, 7};
  for (int i = 0; i < kPairs; ++i) {
    low[i] = mix_low(rows[kFirst[i]], rows[kSecond[i]]);
    high[i] = mix_high(rows[kFirst[i]], rows[kSecond[i]]);
  }
  I32 of_low[8], of_high[8];
  inverse_half<kFew>(low, shift, of_low);
  inverse_half<kFew>(high, shift, of_high);
  for (int i = 0; i < 8; ++i) rows[i] = limited_words(of_low[i], of_high[i]);
}
inline void inverse_columns(I16 (&rows)[8], int shift, bool few) {
  if (few)
    inverse_columns<true>(rows, shift);
  else
    inverse_columns<false>(rows, shift);
}

// dequantised() of each level: level * step + 1 * 2, in 32 bits.
inline I16 dequantised(I16 levels, int step) {
  const I16 factors = factor_pairs(step, 2), one = I16{} + int16_t{1};
  return limited_words(multiply_pairs(mix_low(levels, one), factors) >> 2,
                       multiply_pairs(mix_high(levels, one), factors) >> 2);
}

inline void inverse(const TransformLevels& levels, int step, Residual& residual) {
  constexpr int kFirstShift = 7, kSecondShift = 12;
  I16 rows[8];
  for (size_t i = 0; i < 8; ++i) rows[i] = load_vector<I16>(&levels[i * 8]);
  const auto lower = reinterpret_cast<U64x2>(rows[4] | rows[5] | rows[6] | rows[7]);
  const auto upper = reinterpret_cast<U64x2>(rows[1] | rows[2] | rows[3]);
  const auto first = reinterpret_cast<U64x2>(rows[0]);
  const U64x2 all = lower | upper | first;
  const bool few_rows = (lower[0] | lower[1]) == 0, few_columns = all[1] == 0;
  if (few_rows && few_columns && ((upper[0] | first[0] >> 16) == 0)) {
    const int of_columns = (64 * compact::dequantised(levels[0], step) + (1 << (kFirstShift - 1))) >> kFirstShift;
    const int value = (64 * of_columns + (1 << (kSecondShift - 1))) >> kSecondShift;
    for (size_t i = 0; i < 8; ++i) store_vector(&residual[i * 8], I16{} + static_cast<int16_t>(value));
    return;
  }
  for (int i = 0; i < (few_rows ? 4 : 8); ++i) rows[i] = dequantised(rows[i], step);
  inverse_columns(rows, kFirstShift, few_rows);
  transpose(rows);
  inverse_columns(rows, kSecondShift, few_columns);
  transpose(rows);
  for (size_t i = 0; i < 8; ++i) store_vector(&residual[i * 8], rows[i]);
}

// Row k becomes the coefficient k of each column.
inline void forward_columns(I16 (&rows)[8], int shift) {
  I16 low[4], high[4];
  for (int i = 0; i < 4; ++i) {
    low[i] = mix_low(rows[i], rows[7 - i]);
    high[i] = mix_high(rows[i], rows[7 - i]);
  }
  const I32 rounding = I32{} + (1 << (shift - 1));
  for (int k = 0; k < 8; ++k) {
    I32 of_low = rounding, of_high = rounding;
    for (int i = 0; i < 4; ++i) {
      const I16 factors = factor_pairs(kDctBasis[k][i], k % 2 == 0 ? kDctBasis[k][i] : -kDctBasis[k][i]);
      of_low += multiply_pairs(low[i], factors);
      of_high += multiply_pairs(high[i], factors);
    }
    rows[k] = limited_words(of_low >> shift, of_high >> shift);
  }
}

inline void forward(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients) {
  I16 rows[8];
  for (size_t i = 0; i < 8; ++i) rows[i] = load_vector<I16>(&residual[i * 8]);
  transpose(rows);
  forward_columns(rows, 2);
  transpose(rows);
  forward_columns(rows, 9);
  for (size_t i = 0; i < 8; ++i) store_vector(&coefficients[i * 8], rows[i]);
}
