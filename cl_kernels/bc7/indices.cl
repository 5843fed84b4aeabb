// indices.cl — indices of texels in one subset or two: the first along the principal axis, later ones between end
// points.

// Each texel's place between the outermost texels of its subset along its axis, 0 to 1.
__attribute__((always_inline)) static float16 places_of(const bc7_texels *x, int16 second, int subsets, float4 axis0, float4 axis1) {
#define AXIS(member) (subsets == 2 ? select((float16)(axis0.member), (float16)(axis1.member), second) : (float16)(axis0.member))
  float16 along = (AXIS(x) * x->r + AXIS(y) * x->g) + AXIS(z) * x->b;
#if HAS_ALPHA
  along += AXIS(w) * x->a;
#endif
#undef AXIS
  const float16 above = (float16)(3e38f), below = (float16)(-3e38f);
  if (subsets == 1) {
    const float least = least16(along);
    return (along - least) * reciprocal(max(greatest16(along) - least, TINY));
  }
  const float least0 = least16(select(along, above, second)), most0 = greatest16(select(along, below, second));
  const float least1 = least16(select(above, along, second)), most1 = greatest16(select(below, along, second));
  const float scale0 = reciprocal(max(most0 - least0, TINY)), scale1 = reciprocal(max(most1 - least1, TINY));
  return (along - select((float16)(least0), (float16)(least1), second)) *
         select((float16)(scale0), (float16)(scale1), second);
}

static void sum_all(const bc7_texels *x, float16 index, bc7_sums *sums) {
  sums->k = add16(index);
  sums->kk = dot16(index, index);
  sums->kx = (float4)(dot16(index, x->r), dot16(index, x->g), dot16(index, x->b), 0.0f);
#if HAS_ALPHA
  sums->kx.w = dot16(index, x->a);
#endif
}

__attribute__((always_inline)) static void sum_indices(const bc7_texels *x, float16 index, int16 second, int subsets, bc7_sums *sums) {
  sum_all(x, index, &sums[0]);
  if (subsets == 1) return;
  sum_all(x, as_float16(as_int16(index) & second), &sums[1]);
  sums[0].k -= sums[1].k;
  sums[0].kk -= sums[1].kk;
  sums[0].kx -= sums[1].kx;
}

// The squared error from the sums alone, as if values were evenly spaced and not rounded.
static float error_by_sums(const bc7_moments *m, const bc7_sums *s, float4 from, float4 way, int index_bits) {
  const float share = reciprocal(last_index(index_bits));
  float squares = (m->square.x + m->square.y) + m->square.z;
#if HAS_ALPHA
  squares += m->square.w;
#endif
  const float at_low = squares - 2.0f * dot_of(from, m->sum) + m->count * dot_of(from, from);
  return (at_low - dot_of(way, s->kx - s->k * from) * (share + share)) + dot_of(way, way) * s->kk * (share * share);
}

// Sets each texel's index to the nearest along the line between its subset's end points. Returns the squared error.
__attribute__((always_inline)) static float measure(const bc7_texels *x, int16 second, int subsets, const bc7_moments *moments,
                     const bc7_fields *fields, const uint *low, const uint *high, float16 *index) {
  const float last = last_index(fields->index_bits);
  float4 from[SUBSETS], way[SUBSETS];
  float base[SUBSETS], scale[SUBSETS];
  bc7_sums sums[SUBSETS];
  for (int s = 0; s < subsets; ++s) {
    from[s] = channels_of(low[s]);
    way[s] = channels_of(high[s]) - from[s];
    base[s] = dot_of(way[s], from[s]);
    scale[s] = last * reciprocal(max(dot_of(way[s], way[s]), 1.0f));
  }
#define OF_SUBSET(v, member) \
  (subsets == 2 ? select((float16)(v[0] member), (float16)(v[1] member), second) : (float16)(v[0] member))
  float16 along = mad(OF_SUBSET(way, .x), x->r, -OF_SUBSET(base, ));
  along = mad(OF_SUBSET(way, .y), x->g, along);
  along = mad(OF_SUBSET(way, .z), x->b, along);
#if HAS_ALPHA
  along = mad(OF_SUBSET(way, .w), x->a, along);
#endif
  along *= OF_SUBSET(scale, );
#undef OF_SUBSET
  *index = (min(max(along, (float16)(0.0f)), (float16)(last)) + ROUND) - ROUND;
  sum_indices(x, *index, second, subsets, sums);
  float error = error_by_sums(&moments[0], &sums[0], from[0], way[0], fields->index_bits);
  if (subsets == 2) error += error_by_sums(&moments[1], &sums[1], from[1], way[1], fields->index_bits);
  return error;
}
