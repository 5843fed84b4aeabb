// load_alpha.cl — loads alpha of RGBA and BGRA source frames, a block at a time.
//   in        source  bytes, as in common/load.cl; never an image
//   out       16 lanes, lane i = column i % 4 of row i / 4, values 0..255
//   exactness integer; equals FrameReader::alpha_block of codec/ref/convert.cpp on every device
#include "common/load.cl"

// The block whose top left texel is at (x, y); texels outside the frame repeat its edge.
static int16 load_alpha(global const uchar *source, const texcast_source *s, int x, int y) {
  if (x + 4 <= s->width && y + 4 <= s->height) {
    // Rows start at multiples of 64 bytes.
    global const uchar *p = source + s->offset0 + y * s->stride0 + 4 * x;
#define ROW(n) (*(global const uint4 *)(p + n * s->stride0) >> 24)
    return convert_int16((uint16)(ROW(0), ROW(1), ROW(2), ROW(3)));
#undef ROW
  }
  const int4 steps = (int4)(0, 1, 2, 3);
  const int4 column = 4 * min(x + steps, (int4)(s->width - 1)) + 3;
  const int4 row = s->offset0 + s->stride0 * min(y + steps, (int4)(s->height - 1));
#define ROW(n) source[row.n + column.x], source[row.n + column.y], source[row.n + column.z], source[row.n + column.w]
  return (int16)(ROW(x), ROW(y), ROW(z), ROW(w));
#undef ROW
}
