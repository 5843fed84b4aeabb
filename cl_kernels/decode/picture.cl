// picture.cl — converts decoded texels to a picture for other programs (a camera), one work-item per 2 x 2 texels.
//   work-group   any, one-dimensional; global = (width + 1) / 2 * ((height + 1) / 2) rounded up; other items return early
//   in   texels  uchar4[][texel_stride / 4] as in decode/texels.cl, at least the picture's size: R G B A of the texture
//                (MODEL TEXCAST_TEXELS_RGB), its scaled YCoCg, or the luma of its first plane, repeated in all channels
//   in   orange, green  with TEXCAST_TEXELS_YCOCG_PLANES: likewise the second and third plane; else not read
//   out  picture planes as texcast_picture says, in PICTURE_FORMAT: NV12, YUV420P, YUYV422 or BGRA of layout.h. With an
//                odd width, the last pair of YUYV422 has its only luma twice
//   defines      MODEL, PICTURE_FORMAT; with TEXCAST_TEXELS_YCOCG_PLANES CHROMA_ACROSS and CHROMA_DOWN, luma texels per
//                chroma texel: 1 or 2
//   exactness    integer; equals codec/ref/put_picture.cpp after codec/ref/decode.cpp, bit for bit on every device
//   source       codec/frames/include/frames/from_rgb.h; docs/format.md, "Chroma placement"
#include "include/kernels/layout.h"

#ifndef MODEL
#define MODEL TEXCAST_TEXELS_RGB
#endif
#ifndef PICTURE_FORMAT
#define PICTURE_FORMAT TEXCAST_NV12
#endif
#ifndef CHROMA_ACROSS
#define CHROMA_ACROSS 1
#define CHROMA_DOWN 1
#endif

static int4 texel_at(global const uchar *texels, int stride, int x, int y) {
  return convert_int4(*(global const uchar4 *)(texels + y * stride + 4 * x));
}

// y + 8 chroma / eighths, rounded, halves up.
static int scaled_channel(int y, int chroma, int eighths) {
  const int numerator = 2 * (y * eighths + 8 * chroma) + eighths;
  return numerator < 0 ? 0 : min(numerator / (2 * eighths), 255);
}

static int4 rgb_of_scaled(int4 texel) {
  const int co = texel.x - 128, cg = texel.y - 128, eighths = texel.z + 8;
  return (int4)(scaled_channel(texel.w, co - cg, eighths), scaled_channel(texel.w, cg, eighths),
                scaled_channel(texel.w, -co - cg, eighths), 255);
}

static int chroma_at(global const uchar *plane, const texcast_picture *p, int x, int y) {
  return plane[clamp(y, 0, p->chroma_height - 1) * p->chroma_stride + 4 * clamp(x, 0, p->chroma_width - 1)];
}

// The chroma of the luma texel (x, y): three parts of its own chroma texel, and one of the neighbour on its side.
static int interpolated(global const uchar *plane, const texcast_picture *p, int x, int y) {
  const int own_x = x / CHROMA_ACROSS, own_y = y / CHROMA_DOWN;
  const int side_x = CHROMA_ACROSS == 1 ? own_x : own_x + (x & 1 ? 1 : -1);
  const int side_y = CHROMA_DOWN == 1 ? own_y : own_y + (y & 1 ? 1 : -1);
  const int near = 3 * chroma_at(plane, p, own_x, own_y) + chroma_at(plane, p, side_x, own_y);
  const int far = 3 * chroma_at(plane, p, own_x, side_y) + chroma_at(plane, p, side_x, side_y);
  return (3 * near + far + 8) / 16;
}

static int4 rgb_of_planes(int luma, int co, int cg) {
  return (int4)(clamp(luma + co - cg, 0, 255), clamp(luma + cg, 0, 255), clamp(luma - co - cg, 0, 255), 255);
}

