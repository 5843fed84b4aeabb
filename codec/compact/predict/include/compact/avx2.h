// avx2.h — functions for x86 processors with AVX2, in programs that run on all. Code between TEXCAST_AVX2_BEGIN and
// TEXCAST_AVX2_END may use AVX2, and is called only if has_avx2(). Neither compiler applies the target to lambdas in
// all its versions, so that there are none.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#define TEXCAST_AVX2_BEGIN _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define TEXCAST_AVX2_END _Pragma("clang attribute pop")
#else
#define TEXCAST_AVX2_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2\")")
#define TEXCAST_AVX2_END _Pragma("GCC pop_options")
#endif
#endif

namespace texcast::compact {

inline bool has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
#else
  return false;
#endif
}

}  // namespace texcast::compact
