// sample.h — a C library with functions of all ways to pass arguments and results.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct Large {
  long values[9];
};
struct Named {
  const char* name;
  int number;
};

// Each argument becomes a digit of the result.
long sample_places(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j);
double sample_digits(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                     double j);
int sample_print(char* text, unsigned long bytes, const char* format, ...);
struct Large sample_large(int first);
int sample_call(int (*back)(int), int value);
const char* sample_name_of(const struct Named* named);
int sample_from_threads(int value);
int sample_missing(int value);  // the library does not export it

extern const struct Named sample_named;

int absent_function(int value);  // of a library that does not exist

#ifdef __cplusplus
}
#endif
