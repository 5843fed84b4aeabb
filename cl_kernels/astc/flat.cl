// flat.cl — a block of one colour: a void extent without bounds.
//   exactness  equals codec/ref/astc/astc_write.cpp

#define FLAT_BLOCK 0xFFFFFDFCu  // its first word, which no choice has (handed_over.cl): there is no layout 8191

static uint4 write_flat(float4 value) {
  const uint4 c = convert_uint4(value) * 257;
  return (uint4)(FLAT_BLOCK, 0xFFFFFFFFu, c.x | c.y << 16, c.z | c.w << 16);
}
