// fit.cl — end points by the principal axis and by least squares.
#define AXIS_STEPS 4

// The outermost texels along the principal axis.
static void ends_on_axis(const bc7_texels *x, const bc7_plane *plane, const bc7_moments *m, int16 inside,
                         uint constant_channels, uint *low, uint *high) {
  bc7_matrix matrix;
  const float4 v = axis_of(m, AXIS_STEPS, &matrix);
  const float4 mean = m->sum * reciprocal(m->count);
#if HAS_ALPHA
  const float16 along = ((v.x * x->r + v.y * x->g) + v.z * x->b) + v.w * x->a;
#else
  const float16 along = (v.x * x->r + v.y * x->g) + v.z * x->b;
#endif
  const float least = least16(select((float16)(3e38f), along, inside));
  const float most = greatest16(select((float16)(-3e38f), along, inside));
  const float middle = dot_of(v, mean), scale = reciprocal(max(dot_of(v, v), TINY));
  const float4 a = mean + v * ((least - middle) * scale), b = mean + v * ((most - middle) * scale);
  round_ends(plane, min(max(a, (float4)(0.0f)), (float4)(255.0f)), min(max(b, (float4)(0.0f)), (float4)(255.0f)),
             constant_channels, low, high);
}

// Least squares for the indices, assumed to be evenly spaced. Every sum and product before the division is a whole
// number below 2^24.
static void fit_ends(const bc7_texels *x, const bc7_plane *plane, const bc7_moments *m, int16 inside, float16 indices,
                     uint constant_channels, uint *low, uint *high) {
  const float16 lanes = as_float16(as_int16(indices) & inside);
  const float k = add16(lanes), kk = add16(lanes * lanes);
  float4 kx = (float4)(add16(lanes * x->r), add16(lanes * x->g), add16(lanes * x->b), 0.0f);
#if HAS_ALPHA
  kx.w = add16(lanes * x->a);
#endif
  const float determinant = m->count * kk - k * k;
  if (determinant == 0.0f) return;
  const float inverse = reciprocal(determinant);
  const float4 first = (kk * m->sum - k * kx) * inverse;
  const float4 rise = (m->count * kx - k * m->sum) * inverse;
  const float4 end = first + rise * last_index(plane->index_bits);
  round_ends(plane, min(max(first, (float4)(0.0f)), (float4)(255.0f)),
             min(max(end, (float4)(0.0f)), (float4)(255.0f)), constant_channels, low, high);
}
