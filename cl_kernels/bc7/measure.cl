// measure.cl — indices, and the squared error of end points per subset.

static float add8(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

// The part of a subset's end points that all its texels need.
typedef struct {
  float4 from, way;
  float base, scale;
} bc7_line;

#if HAS_ALPHA
#define HALF_OF(x, half) (x)->r.half, (x)->g.half, (x)->b.half, (x)->a.half
#else
#define HALF_OF(x, half) (x)->r.half, (x)->g.half, (x)->b.half, (float8)(0.0f)
#endif

// Indices and squared error per subset, for eight texels at a time, as sixteen would need more registers than GPUs
// have.
static float8 measure_half(float8 r, float8 g, float8 b, float8 a, int8 second, int8 third, const bc7_line *lines,
                           int index_bits, float *error) {
  const float last = last_index(index_bits);
#if SUBSETS == 3
#define OF_SUBSET(member)                                                     \
  select(select((float8)(lines[0].member), (float8)(lines[1].member), second), \
         (float8)(lines[2].member), third)
#else
#define OF_SUBSET(member) select((float8)(lines[0].member), (float8)(lines[1].member), second)
#endif
  const float8 dr = OF_SUBSET(way.x), dg = OF_SUBSET(way.y), db = OF_SUBSET(way.z);
  float8 along = (dr * r + dg * g) + db * b;
#if HAS_ALPHA
  const float8 da = OF_SUBSET(way.w);
  along += da * a;
#endif
  along = (along - OF_SUBSET(base)) * OF_SUBSET(scale);
  const float8 index = (min(max(along, (float8)(0.0f)), (float8)(last)) + 8388608.0f) - 8388608.0f;
  // 64ths, rounded; there are no ties.
  const float spread = index_bits == 2 ? 21.333334f : index_bits == 3 ? 9.142858f : 4.2666669f;
  const float8 weight = ((index * spread + 8388608.0f) - 8388608.0f) * 0.015625f;
  // Ties round up: all values are multiples of a 64th.
#define BLEND(d) ((d * weight + 0.0078125f) + 12582912.0f) - 12582912.0f
  const float8 off_r = (BLEND(dr)) + (OF_SUBSET(from.x) - r);
  float8 off = off_r * off_r;
  const float8 off_g = (BLEND(dg)) + (OF_SUBSET(from.y) - g);
  off += off_g * off_g;
  const float8 off_b = (BLEND(db)) + (OF_SUBSET(from.z) - b);
  off += off_b * off_b;
#if HAS_ALPHA
  const float8 off_a = (BLEND(da)) + (OF_SUBSET(from.w) - a);
  off += off_a * off_a;
#endif
#undef BLEND
#undef OF_SUBSET
  const float here = add8(as_float8(as_int8(off) & second));
  error[0] += add8(off) - here;
  error[1] += here;
#if SUBSETS == 3
  const float there = add8(as_float8(as_int8(off) & third));
  error[0] -= there;
  error[2] += there;
#endif
  return index;
}

// The index of each texel, the nearest along the line between its subset's end points, and the squared error per
// subset.
static float16 measure(const bc7_texels *x, const bc7_plane *plane, const uint *low, const uint *high, float *error) {
  bc7_line lines[SUBSETS];
  for (int s = 0; s < SUBSETS; ++s) {
    const float4 from = channels_of(low[s]), way = channels_of(high[s]) - from;
    lines[s].from = from;
    lines[s].way = way;
    lines[s].base = dot_of(way, from);
    lines[s].scale = last_index(plane->index_bits) * reciprocal(max(dot_of(way, way), 1.0f));
  }
  for (int s = 0; s < SUBSETS; ++s) error[s] = 0.0f;
  float16 index;
  index.lo = measure_half(HALF_OF(x, lo), plane->second.lo, plane->third.lo, lines, plane->index_bits, error);
  index.hi = measure_half(HALF_OF(x, hi), plane->second.hi, plane->third.hi, lines, plane->index_bits, error);
  return index;
}
