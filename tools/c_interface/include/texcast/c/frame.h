// frame.h — uncompressed frames: what encoders and senders take.
//
// Pictures are row-major, top row first. A row of plane p has texcast_frame_row_bytes() bytes, and follows the previous
// one after `stride` bytes. 16-bit samples are little-endian.
#pragma once

#include "texcast/c/status.h"

TEXCAST_C_BEGIN

// Names and layouts are FFmpeg's.
typedef enum texcast_pixel_format {
  TEXCAST_PIXELS_NONE = 0,        // not set
  TEXCAST_PIXELS_YUV420P = 1,     // Y, U, V planes; U and V at half width and half height, rounded up
  TEXCAST_PIXELS_NV12 = 2,        // Y plane, then interleaved UV at half width and half height
  TEXCAST_PIXELS_YUV422P = 3,     // U and V at half width
  TEXCAST_PIXELS_YUV444P = 4,     // U and V at full size
  TEXCAST_PIXELS_YUYV422 = 5,     // packed Y0 U Y1 V
  TEXCAST_PIXELS_UYVY422 = 6,     // packed U Y0 V Y1
  TEXCAST_PIXELS_YUV420P10 = 7,   // as yuv420p with 16 bits per sample, of which the low 10 are used
  TEXCAST_PIXELS_P010 = 8,        // as nv12 with 16 bits per sample, of which the high 10 are used
  TEXCAST_PIXELS_RGB24 = 9,       // packed R G B
  TEXCAST_PIXELS_RGBA = 10,       // packed R G B A; straight alpha, used by textures with alpha
  TEXCAST_PIXELS_BGRA = 11,       // packed B G R A, the same
  TEXCAST_PIXELS_GRAY = 12,       // one plane of luma
  TEXCAST_PIXELS_GRAY16 = 13,     // the same with 16 bits per sample
  TEXCAST_PIXELS_RGBA_HALF = 14,  // packed R G B A, half floats: linear light in which 1 is white; A is not read
  TEXCAST_PIXELS_MAX_ENUM = 0x7FFFFFFF
} texcast_pixel_format;

typedef enum texcast_color_matrix {
  TEXCAST_MATRIX_USUAL = 0,  // BT.709
  TEXCAST_MATRIX_BT601 = 1,
  TEXCAST_MATRIX_BT709 = 2,
  TEXCAST_MATRIX_BT2020 = 3,  // non-constant luminance
  TEXCAST_MATRIX_MAX_ENUM = 0x7FFFFFFF
} texcast_color_matrix;

typedef enum texcast_color_range {
  TEXCAST_RANGE_USUAL = 0,  // frames: full for RGB and gray formats, limited for YUV; textures: as their format has it
  TEXCAST_RANGE_LIMITED = 1,  // 16..235
  TEXCAST_RANGE_FULL = 2,     // 0..255
  TEXCAST_RANGE_MAX_ENUM = 0x7FFFFFFF
} texcast_color_range;

// A frame, or the description of frames (where a call says so, planes and `pts_ns` are ignored). The caller keeps the
// planes' memory alive during the call that takes the frame; it is copied.
typedef struct texcast_frame {
  size_t struct_size;
  texcast_pixel_format pixel_format;
  int32_t width;   // pixels, 1..16384
  int32_t height;  // pixels, 1..16384
  texcast_color_matrix matrix;
  texcast_color_range range;
  int32_t primaries;   // H.273's number, passed on unchanged; 0: unspecified
  int32_t transfer;    // the same
  int32_t opaque;      // not 0: the fourth byte of rgba and bgra is undefined, and alpha is 255
  int32_t aspect_num;  // pixel aspect ratio, width : height, between 1:16 and 16:1; both 0: square
  int32_t aspect_den;
  const void* plane[4];  // texcast_frame_plane_count() of them; the others are ignored
  ptrdiff_t stride[4];   // bytes from row to row, at least texcast_frame_row_bytes()
  int64_t pts_ns;        // presentation time in the stream, nanoseconds; rises from frame to frame
} texcast_frame;

// FFmpeg's name, such as "nv12"; NULL for an unknown format. Static memory.
TEXCAST_C_API const char* texcast_pixel_format_name(texcast_pixel_format format);
// TEXCAST_PIXELS_NONE for an unknown name, and for NULL.
TEXCAST_C_API texcast_pixel_format texcast_pixel_format_from_name(const char* name);

// 1..3; 0 for an unknown format.
TEXCAST_C_API int32_t texcast_frame_plane_count(texcast_pixel_format format);
// Rows of plane 0..2 of a frame of these sides, and bytes of the picture in each. 0 for an unknown format or plane, and
// for sides out of range.
TEXCAST_C_API int32_t texcast_frame_rows(texcast_pixel_format format, int32_t width, int32_t height, int32_t plane);
TEXCAST_C_API size_t texcast_frame_row_bytes(texcast_pixel_format format, int32_t width, int32_t height, int32_t plane);

TEXCAST_C_END
