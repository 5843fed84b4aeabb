// waves.cl — the cosine transform of a block's values. The part of them that a weight grid cannot reproduce is nearly
// a fixed fraction of each wave's energy.
//   exactness  defined float order, equals codec/ref/astc/astc_waves.cpp
#include "astc/lines.cl"

#define HALF_SIDE (SIDE / 2)
#define COLUMNS ((SIDE + 1) / 2)
#if SIDE == 4
constant float astc_waves[] = TEXCAST_ASTC_WAVES_4;
#elif SIDE == 5
constant float astc_waves[] = TEXCAST_ASTC_WAVES_5;
#elif SIDE == 6
constant float astc_waves[] = TEXCAST_ASTC_WAVES_6;
#else
constant float astc_waves[] = TEXCAST_ASTC_WAVES_8;
#endif

#if SIDE == 4
#define ROWS_4(v) (v).lo.lo, (v).lo.hi, (v).hi.lo, (v).hi.hi

static float16 turned(float16 v) {
  return v.s048c159d26ae37bf;
}
// Vertically, four columns at once.
static float16 waves_down(float16 v) {
  const float4 outer = v.lo.lo + v.hi.hi, inner = v.lo.hi + v.hi.lo;
  const float4 outer_less = v.lo.lo - v.hi.hi, inner_less = v.lo.hi - v.hi.lo;
  return (float16)(outer * astc_waves[0] + inner * astc_waves[1], outer_less * astc_waves[2] + inner_less * astc_waves[3],
                   outer * astc_waves[4] + inner * astc_waves[5], outer_less * astc_waves[6] + inner_less * astc_waves[7]);
}
static void square_waves(astc_lanes *v) {
  const float16 waves = turned(waves_down(turned(waves_down(v->of[0]))));
  v->of[0] = waves * waves;
}
#else
// Transforms SIDE values at the given distance.
static void transform(float *values, int first, int apart) {
  float in[SIDE];
  for (int i = 0; i < SIDE; ++i) in[i] = values[first + apart * i];
  for (int wave = 0; wave < SIDE; ++wave) {
    float sum = 0.0f;
    for (int j = 0; j < HALF_SIDE; ++j) {
      const float folded = wave % 2 == 0 ? in[j] + in[SIDE - 1 - j] : in[j] - in[SIDE - 1 - j];
      const float term = folded * astc_waves[COLUMNS * wave + j];
      sum = j == 0 ? term : sum + term;
    }
    if (COLUMNS > HALF_SIDE && wave % 2 == 0) sum += in[HALF_SIDE] * astc_waves[COLUMNS * wave + HALF_SIDE];
    values[first + apart * wave] = sum;
  }
}
static void square_waves(astc_lanes *v) {
  float *values = (float *)v->of;
#pragma unroll 1
  for (int x = 0; x < SIDE; ++x) transform(values, x, SIDE);
#pragma unroll 1
  for (int y = 0; y < SIDE; ++y) transform(values, SIDE * y, 1);
  EACH_GROUP v->of[n] *= v->of[n];
}
#endif

// The energy that a grid loses.
static float lost_by(astc_tables tables, int width, int height, const astc_lanes *squares) {
  const astc_floats lost = (astc_floats)(tables + TEXCAST_ASTC_LOST_OF(width, height));
  float16 sum = squares->of[0] * sixteen_of(lost);
#pragma unroll
  for (int n = 1; n < GROUPS; ++n) sum += squares->of[n] * sixteen_of(lost + 4 * n);
  return add16(sum);
}
