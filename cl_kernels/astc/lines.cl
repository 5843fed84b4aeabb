// lines.cl — the lines that a block's texels are approximated by (codec/ref/astc/astc_lines.h).
//   exactness  whole numbers, and defined float order; equals codec/ref/astc/astc_lines.cpp
#include "astc/texels.cl"

#define TINY 1e-12f
#define LEAST_ALONG_GREYS 1e-6f

typedef struct {
  float count;
  color sum, square;
  float3 product;  // red green, red blue, green blue
#if HAS_ALPHA
  float3 alpha;  // with red, green, blue
#endif
} astc_moments;

typedef struct {
  color r, g, b;
#if HAS_ALPHA
  color a;
#endif
  float squares;
} astc_matrix;

typedef struct {
  float count, least, greatest, inverse;
  color mean, direction;
} astc_strand;

static void clear_moments(float count, astc_moments *m) {
  m->count = count;
  m->sum = m->square = (color)(0.0f);
  m->product = (float3)(0.0f);
#if HAS_ALPHA
  m->alpha = (float3)(0.0f);
#endif
}

static void moments_of(const astc_texels *x, float count, astc_moments *m) {
  clear_moments(count, m);
  EACH_GROUP {
    const float16 r = CHANNEL_OF(x, r, n), g = CHANNEL_OF(x, g, n), b = CHANNEL_OF(x, b, n);
    m->sum.x += add16(r);
    m->sum.y += add16(g);
    m->sum.z += add16(b);
    m->square.x += dot16(r, r);
    m->square.y += dot16(g, g);
    m->square.z += dot16(b, b);
    m->product += (float3)(dot16(r, g), dot16(r, b), dot16(g, b));
#if HAS_ALPHA
    const float16 a = CHANNEL_OF(x, a, n);
    m->sum.w += add16(a);
    m->square.w += dot16(a, a);
    m->alpha += (float3)(dot16(r, a), dot16(g, a), dot16(b, a));
#endif
  }
}

// The moments of whole blocks, which also tell whether all texels are grey, and whether they have one colour: sums of
// squared differences of whole numbers are 0. Without the extremes of the channels, which cost more.
static void moments_of_block(astc_texels *x, astc_moments *m) {
  moments_of(x, (float)TEXELS, m);
  const float red_green = (m->square.x + m->square.y) - 2.0f * m->product.x;
  const float red_blue = (m->square.x + m->square.z) - 2.0f * m->product.y;
  x->is_grey =
      red_green == 0.0f && red_blue == 0.0f && x->center.x == x->center.y && x->center.x == x->center.z;
}
static bool has_one_color(const astc_moments *m) {
  const color differences = m->count * m->square - m->sum * m->sum;
  return differences.x == 0.0f && differences.y == 0.0f && differences.z == 0.0f
#if HAS_ALPHA
         && differences.w == 0.0f
#endif
      ;
}

// One factor of each product is masked at a time, so that few lanes are live.
static void moments_inside(const astc_texels *x, astc_set set, astc_moments *m) {
  clear_moments((float)(int)popcount(set), m);
  EACH_GROUP {
    const float16 inside = inside_of(set, n);
    float16 part = CHANNEL_OF(x, r, n) * inside;
    m->sum.x += add16(part);
    m->square.x += dot16(part, CHANNEL_OF(x, r, n));
    m->product.x += dot16(part, CHANNEL_OF(x, g, n));
    m->product.y += dot16(part, CHANNEL_OF(x, b, n));
#if HAS_ALPHA
    m->alpha.x += dot16(part, CHANNEL_OF(x, a, n));
#endif
    part = CHANNEL_OF(x, g, n) * inside;
    m->sum.y += add16(part);
    m->square.y += dot16(part, CHANNEL_OF(x, g, n));
    m->product.z += dot16(part, CHANNEL_OF(x, b, n));
#if HAS_ALPHA
    m->alpha.y += dot16(part, CHANNEL_OF(x, a, n));
#endif
    part = CHANNEL_OF(x, b, n) * inside;
    m->sum.z += add16(part);
    m->square.z += dot16(part, CHANNEL_OF(x, b, n));
#if HAS_ALPHA
    m->alpha.z += dot16(part, CHANNEL_OF(x, a, n));
    part = CHANNEL_OF(x, a, n) * inside;
    m->sum.w += add16(part);
    m->square.w += dot16(part, CHANNEL_OF(x, a, n));
#endif
  }
}

