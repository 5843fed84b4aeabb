#include "sample.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

long sample_places(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  const int all[] = {a, b, c, d, e, f, g, h, i, j};
  long sum = 0;
  for (int k = 0; k < 10; ++k) sum = sum * 10 + all[k];
  return sum;
}

// The loader calls this when it looks up sample_digits(): it overwrites the vector registers.
static void lose_vectors(void) {
#ifdef __x86_64__
  __asm__ volatile(
      "pxor %%xmm0, %%xmm0\npxor %%xmm1, %%xmm1\npxor %%xmm2, %%xmm2\npxor %%xmm3, %%xmm3\n"
      "pxor %%xmm4, %%xmm4\npxor %%xmm5, %%xmm5\npxor %%xmm6, %%xmm6\npxor %%xmm7, %%xmm7" ::
          : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#else
  __asm__ volatile(
      "fmov d0, xzr\nfmov d1, xzr\nfmov d2, xzr\nfmov d3, xzr\n"
      "fmov d4, xzr\nfmov d5, xzr\nfmov d6, xzr\nfmov d7, xzr" ::
          : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
#endif
}

static double digits(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                     double j) {
  const double all[] = {a, b, c, d, e, f, g, h, i, j};
  double sum = 0;
  for (int k = 0; k < 10; ++k) sum = sum * 10 + all[k];
  return sum;
}

typedef double (*Digits)(double, double, double, double, double, double, double, double, double, double);
static Digits choose_digits(void) {
  lose_vectors();
  return digits;
}
double sample_digits(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j)
    __attribute__((ifunc("choose_digits")));

// The address ends in a zero byte. On x86-64, al holds the number of vector registers of a variadic call; with this
// address in rax instead, it would be zero.
__attribute__((aligned(256))) int sample_print(char* text, unsigned long bytes, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char printed[256];  // also separates the place of the registers from where a first call has put them
  const int length = vsnprintf(printed, sizeof printed, format, arguments);
  va_end(arguments);
  strncpy(text, printed, bytes);
  return length;
}

struct Large sample_large(int first) {
  struct Large large;
  for (int i = 0; i < 9; ++i) large.values[i] = first + i;
  return large;
}

int sample_call(int (*back)(int), int value) { return back(value); }

const struct Named sample_named = {"sample", 7};

const char* sample_name_of(const struct Named* named) { return named->name; }

int sample_from_threads(int value) { return value + 1; }
