// load_image.cl — loads the source frame through an image2d_t: the texture units fetch and unpack what common/load.cl
// reads as bytes. A part of common/load.cl, which includes it.
//   in        the buffer of common/load.cl as one image of rows of stride0 bytes. A texel of the image is a row of a
//             block:
//             four 8-bit samples (CL_RGBA, CL_UNSIGNED_INT8), or four packed texels (CL_RGBA, CL_UNSIGNED_INT32)
//                nv12     Y rows, padding, then UV rows
//                yuv420p  Y rows, padding, then two rows of U side by side (stride0 = 2 stride1), padding, and V in the
//                         same way
//   out       as in common/load.cl; coordinates outside the frame repeat its edge
//   defines   as in common/load.cl; SOURCE_FORMAT one of YUV420P, NV12, RGBA, BGRA
//   exactness integer; equals codec/ref/convert.cpp bit for bit on every device
#if SOURCE_IS_IMAGE
constant sampler_t block_rows = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

static uint4 load_row(SOURCE source, int column, int row) {
  return read_imageui(source, block_rows, (int2)(column, row));
}

static int pick(uint4 v, int i) { return i & 2 ? (i & 1 ? v.w : v.z) : (i & 1 ? v.y : v.x); }

#if SOURCE_FORMAT == TEXCAST_YUV420P
// The four samples of U that include the one for texel column x. For V, `row` continues after U's last row and the
// padding.
static uint4 load_chroma(SOURCE source, const texcast_source *s, int x, int row) {
  return load_row(source, (x >> 3) + (row & 1) * (s->stride1 >> 2),
                  TEXCAST_PADDED_ROWS(s->height) + (row >> 1));
}
#endif

static int4 load_rgb_texel(SOURCE source, const texcast_source *s, int x, int y) {
  x = min(x, s->width - 1);
  y = min(y, s->height - 1);
  const int c0 = pick(load_row(source, x >> 2, y), x);
#if SOURCE_FORMAT == TEXCAST_YUV420P
  const int chroma_rows = TEXCAST_PADDED_ROWS(s->height) >> 1;
  return convert_texel(s, c0, pick(load_chroma(source, s, x, y >> 1), x >> 1),
                       pick(load_chroma(source, s, x, chroma_rows + (y >> 1)), x >> 1));
#elif SOURCE_FORMAT == TEXCAST_NV12
  const uint4 uv = load_row(source, x >> 2, TEXCAST_PADDED_ROWS(s->height) + (y >> 1));
  return convert_texel(s, c0, x & 2 ? uv.z : uv.x, x & 2 ? uv.w : uv.y);
#elif SOURCE_FORMAT == TEXCAST_RGBA
  return convert_texel(s, c0 & 255, c0 >> 8 & 255, c0 >> 16 & 255);
#elif SOURCE_FORMAT == TEXCAST_BGRA
  return convert_texel(s, c0 >> 16 & 255, c0 >> 8 & 255, c0 & 255);
#else
#error "common/load_image.cl does not read SOURCE_FORMAT"
#endif
}

static void load_inner_block(SOURCE source, const texcast_source *s, int x, int y, rgb_block *out) {
  const int column = x >> 2;
  const uint16 rows = (uint16)(load_row(source, column, y), load_row(source, column, y + 1),
                               load_row(source, column, y + 2), load_row(source, column, y + 3));
  int16 c0, c1, c2;
#if SOURCE_FORMAT == TEXCAST_YUV420P
  const int u = y >> 1, v = (TEXCAST_PADDED_ROWS(s->height) >> 1) + u;
  const uint4 u0 = load_chroma(source, s, x, u), u1 = load_chroma(source, s, x, u + 1);
  const uint4 v0 = load_chroma(source, s, x, v), v1 = load_chroma(source, s, x, v + 1);
  c0 = convert_int16(rows);
  c1 = spread_2x2(convert_int4(x & 4 ? (uint4)(u0.zw, u1.zw) : (uint4)(u0.xy, u1.xy)));
  c2 = spread_2x2(convert_int4(x & 4 ? (uint4)(v0.zw, v1.zw) : (uint4)(v0.xy, v1.xy)));
#elif SOURCE_FORMAT == TEXCAST_NV12
  const uint4 top = load_row(source, column, TEXCAST_PADDED_ROWS(s->height) + (y >> 1));
  const uint4 bottom = load_row(source, column, TEXCAST_PADDED_ROWS(s->height) + (y >> 1) + 1);
  c0 = convert_int16(rows);
  c1 = spread_2x2(convert_int4((uint4)(top.even, bottom.even)));
  c2 = spread_2x2(convert_int4((uint4)(top.odd, bottom.odd)));
#else
  c1 = convert_int16(rows >> 8 & 255);
#if SOURCE_FORMAT == TEXCAST_RGBA
  c0 = convert_int16(rows & 255);
  c2 = convert_int16(rows >> 16 & 255);
#else
  c0 = convert_int16(rows >> 16 & 255);
  c2 = convert_int16(rows & 255);
#endif
#endif
  convert_block(s, c0, c1, c2, out);
}
#endif  // SOURCE_IS_IMAGE