static void leave_out(const astc_moments *all, const astc_moments *part, astc_moments *m) {
  m->count = all->count - part->count;
  m->sum = all->sum - part->sum;
  m->square = all->square - part->square;
  m->product = all->product - part->product;
#if HAS_ALPHA
  m->alpha = all->alpha - part->alpha;
#endif
}

// `used` is 0 in channels that are left out, else 1.
static void matrix_of(const astc_moments *m, color used, astc_matrix *out) {
  const float n = m->count;
  const color s = m->sum;
  color square = (n * m->square - s * s) * used;
  float3 product = (n * m->product - s.xxy * s.yzz) * (used.xxy * used.yzz);
#if HAS_ALPHA
  float3 alpha = (n * m->alpha - s.xyz * s.www) * (used.xyz * used.www);
  const float trace = ((square.x + square.y) + square.z) + square.w;
#else
  const float trace = (square.x + square.y) + square.z;
#endif
  const float scale = reciprocal(fmax(trace, 1.0f));
  square *= scale;
  product *= scale;
#if HAS_ALPHA
  alpha *= scale;
  out->a = COLOR(alpha.x, alpha.y, alpha.z, square.w);
#endif
  out->r = COLOR(square.x, product.x, product.y, alpha.x);
  out->g = COLOR(product.x, square.y, product.z, alpha.y);
  out->b = COLOR(product.y, product.z, square.z, alpha.z);
  out->squares = trace * reciprocal(n);
}

static color times(const astc_matrix *m, color v) {
  return COLOR(dot_of(m->r, v), dot_of(m->g, v), dot_of(m->b, v), dot_of(m->a, v));
}

static color axis_of(const astc_matrix *m) {
  float widest = m->r.x;
  color v = m->r;
  if (m->g.y > widest) {
    widest = m->g.y;
    v = m->g;
  }
  if (m->b.z > widest) {
    widest = m->b.z;
    v = m->b;
  }
#if HAS_ALPHA
  if (m->a.w > widest) v = m->a;
#endif
  for (int step = 0; step < TEXCAST_ASTC_POWERS; ++step) v = times(m, v);
  return v;
}

// For two channels: how far they are from being collinear. Red green, red blue, green blue; alpha_minors_of() has each
// of them with alpha.
static float3 minors_of(const astc_matrix *m) {
  return (float3)(m->r.x * m->g.y - m->r.y * m->r.y, m->r.x * m->b.z - m->r.z * m->r.z,
                  m->g.y * m->b.z - m->g.z * m->g.z);
}
#if HAS_ALPHA
static float3 alpha_minors_of(const astc_matrix *m) {
  return (float3)(m->r.x * m->a.w - m->r.w * m->r.w, m->g.y * m->a.w - m->g.w * m->g.w,
                  m->b.z * m->a.w - m->b.w * m->b.w);
}
#endif

static void set_strand(const astc_moments *m, color direction, astc_strand *strand) {
  strand->count = m->count;
  strand->mean = m->sum * reciprocal(m->count);
  strand->direction = direction;
  strand->inverse = reciprocal(fmax(dot_of(direction, direction), TINY));
}

static float rest_beside(const astc_matrix *m, const astc_strand *strand) {
  const float along = dot_of(times(m, strand->direction), strand->direction);
  return fmax(m->squares - m->squares * (along * strand->inverse), 0.0f);
}

