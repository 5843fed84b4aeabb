// layout.h — structures and numbers that host and kernels share. Plain C that both C++ and OpenCL C compile; 4-byte
// members only.
#ifndef TEXCAST_KERNELS_LAYOUT_H
#define TEXCAST_KERNELS_LAYOUT_H

// Values of texcast::PixelFormat, as SOURCE_FORMAT (frame.h has the layouts).
#define TEXCAST_YUV420P 0
#define TEXCAST_NV12 1
#define TEXCAST_YUV422P 2
#define TEXCAST_YUV444P 3
#define TEXCAST_YUYV422 4
#define TEXCAST_UYVY422 5
#define TEXCAST_YUV420P10 6
#define TEXCAST_P010 7
#define TEXCAST_RGB24 8
#define TEXCAST_RGBA 9
#define TEXCAST_BGRA 10
#define TEXCAST_GRAY 11
#define TEXCAST_GRAY16 12
#define TEXCAST_RGBA_HALF 13

// Rows from the start of the first plane to the start of the next: even, and more than the picture has (place_frame in
// texcast/frame.h explains why).
#define TEXCAST_PADDED_ROWS(height) (((height) + 31) / 32 * 32 + 2)

// One frame in a buffer, and the conversion of its samples to R'G'B' (texcast/color.h has the formulas).
typedef struct texcast_source {
  int width;  // texels
  int height;
  int offset0, offset1, offset2;  // bytes from the start of the buffer to each plane
  int stride0, stride1, stride2;  // bytes between rows
  int bytes;                      // of the whole frame, a multiple of 64
  int chroma_offset;
  float luma_scale,
      luma_constant;  // 255 is 255 / 256 here, so that 0..1 is the range of a byte; for GRAY16 whole numbers
  float red_v, green_u, green_v, blue_u;
} texcast_source;

// The planes of the texture, in blocks.
typedef struct texcast_target {
  int blocks_x, blocks_y;                // plane 0
  int chroma_blocks_x, chroma_blocks_y;  // planes 1 and 2
  int plane1, plane2;                    // blocks from the start of the buffer
  unsigned int inverse_blocks_x;         // 2^32 / blocks_x, rounded up; 2^32 - 1 at most
  int first, step;  // for kernels that write 8 bytes per block: the position of the first, and the distance to the next
} texcast_target;

// The planes of YCoCg-BC4 in blocks, those of Co and Cg also in texels.
typedef struct texcast_planes {
  int blocks_x, blocks_y;                // plane 0
  int chroma_blocks_x, chroma_blocks_y;  // planes 1 and 2
  int chroma_width, chroma_height;
  int plane1, plane2;  // blocks from the start of the buffer
} texcast_planes;

// A texture to be decoded, and the frame for its texels: R G B A.
typedef struct texcast_decoded {
  int width, height;  // texels
  int stride;         // bytes between rows
  int blocks_x, blocks_y;
} texcast_decoded;

// Bytes of local memory per item of decode/astc.cl: the most weights that a block can have.
#define TEXCAST_ASTC_SLOTS 64

// One channel of Y'CbCr from R'G'B' (frames/from_rgb.h has the formula).
typedef struct texcast_yuv_channel {
  int red, green, blue, offset;
} texcast_yuv_channel;

// Frames of decoded texels, one of each plane of a texture, and the picture that is made of them.
typedef struct texcast_picture {
  int width, height;                // of the picture, in texels
  int texel_stride;                 // bytes between rows of the first frame of texels
  int chroma_stride;                // the same for the second and third
  int chroma_width, chroma_height;  // texels of those
  int offset0, offset1, offset2;    // bytes from the start of the picture to each plane
  int stride0, stride1, stride2;    // bytes between rows
  texcast_yuv_channel luma, cb, cr;
} texcast_picture;

// Values of MODEL in decode/picture.cl: what decoded texels mean.
#define TEXCAST_TEXELS_RGB 0
#define TEXCAST_TEXELS_SCALED_YCOCG 1
#define TEXCAST_TEXELS_YCOCG_PLANES 2

// The tiles of a frame (texcast/tiles.h), and their part of each of its planes.
typedef struct texcast_tiles {
  int columns, rows;
  int planes;
  int offset[3], stride[3];         // bytes, as texcast_source
  int row_bytes[3], plane_rows[3];  // of the picture
  int tile_bytes[3], tile_rows[3];  // of a whole tile
} texcast_tiles;

// A tile has 2^4 x 2^3 blocks of plane 0.
#define TEXCAST_TILE_ACROSS_BITS 4
#define TEXCAST_TILE_DOWN_BITS 3

#endif
