// load_channel.cl — loads alpha or luma of the source frame, a block at a time.
//   in        source, as in common/load.cl
//   out       16 lanes, lane i = column i % 4 of row i / 4: bytes, or with LOAD_FINE=1 steps of 1 / FINE_STEP of a
//             byte,
//             luma with the precision that the source has beyond 8 bits
//   defines   CODED: the channel · set by the including file: LOAD_FINE=1
//   exactness whole numbers; equals codec/ref/convert.cpp bit for bit on every device
#define CODED_OPAQUE 0  // 255 everywhere: alpha if the source has none; nothing is loaded
#define CODED_ALPHA 1   // the fourth byte of RGBA and BGRA
#define CODED_LUMA 2    // Y' of Y'CbCr and of gray; that of RGB by the weights of BT.709
#ifndef CODED
#define CODED CODED_ALPHA
#endif

#if CODED == CODED_LUMA
#define LOAD_LUMA 1
#endif
#include "common/load.cl"
#if CODED == CODED_ALPHA
#include "common/load_alpha.cl"
#endif

// In 65536ths of a byte, by 0.2126, 0.7152, 0.0722.
#define LUMA_OF(r, g, b) (13933 * (r) + 46871 * (g) + 4732 * (b))
#if LOAD_FINE
// In steps of 1 / FINE_STEP of a byte, truncated: 2^7 and 2^9 replace 2^16.
#define FROM_LUMA(sum, as_unsigned, as_signed, type) as_signed(mul_hi(as_unsigned(sum) << 7, (type)(FINE_STEP << 9)))
#define FROM_BYTE(byte) (FINE_STEP * (byte))
#else
#define FROM_LUMA(sum, as_unsigned, as_signed, type) (((sum) + 32768) >> 16)
#define FROM_BYTE(byte) (byte)
#endif

#if CODED != CODED_OPAQUE
// False past the last block.
static bool load_own_channel(SOURCE source, const texcast_source *s, const texcast_target *t, int *block, int16 *out) {
#if CODED == CODED_LUMA
  rgb_block p;
  if (!load_own_block(source, s, t, block, &p)) return false;
#if IS_RGB
  *out = FROM_LUMA(LUMA_OF(p.r, p.g, p.b), as_uint16, as_int16, uint16);
#else
  *out = p.g;
#endif
#else
  int bx, by;
  if (!own_block(t, block, &bx, &by)) return false;
  *out = FROM_BYTE(load_alpha(source, s, 4 * bx, 4 * by));
#endif
  return true;
}
#endif
