// ends.cl — end points of a line to the integers of one of the standard's modes.
//   exactness  stated float order, equals codec/ref/astc/astc_ends.cpp
#include "astc/texels.cl"

// Sums over a partition's texels, weights being 0..64, by channels: of (64 - w)^2, w (64 - w) and w^2; of texels times
// 64 - w, times w, and squared.
typedef struct {
  float4 first, both, second, low, high, squares;
} astc_sums;

typedef struct {
  float4 low, high;  // as decoded, 0..255
  ulong codes;       // a byte for each of the mode's integers
  int mode;
  bool is_turned;  // stored the other way round: weights w are stored as 64 - w
  float error;
} astc_ends;

// Standard's numbers; with alpha 4 more.
#define LUMINANCE 0
#define RGB_SCALE 6
#define RGB 8
#define RGB_OFFSET 9

static float4 to_byte(float4 v) { return floor(fmin(fmax(v, (float4)(0.0f)), (float4)(255.0f)) + 0.5f); }
static float light(float4 v) { return (v.x + v.y) + v.z; }

static float error_of(const astc_sums *s, float4 low, float4 high) {
  const float4 linear = low * s->low + high * s->high;
  const float4 square =
      ((low * low) * s->first + (low * high) * (2.0f * s->both)) + (high * high) * s->second;
  const float4 error = (s->squares - linear * (1.0f / 32)) + square * (1.0f / 4096);
  return ((error.x + error.y) + error.z) + error.w;
}

static void judge(const astc_texels *x, const astc_sums *s, astc_ends *ends) {
  if (!x->has_alpha) ends->low.w = ends->high.w = x->center.w;
  ends->error = error_of(s, ends->low - x->center, ends->high - x->center);
}

// What is stored of a colour's channels; their codes in every other byte.
static float4 store_channels(const astc_texels *x, astc_tables tables, int range, float4 color, ulong *codes) {
  const uint r = nearest_color(tables, range, color.x), g = nearest_color(tables, range, color.y),
             b = nearest_color(tables, range, color.z);
  uint a = 0;
#if HAS_ALPHA
  if (x->has_alpha) a = nearest_color(tables, range, color.w);
#endif
  *codes = (ulong)(r >> 16) | (ulong)(g >> 16) << 16 | (ulong)(b >> 16) << 32 | (ulong)(a >> 16) << 48;
  return convert_float4((int4)(r & 0xFFFF, g & 0xFFFF, b & 0xFFFF, a & 0xFFFF));
}

static ulong turned(ulong codes) {
  return (codes & 0x00FF00FF00FF00FFul) << 8 | (codes >> 8 & 0x00FF00FF00FF00FFul);
}

static void store_direct(const astc_texels *x, astc_tables tables, const astc_sums *s, float4 low, float4 high,
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
  if (out->is_turned) out->codes = turned(out->codes);
  judge(x, s, out);
}

static float4 near_blue(float4 v) { return (float4)(2.0f * v.x - v.z, 2.0f * v.y - v.z, v.z, v.w); }
static float4 from_blue(float4 v) {
  return (float4)(floor((v.x + v.z) * 0.5f), floor((v.y + v.z) * 0.5f), v.z, v.w);
}
static bool is_byte(float a, float b) { return fmin(a, b) >= 0.0f && fmax(a, b) <= 255.0f; }

// False where it cannot be.
static bool store_contracted(const astc_texels *x, astc_tables tables, const astc_sums *s, float4 low, float4 high,
                             bool may_turn, int range, astc_ends *out) {
  const float4 a = near_blue(low), b = near_blue(high);
  if (!is_byte(a.x, b.x) || !is_byte(a.y, b.y)) return false;
  ulong even, odd;
  out->mode = RGB + (x->has_alpha ? 4 : 0);
  const float4 stored_high = store_channels(x, tables, range, to_byte(b), &even);
  const float4 stored_low = store_channels(x, tables, range, to_byte(a), &odd);
  const float light_low = light(stored_low), light_high = light(stored_high);
  out->is_turned = light_low > light_high;
  if (light_low == light_high || (out->is_turned && !may_turn)) return false;
  out->codes = even | odd << 8;
  if (out->is_turned) out->codes = turned(out->codes);
  out->low = from_blue(stored_low);
  out->high = from_blue(stored_high);
  judge(x, s, out);
  return true;
}

