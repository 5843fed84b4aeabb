#include "yuv_rows.h"

#include "compact/avx2.h"
#include "frames/color.h"

namespace texcast::compact {

#if defined(__x86_64__)
TEXCAST_AVX2_BEGIN
namespace {

struct WideFactors {
  __m256 luma_scale, luma_more, chroma_offset, red_v, green_u, green_v, blue_u;
};
inline WideFactors widened(const YuvFactors& f) {
  return {_mm256_set1_ps(f.luma_scale), _mm256_set1_ps(f.luma_more), _mm256_set1_ps(f.chroma_offset),
          _mm256_set1_ps(f.red_v),      _mm256_set1_ps(f.green_u),   _mm256_set1_ps(f.green_v),
          _mm256_set1_ps(f.blue_u)};
}

inline __m128i load_eight(const uint8_t* from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)); }
inline __m256 as_floats(__m256i integers) { return _mm256_cvtepi32_ps(integers); }

inline __m256i bytes_of(__m256 sum) {
  const __m256 limited = _mm256_min_ps(_mm256_max_ps(sum, _mm256_setzero_ps()), _mm256_set1_ps(1 << 22));
  return _mm256_cvttps_epi32(
      _mm256_mul_ps(_mm256_add_ps(limited, _mm256_set1_ps(0.5F)), _mm256_set1_ps(1.F / kByteStep)));
}

// The contributions of eight texels of chroma to red, green and blue.
struct FromChroma {
  __m256 red, green, blue;
};
inline FromChroma from_chroma(const WideFactors& f, __m256i u, __m256i v) {
  const __m256 from_u = _mm256_sub_ps(as_floats(u), f.chroma_offset),
               from_v = _mm256_sub_ps(as_floats(v), f.chroma_offset);
  return {_mm256_mul_ps(from_v, f.red_v),
          _mm256_add_ps(_mm256_mul_ps(from_u, f.green_u), _mm256_mul_ps(from_v, f.green_v)),
          _mm256_mul_ps(from_u, f.blue_u)};
}
inline FromChroma permuted(const FromChroma& from, __m256i lanes) {
  return {_mm256_permutevar8x32_ps(from.red, lanes), _mm256_permutevar8x32_ps(from.green, lanes),
          _mm256_permutevar8x32_ps(from.blue, lanes)};
}
inline void put_eight(const WideFactors& f, const uint8_t* y, const FromChroma& from, uint32_t* out) {
  const __m256 luma =
      _mm256_add_ps(_mm256_mul_ps(as_floats(_mm256_cvtepu8_epi32(load_eight(y))), f.luma_scale), f.luma_more);
  const __m256i red = bytes_of(_mm256_add_ps(luma, from.red)), green = bytes_of(_mm256_add_ps(luma, from.green)),
                blue = bytes_of(_mm256_add_ps(luma, from.blue));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_or_si256(red, _mm256_or_si256(_mm256_slli_epi32(green, 8), _mm256_slli_epi32(blue, 16))));
}
// Sixteen pixels with eight texels of chroma.
inline void put_sixteen(const WideFactors& f, const uint8_t* y, __m256i u, __m256i v, uint32_t* out) {
  const FromChroma from = from_chroma(f, u, v);
  put_eight(f, y, permuted(from, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3)), out);
  put_eight(f, y + 8, permuted(from, _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7)), out + 8);
}

void convert_full(const YuvFactors& factors, YuvRow row, int count, uint32_t* out) {
  const WideFactors f = widened(factors);
  for (int x = 0; x < count; x += 8)
    put_eight(f, row.y + x,
              from_chroma(f, _mm256_cvtepu8_epi32(load_eight(row.u + x)), _mm256_cvtepu8_epi32(load_eight(row.v + x))),
              out + x);
}

void convert_halved(const YuvFactors& factors, YuvRow row, int count, uint32_t* out) {
  const WideFactors f = widened(factors);
  for (int x = 0; x < count; x += 16)
    put_sixteen(f, row.y + x, _mm256_cvtepu8_epi32(load_eight(row.u + x / 2)),
                _mm256_cvtepu8_epi32(load_eight(row.v + x / 2)), out + x);
}

// The row of v begins one byte after that of u.
void convert_interleaved(const YuvFactors& factors, YuvRow row, int count, uint32_t* out) {
  const WideFactors f = widened(factors);
  for (int x = 0; x < count; x += 16) {
    const __m128i pairs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.u + x));
    put_sixteen(f, row.y + x, _mm256_cvtepu16_epi32(_mm_and_si128(pairs, _mm_set1_epi16(255))),
                _mm256_cvtepu16_epi32(_mm_srli_epi16(pairs, 8)), out + x);
  }
}

inline __m256i luma_of_eight(const uint32_t* pixels) {
  const __m256i rgb = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pixels));
  const __m256i pairs = _mm256_maddubs_epi16(rgb, _mm256_set1_epi32(0x00010201));  // red + 2 green, and blue
  const __m256i sums = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  return _mm256_srli_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(2)), 2);
}
void wide_luma(const uint32_t* pixels, int count, uint8_t* out) {
  for (int x = 0; x < count; x += 32) {
    const __m256i first = _mm256_packs_epi32(luma_of_eight(pixels + x), luma_of_eight(pixels + x + 8)),
                  second = _mm256_packs_epi32(luma_of_eight(pixels + x + 16), luma_of_eight(pixels + x + 24));
    // Packing goes within halves of 16 bytes.
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(out + x),
        _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, second), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
  }
}

}  // namespace
TEXCAST_AVX2_END

const YuvRows* wide_yuv_rows() {
  static constexpr YuvRows kRows{convert_full, convert_halved, convert_interleaved, wide_luma};
  return has_avx2() ? &kRows : nullptr;
}

#else

const YuvRows* wide_yuv_rows() { return nullptr; }

#endif

}  // namespace texcast::compact
