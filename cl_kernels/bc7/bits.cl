// bits.cl — packs the 128 bits of a block.
//   defines   SUBSETS

typedef struct {
  int mode, partition, rotation, selector;
  uint low[SUBSETS], high[SUBSETS];  // modes 4 and 5: the alpha byte is that of the separate channel
  float error;
} bc7_choice;

typedef struct {
  ulong low, high;
  int at;
} bc7_bits;

static void put(bc7_bits *bits, ulong v, int count) {
  if (bits->at < 64) {
    bits->low |= v << bits->at;
    if (bits->at + count > 64) bits->high |= v >> (64 - bits->at);
  } else {
    bits->high |= v << (bits->at - 64);
  }
  bits->at += count;
}

// Packs sixteen indices of so many bits. Groups of four are whole numbers below 2^16.
static ulong placed(float16 v, int bits) {
  const float base = whole(1u << bits);
  const float4 fours = mad(mad(mad(v.s37bf, base, v.s26ae), base, v.s159d), base, v.s048c);
  const int step = 4 * bits;
  const uint low = (uint)small(fours.x) | (uint)small(fours.y) << step;
  const uint high = (uint)small(fours.z) | (uint)small(fours.w) << step;
  return (ulong)low | (ulong)high << 2 * step;
}

static float16 indices_of(ulong placed, int bits) {
  const int step = 4 * bits;
  const uint4 fours = (uint4)((uint)placed, (uint)(placed >> step), (uint)(placed >> 2 * step), (uint)(placed >> 3 * step));
  const uint16 here = fours.xxxxyyyyzzzzwwww >> (uint)bits * (uint16)(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
  return as_float16((here & (uint)((1 << bits) - 1)) | 0x4B000000u) - 8388608.0f;
}

static ulong without_bit(ulong v, int at) { return (v & ((1ul << at) - 1)) | v >> (at + 1) << at; }

// Omits the top bits of the anchors' indices; second_anchor and third_anchor are 0 if there is none.
static void put_indices(bc7_bits *bits, ulong indices, int index_bits, int second_anchor, int third_anchor) {
  const int top = index_bits - 1, later = max(second_anchor, third_anchor), sooner = min(second_anchor, third_anchor);
  int count = 16 * index_bits - 1;
  if (later > 0) {
    indices = without_bit(indices, later * index_bits + top);
    --count;
  }
#if SUBSETS == 3
  if (sooner > 0) {
    indices = without_bit(indices, sooner * index_bits + top);
    --count;
  }
#endif
  put(bits, without_bit(indices, top), count);
}

// If the anchor's index is not in the lower half, the subset's end points are exchanged.
static void anchor(ulong *indices, int index_bits, int anchor_texel, int16 inside, uint *low, uint *high, uint mask) {
  const int last = (1 << index_bits) - 1;
  if ((int)(*indices >> index_bits * anchor_texel & last) <= last / 2) return;
  const uint exchanged = (*low ^ *high) & mask;
  *low ^= exchanged;
  *high ^= exchanged;
  *indices ^= placed(as_float16(inside & as_int(whole(last))), index_bits);
}

static uint4 as_block(const bc7_bits *bits) {
  return (uint4)((uint)bits->low, (uint)(bits->low >> 32), (uint)bits->high, (uint)(bits->high >> 32));
}

// A block of one colour, exact: in mode 5 every 8-bit value is one of 7 bits, or is between two of them at index 1.
static uint4 flat_block(const bc7_texels *x) {
  bc7_bits bits = {0, 0, 0};
  put(&bits, 1 << 5, 8);
  const int color[3] = {small(x->r.s0), small(x->g.s0), small(x->b.s0)};
  for (int c = 0; c < 3; ++c) {
    const int low = color[c] >> 1, shown = low << 1 | low >> 6;
    put(&bits, (uint)low, 7);
    put(&bits, (uint)(low + (shown < color[c] ? 1 : 0) - (shown > color[c] ? 1 : 0)), 7);
  }
#if HAS_ALPHA
  const uint alpha = (uint)small(x->a.s0);
#else
  const uint alpha = 255;
#endif
  put(&bits, alpha << 8 | alpha, 16);
  put(&bits, 0x2AAAAAAB, 31);
  return as_block(&bits);
}

__attribute__((always_inline)) static uint4 pack(const bc7_choice *best, ulong indices, ulong apart) {
  const uint word = mode_words[best->mode];
  const int subsets = MODE_SUBSETS(word), partition = best->partition;
  uint low[SUBSETS], high[SUBSETS];
  for (int s = 0; s < SUBSETS; ++s) {
    low[s] = s < subsets ? best->low[s] : 0;
    high[s] = s < subsets ? best->high[s] : 0;
  }
  int16 second, third;
  set_subsets(subsets, partition, &second, &third);
  const bool rotated = MODE_ROTATION_BITS(word) > 0;
  int bits_here = MODE_INDEX_BITS(word), bits_apart = 2;
  if (best->mode == 4) {
    bits_apart = best->selector ? 2 : 3;
    bits_here = best->selector ? 3 : 2;
  }
  anchor(&indices, bits_here, 0, ~(second | third), &low[0], &high[0], rotated ? 0xFFFFFFu : 0xFFFFFFFFu);
  int second_anchor = 0, third_anchor = 0;
  if (subsets == 2) second_anchor = anchors_of_2[partition];
#if SUBSETS == 3
  if (subsets == 3) {
    second_anchor = second_anchors_of_3[partition];
    third_anchor = third_anchors_of_3[partition];
    anchor(&indices, bits_here, third_anchor, third, &low[2], &high[2], 0xFFFFFFFFu);
  }
#endif
  if (subsets > 1) anchor(&indices, bits_here, second_anchor, second, &low[1], &high[1], 0xFFFFFFFFu);
  if (rotated) anchor(&apart, bits_apart, 0, (int16)(-1), &low[0], &high[0], 0xFF000000u);

  bc7_bits bits = {0, 0, 0};
  put(&bits, 1ul << best->mode, best->mode + 1);
  put(&bits, (uint)partition, MODE_PARTITION_BITS(word));
  put(&bits, (uint)best->rotation, MODE_ROTATION_BITS(word));
  put(&bits, (uint)best->selector, MODE_SELECTOR_BITS(word));
  // One channel of all end points at once, at most 30 bits.
  for (int channel = 0; channel < 4; ++channel) {
    const int count = channel < 3 ? MODE_COLOR_BITS(word) : MODE_ALPHA_BITS(word);
    uint field = 0;
    for (int s = SUBSETS - 1; s >= 0; --s) {
      field = field << count | (high[s] >> 8 * channel & 255) >> (8 - count);
      field = field << count | (low[s] >> 8 * channel & 255) >> (8 - count);
    }
    put(&bits, field, 2 * count * subsets);
  }
  const int p_bits = MODE_P_BITS(word), p_shift = 7 - MODE_COLOR_BITS(word);
  uint field = 0;
  for (int s = SUBSETS - 1; s >= 0; --s) {
    if (p_bits == 1) field = field << 1 | (high[s] >> p_shift & 1);
    field = field << 1 | (low[s] >> p_shift & 1);
  }
  if (p_bits > 0) put(&bits, field, p_bits == 1 ? 2 * subsets : subsets);
  // The set with fewer bits comes first.
  if (best->selector == 0) put_indices(&bits, indices, bits_here, second_anchor, third_anchor);
  if (rotated) put_indices(&bits, apart, bits_apart, 0, 0);
  if (best->selector != 0) put_indices(&bits, indices, bits_here, second_anchor, third_anchor);
  return as_block(&bits);
}
