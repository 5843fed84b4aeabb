#include "dct_basis.h"
#include "lanes.h"
#include "transform_kernels.h"

namespace texcast::compact {

#if defined(__x86_64__)
TEXCAST_AVX2_BEGIN
namespace wide {
namespace {

#include "filter_kernel.h"
#include "fit_kernel.h"

inline void fit(const U8x16* wanted, int count, uint64_t* sub_blocks, U8x16* fitted) {
  if (count <= kLanes / 4)
    fit_folded<4>(wanted, count, sub_blocks, fitted);
  else if (count <= kLanes / 2)
    fit_folded<2>(wanted, count, sub_blocks, fitted);
  else
    fit_folded<1>(wanted, count, sub_blocks, fitted);
}
// Columns 0 to 3 of each pair of rows, and then columns 4 to 7.
inline __m256i mixed_rows(__m128i a, __m128i b) {
  return _mm256_set_m128i(_mm_unpackhi_epi16(a, b), _mm_unpacklo_epi16(a, b));
}
// The factors of a pair of rows, for each coefficient: those of row i and of row 7 - i, which differ in the sign at
// most.
struct ForwardFactors {
  int32_t of[kTransformSide][4]{};
  constexpr ForwardFactors() {
    for (int k = 0; k < kTransformSide; ++k)
      for (int i = 0; i < 4; ++i) {
        const int first = kDctBasis[k][i], second = k % 2 == 0 ? first : -first;
        of[k][i] = second * 65536 + (first & 0xFFFF);
      }
  }
};
constexpr ForwardFactors kForwardFactors;

// As narrow::forward_columns(), all columns at once.
inline void forward_columns(__m128i (&rows)[8], int shift) {
  __m256i pairs[4];
  for (int i = 0; i < 4; ++i) pairs[i] = mixed_rows(rows[i], rows[7 - i]);
  const __m256i rounding = _mm256_set1_epi32(1 << (shift - 1));
  for (int k = 0; k < 8; ++k) {
    const int32_t(&factors)[4] = kForwardFactors.of[k];
    const __m256i first = _mm256_add_epi32(_mm256_madd_epi16(pairs[0], _mm256_set1_epi32(factors[0])),
                                           _mm256_madd_epi16(pairs[1], _mm256_set1_epi32(factors[1])));
    const __m256i second = _mm256_add_epi32(_mm256_madd_epi16(pairs[2], _mm256_set1_epi32(factors[2])),
                                            _mm256_madd_epi16(pairs[3], _mm256_set1_epi32(factors[3])));
    const __m256i sum = _mm256_srai_epi32(_mm256_add_epi32(_mm256_add_epi32(first, second), rounding), shift);
    rows[k] = _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  }
}
inline void transpose(__m128i (&rows)[8]) {
  for (int stage = 0; stage < 3; ++stage) {
    __m128i mixed[8];
    for (int i = 0; i < 4; ++i) {
      mixed[2 * i] = _mm_unpacklo_epi16(rows[i], rows[i + 4]);
      mixed[2 * i + 1] = _mm_unpackhi_epi16(rows[i], rows[i + 4]);
    }
    for (int i = 0; i < 8; ++i) rows[i] = mixed[i];
  }
}
inline void forward(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients) {
  __m128i rows[8];
  for (size_t i = 0; i < 8; ++i) rows[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&residual[i * 8]));
  transpose(rows);
  forward_columns(rows, 2);
  transpose(rows);
  forward_columns(rows, 9);
  for (size_t i = 0; i < 8; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(&coefficients[i * 8]), rows[i]);
}

inline void half_any(const uint8_t* from, ptrdiff_t stride, int width, int height, int halves, bool is_mean,
                     uint8_t* out, ptrdiff_t out_stride) {
  if (width < kLanes)
    narrow_kernels().half(from, stride, width, height, halves, is_mean, out, out_stride);
  else
    half(from, stride, width, height, halves, is_mean, out, out_stride);
}
inline void eighth_any(const uint8_t* from, ptrdiff_t stride, int width, int height, int eighth_x, int eighth_y,
                       uint8_t* out, ptrdiff_t out_stride) {
  if (width < kLanes)
    narrow_kernels().eighth(from, stride, width, height, eighth_x, eighth_y, out, out_stride);
  else
    eighth(from, stride, width, height, eighth_x, eighth_y, out, out_stride);
}

// The values of both palettes in the order of the indices, those of the block in the lower half first, in each half.
inline __m256i palettes_of(__m256i blocks) {
  // Weights of the first and of the second end point.
  const __m256i of_eight = _mm256_broadcastsi128_si256(_mm_setr_epi8(7, 0, 0, 7, 6, 1, 5, 2, 4, 3, 3, 4, 2, 5, 1, 6));
  const __m256i of_six = _mm256_broadcastsi128_si256(_mm_setr_epi8(5, 0, 0, 5, 4, 1, 3, 2, 2, 3, 1, 4, 0, 0, 0, 0));
  constexpr short kHalf = 2, kWhite = 255 * 5;
  const __m256i added_to_six =
      _mm256_broadcastsi128_si256(_mm_setr_epi16(kHalf, kHalf, kHalf, kHalf, kHalf, kHalf, kHalf, kHalf + kWhite));
  const __m256i ends = _mm256_shuffle_epi8(blocks, _mm256_set1_epi16(0x0100));
  const __m256i full = _mm256_cmpgt_epi16(_mm256_and_si256(ends, _mm256_set1_epi16(255)), _mm256_srli_epi16(ends, 8));
  const __m256i sums = _mm256_add_epi16(_mm256_maddubs_epi16(ends, _mm256_blendv_epi8(of_six, of_eight, full)),
                                        _mm256_blendv_epi8(added_to_six, _mm256_set1_epi16(3), full));
  // A fifth and a seventh, rounded down: exact for all numbers that occur.
  const __m256i reciprocal = _mm256_blendv_epi8(_mm256_set1_epi16(13108), _mm256_set1_epi16(9363), full);
  const __m256i values = _mm256_mulhi_epu16(sums, reciprocal);
  return _mm256_permute4x64_epi64(_mm256_packus_epi16(values, values), 0x88);
}

// The index of each texel in a word of its own. Each quarter of `block` has the block.
inline __m256i indices_of(__m256i block) {
  // The two bytes in which the three bits of an index lie, and the power of two that shifts them to the end.
  const __m256i bytes = _mm256_setr_epi8(2, 3, 2, 3, 2, 3, 3, 4, 3, 4, 3, 4, 4, 5, 4, 5, 5, 6, 5, 6, 5, 6, 6, 7, 6, 7,
                                         6, 7, 7, -1, 7, -1);
  const __m256i powers =
      _mm256_broadcastsi128_si256(_mm_setr_epi16(1 << 13, 1 << 10, 1 << 7, 1 << 12, 1 << 9, 1 << 6, 1 << 11, 1 << 8));
  return _mm256_srli_epi16(_mm256_mullo_epi16(_mm256_shuffle_epi8(block, bytes), powers), 13);
}

inline void decode_pair(const std::byte* first, const std::byte* second, uint8_t* texels, ptrdiff_t stride) {
  const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first));
  const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(second));
  const __m256i of_a = _mm256_broadcastq_epi64(a), of_b = _mm256_broadcastq_epi64(b);
  const __m256i palettes = palettes_of(_mm256_blend_epi32(of_a, of_b, 0xF0));
  const __m256i second_palette = _mm256_setr_epi64x(0, 0x0808080808080808, 0, 0x0808080808080808);
  const __m256i indices = _mm256_add_epi8(_mm256_packus_epi16(indices_of(of_a), indices_of(of_b)), second_palette);
  const __m256i rows = _mm256_shuffle_epi32(_mm256_shuffle_epi8(palettes, indices), _MM_SHUFFLE(3, 1, 2, 0));
  const __m128i upper = _mm256_castsi256_si128(rows), lower = _mm256_extracti128_si256(rows, 1);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(texels), upper);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(texels + stride), _mm_unpackhi_epi64(upper, upper));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(texels + 2 * stride), lower);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(texels + 3 * stride), _mm_unpackhi_epi64(lower, lower));
}

// The last pair may have one block of the pair before.
inline void decode_row(const std::byte* blocks, size_t block_bytes, int count, uint8_t* texels, ptrdiff_t stride) {
  if (count == 1) return narrow_kernels().decode_row(blocks, block_bytes, count, texels, stride);
  for (int i = 0; i < count; i += 2) {
    const int at = std::min(i, count - 2);
    const std::byte* pair = blocks + static_cast<size_t>(at) * block_bytes;
    decode_pair(pair, pair + block_bytes, texels + at * 4, stride);
  }
}

}  // namespace
}  // namespace wide
TEXCAST_AVX2_END

const TransformKernels* wide_kernels() {
  static const TransformKernels kernels{wide::fit,        wide::decode_row,         wide::half_any,
                                        wide::eighth_any, narrow_kernels().inverse, wide::forward};
  return has_avx2() ? &kernels : nullptr;
}

#else

const TransformKernels* wide_kernels() { return nullptr; }

#endif

}  // namespace texcast::compact
