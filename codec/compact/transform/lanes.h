// lanes.h — vectors of 16-bit lanes in two widths with the same names: namespace `narrow` has 8 lanes in 16 bytes, for
// every machine; namespace `wide` has 16 lanes in 32 bytes, for x86 processors with AVX2. Kernels are compiled for
// both: their headers (…_kernel.h) are included in either namespace (avx2.h).
#pragma once

#include <algorithm>
#include <cstddef>

#include "compact/avx2.h"
#include "compact/simd.h"

namespace texcast::compact {

namespace narrow {

constexpr int kLanes = 8;
using U16 = U16x8;
using I16 = I16x8;
using I32 = I32x4;
using F32 = F32x4;

using compact::larger;
using compact::mix_high;
using compact::mix_low;
using compact::multiply_high;
using compact::multiply_pairs;
using compact::smaller;

// Sums above 65535 become 65535.
inline U16 add_saturated(U16 a, U16 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U16>(_mm_adds_epu16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  const U16 sum = a + b;
  return sum | reinterpret_cast<U16>(sum < a);
#endif
}
// Lanes in kFold groups, one after the other: a mask of one group, and its lanes repeated in all groups.
template <int kFold>
I16 lanes_of_group(int group) {
  return reinterpret_cast<I16>(I16{0, 1, 2, 3, 4, 5, 6, 7} / int16_t{kLanes / kFold} == static_cast<int16_t>(group));
}
template <int kFold>
U16 of_group(U16 lanes, int group) {
  static_assert(kFold <= 2);
  if (kFold == 1) return lanes;
  return reinterpret_cast<U16>(U64x2{} + reinterpret_cast<U64x2>(lanes)[group]);
}
// Interleaves the lower or the upper halves.
inline I16 mix_low(I16 a, I16 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
inline I16 mix_high(I16 a, I16 b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
// Undoes mix_low() and mix_high(), whose results became `a` and `b`. The lanes are limited to 16 bits.
inline I16 limited_words(I32 a, I32 b) {
#if defined(__SSE2__)
  return low_words(a, b);
#elif defined(__wasm_simd128__)
  return reinterpret_cast<I16>(wasm_i16x8_narrow_i32x4(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  I16 out;
  for (int i = 0; i < 4; ++i) {
    out[i] = static_cast<int16_t>(std::clamp(a[i], -32768, 32767));
    out[4 + i] = static_cast<int16_t>(std::clamp(b[i], -32768, 32767));
  }
  return out;
#endif
}
inline I16 load_lanes(const uint16_t* from) {
  I16 lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
inline void store_lanes(uint16_t* to, U16 lanes) { std::memcpy(to, &lanes, sizeof lanes); }
inline I16 load_bytes(const uint8_t* from) { return load_words(from); }
inline void store_limited_bytes(uint8_t* to, I16 lanes) { store_limited_words(to, lanes); }
// The means of the limited lanes and the bytes at `to`, rounded up.
inline void store_means(uint8_t* to, I16 lanes) {
  const auto others = reinterpret_cast<U8x16>(U64x2{load_vector<uint64_t>(to), 0});
  store_vector<uint64_t>(to, reinterpret_cast<U64x2>(average(limited_bytes(lanes, lanes), others))[0]);
}

}  // namespace narrow

#if defined(__x86_64__)
TEXCAST_AVX2_BEGIN
namespace wide {

constexpr int kLanes = 16;
using U8 = uint8_t __attribute__((vector_size(32)));
using U16 = uint16_t __attribute__((vector_size(32)));
using I16 = int16_t __attribute__((vector_size(32)));
using I32 = int32_t __attribute__((vector_size(32)));
using F32 = float __attribute__((vector_size(32)));

inline __m256i of(U16 v) { return reinterpret_cast<__m256i>(v); }
inline __m256i of(I16 v) { return reinterpret_cast<__m256i>(v); }
inline U16 multiply_high(U16 a, U16 b) { return reinterpret_cast<U16>(_mm256_mulhi_epu16(of(a), of(b))); }
inline I32 multiply_pairs(I16 a, I16 b) { return reinterpret_cast<I32>(_mm256_madd_epi16(of(a), of(b))); }
inline I16 smaller(I16 a, I16 b) { return reinterpret_cast<I16>(_mm256_min_epi16(of(a), of(b))); }
inline I16 larger(I16 a, I16 b) { return reinterpret_cast<I16>(_mm256_max_epi16(of(a), of(b))); }
inline U16 add_saturated(U16 a, U16 b) { return reinterpret_cast<U16>(_mm256_adds_epu16(of(a), of(b))); }
template <int kFold>
I16 lanes_of_group(int group) {
  const I16 lane{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return reinterpret_cast<I16>(lane / int16_t{kLanes / kFold} == static_cast<int16_t>(group));
}
template <int kFold>
U16 of_group(U16 lanes, int group) {
  static_assert(kFold == 1 || kFold == 2 || kFold == 4);
  if (kFold == 1) return lanes;
  const __m256i all = of(lanes);
  if (kFold == 2)
    return reinterpret_cast<U16>(group == 0 ? _mm256_permute4x64_epi64(all, 0x44)
                                            : _mm256_permute4x64_epi64(all, 0xEE));
  switch (group) {
    case 0: return reinterpret_cast<U16>(_mm256_permute4x64_epi64(all, 0x00));
    case 1: return reinterpret_cast<U16>(_mm256_permute4x64_epi64(all, 0x55));
    case 2: return reinterpret_cast<U16>(_mm256_permute4x64_epi64(all, 0xAA));
    default: return reinterpret_cast<U16>(_mm256_permute4x64_epi64(all, 0xFF));
  }
}
// Both halves of 128 bits are interleaved separately; limited_words() puts the lanes into their order again.
inline I16 mix_low(I16 a, I16 b) { return reinterpret_cast<I16>(_mm256_unpacklo_epi16(of(a), of(b))); }
inline I16 mix_high(I16 a, I16 b) { return reinterpret_cast<I16>(_mm256_unpackhi_epi16(of(a), of(b))); }
inline I16 limited_words(I32 a, I32 b) {
  return reinterpret_cast<I16>(_mm256_packs_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline I16 load_lanes(const uint16_t* from) {
  I16 lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
inline void store_lanes(uint16_t* to, U16 lanes) { std::memcpy(to, &lanes, sizeof lanes); }
inline I16 load_bytes(const uint8_t* from) {
  return reinterpret_cast<I16>(_mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
inline void store_limited_bytes(uint8_t* to, I16 lanes) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm_packus_epi16(_mm256_castsi256_si128(of(lanes)), _mm256_extracti128_si256(of(lanes), 1)));
}
inline void store_means(uint8_t* to, I16 lanes) {
  const __m128i others = _mm_loadu_si128(reinterpret_cast<const __m128i*>(to));
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(of(lanes)), _mm256_extracti128_si256(of(lanes), 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_avg_epu8(bytes, others));
}

}  // namespace wide
TEXCAST_AVX2_END
#endif

// Stores eight numbers of 64 bits, whose words are given from the lowest to the highest.
inline void store_mixed(const uint16_t* a, const uint16_t* b, const uint16_t* c, const uint16_t* d, uint64_t* to) {
  const narrow::I16 first = narrow::load_lanes(a), second = narrow::load_lanes(b), third = narrow::load_lanes(c),
                    fourth = narrow::load_lanes(d);
  const auto low = reinterpret_cast<U32x4>(narrow::mix_low(first, second));
  const auto high = reinterpret_cast<U32x4>(narrow::mix_high(first, second));
  const auto upper_low = reinterpret_cast<U32x4>(narrow::mix_low(third, fourth));
  const auto upper_high = reinterpret_cast<U32x4>(narrow::mix_high(third, fourth));
  store_vector(to, __builtin_shufflevector(low, upper_low, 0, 4, 1, 5));
  store_vector(to + 2, __builtin_shufflevector(low, upper_low, 2, 6, 3, 7));
  store_vector(to + 4, __builtin_shufflevector(high, upper_high, 0, 4, 1, 5));
  store_vector(to + 6, __builtin_shufflevector(high, upper_high, 2, 6, 3, 7));
}

// Transposes 16 rows of 16 bytes.
inline void transpose_bytes(U8x16 (&rows)[16]) {
  for (int stage = 0; stage < 4; ++stage) {
    U8x16 mixed[16];
    for (int i = 0; i < 8; ++i) {
      mixed[2 * i] = mix_low(rows[i], rows[i + 8]);
      mixed[2 * i + 1] = mix_high(rows[i], rows[i + 8]);
    }
    for (int i = 0; i < 16; ++i) rows[i] = mixed[i];
  }
}

}  // namespace texcast::compact
