// end_points_side_by_side.cl — end points, their errors and the finished blocks as in bc1/line_fit.cl, for LANES
// blocks side by side, one lane per block.
//   exactness as bc1/line_fit.cl; the same numbers in another order of lanes
#include "bc1/line_fit_side_by_side.cl"

static lane_float lane_determinant(const lane_sums *s) { return mad((lane_float)(16.0f), s->ww, -(s->w * s->w)); }

static lane_float lane_expanded(lane_float code, float quarter, float cut, float step) {
  return mad(code, (lane_float)(step), (mad(code, (lane_float)(quarter), (lane_float)(-cut)) + ROUND) - ROUND);
}

static void expand_lane_ends(lane_ends *e) {
#define EXPAND(side)                                                    \
  e->side.x = lane_expanded(e->code_##side.x, 0.25f, 0.375f, 8.0f);     \
  e->side.y = lane_expanded(e->code_##side.y, 0.0625f, 0.46875f, 4.0f); \
  e->side.z = lane_expanded(e->code_##side.z, 0.25f, 0.375f, 8.0f);
  EXPAND(a)
  EXPAND(b)
#undef EXPAND
}

static lane_float lane_to_code(lane_float unit, float largest) {
  return (clamp(unit, (lane_float)(0.0f), (lane_float)(1.0f)) * largest + ROUND) - ROUND;
}

// See line_unrounded.
static void lane_unrounded(const lane_float3 *sum, const lane_sums *s, lane_float3 *a, lane_float3 *b) {
  const lane_float inverse = lane_reciprocal(max(lane_determinant(s), (lane_float)(1.0f)));
  const lane_float share = s->w * 0.0625f;
#define FIT(c)                                                                \
  {                                                                           \
    const lane_float q = mad((lane_float)(16.0f), s->wv.c, -(s->w * sum->c)); \
    const lane_float step = (q * inverse) * 0.00392156863f;                   \
    b->c = sum->c * 0.00024509803922f - share * step;                         \
    a->c = b->c + 3.0f * step;                                                \
  }
  FIT(x)
  FIT(y)
  FIT(z)
#undef FIT
}

static void lane_fit(const lane_float3 *sum, const lane_sums *s, lane_ends *e) {
  lane_float3 a, b;
  lane_unrounded(sum, s, &a, &b);
#define ROUND_ENDS(c, largest)              \
  e->code_a.c = lane_to_code(a.c, largest); \
  e->code_b.c = lane_to_code(b.c, largest);
  ROUND_ENDS(x, 31.0f)
  ROUND_ENDS(y, 63.0f)
  ROUND_ENDS(z, 31.0f)
#undef ROUND_ENDS
  expand_lane_ends(e);
}

// See line_fit_closely; one channel at a time.
static void lane_fit_closely(const lane_float3 *sum, const lane_sums *s, lane_ends *e) {
  lane_float3 a, b;
  lane_unrounded(sum, s, &a, &b);
  const lane_float aa = s->ww, ab = mad((lane_float)(3.0f), s->w, -s->ww),
                   bb = mad((lane_float)(-6.0f), s->w, 144.0f + s->ww);
  const lane_float inverse = lane_reciprocal(max(bb, (lane_float)(1.0f))) * 0.00392156863f;
#define ANSWER(n, c, largest, quarter, cut, step)                                   \
  const lane_float x##n = lane_expanded(code##n, quarter, cut, step);               \
  const lane_float answer##n = lane_to_code(mad(-ab, x##n, vb) * inverse, largest); \
  const lane_float y##n = lane_expanded(answer##n, quarter, cut, step);             \
  const lane_float error##n =                                                       \
      x##n * mad(aa, x##n, mad(2.0f * ab, y##n, -6.0f * s->wv.c)) + y##n * mad(bb, y##n, -2.0f * vb);
#define CLOSELY(c, largest, quarter, cut, step)                                                   \
  {                                                                                               \
    const lane_float vb = mad((lane_float)(9.0f), sum->c, -3.0f * s->wv.c);                       \
    const lane_float place = clamp(a.c, (lane_float)(0.0f), (lane_float)(1.0f)) * largest;        \
    const lane_float code0 = min(((place - 0.5f) + ROUND) - ROUND, (lane_float)(largest - 1.0f)); \
    const lane_float code1 = code0 + 1.0f;                                                        \
    ANSWER(0, c, largest, quarter, cut, step)                                                     \
    ANSWER(1, c, largest, quarter, cut, step)                                                     \
    const lane_int better = AS_INT(error1 - error0);                                              \
    e->code_a.c = CHOOSE(code0, code1, better);                                                   \
    e->code_b.c = CHOOSE(answer0, answer1, better);                                               \
    e->a.c = CHOOSE(x0, x1, better);                                                              \
    e->b.c = CHOOSE(y0, y1, better);                                                              \
  }
  CLOSELY(x, 31.0f, 0.25f, 0.375f, 8.0f)
  CLOSELY(y, 63.0f, 0.0625f, 0.46875f, 4.0f)
  CLOSELY(z, 31.0f, 0.25f, 0.375f, 8.0f)
#undef CLOSELY
#undef ANSWER
}

static void lane_flat(const lane_float3 *sum, lane_ends *e) {
  int x[LANES], y[LANES], z[LANES];
  STORE_LANES((TO_INT(sum->x) + 8) >> 4, x);
  STORE_LANES((TO_INT(sum->y) + 8) >> 4, y);
  STORE_LANES((TO_INT(sum->z) + 8) >> 4, z);
  for (int lane = 0; lane < LANES; ++lane) {
    x[lane] = flat_ends_5[x[lane]];
    y[lane] = flat_ends_6[y[lane]];
    z[lane] = flat_ends_5[z[lane]];
  }
  const lane_int px = LOAD_LANES(x), py = LOAD_LANES(y), pz = LOAD_LANES(z);
  e->code_a.x = TO_FLOAT(px >> 8);
  e->code_a.y = TO_FLOAT(py >> 8);
  e->code_a.z = TO_FLOAT(pz >> 8);
  e->code_b.x = TO_FLOAT(px & 255);
  e->code_b.y = TO_FLOAT(py & 255);
  e->code_b.z = TO_FLOAT(pz & 255);
  expand_lane_ends(e);
}

// Places in the low bits, see line_places.
static void lane_places(const lane_blocks *p, const lane_ends *e, lane_float *places) {
  const lane_float3 line = {e->a.x - e->b.x, e->a.y - e->b.y, e->a.z - e->b.z};
  const lane_float scale =
      lane_rounded_bits(lane_reciprocal(max(lane_whole_dot(&line, &line), (lane_float)(1.0f))), 18);
  const lane_float start = lane_whole_dot(&e->b, &line) - THIRDS_CUT * ((line.x + line.y) + line.z);
  const lane_float offset = -(start * scale);
  EACH_TEXEL {
    const lane_float place = mad(lane_along(p, &line, i), scale, offset);
    places[i] = clamp(place, (lane_float)(0.0f), (lane_float)(1.0f)) * 3.0f + ROUND;
  }
}

// Negative if the end points are equal. (Conditions are represented by the sign here and combined by | and &: for
// combined comparisons Oclgrind 21.10 gives 1 instead of -1.)
static lane_int lane_equal(const lane_ends *e) {
  const lane_float apart =
      (fabs(e->code_a.x - e->code_b.x) + fabs(e->code_a.y - e->code_b.y)) + fabs(e->code_a.z - e->code_b.z);
  return AS_INT(apart - 0.5f);
}

// Sets `ends` to `other` in lanes where `take` is negative.
static void take_lane_ends(lane_ends *ends, const lane_ends *other, lane_int take) {
#define TAKE(side, c) ends->side.c = CHOOSE(ends->side.c, other->side.c, take);
#define TAKE3(side) TAKE(side, x) TAKE(side, y) TAKE(side, z)
  TAKE3(code_a) TAKE3(code_b) TAKE3(a) TAKE3(b)
#undef TAKE3
#undef TAKE
}

static lane_float lane_error(const lane_float3 *sum, const lane_sums *s, const lane_ends *e) {
  const lane_float twice_w = 2.0f * s->w;
#define ERROR(c)                                                                                   \
  const lane_float d_##c = e->a.c - e->b.c;                                                        \
  const lane_float t1_##c = mad((lane_float)(48.0f), e->b.c, mad(twice_w, d_##c, -6.0f * sum->c)); \
  const lane_float t2_##c = mad(s->ww, d_##c, -6.0f * s->wv.c);                                    \
  const lane_float e_##c = (3.0f * e->b.c) * t1_##c + d_##c * t2_##c;
  ERROR(x)
  ERROR(y)
  ERROR(z)
#undef ERROR
  return (e_x + e_y) + e_z;
}

// See try_ends; only in lanes where `allowed` is negative. The sums are those of the candidate in every lane.
static void try_lane_ends(const lane_blocks *p, const lane_float3 *sum, const lane_ends *ends, lane_int allowed,
                          lane_sums *sums, lane_candidate *best) {
  lane_float places[16];
  lane_places(p, ends, places);
  clear_lane_sums(sums);
  EACH_TEXEL add_lane_weight(p, i, places[i] - ROUND, sums);
  const lane_float error = lane_error(sum, sums, ends);
  const lane_int better = allowed & AS_INT(error - best->error);
  take_lane_ends(&best->ends, ends, better);
  best->error = CHOOSE(best->error, error, better);
  EACH_TEXEL best->places[i] = CHOOSE(best->places[i], places[i], better);
}

static lane_uint lane_packed(const lane_float3 *code) {
  return (AS_UINT(code->x + ROUND) & 31u) << 11 | (AS_UINT(code->y + ROUND) & 63u) << 5 |
         (AS_UINT(code->z + ROUND) & 31u);
}

// See pack_line.
static void write_lanes(const lane_ends *ends, const lane_float *places, global uint2 *out, int step, int count) {
  lane_uint weights = (lane_uint)(0u);
  EACH_TEXEL weights |= (AS_UINT(places[i]) & 3u) << (2 * i);
  const lane_uint turned = ~weights;
  lane_uint indices = ((turned ^ turned << 1) & 0xAAAAAAAAu) | (turned >> 1 & 0x55555555u);
  const lane_uint a = lane_packed(&ends->code_a), b = lane_packed(&ends->code_b);
  indices ^= AS_UINT(AS_INT(a - b) >> 31) & 0x55555555u;
  indices &= ~AS_UINT((AS_INT(a ^ b) - 1) >> 31);
  store_lanes(max(a, b) | min(a, b) << 16, indices, out, step, count);
}