// R G B of a texel; coordinates beyond the picture repeat its edge.
static int4 rgb_at(global const uchar *texels, global const uchar *orange, global const uchar *green,
                   const texcast_picture *p, int x, int y) {
  const int column = min(x, p->width - 1), row = min(y, p->height - 1);
  const int4 texel = texel_at(texels, p->texel_stride, column, row);
#if MODEL == TEXCAST_TEXELS_SCALED_YCOCG
  return rgb_of_scaled(texel);
#elif MODEL == TEXCAST_TEXELS_YCOCG_PLANES
  return rgb_of_planes(texel.x, interpolated(orange, p, column, row) - 128, interpolated(green, p, column, row) - 128);
#else
  return texel;
#endif
}

static uchar value_of(const texcast_yuv_channel *c, int4 sum, int log2_texels) {
  const int shift = 16 + log2_texels;
  const int value =
      c->red * sum.x + c->green * sum.y + c->blue * sum.z + (c->offset << shift) + (1 << (shift - 1));
  return (uchar)(min(value >> shift, 255));
}

static void put_bgra(global uchar *picture, const texcast_picture *p, int x, int y, int4 rgb) {
  if (x >= p->width || y >= p->height) return;
  *(global uchar4 *)(picture + p->offset0 + y * p->stride0 + 4 * x) =
      (uchar4)((uchar)(rgb.z), (uchar)(rgb.y), (uchar)(rgb.x), 255);
}

static void put_luma(global uchar *picture, const texcast_picture *p, int x, int y, int4 rgb) {
  if (x < p->width && y < p->height)
    picture[p->offset0 + y * p->stride0 + x] = value_of(&p->luma, rgb, 0);
}

// Two texels of a row, with their chroma between them.
static void put_pair(global uchar *picture, const texcast_picture *p, int x, int y, int4 left, int4 right) {
  if (y >= p->height) return;
  const int4 sum = left + right;
  *(global uchar4 *)(picture + p->offset0 + y * p->stride0 + 2 * x) =
      (uchar4)(value_of(&p->luma, left, 0), value_of(&p->cb, sum, 1), value_of(&p->luma, right, 0),
               value_of(&p->cr, sum, 1));
}

// The chroma of four texels; `x`, `y`: of that chroma sample.
static void put_chroma(global uchar *picture, const texcast_picture *p, int x, int y, int4 sum) {
  const uchar cb = value_of(&p->cb, sum, 2), cr = value_of(&p->cr, sum, 2);
#if PICTURE_FORMAT == TEXCAST_NV12
  vstore2((uchar2)(cb, cr), 0, picture + p->offset1 + y * p->stride1 + 2 * x);  // may be at an odd address
#else
  picture[p->offset1 + y * p->stride1 + x] = cb;
  picture[p->offset2 + y * p->stride2 + x] = cr;
#endif
}

kernel void picture_of_texels(global const uchar *texels, global const uchar *orange, global const uchar *green,
                              global uchar *picture, const texcast_picture given) {
  const texcast_picture *p = &given;
  const int item = get_global_id(0), across = (p->width + 1) / 2;
  const int row = item / across, column = item - row * across;
  if (row >= (p->height + 1) / 2) return;
  const int x = 2 * column, y = 2 * row;
  const int4 a = rgb_at(texels, orange, green, p, x, y), b = rgb_at(texels, orange, green, p, x + 1, y);
  const int4 c = rgb_at(texels, orange, green, p, x, y + 1), d = rgb_at(texels, orange, green, p, x + 1, y + 1);
#if PICTURE_FORMAT == TEXCAST_BGRA
  put_bgra(picture, p, x, y, a);
  put_bgra(picture, p, x + 1, y, b);
  put_bgra(picture, p, x, y + 1, c);
  put_bgra(picture, p, x + 1, y + 1, d);
#elif PICTURE_FORMAT == TEXCAST_YUYV422
  put_pair(picture, p, x, y, a, b);
  put_pair(picture, p, x, y + 1, c, d);
#else
  put_luma(picture, p, x, y, a);
  put_luma(picture, p, x + 1, y, b);
  put_luma(picture, p, x, y + 1, c);
  put_luma(picture, p, x + 1, y + 1, d);
  put_chroma(picture, p, column, row, a + b + c + d);
#endif
}
