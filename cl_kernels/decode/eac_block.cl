// eac_block.cl — the fields of ETC's and EAC's blocks, and EAC's modifiers. A block is a big-endian number of 64 bits,
// in two words: bit 0 of `high` is the standard's bit 32.
//   source       Khronos Data Format 1.3, section 22
#include "include/kernels/eac.h"

#define EAC_EIGHT(a, b, c, d) -1 - a, -1 - b, -1 - c, -1 - d, a, b, c, d,
constant int eac_modifiers[8 * TEXCAST_EAC_TABLES] = {FOR_EACH_EAC_TABLE(EAC_EIGHT)};
#undef EAC_EIGHT

static uint big_endian(uint word) { return as_uint(as_uchar4(word).wzyx); }
// `count` bits, the lowest of which is bit `lowest`.
#define BITS(word, lowest, count) ((int)((word) >> (lowest) & ((1u << (count)) - 1)))

// The modifier of a texel of an EAC block. Its bytes are base, multiplier and table, then indices of three bits each,
// column by column, the first texel's in the highest bits: three bytes for two columns.
static int eac_modifier(uint2 bytes, int x, int y) {
  const uint first_columns = (bytes.x & 0xFF0000) | (bytes.x >> 16 & 0xFF00) | (bytes.y & 255);
  const uint index = (x < 2 ? first_columns : big_endian(bytes.y)) >> (21 - 3 * (4 * (x & 1) + y));
  return eac_modifiers[8 * BITS(bytes.x, 8, 4) + (int)(index & 7)];
}
static int4 eac_modifier_row(uint2 bytes, int y) {
  return (int4)(eac_modifier(bytes, 0, y), eac_modifier(bytes, 1, y), eac_modifier(bytes, 2, y),
                eac_modifier(bytes, 3, y));
}
#define EAC_BASE(bytes) BITS((bytes).x, 0, 8)
#define EAC_MULTIPLIER(bytes) BITS((bytes).x, 12, 4)