static float16 along_group(const astc_texels *x, color direction, int n) {
  const float16 rgb = (CHANNEL_OF(x, r, n) * direction.x + CHANNEL_OF(x, g, n) * direction.y) + CHANNEL_OF(x, b, n) * direction.z;
#if HAS_ALPHA
  return rgb + CHANNEL_OF(x, a, n) * direction.w;
#else
  return rgb;
#endif
}

// The same for directions of whole numbers, 0..255, from a whole number on: exact, so that mad may fuse.
static float16 whole_along(const astc_texels *x, color direction, float from, int n) {
  const float16 gb = mad(CHANNEL_OF(x, g, n), (float16)(direction.y), mad(CHANNEL_OF(x, b, n), (float16)(direction.z), (float16)(from)));
  const float16 rgb = mad(CHANNEL_OF(x, r, n), (float16)(direction.x), gb);
#if HAS_ALPHA
  return mad(CHANNEL_OF(x, a, n), (float16)(direction.w), rgb);
#else
  return rgb;
#endif
}

// The positions of the texels along a direction.
static void along(const astc_texels *x, color direction, astc_lanes *out) {
  EACH_GROUP out->of[n] = along_group(x, direction, n);
}

// Only texels of the set count, and the mean.
#define FAR 1e30f
static void set_extent_inside(const astc_lanes *places, astc_set set, astc_strand *strand) {
  const float at_mean = dot_of(strand->mean, strand->direction);
  float16 least = (float16)(at_mean), greatest = least;
  EACH_GROUP {
    const float16 outside = 1.0f - inside_of(set, n);
    const float16 from = mad(outside, (float16)(FAR), places->of[n]), to = mad(outside, (float16)(-FAR), places->of[n]);
    least = GROUPS == 1 ? from : min(least, from);
    greatest = GROUPS == 1 ? to : max(greatest, to);
  }
  strand->least = min(least16(least), at_mean);
  strand->greatest = max(greatest16(greatest), at_mean);
}
static void set_extent(const astc_lanes *places, astc_strand *strand) {
#if SIDE == 4
  const float at_mean = dot_of(strand->mean, strand->direction);
  strand->least = min(least16(places->of[0]), at_mean);
  strand->greatest = max(greatest16(places->of[0]), at_mean);
#else
  set_extent_inside(places, ALL_TEXELS, strand);
#endif
}

static float squared_length(const astc_strand *strand) {
  const float span = strand->greatest - strand->least;
  return (span * strand->inverse) * span;
}

#if TEXCAST_ASTC_SCALES(METHOD)
// A line through black, to which alpha is added by regression.
static color scaled_axis(const astc_moments *all, const astc_matrix *m, color center) {
  color mean = center + all->sum * reciprocal(all->count);
#if HAS_ALPHA
  mean.w = 0.0f;
  const color turned = times(m, mean);
  const float in_colors = (turned.x * mean.x + turned.y * mean.y) + turned.z * mean.z;
  mean.w = (turned.w * dot_of(mean, mean)) * reciprocal(fmax(in_colors, LEAST_ALONG_GREYS));
#endif
  return mean;
}
#endif

// The ends of a line: the outermost texels along it, minus the block's center.
static void ends_of(const astc_strand *strand, color *low, color *high) {
  const float at_mean = dot_of(strand->mean, strand->direction);
  *low = strand->mean + strand->direction * ((strand->least - at_mean) * strand->inverse);
  *high = strand->mean + strand->direction * ((strand->greatest - at_mean) * strand->inverse);
}

static color channel_unit(int channel) {
  return COLOR(channel == 0 ? 1.0f : 0.0f, channel == 1 ? 1.0f : 0.0f, channel == 2 ? 1.0f : 0.0f,
               channel == 3 ? 1.0f : 0.0f);
}

