// reciprocal.cl — a reciprocal without division, whose rounding differs between devices.
//   exactness single precision in a defined order without contraction; equals codec/ref/bc/include/ref/reciprocal.h bit
//             for bit on every device
#pragma OPENCL FP_CONTRACT OFF

// 1 / value from a seed made of the number's bits and three Newton steps. value > 0.
static float reciprocal(float value) {
  float r = as_float(0x7EF311C7u - as_uint(value));
  r = r * (2.0f - value * r);
  r = r * (2.0f - value * r);
  return r * (2.0f - value * r);
}

#ifdef LANES
// The same for blocks side by side (common/load_side_by_side.cl).
static lane_float lane_reciprocal(lane_float value) {
  lane_float r = AS_FLOAT(0x7EF311C7u - AS_UINT(value));
  r = r * (2.0f - value * r);
  r = r * (2.0f - value * r);
  return r * (2.0f - value * r);
}
#endif
