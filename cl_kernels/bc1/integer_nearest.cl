// integer_nearest.cl — blocks of four colours whose texels take the nearest one.
//   exactness integer; equals codec/ref/bc1_nearest.cpp (Bc1Order::four) bit for bit on every device
//   style     results go out through pointers, as common/load.cl says
#include "bc1/integer_fit.cl"

typedef struct {
  int3 p0, p1, p2, p3;
} nearest_palette;

static void make_nearest_palette(ends565 ends, nearest_palette *p) {
  p->p0 = expanded(ends.a);
  p->p1 = expanded(ends.b);
  p->p2 = third(2 * p->p0 + p->p1);
  p->p3 = third(p->p0 + 2 * p->p1);
}

static int packed565(int3 c) { return c.x << 11 | c.y << 5 | c.z; }

static void to_block_order(ends565 *e) {
  if (packed565(e->a) >= packed565(e->b)) return;
  const int3 a = e->a;
  e->a = e->b;
  e->b = a;
}

// Squared distances from a colour, less the texels' own squares: three products a texel.
static int16 distance16(const fit_block *f, int3 p) {
  return dot3(p, p) - (f->r * (2 * p.x) + f->g * (2 * p.y) + f->b * (2 * p.z));
}

// The block's squared error as it will be decoded, less the texels' squares.
static int nearest_error(const fit_block *f, ends565 ends) {
  nearest_palette p;
  make_nearest_palette(ends, &p);
  return sum16(min(min(distance16(f, p.p0), distance16(f, p.p1)), min(distance16(f, p.p2), distance16(f, p.p3))));
}

// The finished block; of equally near colours the one with the smallest index.
static uint2 pack_nearest(const fit_block *f, ends565 ends) {
  to_block_order(&ends);
  nearest_palette p;
  make_nearest_palette(ends, &p);
  int16 best = distance16(f, p.p0), index = (int16)(0);
#define NEARER(n)                                  \
  {                                                \
    const int16 other = distance16(f, p.p##n);     \
    index = select(index, (int16)(n), other < best); \
    best = min(best, other);                       \
  }
  NEARER(1) NEARER(2) NEARER(3)
#undef NEARER
  const uint16 shift = (uint16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return (uint2)((uint)(packed565(ends.a) | packed565(ends.b) << 16), or16(as_uint16(index) << shift));
}
