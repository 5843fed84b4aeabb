// decode.cl — decodes the 16 texels of a BC4 block to 8 bits.
//   exactness integer; equals decode_bc4 of codec/ref/bc/bc4.cpp bit for bit on every device

// Interpolates in sevenths or fifths, rounded to the nearest 8-bit value. The reciprocals in 65536ths are accurate
// enough for every possible sum.
static int16 decode_bc4(uint2 block) {
  const int a0 = block.x & 255, a1 = block.x >> 8 & 255;
  const bool eight = a0 > a1;
  const int parts = eight ? 7 : 5, reciprocal = eight ? 9363 : 13107;
  const int black = eight ? 8 : 6, white = eight ? 8 : 7;  // no index is 8
  const uint top = block.x >> 16 | (block.y & 255) << 16, bottom = block.y >> 8;
  const uint8 shift = (uint8)(0, 3, 6, 9, 12, 15, 18, 21);
  const int16 index = as_int16((uint16)((uint8)(top) >> shift, (uint8)(bottom) >> shift) & 7);
  int16 value = (index * ((a1 - a0) * reciprocal) + (((parts + 1) * a0 - a1) * reciprocal + 32768)) >> 16;
  value = select(value, (int16)(a0), index == 0);
  value = select(value, (int16)(a1), index == 1);
  value = select(value, (int16)(0), index == black);
  return select(value, (int16)(255), index == white);
}
