// bc1_refine16.cl — BC1 range fit and its least-squares refinements, 16 blocks an item, one lane a block.
//   work-group   any, one-dimensional; global = rows of blocks times groups of 16 blocks across; items past the last
//                return early
//   in   source  as load16.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      PASSES = 0 (range), 1 (refine-once), 2 (refine)
//   exactness    as bc1_fit.cl; the bytes of bc1_range.cl and bc1_refine.cl
#pragma OPENCL FP_CONTRACT OFF
#ifndef PASSES
#define PASSES 1
#endif
#define FLAT_RANGE_ONCE 4
#define FLAT_RANGE 6
#define NO_ERROR_YET (1 << 30)

typedef struct {
  int16 x, y, z;
} int16x3;
typedef struct {
  int16x3 a, b;
} ends16;
// Everything that the projection on the line between two end points needs.
typedef struct {
  int16x3 axis;
  int16 half_0_1, half_1_2, half_2_3;  // midpoints along the axis, rounded up: at >= half as in bc1_fit.cl
} line16;
typedef struct {
  int16 w, ww;
  int16x3 wv;
} sums16;

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

static int16 place16(const blocks16 *p, const line16 *line, int i) {
  return p->r[i] * line->axis.x + p->g[i] * line->axis.y + p->b[i] * line->axis.z;
}

static void sums_along(const blocks16 *p, const ends16 *ends, sums16 *s) {
  line16 line;
  make_line16(ends, &line);
  int16 rg = (int16)(0), b1 = (int16)(0), ww = (int16)(0);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int16 at = place16(p, &line, i);
    const int16 w = 3 + ((at - line.half_0_1) >> 31) + ((at - line.half_1_2) >> 31) + ((at - line.half_2_3) >> 31);
    rg += w * (p->r[i] | p->g[i] << 16);
    b1 += w * (p->b[i] | 1 << 16);
    ww += w * w;
  }
  s->w = b1 >> 16;
  s->ww = ww;
  s->wv.x = rg & 0xFFFF;
  s->wv.y = rg >> 16;
  s->wv.z = b1 & 0xFFFF;
}

static int16 determinant16(const sums16 *s) { return 16 * s->ww - s->w * s->w; }

static float16 fit_reciprocal16(float16 value) {
  float16 r = as_float16(0x7EF311C7u - as_uint16(value));
  r = r * (2.0f - value * r);
  r = r * (2.0f - value * r);
  return r * (2.0f - value * r);
}

static int16 to_code16(int16 numerator, float16 scale, float largest) {
  return convert_int16(min(max(convert_float16(numerator) * scale + 0.5f, (float16)(0.0f)), (float16)(largest)));
}

// Lanes whose determinant is 0 get something that the caller must not use.
static void fit_ends16(const int16x3 *sum, const sums16 *s, ends16 *ends) {
  const int16 det = max(determinant16(s), (int16)(1));
  const float16 inverse = fit_reciprocal16(convert_float16(det));
  const float16 five = inverse * 0.121568627f, six = inverse * 0.247058824f;  // 31 and 63 over 255
#define FIT(c, scale, largest)                                           \
  {                                                                      \
    const int16 b = s->ww * sum->c - s->w * s->wv.c;                     \
    const int16 a = b + 3 * (16 * s->wv.c - s->w * sum->c);              \
    ends->a.c = to_code16(a, scale, largest);                            \
    ends->b.c = to_code16(b, scale, largest);                            \
  }
  FIT(x, five, 31.0f)
  FIT(y, six, 63.0f)
  FIT(z, five, 31.0f)
#undef FIT
}

static int16 fit_error16(const int16x3 *sum, const sums16 *s, const ends16 *ends) {
  int16x3 a, b;
  expand16(&ends->a, &a);
  expand16(&ends->b, &b);
#define ERROR(c) (3 * b.c * (48 * b.c + 2 * s->w * (a.c - b.c) - 6 * sum->c) + (a.c - b.c) * (s->ww * (a.c - b.c) - 6 * s->wv.c))
  return ERROR(x) + ERROR(y) + ERROR(z);
#undef ERROR
}

static void flat_ends16(const int16x3 *sum, ends16 *ends) {
  int x[16], y[16], z[16];
  vstore16((sum->x + 8) >> 4, 0, x);
  vstore16((sum->y + 8) >> 4, 0, y);
  vstore16((sum->z + 8) >> 4, 0, z);
  for (int lane = 0; lane < 16; ++lane) {
    x[lane] = flat_ends_5[x[lane]];
    y[lane] = flat_ends_6[y[lane]];
    z[lane] = flat_ends_5[z[lane]];
  }
  const int16 px = vload16(0, x), py = vload16(0, y), pz = vload16(0, z);
  ends->a.x = px >> 8;
  ends->a.y = py >> 8;
  ends->a.z = pz >> 8;
  ends->b.x = px & 255;
  ends->b.y = py & 255;
  ends->b.z = pz & 255;
}

// other where `take` is negative, else ends. (Conditions are kept in the sign here and joined by | and &: Oclgrind 21.10
// makes 1 and not -1 of comparisons that are joined.)
static void take_ends(ends16 *ends, const ends16 *other, int16 take) {
  ends->a.x = select(ends->a.x, other->a.x, take);
  ends->a.y = select(ends->a.y, other->a.y, take);
  ends->a.z = select(ends->a.z, other->a.z, take);
  ends->b.x = select(ends->b.x, other->b.x, take);
  ends->b.y = select(ends->b.y, other->b.y, take);
  ends->b.z = select(ends->b.z, other->b.z, take);
}

