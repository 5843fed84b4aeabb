// planar.cl — ETC2's planar blocks: least squares, then a search by steps; each channel independently.
//   defines   METHOD
//   exactness as etc/colors.cl; equals codec/ref/etc/etc2_planar.cpp
#include "etc/colors.cl"

// Expands codes of 6 or 7 bits to bytes.
static float4 planar_bytes(float4 code, int bits) {
  return bits == 6 ? 4.0f * code + CUT_OFF(code, 4) : 2.0f * code + CUT_OFF(code, 6);
}

// For one channel, by its codes at the top left, right and bottom. Adding an eighth rounds halves up, and leaves
// quarters as they are.
static float planar_error(float16 v, float4 code, int bits) {
  const float16 x = (float16)(0.0f, 0.25f, 0.5f, 0.75f, 0.0f, 0.25f, 0.5f, 0.75f, 0.0f, 0.25f, 0.5f, 0.75f, 0.0f, 0.25f, 0.5f, 0.75f);
  const float16 y = (float16)(0.0f, 0.0f, 0.0f, 0.0f, 0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 0.5f, 0.75f, 0.75f, 0.75f, 0.75f);
  const float4 c = planar_bytes(code, bits);
  const float16 value = TO_WHOLE(x * (c.y - c.x) + (y * (c.z - c.x) + (c.x + 0.125f)));
  const float16 off = clamp(value, (float16)(0.0f), (float16)(255.0f)) - v;
  return add16(off * off);
}

// x, y, z: codes of a channel; w: their error. Products with the number of codes are up to 20400 * 127. Adding a 256th
// moves ties between two codes away from the midpoint, and nothing else across one.
static float4 fit_planar(float16 v, int bits) {
  const float most = bits == 6 ? 63.0f : 127.0f;
  const float4 columns = v.s0123 + v.s4567 + v.s89ab + v.scdef, rows = v.s048c + v.s159d + v.s26ae + v.s37bf;
  const float across = 3.0f * (columns.w - columns.x) + (columns.z - columns.y);
  const float down = 3.0f * (rows.w - rows.x) + (rows.z - rows.y);
  const float origin = 5.0f * (columns.x + columns.y + columns.z + columns.w) - 3.0f * (across + down);
  const float4 eightieths = (float4)(origin, origin + 8.0f * across, origin + 8.0f * down, 0.0f);
  const float4 at = clamp(eightieths, (float4)(0.0f), (float4)(80.0f * 255.0f));
  float4 best = TO_WHOLE((at + 0.00390625f) * (most / (80.0f * 255.0f)));
  best.w = planar_error(v, best, bits);
#if TEXCAST_ETC2_PLANAR_STEPS(METHOD) > 0
  for (int step = 0; step < TEXCAST_ETC2_PLANAR_STEPS(METHOD); ++step) {
    const float4 from = best;
    for (int n = 0; n < 27; ++n) {
      float4 code = from + (float4)((float)(n / 9 - 1), (float)(n / 3 % 3 - 1), (float)(n % 3 - 1), 0.0f);
      if (min(min(code.x, code.y), code.z) < 0.0f || max(max(code.x, code.y), code.z) > most) continue;
      code.w = planar_error(v, code, bits);
      if (code.w < best.w) best = code;
    }
    if (best.w == from.w) break;
  }
#endif
  return best;
}

static uint2 pack_planar(int4 r, int4 g, int4 b) {
  const uint upper = etc_valid(r.x >> 2, (r.x & 3) << 1 | g.x >> 6) << 24 |
                     etc_valid(g.x >> 2 & 15, (g.x & 3) << 1 | b.x >> 5) << 16 |
                     etc_invalid(b.x >> 3 & 3, b.x >> 1 & 3) << 8 |
                     (uint)((b.x & 1) << 7 | (r.y >> 1) << 2 | 2 | (r.y & 1));
  const uint lower = (uint)g.y << 25 | (uint)(b.y << 19 | r.z << 13 | g.z << 6 | b.z);
  return etc_bytes(upper, lower);
}

static uint2 encode_planar(rgb_block *p, int *error) {
  float4 codes[3];
  for (int c = 0; c < 3; ++c) {
    float16 v = p->r;
    if (c == 1) v = p->g;
    if (c == 2) v = p->b;
    codes[c] = fit_planar(v, c == 1 ? 7 : 6);
  }
  *error = (int)(codes[0].w + codes[1].w + codes[2].w);
  return pack_planar(convert_int4(codes[0]), convert_int4(codes[1]), convert_int4(codes[2]));
}
