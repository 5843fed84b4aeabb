// range_side_by_side.cl — BC1 range fit, LANES blocks per item, one lane per block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of LANES blocks across; items past the last
//                return early
//   in   source  as in common/load_side_by_side.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    integer; the bytes of bc1/range.cl
#include "common/load_side_by_side.cl"

typedef struct {
  lane_int x, y, z;
} lane_int3;
typedef struct {
  lane_int3 a, b;
} lane_ends;
// The line between two end points, for the projection of texels.
typedef struct {
  lane_int3 axis;
  lane_int half_0_1, half_1_2, half_2_3;  // midpoints along the axis, rounded up: at >= half as in bc1/palette.cl
} lane_line;
// The texels as integers.
typedef struct {
  lane_int r[16], g[16], b[16];
} lane_bytes;

static lane_int lane_round_div_255(lane_int v) { return (v + 128 + ((v + 128) >> 8)) >> 8; }
static lane_int lane_third(lane_int x) { return (x * 21846) >> 16; }
static lane_int lane_expand5(lane_int c) { return c << 3 | c >> 2; }
static lane_int lane_expand6(lane_int c) { return c << 2 | c >> 4; }
static lane_int lane_dot(lane_int3 a, lane_int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static lane_int lane_packed(lane_int3 c) { return c.x << 11 | c.y << 5 | c.z; }

static void expand_lane_ends(const lane_int3 *c, lane_int3 *out) {
  out->x = lane_expand5(c->x);
  out->y = lane_expand6(c->y);
  out->z = lane_expand5(c->z);
}

static void make_lane_line(const lane_ends *ends, lane_line *line) {
  lane_int3 a, b, p1, p2;
  expand_lane_ends(&ends->a, &a);
  expand_lane_ends(&ends->b, &b);
  line->axis.x = a.x - b.x;
  line->axis.y = a.y - b.y;
  line->axis.z = a.z - b.z;
  p1.x = lane_third(a.x + 2 * b.x);
  p1.y = lane_third(a.y + 2 * b.y);
  p1.z = lane_third(a.z + 2 * b.z);
  p2.x = lane_third(2 * a.x + b.x);
  p2.y = lane_third(2 * a.y + b.y);
  p2.z = lane_third(2 * a.z + b.z);
  const lane_int at_b = lane_dot(b, line->axis), at_1 = lane_dot(p1, line->axis), at_2 = lane_dot(p2, line->axis),
                 at_a = lane_dot(a, line->axis);
  line->half_0_1 = (at_b + at_1 + 1) >> 1;
  line->half_1_2 = (at_1 + at_2 + 1) >> 1;
  line->half_2_3 = (at_2 + at_a + 1) >> 1;
}

static lane_int lane_place(const lane_bytes *p, const lane_line *line, int i) {
  return p->r[i] * line->axis.x + p->g[i] * line->axis.y + p->b[i] * line->axis.z;
}

// Bounding box along the channels' directions.
static void range_lane_ends(const lane_bytes *p, lane_ends *ends) {
  lane_int3 low = {p->r[0], p->g[0], p->b[0]}, high = low, sum = low;
  lane_int rg = p->r[0] * p->g[0], rb = p->r[0] * p->b[0], gb = p->g[0] * p->b[0];
  UNROLLED for (int i = 1; i < 16; ++i) {
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
  const lane_int falls_rg = 16 * rg - sum.x * sum.y, falls_rb = 16 * rb - sum.x * sum.z,
                 falls_gb = 16 * gb - sum.y * sum.z;
  const lane_int range_x = high.x - low.x, range_y = high.y - low.y, range_z = high.z - low.z;
  // The widest channel is the reference: green before red before blue. It never falls against itself.
  const lane_int red_leads = range_x > range_y;
  const lane_int blue_leads = range_z > max(range_x, range_y);
  const lane_int zero = (lane_int)(0);
  const lane_int falls_x = select(select(falls_rg, zero, red_leads), falls_rb, blue_leads);
  const lane_int falls_y = select(select(zero, falls_rg, red_leads), falls_gb, blue_leads);
  const lane_int falls_z = select(select(falls_gb, falls_rb, red_leads), zero, blue_leads);
#define END(c, levels, falls, range)                                             \
  {                                                                              \
    const lane_int top = lane_round_div_255((high.c - (range >> 4)) * levels);   \
    const lane_int bottom = lane_round_div_255((low.c + (range >> 4)) * levels); \
    ends->a.c = select(top, bottom, falls < 0);                                  \
    ends->b.c = select(bottom, top, falls < 0);                                  \
  }
  END(x, 31, falls_x, range_x)
  END(y, 63, falls_y, range_y)
  END(z, 31, falls_z, range_z)
#undef END
}

// Four-colour order and indices, as in bc1/palette.cl's pack_bc1.
static void write_lanes(const lane_bytes *p, lane_ends ends, global uint2 *out, int step, int count) {
  const lane_int turn = lane_packed(ends.a) - lane_packed(ends.b) < 0;
#define TURN(c)                                \
  {                                            \
    const lane_int a = ends.a.c, b = ends.b.c; \
    ends.a.c = select(a, b, turn);             \
    ends.b.c = select(b, a, turn);             \
  }
  TURN(x)
  TURN(y)
  TURN(z)
#undef TURN
  lane_line line;
  make_lane_line(&ends, &line);
  const lane_int c0 = lane_packed(ends.a), c1 = lane_packed(ends.b);
  lane_uint indices = (lane_uint)(0);
  EACH_TEXEL {
    // Weights 0, 1, 2, 3 are indices 1, 3, 2, 0.
    const lane_int at = lane_place(p, &line, i);
    const lane_int index =
        select(select(select((lane_int)(0), (lane_int)(2), at < line.half_2_3), (lane_int)(3), at < line.half_1_2),
               (lane_int)(1), at < line.half_0_1);
    indices |= AS_UINT(index) << (2 * i);
  }
  indices = select(indices, (lane_uint)(0), AS_UINT(c0 == c1));
  const lane_uint colors = AS_UINT(c0 | c1 << 16);
  store_lanes(colors, indices, out, step, count);
}

kernel void bc1_range_lanes(global const uchar *source, global uint2 *blocks, const texcast_source s,
                            const texcast_target t CHANGED_TILES) {
  int bx, by, count;
  if (!own_lanes(&t, &bx, &by, &count) || !IN_CHANGED_TILE(&t, bx, by)) return;
  lane_blocks texels;
  load_lanes(source, &s, 4 * bx, 4 * by, &texels);
  lane_bytes p;
  EACH_TEXEL {
    p.r[i] = TO_INT(texels.r[i]);
    p.g[i] = TO_INT(texels.g[i]);
    p.b[i] = TO_INT(texels.b[i]);
  }
  lane_ends ends;
  range_lane_ends(&p, &ends);
  write_lanes(&p, ends, blocks + place_of(&t, by * t.blocks_x + bx), t.step, count);
}
