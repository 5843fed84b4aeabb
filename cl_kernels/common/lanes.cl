// lanes.cl — sums, extremes and packing across the 16 lanes of a block. Integer, so any order gives the same result;
// add16 adds floats in the order that the references define; least16 and greatest16 are the extremes of floats.

// DO(0) DO(1) … DO(f): code for each lane, as x.s##n and array[0x##n].
#define EACH_LANE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(a) DO(b) DO(c) DO(d) DO(e) DO(f)

static int sum16(int16 v) {
  const int8 a = v.lo + v.hi;
  const int4 b = a.lo + a.hi;
  const int2 c = b.lo + b.hi;
  return c.x + c.y;
}
static float add16(float16 v) {
  const float8 a = v.lo + v.hi;
  const float4 b = a.lo + a.hi;
  const float2 c = b.lo + b.hi;
  return c.x + c.y;
}
// For whole numbers whose sum is below 2^24, so that mad may fuse.
static float dot16(float16 a, float16 b) {
  float4 sum = a.lo.lo * b.lo.lo;
  sum = mad(a.lo.hi, b.lo.hi, sum);
  sum = mad(a.hi.lo, b.hi.lo, sum);
  sum = mad(a.hi.hi, b.hi.hi, sum);
  return (sum.x + sum.y) + (sum.z + sum.w);
}
static int min16(int16 v) {
  const int8 a = min(v.lo, v.hi);
  const int4 b = min(a.lo, a.hi);
  const int2 c = min(b.lo, b.hi);
  return min(c.x, c.y);
}
static int max16(int16 v) {
  const int8 a = max(v.lo, v.hi);
  const int4 b = max(a.lo, a.hi);
  const int2 c = max(b.lo, b.hi);
  return max(c.x, c.y);
}
static float least16(float16 v) {
  const float8 a = min(v.lo, v.hi);
  const float4 b = min(a.lo, a.hi);
  const float2 c = min(b.lo, b.hi);
  return min(c.x, c.y);
}
static float greatest16(float16 v) {
  const float8 a = max(v.lo, v.hi);
  const float4 b = max(a.lo, a.hi);
  const float2 c = max(b.lo, b.hi);
  return max(c.x, c.y);
}
static uint or16(uint16 v) {
  const uint8 a = v.lo | v.hi;
  const uint4 b = a.lo | a.hi;
  const uint2 c = b.lo | b.hi;
  return c.x | c.y;
}