// The channel that is least correlated with the others.
static int channel_apart(const astc_texels *x, const astc_matrix *m) {
  const float3 minors = minors_of(m);
  const float r = m->r.x, g = m->g.y, b = m->b.z;
#if HAS_ALPHA
  const float3 with_a = alpha_minors_of(m);
  const float a = m->a.w;
  const float without_r = ((minors.z + with_a.y) + with_a.z) * reciprocal(fmax((g + b) + a, TINY));
  const float without_g = ((minors.y + with_a.x) + with_a.z) * reciprocal(fmax((r + b) + a, TINY));
  const float without_b = ((minors.x + with_a.x) + with_a.y) * reciprocal(fmax((r + g) + a, TINY));
#else
  const float without_r = minors.z * reciprocal(fmax(g + b, TINY));
  const float without_g = minors.y * reciprocal(fmax(r + b, TINY));
  const float without_b = minors.x * reciprocal(fmax(r + g, TINY));
#endif
  int apart = 0;
  float least = without_r;
  if (without_g < least) {
    least = without_g;
    apart = 1;
  }
  if (without_b < least) {
    least = without_b;
    apart = 2;
  }
#if HAS_ALPHA
  const float without_a = ((minors.x + minors.y) + minors.z) * reciprocal(fmax((r + g) + b, TINY));
  if (x->has_alpha && without_a < least) apart = 3;
#endif
  return apart;
}

// An estimate of a partition's residual error beside its line.
static float rest_of_part(const astc_moments *part) {
  astc_matrix m;
  matrix_of(part, (color)(1.0f), &m);
  const float3 minors = minors_of(&m);
  float sum = (minors.x + minors.y) + minors.z;
#if HAS_ALPHA
  const float3 with_a = alpha_minors_of(&m);
  sum += (with_a.x + with_a.y) + with_a.z;
#endif
  return sum * m.squares;
}
static float rest_of_pair(const astc_texels *x, const astc_moments *all, astc_set set) {
  astc_moments second, first;
  moments_inside(x, set, &second);
  leave_out(all, &second, &first);
  return rest_of_part(&first) + rest_of_part(&second);
}

// The texels beyond the mean along the line of all texels.
static astc_set upper_half(const astc_strand *strand, const astc_lanes *places) {
  const float at_mean = dot_of(strand->mean, strand->direction);
  astc_set upper = 0;
  EACH_GROUP upper |= (astc_set)(int)dot16(is_positive(places->of[n] - at_mean), convert_float16(LANE_BITS)) << 16 * n;
  return upper & ALL_TEXELS;
}

// Lines of one kind: those of partitions, or those of all channels but one and of that one.
typedef struct {
  int kind, parameter;
  astc_set second;  // the texels of the second partition
  float rest;        // squared distance of the texels from the lines
  astc_strand strand, other;
  astc_lanes places, others;  // the texels' positions along them
} astc_lines;

static bool has_two_partitions(int kind) { return kind >= TEXCAST_ASTC_PAIR; }

static void find_strand(const astc_texels *x, const astc_moments *m, const astc_matrix *matrix, color direction,
                        astc_strand *strand, astc_lanes *places, float *rest) {
  set_strand(m, direction, strand);
  *rest += rest_beside(matrix, strand);
  along(x, strand->direction, places);
}

static void begin_lines(int kind, int parameter, astc_set second, astc_lines *out) {
  out->kind = kind;
  out->parameter = parameter;
  out->rest = 0.0f;
  out->second = second;
}

// One line for all texels.
static void find_line(const astc_texels *x, const astc_moments *all, const astc_matrix *matrix, int kind,
                      color direction, astc_lines *out) {
  begin_lines(kind, 0, 0, out);
  find_strand(x, all, matrix, direction, &out->strand, &out->places, &out->rest);
  set_extent(&out->places, &out->strand);
}
static void find_principal_line(const astc_texels *x, const astc_moments *all, const astc_matrix *matrix,
                                astc_lines *out) {
  find_line(x, all, matrix, x->is_grey ? TEXCAST_ASTC_GREY : TEXCAST_ASTC_SINGLE, axis_of(matrix), out);
}

