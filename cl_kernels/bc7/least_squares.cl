// least_squares.cl — end points by least squares, rounded to what a mode can store.

typedef struct {
  int bits;     // of an end point's channel with its p-bit
  int p_bits;   // 0 none, 1 per end point, 2 per subset
  bool p_is_1;  // opaque blocks: 127 and a p-bit of 1 are 255
  bool has_alpha;
  int index_bits;
} bc7_fields;

// `apart`: for the separate alpha of modes 4 and 5.
static void set_fields(int mode, int selector, bool apart, bool is_opaque, bc7_fields *fields) {
  const uint word = mode_words[mode];
  fields->p_bits = MODE_P_BITS(word);
  fields->bits = (apart ? MODE_ALPHA_BITS(word) : MODE_COLOR_BITS(word)) + (fields->p_bits > 0 ? 1 : 0);
  fields->p_is_1 = is_opaque && MODE_ALPHA_BITS(word) > 0;
  fields->has_alpha = !is_opaque && fields->p_bits > 0;
  fields->index_bits = mode == 4 && (int)apart != selector ? 3 : MODE_INDEX_BITS(word);
}

// A subset's indices in the form that least squares needs. Whole numbers.
typedef struct {
  float k, kk;
  float4 kx;
} bc7_sums;

// Rounds an end point's channels to the nearest steps between codes with the same p-bit, which is `odd` (half a step,
// or 0). `off` is the rounding error.
static void round_end(float4 wish, const bc7_fields *fields, float odd, float4 *steps, float4 *off) {
  // A code past the last one must not be the nearest of those with the other p-bit.
  const float most = (last_index(fields->bits) - 0.25f) * (fields->p_bits > 0 ? 0.5f : 1.0f);
  const float4 at = min(max(wish, (float4)(0.0f)), (float4)(most)) - odd;
  *steps = (at + ROUND) - ROUND;
  *off = *steps - at;
#if HAS_ALPHA
  if (fields->has_alpha) return;
  steps->w = 0.0f;
  off->w = 0.0f;
#endif
}

static uint as_end(float4 steps, bool is_odd, const bc7_fields *fields) {
  const int4 codes = ((as_int4(steps + 8388608.0f) & 255) << (fields->p_bits > 0 ? 1 : 0)) | (is_odd ? 1 : 0);
  const int bits = fields->bits;
  uint end = (uint)expand(codes.x, bits) | (uint)expand(codes.y, bits) << 8 | (uint)expand(codes.z, bits) << 16;
#if HAS_ALPHA
  end |= (uint)expand(fields->has_alpha || fields->p_bits == 0 ? codes.w : 0, bits) << 24;
#endif
  return end;
}

// Least squares for evenly spaced indices. The second end point compensates the rounding of the first.
__attribute__((always_inline)) static void fit_ends(const bc7_moments *m, const bc7_sums *sums, const bc7_fields *fields, uint *low, uint *high) {
  bc7_sums s = *sums;
  float determinant = m->count * s.kk - s.k * s.k;
  if (determinant == 0.0f) {  // all the same: both at the mean
    s.k = 0.0f;
    s.kk = 1.0f;
    s.kx = (float4)(0.0f);
    determinant = m->count;
  }
  const float inverse = reciprocal(determinant), inverse_kk = reciprocal(s.kk);
  const float last = last_index(fields->index_bits);
  const float steps = last_index(fields->bits) * (fields->p_bits > 0 ? 0.0019607844f : 0.0039215689f) /* 1 / 255 */;
  const float4 first = (s.kk * m->sum - s.k * s.kx) * inverse;
  const float4 rise = (m->count * s.kx - s.k * m->sum) * inverse;
  const float4 low_wish = first * steps, high_wish = (first + rise * last) * steps;
  const float carried = s.k * last * inverse_kk - 1.0f;
  float4 even, even_off, odd, odd_off, high_even, high_even_off, high_odd, high_odd_off;
  bool low_is_odd = fields->p_is_1, high_is_odd = fields->p_is_1;
  const float half_a_step = fields->p_is_1 ? 0.5f : 0.0f;
  round_end(low_wish, fields, half_a_step, &even, &even_off);
  if (fields->p_bits == 0 || fields->p_is_1) {
    round_end(high_wish - carried * even_off, fields, half_a_step, &high_even, &high_even_off);
  } else {
    round_end(low_wish, fields, 0.5f, &odd, &odd_off);
    const float even_squares = dot_of(even_off, even_off), odd_squares = dot_of(odd_off, odd_off);
    float even_error = 0.0f, odd_error = 0.0f;
    if (fields->p_bits == 1) {
      low_is_odd = odd_squares < even_squares;
      even = odd = low_is_odd ? odd : even;
      even_off = odd_off = low_is_odd ? odd_off : even_off;
    } else {
      const float low_weight = determinant * inverse_kk;
      even_error = low_weight * even_squares;
      odd_error = low_weight * odd_squares;
    }
    round_end(high_wish - carried * even_off, fields, 0.0f, &high_even, &high_even_off);
    round_end(high_wish - carried * odd_off, fields, 0.5f, &high_odd, &high_odd_off);
    const float high_weight = s.kk * reciprocal(last * last);
    even_error += high_weight * dot_of(high_even_off, high_even_off);
    odd_error += high_weight * dot_of(high_odd_off, high_odd_off);
    high_is_odd = odd_error < even_error;
    if (fields->p_bits == 2) low_is_odd = high_is_odd;
    if (high_is_odd) {
      even = odd;
      high_even = high_odd;
    }
  }
  *low = as_end(even, low_is_odd, fields);
  *high = as_end(high_even, high_is_odd, fields);
}
