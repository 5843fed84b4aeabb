// simd.h — vectors of 16 bytes. They are the vector types of GCC and Clang; operations without an operator use SSE2,
// which every x86-64 has, WebAssembly's, or loops on other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace texcast::compact {

using U8x16 = uint8_t __attribute__((vector_size(16)));
using I8x16 = int8_t __attribute__((vector_size(16)));
using I16x8 = int16_t __attribute__((vector_size(16)));
using U16x8 = uint16_t __attribute__((vector_size(16)));
using I32x4 = int32_t __attribute__((vector_size(16)));
using U32x4 = uint32_t __attribute__((vector_size(16)));
using F32x4 = float __attribute__((vector_size(16)));
using U64x2 = uint64_t __attribute__((vector_size(16)));

template <typename Vector>
Vector load_vector(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <typename Vector>
void store_vector(void* to, Vector vector) {
  std::memcpy(to, &vector, sizeof vector);
}

inline U8x16 filled(int value) { return U8x16{} + static_cast<uint8_t>(value); }

// a · b / 65536.
inline U16x8 multiply_high(U16x8 a, U16x8 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U16x8>(_mm_mulhi_epu16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#elif defined(__wasm_simd128__)
  const auto x = reinterpret_cast<v128_t>(a), y = reinterpret_cast<v128_t>(b);
  return __builtin_shufflevector(reinterpret_cast<U16x8>(wasm_u32x4_extmul_low_u16x8(x, y)),
                                 reinterpret_cast<U16x8>(wasm_u32x4_extmul_high_u16x8(x, y)), 1, 3, 5, 7, 9, 11, 13,
                                 15);
#else
  U16x8 out;
  for (int i = 0; i < 8; ++i) out[i] = static_cast<uint16_t>(static_cast<uint32_t>(a[i]) * b[i] >> 16);
  return out;
#endif
}

// The sums of the products of two adjacent lanes.
inline I32x4 multiply_pairs(I16x8 a, I16x8 b) {
#if defined(__SSE2__)
  return reinterpret_cast<I32x4>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#elif defined(__wasm_simd128__)
  return reinterpret_cast<I32x4>(wasm_i32x4_dot_i16x8(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  I32x4 out;
  for (int i = 0; i < 4; ++i) out[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return out;
#endif
}

inline U8x16 smaller(U8x16 a, U8x16 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U8x16>(_mm_min_epu8(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a < b ? a : b;
#endif
}
inline U8x16 larger(U8x16 a, U8x16 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U8x16>(_mm_max_epu8(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a > b ? a : b;
#endif
}
inline I16x8 smaller(I16x8 a, I16x8 b) {
#if defined(__SSE2__)
  return reinterpret_cast<I16x8>(_mm_min_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a < b ? a : b;
#endif
}
inline I16x8 larger(I16x8 a, I16x8 b) {
#if defined(__SSE2__)
  return reinterpret_cast<I16x8>(_mm_max_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a > b ? a : b;
#endif
}

// The mean, rounded up.
inline U8x16 average(U8x16 a, U8x16 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U8x16>(_mm_avg_epu8(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a | b) - ((a ^ b) >> 1);
#endif
}
// The sums of absolute differences of eight bytes each.
inline U64x2 sums_of_differences(U8x16 a, U8x16 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U64x2>(_mm_sad_epu8(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  const U8x16 differences = larger(a, b) - smaller(a, b);
  U64x2 sums{};
  for (int i = 0; i < 16; ++i) sums[i / 8] += differences[i];
  return sums;
#endif
}
// Bit i is set if byte i of `a` is at least that of `least`.
inline uint32_t mask_from(U8x16 a, U8x16 least) {
  const auto are = reinterpret_cast<U8x16>(larger(a, least) == a);
#if defined(__SSE2__)
  return static_cast<uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(are)));
#else
  uint32_t mask = 0;
  for (int i = 0; i < 16; ++i) mask |= static_cast<uint32_t>(are[i] & 1) << i;
  return mask;
#endif
}

// The low bytes of all lanes, those of `a` first. Lanes are below 256.
inline U8x16 low_bytes(U16x8 a, U16x8 b) {
#if defined(__SSE2__)
  return reinterpret_cast<U8x16>(_mm_packus_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return __builtin_shufflevector(reinterpret_cast<U8x16>(a), reinterpret_cast<U8x16>(b), 0, 2, 4, 6, 8, 10, 12, 14, 16,
                                 18, 20, 22, 24, 26, 28, 30);
#endif
}
// The low words of all lanes, which are between -32768 and 32767.
inline I16x8 low_words(I32x4 a, I32x4 b) {
#if defined(__SSE2__)
  return reinterpret_cast<I16x8>(_mm_packs_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  I16x8 out;
  for (int i = 0; i < 4; ++i) {
    out[i] = static_cast<int16_t>(a[i]);
    out[4 + i] = static_cast<int16_t>(b[i]);
  }
  return out;
#endif
}
// Interleaves the lower or the upper halves: a0 b0 a1 b1 ….
inline U8x16 mix_low(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline U8x16 mix_high(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// Lanes limited to 0 to 255, those of `a` first.
inline U8x16 limited_bytes(I16x8 a, I16x8 b) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<U8x16>(wasm_u8x16_narrow_i16x8(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  const I16x8 most = I16x8{} + int16_t{255};
  return low_bytes(reinterpret_cast<U16x8>(larger(smaller(a, most), I16x8{})),
                   reinterpret_cast<U16x8>(larger(smaller(b, most), I16x8{})));
#endif
}
// Eight bytes as words, and words limited to 0 to 255 as eight bytes.
inline I16x8 load_words(const uint8_t* from) {
  const U64x2 bytes{load_vector<uint64_t>(from), 0};
  return reinterpret_cast<I16x8>(mix_low(reinterpret_cast<U8x16>(bytes), U8x16{}));
}
inline void store_limited_words(uint8_t* to, I16x8 words) {
  store_vector<uint64_t>(to, reinterpret_cast<U64x2>(limited_bytes(words, words))[0]);
}
// 4x4 bytes from rows that are `stride` apart.
inline U8x16 load_block(const uint8_t* from, ptrdiff_t stride) {
  U32x4 rows;
  for (int j = 0; j < 4; ++j) rows[j] = load_vector<uint32_t>(from + j * stride);
  return reinterpret_cast<U8x16>(rows);
}

}  // namespace texcast::compact
