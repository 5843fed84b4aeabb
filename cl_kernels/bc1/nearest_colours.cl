// nearest_colours.cl — a BC1 block by its first word, color0 | color1 << 16, its texels taking the nearest colour each.
//   defines   ALLOW_BLACK  1: three-colour blocks use index 3, black
//             FOUR_COLOURS 1: blocks have four colours in either order of the end points, as in BC3
//   exactness whole numbers in single precision, as bc1/line_fit.cl; equals codec/ref/bc/bc1_nearest.cpp bit for bit on every
//             device
//   style     results go out through pointers, as common/load.cl says
//
// The word says the order too: four colours where color0 > color1, else three.
#include "bc1/line_fit.cl"

#ifndef ALLOW_BLACK
#define ALLOW_BLACK 0
#endif
#ifndef FOUR_COLOURS
#define FOUR_COLOURS 0
#endif

static bool has_four(uint word) { return FOUR_COLOURS || (word & 0xFFFF) > word >> 16; }

// End points as codes (0..31, 0..63, 0..31), in any order. Equal ones make a block of three colours,
// unless all have four.
static uint word_of(float3 code_a, float3 code_b, bool four) {
  const uint a = packed_code(code_a), b = packed_code(code_b);
  return four ? max(a, b) | min(a, b) << 16 : min(a, b) | max(a, b) << 16;
}

static float3 code_at(uint color) { return convert_float3((int3)(color >> 11 & 31, color >> 5 & 63, color & 31)); }

// Colours 2 and 3 as shares of the end points, less what makes rounding to the nearest a cut: three times thirds, and
// twice halves, lie well between two numbers then, however the products round.
typedef struct {
  float a2, b2, a3, b3, cut;
} inner_shares;

static void shares_of(bool four, inner_shares *s) {
  const float half_or_none = ALLOW_BLACK ? 0.0f : 0.5f;  // without black the last colour repeats the middle
  s->a2 = four ? 0.666666687f : 0.5f;
  s->b2 = four ? 0.333333343f : 0.5f;
  s->a3 = four ? 0.333333343f : half_or_none;
  s->b3 = four ? 0.666666687f : half_or_none;
  s->cut = four ? -0.333333343f : -0.25f;
}

typedef struct {
  float3 p0, p1, p2, p3;
} color_palette;

// Of end points expanded to 8 bits.
static void palette_of(float3 a, float3 b, const inner_shares *s, color_palette *p) {
  p->p0 = a;
  p->p1 = b;
  p->p2 = (mad(a, (float3)(s->a2), mad(b, (float3)(s->b2), (float3)(s->cut))) + ROUND) - ROUND;
  p->p3 = (mad(a, (float3)(s->a3), mad(b, (float3)(s->b3), (float3)(s->cut))) + ROUND) - ROUND;
}

// Squared distances from a colour, less the texels' own squares: three products a texel.
static float16 distance_to(const line_block *t, float3 color) {
  const float3 c = -2.0f * color;
  const float16 square = (float16)(whole_dot3(color, color));
  return mad(t->r, (float16)(c.x), mad(t->g, (float16)(c.y), mad(t->b, (float16)(c.z), square)));
}

// The block's squared error as it will be decoded, less the texels' squares. End points expanded to 8 bits.
static float colors_error(const line_block *t, float3 a, float3 b, const inner_shares *s) {
  color_palette p;
  palette_of(a, b, s, &p);
  return add16(min(min(distance_to(t, p.p0), distance_to(t, p.p1)), min(distance_to(t, p.p2), distance_to(t, p.p3))));
}

// The finished block; of equally near colours the one with the smallest index.
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
