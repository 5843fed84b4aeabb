// halves.cl — individual and differential blocks, the modes that ETC1 has: the contents of one, and its bits.
//   exactness as etc/colors.cl
#include "etc/colors.cl"

typedef struct {
  int4 first, second;  // x, y, z: the codes; w: the table
  int bits, flip, error;
} etc_halves;

static void half_paints(int4 fit, int bits, etc_paints *out) {
  const float3 base = convert_float3(etc_expanded(fit, bits).xyz);
  const float2 m = etc_modifiers[fit.w];
  out->paint[0] = etc_moved(base, m.x);
  out->paint[1] = etc_moved(base, m.y);
  out->paint[2] = etc_moved(base, -m.x);
  out->paint[3] = etc_moved(base, -m.y);
}

static uint halves_word(etc_halves *best) {
  const int4 a = best->first, b = best->second;
  const uint tables = (uint)(a.w << 5 | b.w << 2 | best->flip);
  if (best->bits == 4)
    return tables | (uint)(a.x << 4 | b.x) << 24 | (uint)(a.y << 4 | b.y) << 16 | (uint)(a.z << 4 | b.z) << 8;
  const int4 d = (b - a) & 7;
  return tables | 2u | (uint)(a.x << 3 | d.x) << 24 | (uint)(a.y << 3 | d.y) << 16 | (uint)(a.z << 3 | d.z) << 8;
}

// The lower word of a block, from the palettes of its halves.
static uint paint_halves(rgb_block *p, int flip, etc_paints *first, etc_paints *second) {
  rgb_block q = *p;
  if (!flip) {
    // Transposes, so that halves side by side become one above the other.
    q.r = q.r.s048c159d26ae37bf;
    q.g = q.g.s048c159d26ae37bf;
    q.b = q.b.s048c159d26ae37bf;
  }
  const uint planes = etc_index_planes(nearest_paints(&q, first, second));
  return flip ? etc_columns(planes) : planes;
}

static uint2 pack_halves(rgb_block *p, etc_halves *best) {
  etc_paints first, second;
  half_paints(best->first, best->bits, &first);
  half_paints(best->second, best->bits, &second);
  return etc_bytes(halves_word(best), paint_halves(p, best->flip, &first, &second));
}