// One channel by base and offset: what both are decoded to, and their codes. False where they are too far apart.
static bool store_offset(astc_tables tables, int range, float from, float to, float *base, float *moved, float *offset,
                         ulong *codes) {
  const int wanted = (int)from, top = wanted & 0x80;
  const uint value = nearest_color(tables, range, (float)(wanted << 1 & 0xFE));
  const int stored = (int)(value & 0xFFFF) >> 1 | top;
  const int step = (int)to - stored;
  if (step < -32 || step > 31) return false;
  const int packed = top | (step << 1 & 0x7E);
  const uint word = nearest_color(tables, range, (float)packed);
  const int got = word & 0xFFFF;
  if (((got ^ packed) & 0xC0) != 0) return false;
  const int six = got >> 1 & 0x3F;
  const int read = six - (six & 0x20) * 2;
  *base = (float)stored;
  *moved = fmin(fmax((float)(stored + read), 0.0f), 255.0f);
  *offset = (float)read;
  *codes = (ulong)(value >> 16) | (ulong)(word >> 16) << 8;
  return true;
}

static bool store_offsets(const astc_texels *x, astc_tables tables, const astc_sums *s, float4 low, float4 high,
                          bool may_turn, int range, astc_ends *out) {
  out->mode = RGB_OFFSET + (x->has_alpha ? 4 : 0);
  out->is_turned = light(high) < light(low);
  if (out->is_turned && !may_turn) return false;
  const float4 from = to_byte(out->is_turned ? high : low), to = to_byte(out->is_turned ? low : high);
  float base[4], moved[4], offset[4];
  ulong r, g, b, a = 0;
  if (!store_offset(tables, range, from.x, to.x, &base[0], &moved[0], &offset[0], &r)) return false;
  if (!store_offset(tables, range, from.y, to.y, &base[1], &moved[1], &offset[1], &g)) return false;
  if (!store_offset(tables, range, from.z, to.z, &base[2], &moved[2], &offset[2], &b)) return false;
  base[3] = moved[3] = 0.0f;
#if HAS_ALPHA
  if (x->has_alpha && !store_offset(tables, range, from.w, to.w, &base[3], &moved[3], &offset[3], &a)) return false;
#endif
  if ((offset[0] + offset[1]) + offset[2] < 0.0f) return false;
  out->codes = r | g << 16 | b << 32 | a << 48;
  const float4 first = (float4)(base[0], base[1], base[2], base[3]),
               second = (float4)(moved[0], moved[1], moved[2], moved[3]);
  out->low = out->is_turned ? second : first;
  out->high = out->is_turned ? first : second;
  judge(x, s, out);
  return true;
}

static void store_grey(const astc_texels *x, astc_tables tables, const astc_sums *s, float4 low, float4 high, int range,
                       astc_ends *out) {
  const float4 wanted =
      to_byte((float4)(light(low) * (1.0f / 3), light(high) * (1.0f / 3), low.w, high.w));
  const uint a = nearest_color(tables, range, wanted.x), b = nearest_color(tables, range, wanted.y),
             c = nearest_color(tables, range, wanted.z), d = nearest_color(tables, range, wanted.w);
  const float from = (float)(int)(a & 0xFFFF), to = (float)(int)(b & 0xFFFF);
  out->mode = LUMINANCE + (x->has_alpha ? 4 : 0);
  out->is_turned = false;
  out->low = (float4)(from, from, from, (float)(int)(c & 0xFFFF));
  out->high = (float4)(to, to, to, (float)(int)(d & 0xFFFF));
  out->codes = (ulong)(a >> 16) | (ulong)(b >> 16) << 8 | (ulong)(c >> 16) << 16 | (ulong)(d >> 16) << 24;
  judge(x, s, out);
}

static void store_scaled(const astc_texels *x, astc_tables tables, const astc_sums *s, float4 low, float4 high,
                         int range, astc_ends *out) {
  out->mode = RGB_SCALE + (x->has_alpha ? 4 : 0);
  out->is_turned = light(high) < light(low);
  const float4 dark = out->is_turned ? high : low, bright = out->is_turned ? low : high;
  const float4 wanted = to_byte(bright);
  const float share = (light(dark) * reciprocal(fmax(light(bright), 1.0f))) * 256.0f;
  const float4 others = to_byte((float4)(share, dark.w, bright.w, 0.0f));
  const uint r = nearest_color(tables, range, wanted.x), g = nearest_color(tables, range, wanted.y),
             b = nearest_color(tables, range, wanted.z), scale = nearest_color(tables, range, others.x),
             a = nearest_color(tables, range, others.y), c = nearest_color(tables, range, others.z);
  float4 color = convert_float4((int4)(r & 0xFFFF, g & 0xFFFF, b & 0xFFFF, 0));
  float4 darker = floor((color * (float)(int)(scale & 0xFFFF)) * (1.0f / 256));
  color.w = (float)(int)(c & 0xFFFF);
  darker.w = (float)(int)(a & 0xFFFF);
  out->low = out->is_turned ? color : darker;
  out->high = out->is_turned ? darker : color;
  out->codes = (ulong)(r >> 16) | (ulong)(g >> 16) << 8 | (ulong)(b >> 16) << 16 | (ulong)(scale >> 16) << 24 |
               (ulong)(a >> 16) << 32 | (ulong)(c >> 16) << 40;
  judge(x, s, out);
}