static void find_pair(const astc_texels *x, const astc_moments *all, astc_tables tables, int partition,
                      astc_lines *out) {
  const astc_set set = second_part(tables, partition);
  astc_moments first, second;
  astc_matrix matrix;
  begin_lines(x->is_grey ? TEXCAST_ASTC_GREYS : TEXCAST_ASTC_PAIR, partition, set, out);
  moments_inside(x, set, &second);
  leave_out(all, &second, &first);
  matrix_of(&first, (color)(1.0f), &matrix);
  find_strand(x, &first, &matrix, axis_of(&matrix), &out->strand, &out->places, &out->rest);
  set_extent_inside(&out->places, ALL_TEXELS & ~set, &out->strand);
  matrix_of(&second, (color)(1.0f), &matrix);
  find_strand(x, &second, &matrix, axis_of(&matrix), &out->other, &out->others, &out->rest);
  set_extent_inside(&out->others, set, &out->other);
}

// All channels but one, and that one.
static void find_dual(const astc_texels *x, const astc_moments *all, int channel, astc_lines *out) {
  const color apart = channel_unit(channel);
  astc_matrix matrix;
  matrix_of(all, (color)(1.0f) - apart, &matrix);
  find_line(x, all, &matrix, TEXCAST_ASTC_DUAL, axis_of(&matrix), out);
  out->parameter = channel;
  set_strand(all, apart, &out->other);
  EACH_GROUP out->others.of[n] = whole_along(x, apart, 0.0f, n);
  set_extent(&out->others, &out->other);
}

#if TEXCAST_ASTC_SCALES(METHOD)
static void find_scaled(const astc_texels *x, const astc_moments *all, astc_lines *out) {
  astc_matrix matrix;
  matrix_of(all, (color)(1.0f), &matrix);
  find_line(x, all, &matrix, TEXCAST_ASTC_SCALED, scaled_axis(all, &matrix, x->center), out);
}
#endif

// Finds the lines of a choice.
static void find_lines(const astc_texels *x, const astc_moments *all, astc_tables tables, int kind, int parameter,
                       astc_lines *out) {
  if (has_two_partitions(kind)) {
    find_pair(x, all, tables, parameter, out);
  } else if (kind == TEXCAST_ASTC_DUAL) {
    find_dual(x, all, parameter, out);
#if TEXCAST_ASTC_SCALES(METHOD)
  } else if (kind == TEXCAST_ASTC_SCALED) {
    find_scaled(x, all, out);
#endif
  } else {
    astc_matrix matrix;
    matrix_of(all, (color)(1.0f), &matrix);
    find_principal_line(x, all, &matrix, out);
  }
}

// End points of one or two lines, 0..255.
typedef struct {
  color low, high, other_low, other_high;
} astc_decoded;

// Repeats a byte's 8 bits, or its 6 upper ones.
static color shortened(color value, bool to_six_bits) {
  const color bounded = fmin(fmax(value, (color)(0.0f)), (color)(255.0f));
  const color bytes = (bounded + ROUND) - ROUND;
#if HAS_ALPHA
  if (to_six_bits) {
    const int4 six = convert_int4((bounded * (63.0f / 255) + ROUND) - ROUND);
    return convert_float4(six << 2 | six >> 4);
  }
#endif
  return bytes;
}

// Used before there are weights. Keeps as few bits as one kernel passes to the next.
static void first_ends(const astc_texels *x, const astc_lines *lines, astc_decoded *out) {
  color low, high, other_low = (color)(0.0f), other_high = (color)(0.0f);
  ends_of(&lines->strand, &low, &high);
  if (has_two_partitions(lines->kind) || lines->kind == TEXCAST_ASTC_DUAL)
    ends_of(&lines->other, &other_low, &other_high);
  if (lines->kind == TEXCAST_ASTC_DUAL) {
    const color_int is_apart = channel_unit(lines->parameter) > (color)(0.0f);
    low = select(low, other_low, is_apart);
    high = select(high, other_high, is_apart);
  }
  out->low = shortened(x->center + low, x->has_alpha);
  out->high = shortened(x->center + high, x->has_alpha);
  out->other_low = shortened(x->center + other_low, x->has_alpha);
  out->other_high = shortened(x->center + other_high, x->has_alpha);
}
