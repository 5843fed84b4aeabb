// planar.cl — ETC2's planar blocks: least squares, then steps to better codes; each channel by itself.
//   defines   METHOD
//   exactness as etc/colors.cl; equals codec/ref/etc/etc2_planar.cpp
#include "etc/colors.cl"

static int4 planar_bytes(int4 code, int bits) { return bits == 6 ? (code << 2 | code >> 4) : (code << 1 | code >> 6); }

// Of one channel by its codes at the top left, right and bottom.
static int planar_error(int16 v, int4 code, int bits) {
  const int16 x = (int16)(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
  const int16 y = (int16)(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  const int4 c = planar_bytes(code, bits);
  const int16 value = (x * (c.y - c.x) + y * (c.z - c.x) + (4 * c.x + 2)) >> 2;
  const int16 off = min(max(value, (int16)(0)), (int16)(255)) - v;
  return sum16(off * off);
}

// x, y, z: codes of a channel; w: their error.
static int4 fit_planar(int16 v, int bits) {
  const int16 x = (int16)(-3, -1, 1, 3, -3, -1, 1, 3, -3, -1, 1, 3, -3, -1, 1, 3);
  const int16 y = (int16)(-3, -3, -3, -3, -1, -1, -1, -1, 1, 1, 1, 1, 3, 3, 3, 3);
  const int most = (1 << bits) - 1;
  const int across = sum16(x * v), down = sum16(y * v);
  const int origin = 5 * sum16(v) - 3 * (across + down);
  const int4 eightieths = (int4)(origin, origin + 8 * across, origin + 8 * down, 0);
  const uint4 rounded = (convert_uint4(max(eightieths, (int4)(0)) * most) + (uint)(80 * 255 / 2)) / (uint)(80 * 255);
  int4 best = min(convert_int4(rounded), (int4)(most));
  best.w = planar_error(v, best, bits);
#if TEXCAST_ETC2_PLANAR_STEPS(METHOD) > 0
  for (int step = 0; step < TEXCAST_ETC2_PLANAR_STEPS(METHOD); ++step) {
    const int4 from = best;
    for (int n = 0; n < 27; ++n) {
      int4 code = from + (int4)(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1, 0);
      if (min(min(code.x, code.y), code.z) < 0 || max(max(code.x, code.y), code.z) > most) continue;
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
  int4 codes[3];
  for (int c = 0; c < 3; ++c) {
    float16 v = p->r;
    if (c == 1) v = p->g;
    if (c == 2) v = p->b;
    codes[c] = fit_planar(convert_int16(v), c == 1 ? 7 : 6);
  }
  *error = codes[0].w + codes[1].w + codes[2].w;
  return pack_planar(codes[0], codes[1], codes[2]);
}
