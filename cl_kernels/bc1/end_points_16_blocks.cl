// end_points_16_blocks.cl — end points, their errors and the finished blocks as in bc1/line_fit.cl and
// bc1/line_fit.cl, for 16 blocks side by side, one lane a block.
//   exactness as bc1/line_fit.cl; the same numbers in another order of lanes
#include "bc1/line_fit_16_blocks.cl"

static float16 determinant16(const sums16 *s) { return mad((float16)(16.0f), s->ww, -(s->w * s->w)); }

static float16 expanded16(float16 code, float quarter, float cut, float step) {
  return mad(code, (float16)(step), (mad(code, (float16)(quarter), (float16)(-cut)) + ROUND) - ROUND);
}

static void expand16(ends16 *e) {
#define EXPAND(side)                                                  \
  e->side.x = expanded16(e->code_##side.x, 0.25f, 0.375f, 8.0f);      \
  e->side.y = expanded16(e->code_##side.y, 0.0625f, 0.46875f, 4.0f);  \
  e->side.z = expanded16(e->code_##side.z, 0.25f, 0.375f, 8.0f);
  EXPAND(a)
  EXPAND(b)
#undef EXPAND
}

static float16 to_code16(float16 unit, float largest) {
  return (clamp(unit, (float16)(0.0f), (float16)(1.0f)) * largest + ROUND) - ROUND;
}

// As line_unrounded.
static void unrounded16(const float16x3 *sum, const sums16 *s, float16x3 *a, float16x3 *b) {
  const float16 inverse = reciprocal16(max(determinant16(s), (float16)(1.0f)));
  const float16 share = s->w * 0.0625f;
#define FIT(c)                                                       \
  {                                                                  \
    const float16 q = mad((float16)(16.0f), s->wv.c, -(s->w * sum->c)); \
    const float16 step = (q * inverse) * 0.00392156863f;             \
    b->c = sum->c * 0.00024509803922f - share * step;                \
    a->c = b->c + 3.0f * step;                                       \
  }
  FIT(x)
  FIT(y)
  FIT(z)
#undef FIT
}

static void fit16(const float16x3 *sum, const sums16 *s, ends16 *e) {
  float16x3 a, b;
  unrounded16(sum, s, &a, &b);
#define ROUND_ENDS(c, largest)               \
  e->code_a.c = to_code16(a.c, largest); \
  e->code_b.c = to_code16(b.c, largest);
  ROUND_ENDS(x, 31.0f)
  ROUND_ENDS(y, 63.0f)
  ROUND_ENDS(z, 31.0f)
#undef ROUND_ENDS
  expand16(e);
}

// As line_fit_closely, a channel at a time.
static void fit_closely16(const float16x3 *sum, const sums16 *s, ends16 *e) {
  float16x3 a, b;
  unrounded16(sum, s, &a, &b);
  const float16 aa = s->ww, ab = mad((float16)(3.0f), s->w, -s->ww), bb = mad((float16)(-6.0f), s->w, 144.0f + s->ww);
  const float16 inverse = reciprocal16(max(bb, (float16)(1.0f))) * 0.00392156863f;
#define ANSWER(n, c, largest, quarter, cut, step)                                                                     \
  const float16 x##n = expanded16(code##n, quarter, cut, step);                                                       \
  const float16 answer##n = to_code16(mad(-ab, x##n, vb) * inverse, largest);                                         \
  const float16 y##n = expanded16(answer##n, quarter, cut, step);                                                     \
  const float16 error##n = x##n * mad(aa, x##n, mad(2.0f * ab, y##n, -6.0f * s->wv.c)) + y##n * mad(bb, y##n, -2.0f * vb);
#define CLOSELY(c, largest, quarter, cut, step)                                                    \
  {                                                                                                \
    const float16 vb = mad((float16)(9.0f), sum->c, -3.0f * s->wv.c);                              \
    const float16 place = clamp(a.c, (float16)(0.0f), (float16)(1.0f)) * largest;                  \
    const float16 code0 = min(((place - 0.5f) + ROUND) - ROUND, (float16)(largest - 1.0f));        \
    const float16 code1 = code0 + 1.0f;                                                            \
    ANSWER(0, c, largest, quarter, cut, step)                                                      \
    ANSWER(1, c, largest, quarter, cut, step)                                                      \
    const int16 better = as_int16(error1 - error0);                                                \
    e->code_a.c = select(code0, code1, better);                                                    \
    e->code_b.c = select(answer0, answer1, better);                                                \
    e->a.c = select(x0, x1, better);                                                               \
    e->b.c = select(y0, y1, better);                                                               \
  }
  CLOSELY(x, 31.0f, 0.25f, 0.375f, 8.0f)
  CLOSELY(y, 63.0f, 0.0625f, 0.46875f, 4.0f)
  CLOSELY(z, 31.0f, 0.25f, 0.375f, 8.0f)
#undef CLOSELY
#undef ANSWER
}

static void flat16(const float16x3 *sum, ends16 *e) {
  int x[16], y[16], z[16];
  vstore16((convert_int16(sum->x) + 8) >> 4, 0, x);
  vstore16((convert_int16(sum->y) + 8) >> 4, 0, y);
  vstore16((convert_int16(sum->z) + 8) >> 4, 0, z);
  for (int lane = 0; lane < 16; ++lane) {
    x[lane] = flat_ends_5[x[lane]];
    y[lane] = flat_ends_6[y[lane]];
    z[lane] = flat_ends_5[z[lane]];
  }
  const int16 px = vload16(0, x), py = vload16(0, y), pz = vload16(0, z);
  e->code_a.x = convert_float16(px >> 8);
  e->code_a.y = convert_float16(py >> 8);
  e->code_a.z = convert_float16(pz >> 8);
  e->code_b.x = convert_float16(px & 255);
  e->code_b.y = convert_float16(py & 255);
  e->code_b.z = convert_float16(pz & 255);
  expand16(e);
}

// Places in the low bits, as line_places.
static void places16(const blocks16 *p, const ends16 *e, float16 *places) {
  const float16x3 line = {e->a.x - e->b.x, e->a.y - e->b.y, e->a.z - e->b.z};
  const float16 scale = rounded_bits16(reciprocal16(max(whole_dot16(&line, &line), (float16)(1.0f))), 18);
  const float16 start = whole_dot16(&e->b, &line) - THIRDS_CUT * ((line.x + line.y) + line.z);
  const float16 offset = -(start * scale);
  for (int i = 0; i < 16; ++i)
    places[i] =
        clamp(mad(along16(p, &line, i), scale, offset), (float16)(0.0f), (float16)(1.0f)) * 3.0f + ROUND;
}

// (Conditions are kept in the sign here and joined by | and &: Oclgrind 21.10 makes 1 and not -1 of comparisons that
// are joined.) Negative where the end points are equal.
static int16 equal16(const ends16 *e) {
  const float16 apart =
      (fabs(e->code_a.x - e->code_b.x) + fabs(e->code_a.y - e->code_b.y)) + fabs(e->code_a.z - e->code_b.z);
  return as_int16(apart - 0.5f);
}

// other where `take` is negative, else ends.
static void take16(ends16 *ends, const ends16 *other, int16 take) {
#define TAKE(side, c) ends->side.c = select(ends->side.c, other->side.c, take);
#define TAKE3(side) TAKE(side, x) TAKE(side, y) TAKE(side, z)
  TAKE3(code_a) TAKE3(code_b) TAKE3(a) TAKE3(b)
#undef TAKE3
#undef TAKE
}

static float16 error16(const float16x3 *sum, const sums16 *s, const ends16 *e) {
  const float16 twice_w = 2.0f * s->w;
#define ERROR(c)                                                                                             \
  const float16 d_##c = e->a.c - e->b.c;                                                                     \
  const float16 t1_##c = mad((float16)(48.0f), e->b.c, mad(twice_w, d_##c, -6.0f * sum->c));                 \
  const float16 t2_##c = mad(s->ww, d_##c, -6.0f * s->wv.c);                                                 \
  const float16 e_##c = (3.0f * e->b.c) * t1_##c + d_##c * t2_##c;
  ERROR(x)
  ERROR(y)
  ERROR(z)
#undef ERROR
  return (e_x + e_y) + e_z;
}

// As try_ends, for the lanes where `allowed` is negative; the sums are those of the candidate in every lane.
static void try16(const blocks16 *p, const float16x3 *sum, const ends16 *ends, int16 allowed, sums16 *sums,
                  candidate16 *best) {
  float16 places[16];
  places16(p, ends, places);
  clear_sums(sums);
  for (int i = 0; i < 16; ++i) add_weight(p, i, places[i] - ROUND, sums);
  const float16 error = error16(sum, sums, ends);
  const int16 better = allowed & as_int16(error - best->error);
  take16(&best->ends, ends, better);
  best->error = select(best->error, error, better);
  for (int i = 0; i < 16; ++i) best->places[i] = select(best->places[i], places[i], better);
}

static uint16 packed16(const float16x3 *code) {
  return (as_uint16(code->x + ROUND) & 31u) << 11 | (as_uint16(code->y + ROUND) & 63u) << 5 |
         (as_uint16(code->z + ROUND) & 31u);
}

// As pack_line.
static void write16(const ends16 *ends, const float16 *places, global uint2 *out, int step, int count) {
  uint16 weights = (uint16)(0u);
  for (int i = 0; i < 16; ++i) weights |= (as_uint16(places[i]) & 3u) << (2 * i);
  const uint16 turned = ~weights;
  uint16 indices = ((turned ^ turned << 1) & 0xAAAAAAAAu) | (turned >> 1 & 0x55555555u);
  const uint16 a = packed16(&ends->code_a), b = packed16(&ends->code_b);
  indices ^= as_uint16(as_int16(a - b) >> 31) & 0x55555555u;
  indices &= ~as_uint16((as_int16(a ^ b) - 1) >> 31);
  store_blocks16(max(a, b) | min(a, b) << 16, indices, out, step, count);
}