// Negative where the end points are equal.
static int16 equal16(const ends16 *e) { return (packed16(e->a) ^ packed16(e->b)) - 1; }

// Bounding box along the channels' directions; also sums and the widest range of each block.
static void range_ends16(const blocks16 *p, ends16 *ends, int16x3 *sum, int16 *widest) {
  int16x3 low = {p->r[0], p->g[0], p->b[0]}, high = low;
  *sum = low;
  int16 rg = p->r[0] * p->g[0], rb = p->r[0] * p->b[0], gb = p->g[0] * p->b[0];
#pragma unroll
  for (int i = 1; i < 16; ++i) {
    low.x = min(low.x, p->r[i]);
    low.y = min(low.y, p->g[i]);
    low.z = min(low.z, p->b[i]);
    high.x = max(high.x, p->r[i]);
    high.y = max(high.y, p->g[i]);
    high.z = max(high.z, p->b[i]);
    sum->x += p->r[i];
    sum->y += p->g[i];
    sum->z += p->b[i];
    rg += p->r[i] * p->g[i];
    rb += p->r[i] * p->b[i];
    gb += p->g[i] * p->b[i];
  }
  const int16 falls_rg = 16 * rg - sum->x * sum->y, falls_rb = 16 * rb - sum->x * sum->z,
              falls_gb = 16 * gb - sum->y * sum->z;
  const int16 range_x = high.x - low.x, range_y = high.y - low.y, range_z = high.z - low.z;
  // The widest channel leads: green before red before blue. It never falls against itself.
  const int16 red_leads = range_x > range_y;
  const int16 blue_leads = range_z > max(range_x, range_y);
  const int16 zero = (int16)(0);
  const int16 falls_x = select(select(falls_rg, zero, red_leads), falls_rb, blue_leads);
  const int16 falls_y = select(select(zero, falls_rg, red_leads), falls_gb, blue_leads);
  const int16 falls_z = select(select(falls_gb, falls_rb, red_leads), zero, blue_leads);
  *widest = max(max(range_x, range_y), range_z);
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

// Four-colour order and indices, as bc1_palette.cl's pack_bc1.
static void write_blocks16(const blocks16 *p, ends16 ends, global uint2 *out, int count) {
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
  if (count == 16) {
    const uint16 first = (uint16)(colors.s0, indices.s0, colors.s1, indices.s1, colors.s2, indices.s2, colors.s3, indices.s3,
                                  colors.s4, indices.s4, colors.s5, indices.s5, colors.s6, indices.s6, colors.s7, indices.s7);
    const uint16 second = (uint16)(colors.s8, indices.s8, colors.s9, indices.s9, colors.sa, indices.sa, colors.sb, indices.sb,
                                   colors.sc, indices.sc, colors.sd, indices.sd, colors.se, indices.se, colors.sf, indices.sf);
    vstore16(first, 0, (global uint *)out);
    vstore16(second, 1, (global uint *)out);
    return;
  }
  uint c[16], n[16];
  vstore16(colors, 0, c);
  vstore16(indices, 0, n);
  for (int lane = 0; lane < count; ++lane) out[lane] = (uint2)(c[lane], n[lane]);
}

kernel void bc1_refine16(global const uchar *source, global uint2 *blocks, const texcast_source s,
                         const texcast_target t) {
  const int groups = (t.blocks_x + 15) / 16;
  const int by = (int)get_global_id(0) / groups, bx = 16 * ((int)get_global_id(0) - by * groups);
  if (by >= t.blocks_y) return;
  blocks16 p;
  load_blocks16(source, &s, 4 * bx, 4 * by, &p);
  ends16 ends;
  int16x3 sum;
  int16 widest;
  range_ends16(&p, &ends, &sum, &widest);
#if PASSES == 1
  sums16 sums;
  sums_along(&p, &ends, &sums);
  ends16 fitted;
  fit_ends16(&sum, &sums, &fitted);
  const int16 flat = (determinant16(&sums) - 1) | (widest - (FLAT_RANGE_ONCE + 1)) | equal16(&fitted);
  ends = fitted;
  if ((int)or16(as_uint16(flat)) < 0) {
    ends16 exact;
    flat_ends16(&sum, &exact);
    take_ends(&ends, &exact, flat);
  }
#elif PASSES == 2
  sums16 sums;
  sums_along(&p, &ends, &sums);
  int16 error = (int16)(NO_ERROR_YET);
  int16 sloped = -determinant16(&sums);  // negative while the weights differ
  for (int pass = 0; pass < 2; ++pass) {
    ends16 fitted;
    fit_ends16(&sum, &sums, &fitted);
    sums_along(&p, &fitted, &sums);
    const int16 e = fit_error16(&sum, &sums, &fitted);
    const int16 better = sloped & (e - error);
    take_ends(&ends, &fitted, better);
    error = select(error, e, better);
    sloped &= -determinant16(&sums);
  }
  const int16 flat = (NO_ERROR_YET - 1 - error) | equal16(&ends) | (widest - (FLAT_RANGE + 1));
  if ((int)or16(as_uint16(flat)) < 0) {
    ends16 exact;
    flat_ends16(&sum, &exact);
    sums_along(&p, &exact, &sums);
    take_ends(&ends, &exact, flat & (fit_error16(&sum, &sums, &exact) - error));
  }
#endif
  write_blocks16(&p, ends, blocks + by * t.blocks_x + bx, min(16, t.blocks_x - bx));
}
