// lines.cl — the lines that a block's texels may lie on (codec/ref/astc/astc_lines.h).
//   exactness  stated float order, equals codec/ref/astc/astc_lines.cpp
#include "astc/texels.cl"

#define ALL_TEXELS (~(ulong)0 >> (64 - TEXELS))
#define TINY 1e-12f
#define LEAST_ALONG_GREYS 1e-6f

typedef struct {
  float count;
  float4 sum, r, g, b, a;  // rows of the sums of products
} astc_moments;

typedef struct {
  float4 r, g, b, a;
  float squares;
} astc_matrix;

typedef struct {
  float count, least, greatest, inverse;
  float4 mean, direction;
} astc_strand;

typedef struct {
  int kind, parameter, strands;
  ulong second;
  float rest;
  astc_strand strand[2];
} astc_lines;

static float inside_of(ulong texels, int i) { return (float)(int)(texels >> i & 1); }

// Whole numbers, whose sums are exact in any order.
static void moments_of(const astc_texels *x, ulong inside, astc_moments *m) {
  m->count = 0.0f;
  m->sum = m->r = m->g = m->b = m->a = (float4)(0.0f);
  for (int i = 0; i < TEXELS; ++i) {
    const float is_in = inside_of(inside, i);
    const float4 v = x->v[i] * is_in;
    m->count += is_in;
    m->sum += v;
    m->r += v * v.x;
    m->g += v * v.y;
    m->b += v * v.z;
#if HAS_ALPHA
    m->a += v * v.w;
#endif
  }
}

static void leave_out(const astc_moments *all, const astc_moments *part, astc_moments *m) {
  m->count = all->count - part->count;
  m->sum = all->sum - part->sum;
  m->r = all->r - part->r;
  m->g = all->g - part->g;
  m->b = all->b - part->b;
  m->a = all->a - part->a;
}

// `used` is 0 where a channel is left out, else 1.
static void matrix_of(const astc_moments *m, float4 used, astc_matrix *out) {
  const float n = m->count;
  const float4 s = m->sum;
  float4 r = (n * m->r - s.x * s) * used * used.x, g = (n * m->g - s.y * s) * used * used.y,
         b = (n * m->b - s.z * s) * used * used.z, a = (n * m->a - s.w * s) * used * used.w;
  const float trace = ((r.x + g.y) + b.z) + a.w;
  const float scale = reciprocal(fmax(trace, 1.0f));
  out->r = r * scale;
  out->g = g * scale;
  out->b = b * scale;
  out->a = a * scale;
  out->squares = trace * reciprocal(n);
}

static float4 times(const astc_matrix *m, float4 v) {
  return (float4)(dot_of(m->r, v), dot_of(m->g, v), dot_of(m->b, v), dot_of(m->a, v));
}

static float4 grey_of(float4 v) {
  const float mean = ((v.x + v.y) + v.z) * (1.0f / 3);
  return (float4)(mean, mean, mean, v.w);
}

static float4 axis_of(const astc_matrix *m, bool is_grey) {
  float widest = m->r.x;
  float4 v = m->r;
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
  if (is_grey) v = grey_of(v);
  for (int step = 0; step < TEXCAST_ASTC_POWERS; ++step) {
    v = times(m, v);
    if (is_grey) v = grey_of(v);
  }
  return v;
}

static void set_strand(const astc_moments *m, float4 direction, astc_strand *strand) {
  strand->count = m->count;
  strand->mean = m->sum * reciprocal(m->count);
  strand->direction = direction;
  strand->inverse = reciprocal(fmax(dot_of(direction, direction), TINY));
}

static float rest_beside(const astc_matrix *m, const astc_strand *strand) {
  const float along = dot_of(times(m, strand->direction), strand->direction);
  return fmax(m->squares - m->squares * (along * strand->inverse), 0.0f);
}

static void set_extent(const astc_texels *x, ulong inside, astc_strand *strand) {
  const float at_mean = dot_of(strand->mean, strand->direction);
  strand->least = 1e30f;
  strand->greatest = -1e30f;
  for (int i = 0; i < TEXELS; ++i) {
    const float place = dot_of(x->v[i], strand->direction) - at_mean;
    const bool is_in = (inside >> i & 1) != 0;
    strand->least = is_in ? fmin(strand->least, place) : strand->least;
    strand->greatest = is_in ? fmax(strand->greatest, place) : strand->greatest;
  }
}

static float make_grey(float4 center, astc_strand *strand) {
  const float4 color = center + strand->mean;
  const float grey = ((color.x + color.y) + color.z) * (1.0f / 3);
  const float r = color.x - grey, g = color.y - grey, b = color.z - grey;
  strand->mean = (float4)(grey - center.x, grey - center.y, grey - center.z, strand->mean.w);
  return strand->count * ((r * r + g * g) + b * b);
}

