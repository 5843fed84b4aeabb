// bc1_three.cl — texels sorted along a line, and their clusterings into three: weights 0, 1/2 and 1.
//   local mem  GROUP_ITEMS x 17 x int2, in the kernel
//   defines    ALLOW_BLACK  1: the darkest texels may be left to black, index 3
//   exactness  as bc1_fit.cl; equals codec/ref/bc1_three.cpp bit for bit on every device
//   source     the three-colour case of S. Brown, "DXT Compression Techniques", 2006
#ifndef ALLOW_BLACK
#define ALLOW_BLACK 0
#endif

#define TOO_BRIGHT (3 * 64 * 64 + 1)  // squares of a texel that is never left to black
#define MOST_BLACK 14

// How many of the 16 keys, all different, are smaller than each.
static int16 rank16(int16 key) {
  int16 rank = (int16)(16);  // less one for each key that is not smaller: key - other - 1 is negative for those
#define COUNT(n) rank += (key - key.s##n - 1) >> 31
  COUNT(0); COUNT(1); COUNT(2); COUNT(3); COUNT(4); COUNT(5); COUNT(6); COUNT(7);
  COUNT(8); COUNT(9); COUNT(a); COUNT(b); COUNT(c); COUNT(d); COUNT(e); COUNT(f);
#undef COUNT
  return rank;
}

// The lane's number makes all keys distinct, and texels at one place keep their order.
static int16 key16(int16 value) { return value * 16 + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }

// Sums of some texels: R | G << 16, and B. At most 16 x 255 a channel.
typedef int2 cut_sums;

static int3 channels_of(cut_sums s) { return (int3)(s.x & 0xFFFF, s.x >> 16, s.y); }

// Prefix sums of the sorted texels: cut p, at sums[p * GROUP_ITEMS], holds the first p. Black texels (-1, else 0) come
// first and count as nothing. Each item has a column of local memory of its own: cuts are looked up by number, and
// private memory that is looked up so lies outside the multiprocessor.
static void sort_along(const fit_block *f, int3 line, int16 black, local cut_sums *sums) {
  const int16 place = f->r * line.x + f->g * line.y + f->b * line.z;  // within +-3 x 255 x 1023
  const int16 rank = rank16(key16(select(place, (int16)(-(1 << 20)), black)));
  const int16 rg = f->rg & ~black, b = f->b & ~black;
#define PLACE(n) sums[(1 + rank.s##n) * GROUP_ITEMS] = (cut_sums)(rg.s##n, b.s##n)
  PLACE(0); PLACE(1); PLACE(2); PLACE(3); PLACE(4); PLACE(5); PLACE(6); PLACE(7);
  PLACE(8); PLACE(9); PLACE(a); PLACE(b); PLACE(c); PLACE(d); PLACE(e); PLACE(f);
#undef PLACE
  cut_sums sum = (cut_sums)(0);
  sums[0] = sum;
  for (int p = 1; p <= 16; ++p) {
    sum += sums[p * GROUP_ITEMS];
    sums[p * GROUP_ITEMS] = sum;
  }
}

// Weights 0, 1 and 2 stand for 0, 1/2 and 1; `count` texels take part.
typedef struct {
  int count, w, ww;
  int3 v, wv;
} three_sums;

// As fit_ends and fit_error, for halves.
static void three_ends(const three_sums *s, int determinant, ends565 *ends) {
  const float3 to_code = fit_reciprocal((float)determinant) * (float3)(0.121568627f, 0.247058824f, 0.121568627f)  /* 31, 63, 31 over 255 */;
  const int3 b = s->ww * s->v - s->w * s->wv;
  const int3 a = b + 2 * (s->count * s->wv - s->w * s->v);
  const float3 zero = (float3)(0.0f), largest = (float3)(31.0f, 63.0f, 31.0f);
  ends->a = convert_int3(min(max(convert_float3(a) * to_code + 0.5f, zero), largest));
  ends->b = convert_int3(min(max(convert_float3(b) * to_code + 0.5f, zero), largest));
}

static int three_error(const three_sums *s, ends565 ends) {
  const int3 b = expanded(ends.b), d = expanded(ends.a) - b;
  const int3 error = 4 * b * (s->count * b + s->w * d - 2 * s->v) + d * (s->ww * d - 4 * s->wv);
  return error.x + error.y + error.z;
}

static void try_three_colour_cuts(local const cut_sums *sums, int black, bc1_candidate *best) {
  three_sums s;
  s.count = 16 - black;
  s.v = channels_of(sums[16 * GROUP_ITEMS]);
  for (int i = black; i <= 16; ++i) {
    const int3 first = 2 * s.v - channels_of(sums[i * GROUP_ITEMS]);
    for (int j = i; j <= 16; ++j) {
      s.w = 32 - i - j;
      s.ww = (j - i) + 4 * (16 - j);
      const int determinant = s.count * s.ww - s.w * s.w;
      if (determinant == 0) continue;
      s.wv = first - channels_of(sums[j * GROUP_ITEMS]);
      ends565 ends;
      three_ends(&s, determinant, &ends);
      keep_better(ends, three_error(&s, ends), best);
    }
  }
}

#if ALLOW_BLACK
// A line that the texels which are not black follow: the covariances with the channel that varies most, in 10 bits.
static int3 line_of_rest(const fit_block *f, int16 black, int count) {
  const int16 r = f->r & ~black, g = f->g & ~black, b = f->b & ~black;
  const int3 sum = (int3)(sum16(r), sum16(g), sum16(b));
  const int3 variance = count * (int3)(sum16(r * r), sum16(g * g), sum16(b * b)) - sum * sum;
  int16 widest = g;
  int most = variance.y, widest_sum = sum.y;
  if (variance.x > most) {
    widest = r;
    most = variance.x;
    widest_sum = sum.x;
  }
  if (variance.z > most) {
    widest = b;
    most = variance.z;
    widest_sum = sum.z;
  }
  const int3 line = count * (int3)(sum16(r * widest), sum16(g * widest), sum16(b * widest)) - sum * widest_sum;
  return line >> max(0, 22 - (int)clz(most));
}
#endif

// The best of all clusterings; `sums` holds all texels sorted along a line, and may be overwritten.
static void three_colour(const fit_block *f, local cut_sums *sums, bc1_candidate *best) {
  best->error = NO_ERROR_YET;
  try_three_colour_cuts(sums, 0, best);
#if ALLOW_BLACK
  const int16 brightness = f->r * f->r + f->g * f->g + f->b * f->b;
  const int dark = sum16(((brightness - TOO_BRIGHT) >> 31) & 1);
  const int16 rank = rank16(key16(brightness));
  for (int black = 1; black <= min(dark, MOST_BLACK); ++black) {
    const int16 is_black = (rank - black) >> 31;
    sort_along(f, line_of_rest(f, is_black, 16 - black), is_black, sums);
    try_three_colour_cuts(sums, black, best);
  }
#endif
}
