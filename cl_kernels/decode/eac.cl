// eac.cl — decodes EAC R11 and RG11 blocks, one work-item per block.
//   in   blocks  uint2 (R11) or uint4 (red, then green), any bytes
//   out  frame   as in decode/texels.cl: R11 as gray, RG11 as red and green with blue 0. In signed blocks -1 becomes 0
//                and 1 becomes 255
//   exactness    integer; equals codec/ref/bc/eac.cpp bit for bit on every device. Values of 11 bits are converted to
//                16, rounded twice, as in codec/ref
//   source       Khronos Data Format 1.3, section 22
#include "decode/eac_block.cl"
#include "decode/texels.cl"

// Converts values of 11 bits to bytes: 0 to 2047, or -1023 to 1023.
static uint4 eac_row(uint2 bytes, int y) {
  const int multiplier = EAC_MULTIPLIER(bytes), steps = multiplier == 0 ? 1 : 8 * multiplier;
  const int4 value = 8 * EAC_BASE(bytes) + 4 + steps * eac_modifier_row(bytes, y);
  const uint4 wide = (convert_uint4(clamp(value, (int4)(0), (int4)(2047))) * 131070u + 2047u) / 4094u;
  return (wide + 128u) / 257u;
}
static uint4 eac_signed_row(uint2 bytes, int y) {
  const int multiplier = EAC_MULTIPLIER(bytes), steps = multiplier == 0 ? 1 : 8 * multiplier;
  const int base = max((EAC_BASE(bytes) ^ 128) - 128, -127);
  const int4 value = 8 * base + steps * eac_modifier_row(bytes, y);
  const uint4 wide = (convert_uint4(clamp(value, (int4)(-1023), (int4)(1023)) + 1023) * 131070u + 2046u) / 4092u;
  return (wide + 128u) / 257u;
}

#define EAC_KERNELS(name, row_of)                                                                              \
  kernel void decode_##name##_r11(global const uint2 *blocks, global uchar *frame, const texcast_decoded t) {  \
    int block, x, y;                                                                                           \
    if (!own_texels(&t, &block, &x, &y)) return;                                                               \
    const uint2 red = blocks[block];                                                                           \
    for (int row = 0; row < 4; ++row)                                                                          \
      put_texels(frame, &t, x, y + row, row_of(red, row) * 0x10101u | 0xFF000000u);                            \
  }                                                                                                            \
  kernel void decode_##name##_rg11(global const uint4 *blocks, global uchar *frame, const texcast_decoded t) { \
    int block, x, y;                                                                                           \
    if (!own_texels(&t, &block, &x, &y)) return;                                                               \
    const uint4 both = blocks[block];                                                                          \
    for (int row = 0; row < 4; ++row)                                                                          \
      put_texels(frame, &t, x, y + row, row_of(both.xy, row) | row_of(both.zw, row) << 8 | 0xFF000000u);       \
  }
EAC_KERNELS(eac, eac_row)
EAC_KERNELS(eac_signed, eac_signed_row)
