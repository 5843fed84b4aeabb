// search.cl — the best of all settings of an EAC R11 block. It tries thousands of settings per block, for which one
// lane per texel uses a processor's vectors best. A part of eac/fit.cl, with LANES=1.
//   exactness as eac/fit.cl

// See eac_error.
static float eac_error_of_all(float16 v, int base, float step, float4 sides) {
  const float middle = eac_middle(base, step);
  const float4 level = step * sides;
  const float16 far = fabs(v - middle);
  float16 off = min(min(fabs(far - level.x), fabs(far - level.y)), min(fabs(far - level.z), fabs(far - level.w)));
  // 0 or EAC_TOP is a value too, if the lowest or the highest one is clamped.
  if (middle < level.w) off = min(off, v);
  if (EAC_TOP - middle < level.w) off = min(off, EAC_TOP - v);
  return add16(off * off);
}

// The best of all settings; among equals the one with the smallest multiplier, then table, then base. Moving the base
// by one moves each value by at most 8, so the square root of the error by at most 32. So bases near to one that is
// much worse than the best are skipped, as are those whose values end too far from the lowest or the highest texel. The
// precision of the square roots has no effect on the result.
static void eac_search(const float *texels, float low, float high, eac_fit *best) {
#define TEXEL(n) v.s##n = texels[0x##n];
  float16 v;
  EACH_LANE(TEXEL)
#undef TEXEL
#pragma unroll 1
  for (int setting = 0; setting < 256; ++setting) {
    const int multiplier = setting >> 4, table = setting & 15;
    const float step = eac_step(multiplier);
    const float4 sides = eac_sides[table];
    const float slack = sqrt(best->error) + step * sides.w + 0.1f;
    const float shift = step - (float)EAC_OFFSET;
    const int end = clamp((int)ceil((low + slack + shift) * 0.125f), 0, EAC_LAST_BASE);
    int base = max((int)floor((high - slack + shift) * 0.125f), 0);
#pragma unroll 1
    while (base <= end) {
      const float error = eac_error_of_all(v, base, step, sides);
      const int order = (setting - (best->multiplier << 4 | best->table)) * 256 + base - best->base;
      if (error < best->error || (error == best->error && order < 0)) {
        best->error = error;
        best->multiplier = multiplier;
        best->table = table;
        best->base = base;
      }
      const float worse = sqrt(error) - sqrt(best->error);
      base += 1 + max((int)((worse - 0.1f) * 0.03125f), 0);
    }
  }
}
