// ends.cl — how a mode stores a set of indices, and end points rounded to what it can store.

// The texels and channels of one set of indices, and how it is stored.
typedef struct {
  int subsets;
  int16 second, third;         // lanes of texels of that subset are -1
  int color_bits, alpha_bits;  // of an end point's channel with its p-bit; alpha 0: not coded
  bool one_channel;            // only red is coded
  int p_bits;
  bool p_is_1;
  int index_bits;
} bc7_plane;

// The nearest code whose lowest bit is p (p < 0: any), expanded to 8 bits. Adds the squared difference, in codes, to
// `off`.
static int round_channel(float value, int bits, int p, float *off) {
  const float last = last_index(bits);
  const float at = value * (last * 0.0039215689f /* 1 / 255 */);
  int code;
  if (p < 0)
    code = min(small(at), (1 << bits) - 1);
  else
    code = 2 * min(small(max((at - whole(p)) * 0.5f, 0.0f)), ((1 << bits) - 1) >> 1) + p;
  const float difference = at - whole(code);
  *off += difference * difference;
  return expand(code, bits);
}

static uint round_end(const bc7_plane *plane, float4 wish, int p, uint constant_channels, float *off) {
  *off = 0.0f;
  uint end = round_channel(wish.x, plane->color_bits, p, off);
  if (!plane->one_channel) {
    end |= round_channel(wish.y, plane->color_bits, p, off) << 8;
    end |= round_channel(wish.z, plane->color_bits, p, off) << 16;
  }
#if HAS_ALPHA
  if (plane->alpha_bits > 0) return end | (uint)round_channel(wish.w, plane->alpha_bits, p, off) << 24;
#endif
  return end | constant_channels;
}

static void round_ends(const bc7_plane *plane, float4 low, float4 high, uint constant_channels, uint *rounded_low,
                       uint *rounded_high) {
  float low_even, low_odd, high_even, high_odd;
  const bool one = plane->p_bits == 0 || plane->p_is_1;
  *rounded_low = round_end(plane, low, plane->p_is_1 ? 1 : one ? -1 : 0, constant_channels, &low_even);
  *rounded_high = round_end(plane, high, plane->p_is_1 ? 1 : one ? -1 : 0, constant_channels, &high_even);
  if (one) return;
  const uint odd_low = round_end(plane, low, 1, constant_channels, &low_odd);
  const uint odd_high = round_end(plane, high, 1, constant_channels, &high_odd);
  const bool both = plane->p_bits == 2;
  const bool both_odd = low_odd + high_odd < low_even + high_even;
  if (both ? both_odd : low_odd < low_even) *rounded_low = odd_low;
  if (both ? both_odd : high_odd < high_even) *rounded_high = odd_high;
}
