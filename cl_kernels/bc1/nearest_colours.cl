// nearest_colours.cl — a BC1 block from its first word, color0 | color1 << 16; each texel takes its nearest colour.
//   defines   ALLOW_BLACK  1: three-colour blocks use index 3, black
//             FOUR_COLOURS 1: blocks have four colours in either order of the end points, as in BC3
//   exactness whole numbers in single precision, as bc1/line_fit.cl; equals codec/ref/bc/bc1_nearest.cpp bit for bit on
//             every device
//   style     results are returned through pointers (see common/load.cl)
//
// The word also selects the order: four colours if color0 > color1, else three.
#include "bc1/line_fit.cl"

#ifndef ALLOW_BLACK
#define ALLOW_BLACK 0
#endif
#ifndef FOUR_COLOURS
#define FOUR_COLOURS 0
#endif

static bool has_four(uint word) { return FOUR_COLOURS || (word & 0xFFFF) > word >> 16; }

// End points as codes (0..31, 0..63, 0..31), in any order. Equal ones make a block of three colours, unless all blocks
// have four.
static uint word_of(float3 code_a, float3 code_b, bool four) {
  const uint a = packed_code(code_a), b = packed_code(code_b);
  return four ? max(a, b) | min(a, b) << 16 : min(a, b) | max(a, b) << 16;
}

static float3 code_at(uint color) { return convert_float3((int3)(color >> 11 & 31, color >> 5 & 63, color & 31)); }

// The shares of the end points in colours 2 and 3, and an offset with which rounding to nearest truncates. Three times
// a third and twice a half are then safely between two whole numbers, regardless of how the products round.
typedef struct {
  float a2, b2, a3, b3, cut;
} inner_shares;

static void shares_of(bool four, inner_shares *s) {
  const float half_or_none = ALLOW_BLACK ? 0.0f : 0.5f;  // without black the last colour repeats the midpoint
  s->a2 = four ? 0.666666687f : 0.5f;
  s->b2 = four ? 0.333333343f : 0.5f;
  s->a3 = four ? 0.333333343f : half_or_none;
  s->b3 = four ? 0.666666687f : half_or_none;
  s->cut = four ? -0.333333343f : -0.25f;
}

typedef struct {
  float3 p0, p1, p2, p3;
} color_palette;

// For end points expanded to 8 bits.
static void palette_of(float3 a, float3 b, const inner_shares *s, color_palette *p) {
  p->p0 = a;
  p->p1 = b;
  p->p2 = (mad(a, (float3)(s->a2), mad(b, (float3)(s->b2), (float3)(s->cut))) + ROUND) - ROUND;
  p->p3 = (mad(a, (float3)(s->a3), mad(b, (float3)(s->b3), (float3)(s->cut))) + ROUND) - ROUND;
}

// Squared distances from a colour, minus the texels' own squares: three products per texel.
static float16 distance_to(const line_block *t, float3 color) {
  const float3 c = -2.0f * color;
  const float16 square = (float16)(whole_dot3(color, color));
  return mad(t->r, (float16)(c.x), mad(t->g, (float16)(c.y), mad(t->b, (float16)(c.z), square)));
}

// The block's squared error as it will be decoded, minus the texels' squares. End points are expanded to 8 bits.
static float colors_error(const line_block *t, float3 a, float3 b, const inner_shares *s) {
  color_palette p;
  palette_of(a, b, s, &p);
  return add16(min(min(distance_to(t, p.p0), distance_to(t, p.p1)), min(distance_to(t, p.p2), distance_to(t, p.p3))));
}

// The finished block. Among equally near colours the smallest index wins.
static uint2 pack_colors(const line_block *t, uint word) {
  inner_shares s;
  shares_of(has_four(word), &s);
  color_palette p;
  palette_of(expand_codes(code_at(word & 0xFFFF)), expand_codes(code_at(word >> 16)), &s, &p);
  float16 best = distance_to(t, p.p0);
  int16 index = (int16)(0);
#define NEARER(n)                                       \
  {                                                     \
    const float16 other = distance_to(t, p.p##n);       \
    index = select(index, (int16)(n), other < best);    \
    best = min(best, other);                            \
  }
  NEARER(1) NEARER(2) NEARER(3)
#undef NEARER
  const uint16 shift = (uint16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return (uint2)(word, or16(as_uint16(index) << shift));
}
