// walk.cl — improves end points by single steps of their codes.

#define MOVES 18
// Whether a move exists for the mode. Moves step each channel of both end points down and up, and then change their
// p-bits.
static bool move_applies(const bc7_plane *plane, int move) {
  if (move >= 16) return plane->p_bits != 0 && !plane->p_is_1 && (move == 16 || plane->p_bits == 1);
  const int channel = move >> 1 & 3;
  return channel == 0 || (channel == 3 ? plane->alpha_bits > 0 : !plane->one_channel);
}

static uint toggle_p(const bc7_plane *plane, uint end) {
  uint toggled = 0;
  for (int c = 0; c < 4; ++c) {
    const int bits = c < 3 ? plane->color_bits : plane->alpha_bits;
    const int value = end >> (8 * c) & 255;
    toggled |= (uint)(bits > 0 ? expand((value >> (8 - bits)) ^ 1, bits) : value) << (8 * c);
  }
  return toggled;
}

static void move_ends(const bc7_plane *plane, int move, uint *low, uint *high) {
  if (move >= 16) {
    if (move == 16 || plane->p_bits == 2) *low = toggle_p(plane, *low);
    if (move == 17 || plane->p_bits == 2) *high = toggle_p(plane, *high);
    return;
  }
  const int channel = move >> 1 & 3, shift = 8 * channel;
  const int bits = channel < 3 ? plane->color_bits : plane->alpha_bits;
  const int step = (move & 1 ? 1 : -1) * (plane->p_bits != 0 ? 2 : 1);
  const uint end = move < 8 ? *low : *high;
  const int code = (int)((end >> shift & 255) >> (8 - bits)) + step;
  if (code < 0 || code >= 1 << bits) return;
  const uint moved = (end & ~(255u << shift)) | (uint)expand(code, bits) << shift;
  if (move < 8)
    *low = moved;
  else
    *high = moved;
}
