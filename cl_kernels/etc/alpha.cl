// alpha.cl — encodes alpha of the source frame as EAC blocks of 8 bits, the alpha half of ETC2 RGBA; one work-item per
// block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as in common/load.cl, as bytes
//   out  blocks  uint2[blocks_y][blocks_x] at the positions of texcast_target
//   defines      CODED: CODED_OPAQUE, 255 everywhere, or CODED_ALPHA, the fourth byte of RGBA and BGRA · METHOD
//   exactness    as etc/colors.cl; equals codec/ref/etc/eac_alpha.cpp bit for bit on every device
#define CODED_OPAQUE 0
#define CODED_ALPHA 1
#ifndef CODED
#define CODED CODED_OPAQUE
#endif
#define LOAD_FLOATS 1
#include "common/load.cl"
#include "etc/colors.cl"
#if CODED == CODED_ALPHA
#include "common/load_alpha.cl"
#include "include/kernels/eac.h"

#define EAC_ROW(a, b, c, d) (float8)(-1 - a, -1 - b, -1 - c, -1 - d, a, b, c, d),
constant float8 eac_modifiers[TEXCAST_EAC_TABLES] = {FOR_EACH_EAC_TABLE(EAC_ROW)};
#undef EAC_ROW

static float8 eac_values(int base, int multiplier, int table) {
  return clamp((float)base + eac_modifiers[table] * (float)multiplier, (float8)(0.0f), (float8)(255.0f));
}

static int eac_error(float16 v, float8 to) {
  const float16 off01 = min(fabs(v - to.s0), fabs(v - to.s1)), off23 = min(fabs(v - to.s2), fabs(v - to.s3));
  const float16 off45 = min(fabs(v - to.s4), fabs(v - to.s5)), off67 = min(fabs(v - to.s6), fabs(v - to.s7));
  const float16 off = min(min(off01, off23), min(off45, off67));
  return (int)add16(off * off);
}

static uint2 pack_eac(float16 v, int base, int multiplier, int table) {
  const float8 to = eac_values(base, multiplier, table);
  float16 least = fabs(v - to.s0);
  int16 index = (int16)(0);
#define NEARER(n)                                 \
  {                                               \
    const float16 off = fabs(v - to.s##n);        \
    index = select(index, (int16)(n), off < least); \
    least = min(least, off);                      \
  }
  NEARER(1) NEARER(2) NEARER(3) NEARER(4) NEARER(5) NEARER(6) NEARER(7)
#undef NEARER
  // Column by column, the first texel in the highest bits: two columns make 24 bits.
  const uint16 bits = as_uint16(index) << (uint16)(21, 9, 21, 9, 18, 6, 18, 6, 15, 3, 15, 3, 12, 0, 12, 0);
  const uint4 halves = bits.s0123 | bits.s4567 | bits.s89ab | bits.scdef;
  const uint left = halves.x | halves.y, right = halves.z | halves.w;
  return etc_bytes((uint)(base << 24 | multiplier << 20 | table << 16) | left >> 8, left << 24 | right);
}

static uint2 encode_eac(int16 alpha) {
  const float16 v = convert_float16(alpha);
  const int low = min16(alpha), high = max16(alpha);
  const int more_multipliers = TEXCAST_EAC_ALPHA_MULTIPLIERS(METHOD), more_bases = TEXCAST_EAC_ALPHA_BASES(METHOD);
  int best_base = 0, best_multiplier = 0, best_table = 0, best_error = ETC_NO_ERROR;
  for (int table = 0; table < TEXCAST_EAC_TABLES && best_error > 0; ++table) {
    const int least = (int)eac_modifiers[table].s3, greatest = (int)eac_modifiers[table].s7;
    const int spanning = (2 * (high - low) + greatest - least) / (2 * (greatest - least));
    const int last = min(spanning + more_multipliers, 15);
    for (int m = max(spanning - more_multipliers, 0); m <= last; ++m) {
      const int centre = min((high + low - m * (greatest + least)) / 2, 255);
      for (int base = max(centre - more_bases, 0); base <= min(centre + more_bases, 255); ++base) {
        const int error = eac_error(v, eac_values(base, m, table));
        if (error >= best_error) continue;
        best_error = error;
        best_base = base;
        best_multiplier = m;
        best_table = table;
      }
    }
  }
  return pack_eac(v, best_base, best_multiplier, best_table);
}
#endif

kernel void eac_alpha(SOURCE source, global uint2 *blocks, const texcast_source s,
                      const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block, bx, by;
  if (!own_block(&t, &block, &bx, &by)) return;
#if CODED == CODED_ALPHA
  blocks[place_of(&t, block)] = encode_eac(load_alpha(source, &s, 4 * bx, 4 * by));
#else
  blocks[place_of(&t, block)] = (uint2)(255, 0);
#endif
}
