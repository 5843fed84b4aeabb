// ends.cl — encodes the end points of a line as the integers of one of the standard's modes.
//   exactness  whole numbers, and defined float order; equals codec/ref/astc/astc_ends.cpp
#include "astc/texels.cl"

// Sums over the texels v of a partition and their weights w (0..64), per channel. Whole numbers.
typedef struct {
  float count;
  color v, vv, w, ww, wv;
} astc_sums;

typedef struct {
  color low, high;  // as decoded, 0..255
  ulong codes;      // a byte for each of the mode's integers
  int mode;
  bool is_turned;  // stored in reverse order: weights w are stored as 64 - w
  float error;
} astc_ends;

// The standard's mode numbers; the modes with alpha are 4 more.
#define LUMINANCE 0
#define RGB_SCALE 6
#define RGB 8
#define RGB_OFFSET 9

static color to_byte(color v) { return floor(fmin(fmax(v, (color)(0.0f)), (color)(255.0f)) + 0.5f); }
static float light(color v) { return (v.x + v.y) + v.z; }

static float error_of(const astc_sums *s, color low, color high) {
  const color rise = (high - low) * (1.0f / 64);
  const color linear = low * s->v + rise * s->wv;
  const color square = (s->count * (low * low) + (2.0f * s->w) * (low * rise)) + s->ww * (rise * rise);
  const color error = (s->vv - 2.0f * linear) + square;
#if HAS_ALPHA
  return ((error.x + error.y) + error.z) + error.w;
#else
  return (error.x + error.y) + error.z;
#endif
}

static void judge(const astc_texels *x, const astc_sums *s, astc_ends *ends) {
#if HAS_ALPHA
  if (!x->has_alpha) ends->low.w = ends->high.w = x->center.w;
#endif
  ends->error = error_of(s, ends->low - x->center, ends->high - x->center);
}

// Returns the colour's channels as they will be decoded, and their codes in every other byte.
static color store_channels(const astc_texels *x, astc_tables tables, int range, color value, ulong *codes) {
  const uint r = nearest_color(tables, range, value.x), g = nearest_color(tables, range, value.y),
             b = nearest_color(tables, range, value.z);
  *codes = (ulong)(r >> 16 | (g & 0xFFFF0000u)) | (ulong)(b >> 16) << 32;
#if HAS_ALPHA
  const uint a = x->has_alpha ? nearest_color(tables, range, value.w) : 0;
  *codes |= (ulong)(a >> 16) << 48;
#endif
  return convert_color((COLOR_INT(r & 0xFFFF, g & 0xFFFF, b & 0xFFFF, a & 0xFFFF)));
}

static ulong turned_codes(ulong codes) {
  return (codes & 0x00FF00FF00FF00FFul) << 8 | (codes >> 8 & 0x00FF00FF00FF00FFul);
}

static void store_direct(const astc_texels *x, astc_tables tables, const astc_sums *s, color low, color high,
                         bool may_turn, int range, astc_ends *out) {
  ulong even, odd;
  out->mode = RGB + (x->has_alpha ? 4 : 0);
  out->low = store_channels(x, tables, range, to_byte(low), &even);
  out->high = store_channels(x, tables, range, to_byte(high), &odd);
  out->is_turned = light(out->high) < light(out->low);
  if (out->is_turned && !may_turn) {
    out->high = out->low;
    odd = even;
    out->is_turned = false;
  }
  out->codes = even | odd << 8;
  if (out->is_turned) out->codes = turned_codes(out->codes);
  judge(x, s, out);
}

static color near_blue(color v) { return COLOR(2.0f * v.x - v.z, 2.0f * v.y - v.z, v.z, v.w); }
static color from_blue(color v) {
  return COLOR(floor((v.x + v.z) * 0.5f), floor((v.y + v.z) * 0.5f), v.z, v.w);
}
static bool is_byte(float a, float b) { return fmin(a, b) >= 0.0f && fmax(a, b) <= 255.0f; }

// Blue contraction. The error is infinite if a colour is too far from blue.
static void store_contracted(const astc_texels *x, astc_tables tables, const astc_sums *s, color low, color high,
                             bool may_turn, int range, astc_ends *out) {
  const color a = near_blue(low), b = near_blue(high);
  ulong even, odd;
  out->mode = RGB + (x->has_alpha ? 4 : 0);
  const color stored_high = store_channels(x, tables, range, to_byte(b), &even);
  const color stored_low = store_channels(x, tables, range, to_byte(a), &odd);
  const float light_low = light(stored_low), light_high = light(stored_high);
  out->is_turned = light_low > light_high;
  out->codes = even | odd << 8;
  if (out->is_turned) out->codes = turned_codes(out->codes);
  out->low = from_blue(stored_low);
  out->high = from_blue(stored_high);
  judge(x, s, out);
  if (!is_byte(a.x, b.x) || !is_byte(a.y, b.y) || light_low == light_high || (out->is_turned && !may_turn))
    out->error = UNKNOWN;
}

