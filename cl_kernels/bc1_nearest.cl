// bc1_nearest.cl — blocks whose texels take the nearest colour of the palette, in either order of the end points.
//   exactness integer; equals codec/ref/bc1_nearest.cpp bit for bit on every device
//   style     results go out through pointers, as load.cl says

#define ORDER_FOUR 0         // c0 > c1: end points and two thirds
#define ORDER_THREE 1        // c0 <= c1: end points and their middle, index 3 never used
#define ORDER_THREE_BLACK 2  // the same with index 3, black

// Of end points in the order in which they stand. In ORDER_THREE the last colour repeats the middle.
typedef struct {
  int3 p0, p1, p2, p3;
} nearest_palette;

static void make_nearest_palette(ends565 ends, int order, nearest_palette *p) {
  p->p0 = expanded(ends.a);
  p->p1 = expanded(ends.b);
  if (order == ORDER_FOUR) {
    p->p2 = third(2 * p->p0 + p->p1);
    p->p3 = third(p->p0 + 2 * p->p1);
  } else {
    p->p2 = (p->p0 + p->p1) >> 1;
    p->p3 = (int3)(0);
    if (order == ORDER_THREE) p->p3 = p->p2;
  }
}

// Squared distances from a colour, less the texels' own squares: three products a texel.
static int16 distance16(const fit_block *f, int3 p) {
  return dot3(p, p) - (f->r * (2 * p.x) + f->g * (2 * p.y) + f->b * (2 * p.z));
}

// The block's squared error as it will be decoded, less the texels' squares.
static int nearest_error(const fit_block *f, ends565 ends, int order) {
  nearest_palette p;
  make_nearest_palette(ends, order, &p);
  return sum16(min(min(distance16(f, p.p0), distance16(f, p.p1)), min(distance16(f, p.p2), distance16(f, p.p3))));
}

// The finished block; of equally near colours the one with the smallest index.
static uint2 pack_nearest(const fit_block *f, ends565 ends, int order) {
  uint c0 = (uint)(ends.a.x << 11 | ends.a.y << 5 | ends.a.z), c1 = (uint)(ends.b.x << 11 | ends.b.y << 5 | ends.b.z);
  if (order == ORDER_FOUR ? c0 < c1 : c0 > c1) {
    const int3 end = ends.a;
    const uint c = c0;
    ends.a = ends.b;
    ends.b = end;
    c0 = c1;
    c1 = c;
  }
  nearest_palette p;
  make_nearest_palette(ends, order, &p);
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
  return (uint2)(c0 | c1 << 16, or16(as_uint16(index) << shift));
}
