// steps.cl — the steps in which weights are stored (codec/ref/astc/astc_steps.h).
//   exactness  whole numbers: sums and products are exact except where they are rounded; equals
//              codec/ref/astc/astc_steps.h
#include "astc/waves.cl"

#define PLACES ((float)TEXCAST_ASTC_PLACES)
#define HALF_PLACES ((float)(TEXCAST_ASTC_PLACES / 2))

// Rounds to whole numbers; |v| < 2^22.
static float16 rounded(float16 v) { return (v + ROUND) - ROUND; }

// The distance of a position to the nearer end of its line; whole numbers.
static float16 to_nearer_end(float16 place) { return HALF_PLACES - fabs(place - HALF_PLACES); }

// The number of the step nearest to a position, counted from the nearer end, and the step's weight from there.
// `from_end`: positions 0..HALF_PLACES.
static float16 step_of(const astc_layout *layout, float16 from_end) {
  // The product is exact.
  return min(mad(from_end, (float16)(layout->near), (float16)(ROUND)) - ROUND, (float16)(layout->most));
}
static float16 weight_of_step(const astc_layout *layout, float16 number) {
  return rounded(mad(number, (float16)(layout->rise), (float16)(layout->first)));
}

// The sum of the squared distances to the nearest steps; below 2^24.
static float rounding_of(const astc_layout *layout, const astc_lanes *from_end) {
  float sum = 0.0f;
  EACH_GROUP {
    const float16 weight = weight_of_step(layout, step_of(layout, from_end->of[n]));
    const float16 off = mad(weight, (float16)(-PLACES / 64), from_end->of[n]);
    sum += dot16(off, off);
  }
  return sum;
}