static float4 scaled_axis(const astc_moments *all, const astc_matrix *m, float4 center) {
  float4 mean = center + all->sum * reciprocal(all->count);
  mean.w = 0.0f;
  const float4 turned = times(m, mean);
  const float along = (turned.x * mean.x + turned.y * mean.y) + turned.z * mean.z;
  mean.w = (turned.w * dot_of(mean, mean)) * reciprocal(fmax(along, LEAST_ALONG_GREYS));
  return mean;
}

static ulong upper_half(const astc_texels *x, const astc_moments *all) {
  astc_matrix m;
  matrix_of(all, (float4)(1.0f), &m);
  const float4 axis = axis_of(&m, false);
  const float at_mean = dot_of(all->sum, axis) * reciprocal(all->count);
  ulong upper = 0;
  for (int i = 0; i < TEXELS; ++i)
    if (dot_of(x->v[i], axis) > at_mean) upper |= (ulong)1 << i;
  return upper;
}

static float rest_of_pair(const astc_texels *x, const astc_moments *all, ulong inside) {
  astc_moments parts[2];
  moments_of(x, inside, &parts[1]);
  leave_out(all, &parts[1], &parts[0]);
  float rest = 0.0f;
#pragma unroll 1
  for (int p = 0; p < 2; ++p) {
    astc_matrix m;
    astc_strand strand;
    matrix_of(&parts[p], (float4)(1.0f), &m);
    set_strand(&parts[p], axis_of(&m, false), &strand);
    rest += rest_beside(&m, &strand);
  }
  return rest;
}

// A partition's end points, colours less the block's center: of the outermost texels along its line.
static void line_of(const astc_lines *lines, int partition, float4 *low, float4 *high) {
  const astc_strand *strand = partition == 0 ? &lines->strand[0] : &lines->strand[1];
  *low = strand->mean + strand->direction * (strand->least * strand->inverse);
  *high = strand->mean + strand->direction * (strand->greatest * strand->inverse);
  if (lines->kind != TEXCAST_ASTC_DUAL) return;
  const astc_strand *apart = &lines->strand[1];
  const int4 is_apart = apart->direction > (float4)(0.0f);
  *low = select(*low, apart->mean + apart->direction * (apart->least * apart->inverse), is_apart);
  *high = select(*high, apart->mean + apart->direction * (apart->greatest * apart->inverse), is_apart);
}

static float4 channel_unit(int channel) {
  return (float4)(channel == 0 ? 1.0f : 0.0f, channel == 1 ? 1.0f : 0.0f, channel == 2 ? 1.0f : 0.0f,
                  channel == 3 ? 1.0f : 0.0f);
}

static void find_lines(const astc_texels *x, const astc_moments *all, astc_tables tables, int kind, int parameter,
                       astc_lines *out) {
  const bool is_pair = kind >= TEXCAST_ASTC_PAIR, is_dual = kind == TEXCAST_ASTC_DUAL;
  const bool is_grey = kind == TEXCAST_ASTC_GREY || kind == TEXCAST_ASTC_GREYS;
  const float4 apart = is_dual ? channel_unit(parameter) : (float4)(0.0f);
  out->kind = kind;
  out->parameter = parameter;
  out->strands = is_pair || is_dual ? 2 : 1;
  out->second = is_pair ? second_part(tables, parameter) : 0;
  out->rest = 0.0f;
  astc_moments second, first = *all;
  if (is_pair) {
    moments_of(x, out->second, &second);
    leave_out(all, &second, &first);
  }
  const int lines = is_pair ? 2 : 1;
#pragma unroll 1
  for (int p = 0; p < lines; ++p) {
    astc_strand strand;
    astc_matrix m;
    if (p == 1) first = second;
    matrix_of(&first, (float4)(1.0f) - apart, &m);
    set_strand(&first, kind == TEXCAST_ASTC_SCALED ? scaled_axis(&first, &m, x->center) : axis_of(&m, is_grey), &strand);
    out->rest += rest_beside(&m, &strand);
    if (is_grey) out->rest += make_grey(x->center, &strand);
    set_extent(x, p == 1 ? out->second : ALL_TEXELS & ~out->second, &strand);
    if (p == 0)
      out->strand[0] = strand;
    else
      out->strand[1] = strand;
  }
  if (is_dual) {
    set_strand(all, apart, &out->strand[1]);
    set_extent(x, ALL_TEXELS, &out->strand[1]);
  }
}
