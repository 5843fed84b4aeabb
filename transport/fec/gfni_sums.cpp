#include "gfni_sums.h"

#include "base/ensure.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace texcast::transport::gfni {

// One row for each bit of the result: bit i of the product is the parity of the bits that are set both in byte 7 - i of
// the matrix and in the other factor.
uint64_t matrix_of(uint8_t factor) {
  uint64_t matrix = 0;
  unsigned product = factor;  // of factor and 2^bit
  for (unsigned bit = 0; bit < 8; ++bit) {
    for (unsigned i = 0; i < 8; ++i) matrix |= uint64_t{product >> i & 1} << (8 * (7 - i) + bit);
    product = product << 1 ^ (product & 0x80 ? 0x11Du : 0u);
  }
  return matrix;
}

#if defined(__x86_64__)

namespace {

#define TEXCAST_GFNI __attribute__((target("avx512f,avx512bw,gfni")))
constexpr size_t kVectorBytes = 64;

// A factor's matrix in each group of eight bytes. Loaded separately, because clang 14's assembler encodes eight times
// the displacement if GF2P8AFFINEQB loads it itself.
TEXCAST_GFNI __attribute__((always_inline)) inline __m512i everywhere(uint64_t matrix) {
  __m512i all = _mm512_set1_epi64(static_cast<long long>(matrix));
#ifdef __clang__
  asm("" : "+v"(all));
#endif
  return all;
}

// The same for a constant number of lanes. Two sources at a time: one instruction adds both products.
template <int Lanes>
TEXCAST_GFNI void add_lanes(const uint64_t* matrices, int count, const CauchyParity::DataSymbols& sources,
                            const CauchyParity::ParitySymbols& results, size_t bytes, bool fresh) {
  constexpr int kExclusiveOr = 0x96;  // of three, as a truth table
  for (size_t at = 0; at < bytes; at += kVectorBytes) {
    const size_t left = bytes - at;
    const __mmask64 mask = left >= kVectorBytes ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
    __m512i sums[Lanes];
    for (int j = 0; j < Lanes; ++j)
      sums[j] = fresh ? _mm512_setzero_si512()
                      : _mm512_maskz_loadu_epi8(mask, results.begin + static_cast<size_t>(j) * results.stride + at);
    const std::byte* source = sources.begin + at;
    const uint64_t* matrix = matrices;
    int i = 0;
    for (; i + 1 < count; i += 2, source += 2 * sources.stride, matrix += 2 * kLanes) {
      const __m512i a = _mm512_maskz_loadu_epi8(mask, source);
      const __m512i b = _mm512_maskz_loadu_epi8(mask, source + sources.stride);
      for (int j = 0; j < Lanes; ++j)
        sums[j] = _mm512_ternarylogic_epi64(sums[j], _mm512_gf2p8affine_epi64_epi8(a, everywhere(matrix[j]), 0),
                                            _mm512_gf2p8affine_epi64_epi8(b, everywhere(matrix[kLanes + j]), 0),
                                            kExclusiveOr);
    }
    if (i < count) {
      const __m512i a = _mm512_maskz_loadu_epi8(mask, source);
      for (int j = 0; j < Lanes; ++j)
        sums[j] = _mm512_xor_si512(sums[j], _mm512_gf2p8affine_epi64_epi8(a, everywhere(matrix[j]), 0));
    }
    for (int j = 0; j < Lanes; ++j)
      _mm512_mask_storeu_epi8(results.begin + static_cast<size_t>(j) * results.stride + at, mask, sums[j]);
  }
}

#undef TEXCAST_GFNI

}  // namespace

bool available() {
  static const bool there =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("gfni");
  return there;
}

void add(const uint64_t* matrices, int count, const CauchyParity::DataSymbols& sources, int lanes,
         const CauchyParity::ParitySymbols& results, size_t bytes, bool fresh) {
  constexpr decltype(&add_lanes<1>) kOfLanes[kLanes] = {add_lanes<1>, add_lanes<2>, add_lanes<3>, add_lanes<4>,
                                                        add_lanes<5>, add_lanes<6>, add_lanes<7>, add_lanes<8>};
  ENSURE(lanes >= 1 && lanes <= kLanes);
  kOfLanes[lanes - 1](matrices, count, sources, results, bytes, fresh);
}

#else

bool available() { return false; }

void add(const uint64_t*, int, const CauchyParity::DataSymbols&, int, const CauchyParity::ParitySymbols&, size_t,
         bool) {
  ENSURE(false);
}

#endif

}  // namespace texcast::transport::gfni