// Stores one channel as base and offset. Returns the offset, or TOO_FAR if the values are too far apart; `base` and
// `moved` are the decoded values.
#define TOO_FAR 1000.0f
static float store_offset(astc_tables tables, int range, float from, float to, float *base, float *moved, uint *codes) {
  const int wanted = (int)from, top = wanted & 0x80;
  const uint value = nearest_color(tables, range, (float)(wanted << 1 & 0xFE));
  const int stored = (int)(value & 0xFFFF) >> 1 | top;
  const int step = (int)to - stored;
  const int packed = top | (step << 1 & 0x7E);
  const uint word = nearest_color(tables, range, (float)packed);
  const int got = word & 0xFFFF;
  const int six = got >> 1 & 0x3F;
  const int read = six - (six & 0x20) * 2;
  *base = (float)stored;
  *moved = fmin(fmax((float)(stored + read), 0.0f), 255.0f);
  *codes = value >> 16 | word >> 16 << 8;
  return step < -32 || step > 31 || ((got ^ packed) & 0xC0) != 0 ? TOO_FAR : (float)read;
}

// The error is infinite if the colours are too far apart.
static void store_offsets(const astc_texels *x, astc_tables tables, const astc_sums *s, color low, color high,
                          bool may_turn, int range, astc_ends *out) {
  out->mode = RGB_OFFSET + (x->has_alpha ? 4 : 0);
  out->is_turned = light(high) < light(low);
  const color from = to_byte(out->is_turned ? high : low), to = to_byte(out->is_turned ? low : high);
  float base[4], moved[4];
  uint r, g, b;
  const float red = store_offset(tables, range, from.x, to.x, &base[0], &moved[0], &r),
              green = store_offset(tables, range, from.y, to.y, &base[1], &moved[1], &g),
              blue = store_offset(tables, range, from.z, to.z, &base[2], &moved[2], &b);
  out->codes = (ulong)(r | g << 16) | (ulong)b << 32;
  float greatest = fmax(fmax(red, green), blue);
#if HAS_ALPHA
  base[3] = moved[3] = 0.0f;
  if (x->has_alpha) {
    uint a;
    greatest = fmax(greatest, store_offset(tables, range, from.w, to.w, &base[3], &moved[3], &a));
    out->codes |= (ulong)a << 48;
  }
#endif
  const color first = COLOR(base[0], base[1], base[2], base[3]), second = COLOR(moved[0], moved[1], moved[2], moved[3]);
  out->low = out->is_turned ? second : first;
  out->high = out->is_turned ? first : second;
  judge(x, s, out);
  if (greatest == TOO_FAR || (red + green) + blue < 0.0f || (out->is_turned && !may_turn)) out->error = UNKNOWN;
}

static void store_grey(const astc_texels *x, astc_tables tables, const astc_sums *s, color low, color high, int range,
                       astc_ends *out) {
  const color wanted = to_byte(COLOR(light(low) * (1.0f / 3), light(high) * (1.0f / 3), 0.0f, 0.0f));
  const uint a = nearest_color(tables, range, wanted.x), b = nearest_color(tables, range, wanted.y);
  const float from = (float)(int)(a & 0xFFFF), to = (float)(int)(b & 0xFFFF);
  out->mode = LUMINANCE + (x->has_alpha ? 4 : 0);
  out->is_turned = false;
  out->codes = (ulong)(a >> 16 | b >> 16 << 8);
#if HAS_ALPHA
  const uint c = nearest_color(tables, range, to_byte(low).w), d = nearest_color(tables, range, to_byte(high).w);
  out->low.w = (float)(int)(c & 0xFFFF);
  out->high.w = (float)(int)(d & 0xFFFF);
  out->codes |= (ulong)(c >> 16) << 16 | (ulong)(d >> 16) << 24;
#endif
  out->low.x = out->low.y = out->low.z = from;
  out->high.x = out->high.y = out->high.z = to;
  judge(x, s, out);
}

#if TEXCAST_ASTC_SCALES(METHOD)
static void store_scaled(const astc_texels *x, astc_tables tables, const astc_sums *s, color low, color high,
                         int range, astc_ends *out) {
  out->mode = RGB_SCALE + (x->has_alpha ? 4 : 0);
  out->is_turned = light(high) < light(low);
  const color dark = out->is_turned ? high : low, bright = out->is_turned ? low : high;
  const color wanted = to_byte(bright);
  const float share = (light(dark) * reciprocal(fmax(light(bright), 1.0f))) * 256.0f;
  const uint r = nearest_color(tables, range, wanted.x), g = nearest_color(tables, range, wanted.y),
             b = nearest_color(tables, range, wanted.z),
             scale = nearest_color(tables, range, floor(fmin(fmax(share, 0.0f), 255.0f) + 0.5f));
  color stored = convert_color((COLOR_INT(r & 0xFFFF, g & 0xFFFF, b & 0xFFFF, 0)));
  color darker = floor((stored * (float)(int)(scale & 0xFFFF)) * (1.0f / 256));
  out->codes = (ulong)(r >> 16 | g >> 16 << 8 | b >> 16 << 16 | scale >> 16 << 24);
#if HAS_ALPHA
  const uint a = nearest_color(tables, range, to_byte(dark).w), c = nearest_color(tables, range, wanted.w);
  stored.w = (float)(int)(c & 0xFFFF);
  darker.w = (float)(int)(a & 0xFFFF);
  out->codes |= (ulong)(a >> 16) << 32 | (ulong)(c >> 16) << 40;
#endif
  out->low = out->is_turned ? stored : darker;
  out->high = out->is_turned ? darker : stored;
  judge(x, s, out);
}
#endif
