// palette.cl — shared by all BC1 kernels: rounding to 5-6-5, channel directions, palette and indices.
//   exactness integer; equals codec/ref/bc/bc1_palette.cpp bit for bit on every device
//   source    docs/format.md, "BC1"
#include "common/load.cl"
#include "common/lanes.cl"

static int round_div_255(int v) { return (v + 128 + ((v + 128) >> 8)) >> 8; }
static int to_5_bits(int v) { return round_div_255(v * 31); }
static int to_6_bits(int v) { return round_div_255(v * 63); }

// x / 3 for 0 <= x <= 65535 / 2: 21846 / 65536 is 1/3 + 1e-5.
static int3 third(int3 x) { return (x * 21846) >> 16; }

typedef struct {
  uint c0, c1;                           // packed, c0 >= c1
  int3 axis;                             // c0 - c1 in 8-bit steps
  int half_1_3, half_3_2, half_2_0;      // twice the midpoints between neighbouring palette colours along the axis
} bc1_palette;

static int dot3(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// End points as (5 bits, 6 bits, 5 bits), in either order.
static bc1_palette make_palette(int3 end0, int3 end1) {
  bc1_palette p;
  uint c0 = (uint)(end0.x << 11 | end0.y << 5 | end0.z), c1 = (uint)(end1.x << 11 | end1.y << 5 | end1.z);
  if (c0 < c1) {
    const int3 end = end0;
    const uint c = c0;
    end0 = end1;
    end1 = end;
    c0 = c1;
    c1 = c;
  }
  p.c0 = c0;
  p.c1 = c1;
  const int3 up = (int3)(3, 2, 3), down = (int3)(2, 4, 2);
  const int3 e0 = end0 << up | end0 >> down, e1 = end1 << up | end1 >> down;
  const int3 p2 = third(2 * e0 + e1), p3 = third(e0 + 2 * e1);
  p.axis = e0 - e1;
  p.half_1_3 = dot3(e1 + p3, p.axis);
  p.half_3_2 = dot3(p3 + p2, p.axis);
  p.half_2_0 = dot3(p2 + e0, p.axis);
  return p;
}

// Along the axis the palette has the order c1, p3, p2, c0. `at` is twice the texel's projection.
#define BC1_INDEX(at, p) ((at) < (p).half_1_3 ? 1 : (at) < (p).half_3_2 ? 3 : (at) < (p).half_2_0 ? 2 : 0)

// The finished block of 16 texels.
static uint2 pack_bc1(int16 r, int16 g, int16 b, int3 end0, int3 end1) {
  const bc1_palette p = make_palette(end0, end1);
  const int16 at = 2 * (r * p.axis.x + g * p.axis.y + b * p.axis.z);
  const int16 index = select(select(select((int16)(0), (int16)(2), at < p.half_2_0), (int16)(3), at < p.half_3_2),
                             (int16)(1), at < p.half_1_3);
  const uint16 shift = (uint16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const uint indices = p.c0 == p.c1 ? 0 : or16(as_uint16(index) << shift);
  return (uint2)(p.c0 | p.c1 << 16, indices);
}

// +1 or -1 for each channel: whether it rises or falls with the channel of the widest range (ties: green, red, blue).
static int3 channel_directions(int16 r, int16 g, int16 b, int3 range) {
  int16 widest = g;
  int most = range.y;
  if (range.x > most) {
    widest = r;
    most = range.x;
  }
  if (range.z > most) widest = b;
  const int sum = sum16(widest);
  const int3 covariance = (int3)(16 * sum16(r * widest) - sum16(r) * sum, 16 * sum16(g * widest) - sum16(g) * sum,
                                 16 * sum16(b * widest) - sum16(b) * sum);
  return select((int3)(1), (int3)(-1), covariance < 0);
}

// End points as (5 bits, 6 bits, 5 bits).
typedef struct {
  int3 a, b;
} ends565;
