// load_halves.cl — loads a block of the source frame as half floats, represented as whole numbers in the order of their
// values: the 15 lower bits, negative if the sign is set. Bytes of other sources are value / 255 in their own curve.
//   out       16 lanes per channel, lane i = column i % 4 of row i / 4: -0x7BFF..0x7BFF; NaN is 0
//   defines   SIGNED_CODES=1, else negative values are 0 · as in common/load.cl
//   exactness integer; equals FrameReader::half_block of codec/ref/convert.cpp bit for bit on every device
#include "common/load.cl"

#ifndef SIGNED_CODES
#define SIGNED_CODES 0
#endif

typedef struct {
  int16 r, g, b;
} half_block;

#if SOURCE_FORMAT == TEXCAST_RGBA_HALF
static int16 ordered_halves(int16 bits) {
  const int16 size = bits & 0x7FFF;
  const int16 number = select(min(size, (int16)(0x7BFF)), (int16)(0), size > (int16)(TEXCAST_INFINITE_HALF));
#if SIGNED_CODES
  return select(number, -number, bits > (int16)(0x7FFF));
#else
  return select(number, (int16)(0), bits > (int16)(0x7FFF));
#endif
}

// Coordinates outside the frame repeat its edge.
static int4 load_half_texel(SOURCE source, const texcast_source *s, int x, int y) {
  global const uchar *p = source + s->offset0 + min(y, s->height - 1) * s->stride0 + 8 * min(x, s->width - 1);
  return convert_int4(vload4(0, (global const ushort *)p));
}

static void load_half_block(SOURCE source, const texcast_source *s, int x, int y, half_block *out) {
  int16 r, g, b;
  if (x + 4 <= s->width && y + 4 <= s->height) {
    global const uchar *p = source + s->offset0 + y * s->stride0 + 8 * x;
    const ushort16 r0 = vload16(0, (global const ushort *)p), r1 = vload16(0, (global const ushort *)(p + s->stride0)),
                   r2 = vload16(0, (global const ushort *)(p + 2 * s->stride0)),
                   r3 = vload16(0, (global const ushort *)(p + 3 * s->stride0));
    r = convert_int16((ushort16)(r0.s048c, r1.s048c, r2.s048c, r3.s048c));
    g = convert_int16((ushort16)(r0.s159d, r1.s159d, r2.s159d, r3.s159d));
    b = convert_int16((ushort16)(r0.s26ae, r1.s26ae, r2.s26ae, r3.s26ae));
  } else {
    int cr[16], cg[16], cb[16];
    for (int i = 0; i < 16; ++i) {
      const int4 texel = load_half_texel(source, s, x + (i & 3), y + (i >> 2));
      cr[i] = texel.x;
      cg[i] = texel.y;
      cb[i] = texel.z;
    }
    r = vload16(0, cr);
    g = vload16(0, cg);
    b = vload16(0, cb);
  }
  out->r = ordered_halves(r);
  out->g = ordered_halves(g);
  out->b = ordered_halves(b);
}
#else
// The half nearest to byte / 255. With 2^18 <= byte << (18 - k) < 2^19 the quotient has the 11 bits of a half's
// fraction.
static int16 half_of_byte(int16 byte) {
  const int16 shift = clz(byte) - 13;
  const int16 bits = ((25 - shift) << 10) + ((byte << (shift & 31)) + 127) / 255 - 1024;
  return select(bits, (int16)(0), byte == (int16)(0));
}
#endif

__attribute__((always_inline)) static bool load_own_halves(SOURCE source, const texcast_source *s,
                                                           const texcast_target *t, int *block, half_block *out) {
  int bx, by;
  if (!own_block(t, block, &bx, &by)) return false;
#if SOURCE_FORMAT == TEXCAST_RGBA_HALF
  load_half_block(source, s, 4 * bx, 4 * by, out);
#else
  rgb_block p;
  load_rgb_block(source, s, 4 * bx, 4 * by, &p);
  out->r = half_of_byte(p.r);
  out->g = half_of_byte(p.g);
  out->b = half_of_byte(p.b);
#endif
  return true;
}
