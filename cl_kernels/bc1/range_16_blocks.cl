// range_16_blocks.cl — BC1 range fit, 16 blocks an item, one lane a block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of 16 blocks across; items past the last
//                return early
//   in   source  as common/load_16_blocks.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    integer; the bytes of bc1/range.cl
#include "common/load_16_blocks.cl"

typedef struct {
  int16 x, y, z;
} int16x3;
typedef struct {
  int16x3 a, b;
} ends16;
// Everything that the projection on the line between two end points needs.
typedef struct {
  int16x3 axis;
  int16 half_0_1, half_1_2, half_2_3;  // midpoints along the axis, rounded up: at >= half as in bc1/palette.cl
} line16;
// The texels as integers.
typedef struct {
  int16 r[16], g[16], b[16];
} bytes16;

static int16 round_div_255_16(int16 v) { return (v + 128 + ((v + 128) >> 8)) >> 8; }
static int16 third16(int16 x) { return (x * 21846) >> 16; }
static int16 expand5(int16 c) { return c << 3 | c >> 2; }
static int16 expand6(int16 c) { return c << 2 | c >> 4; }
static int16 dot16(int16x3 a, int16x3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static int16 packed16(int16x3 c) { return c.x << 11 | c.y << 5 | c.z; }

static void expand16(const int16x3 *c, int16x3 *out) {
  out->x = expand5(c->x);
  out->y = expand6(c->y);
  out->z = expand5(c->z);
}

static void make_line16(const ends16 *ends, line16 *line) {
  int16x3 a, b, p1, p2;
  expand16(&ends->a, &a);
  expand16(&ends->b, &b);
  line->axis.x = a.x - b.x;
  line->axis.y = a.y - b.y;
  line->axis.z = a.z - b.z;
  p1.x = third16(a.x + 2 * b.x);
  p1.y = third16(a.y + 2 * b.y);
  p1.z = third16(a.z + 2 * b.z);
  p2.x = third16(2 * a.x + b.x);
  p2.y = third16(2 * a.y + b.y);
  p2.z = third16(2 * a.z + b.z);
  const int16 at_b = dot16(b, line->axis), at_1 = dot16(p1, line->axis), at_2 = dot16(p2, line->axis),
              at_a = dot16(a, line->axis);
  line->half_0_1 = (at_b + at_1 + 1) >> 1;
  line->half_1_2 = (at_1 + at_2 + 1) >> 1;
  line->half_2_3 = (at_2 + at_a + 1) >> 1;
}

static int16 place16(const bytes16 *p, const line16 *line, int i) {
  return p->r[i] * line->axis.x + p->g[i] * line->axis.y + p->b[i] * line->axis.z;
}

// Bounding box along the channels' directions.
static void range_ends16(const bytes16 *p, ends16 *ends) {
  int16x3 low = {p->r[0], p->g[0], p->b[0]}, high = low, sum = low;
  int16 rg = p->r[0] * p->g[0], rb = p->r[0] * p->b[0], gb = p->g[0] * p->b[0];
#pragma unroll
  for (int i = 1; i < 16; ++i) {
    low.x = min(low.x, p->r[i]);
    low.y = min(low.y, p->g[i]);
    low.z = min(low.z, p->b[i]);
    high.x = max(high.x, p->r[i]);
    high.y = max(high.y, p->g[i]);
    high.z = max(high.z, p->b[i]);
    sum.x += p->r[i];
    sum.y += p->g[i];
    sum.z += p->b[i];
    rg += p->r[i] * p->g[i];
    rb += p->r[i] * p->b[i];
    gb += p->g[i] * p->b[i];
  }
  const int16 falls_rg = 16 * rg - sum.x * sum.y, falls_rb = 16 * rb - sum.x * sum.z,
              falls_gb = 16 * gb - sum.y * sum.z;
  const int16 range_x = high.x - low.x, range_y = high.y - low.y, range_z = high.z - low.z;
  // The widest channel leads: green before red before blue. It never falls against itself.
  const int16 red_leads = range_x > range_y;
  const int16 blue_leads = range_z > max(range_x, range_y);
  const int16 zero = (int16)(0);
  const int16 falls_x = select(select(falls_rg, zero, red_leads), falls_rb, blue_leads);
  const int16 falls_y = select(select(zero, falls_rg, red_leads), falls_gb, blue_leads);
  const int16 falls_z = select(select(falls_gb, falls_rb, red_leads), zero, blue_leads);
#define END(c, levels, falls, range)                                                  \
  {                                                                                   \
    const int16 top = round_div_255_16((high.c - (range >> 4)) * levels);             \
    const int16 bottom = round_div_255_16((low.c + (range >> 4)) * levels);           \
    ends->a.c = select(top, bottom, falls < 0);                                       \
    ends->b.c = select(bottom, top, falls < 0);                                       \
  }
  END(x, 31, falls_x, range_x)
  END(y, 63, falls_y, range_y)
  END(z, 31, falls_z, range_z)
#undef END
}

// Four-colour order and indices, as bc1/palette.cl's pack_bc1.
static void write_blocks16(const bytes16 *p, ends16 ends, global uint2 *out, int step,
                           int count) {
  const int16 turn = packed16(ends.a) - packed16(ends.b);
#define TURN(c)                                   \
  {                                               \
    const int16 a = ends.a.c, b = ends.b.c;       \
    ends.a.c = select(a, b, turn);                \
    ends.b.c = select(b, a, turn);                \
  }
  TURN(x)
  TURN(y)
  TURN(z)
#undef TURN
  line16 line;
  make_line16(&ends, &line);
  const int16 c0 = packed16(ends.a), c1 = packed16(ends.b);
  uint16 indices = (uint16)(0);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    // Weights 0, 1, 2, 3 are indices 1, 3, 2, 0.
    const int16 at = place16(p, &line, i);
    const int16 index = select(select(select((int16)(0), (int16)(2), at < line.half_2_3), (int16)(3), at < line.half_1_2),
                               (int16)(1), at < line.half_0_1);
    indices |= as_uint16(index) << (2 * i);
  }
  indices = select(indices, (uint16)(0), as_uint16(c0 == c1));
  const uint16 colors = as_uint16(c0 | c1 << 16);
  store_blocks16(colors, indices, out, step, count);
}

kernel void bc1_range16(global const uchar *source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t) {
  const int groups = (t.blocks_x + 15) / 16;
  const int by = (int)get_global_id(0) / groups, bx = 16 * ((int)get_global_id(0) - by * groups);
  if (by >= t.blocks_y) return;
  blocks16 texels;
  load_blocks16(source, &s, 4 * bx, 4 * by, &texels);
  bytes16 p;
  for (int i = 0; i < 16; ++i) {
    p.r[i] = convert_int16(texels.r[i]);
    p.g[i] = convert_int16(texels.g[i]);
    p.b[i] = convert_int16(texels.b[i]);
  }
  ends16 ends;
  range_ends16(&p, &ends);
  write_blocks16(&p, ends, blocks + place_of(&t, by * t.blocks_x + bx), t.step, min(16, t.blocks_x - bx));
}
