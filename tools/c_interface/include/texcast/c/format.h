// format.h — the texture formats: their names, their planes, and their numbers in OpenGL, Vulkan and DXGI.
//
// A texture is one to three planes. Each plane is a raster of blocks, top row first, without gaps, and the planes
// follow one another. Blocks cover the picture, rounded up to whole blocks. Any thread may call these functions.
#pragma once

#include "texcast/c/status.h"

TEXCAST_C_BEGIN

// docs/textures.md describes them. The numbers are those in streams (docs/wire.md).
typedef enum texcast_format {
  TEXCAST_FORMAT_NONE = 0,  // not set
  TEXCAST_FORMAT_BC1 = 1,
  TEXCAST_FORMAT_YCOCG_BC4_420 = 2,  // three planes of BC4: Y; Co and Cg at half width and half height
  TEXCAST_FORMAT_YCOCG_BC4_422 = 3,  // Co and Cg at half width
  TEXCAST_FORMAT_YCOCG_BC4_444 = 4,  // Co and Cg at full size
  TEXCAST_FORMAT_YCOCG_DXT5 = 5,     // scaled YCoCg (Hap Q)
  TEXCAST_FORMAT_BC3 = 6,
  TEXCAST_FORMAT_BC4 = 7,               // alpha if the source has it, else luma
  TEXCAST_FORMAT_YCOCG_DXT5_ALPHA = 8,  // and a plane of BC4: alpha (Hap Q Alpha)
  TEXCAST_FORMAT_BC1_YCBCR = 9,         // this one and the next five are only received
  TEXCAST_FORMAT_UYVY = 10,
  TEXCAST_FORMAT_RGBA8 = 11,
  TEXCAST_FORMAT_RGB8 = 12,
  TEXCAST_FORMAT_BGR8 = 13,
  TEXCAST_FORMAT_YUYV = 14,
  TEXCAST_FORMAT_BC5 = 15,
  TEXCAST_FORMAT_EAC_R11 = 16,
  TEXCAST_FORMAT_EAC_R11_SIGNED = 17,
  TEXCAST_FORMAT_EAC_RG11 = 18,
  TEXCAST_FORMAT_EAC_RG11_SIGNED = 19,
  TEXCAST_FORMAT_BC4_SIGNED = 20,
  TEXCAST_FORMAT_BC5_SIGNED = 21,
  TEXCAST_FORMAT_ETC1 = 22,
  TEXCAST_FORMAT_ETC2 = 23,
  TEXCAST_FORMAT_ETC2_ALPHA = 24,
  TEXCAST_FORMAT_ETC2_A1 = 25,  // only received
  TEXCAST_FORMAT_BC7 = 26,
  TEXCAST_FORMAT_BC6H = 27,
  TEXCAST_FORMAT_BC6H_SIGNED = 28,
  TEXCAST_FORMAT_ASTC_4X4 = 29,
  TEXCAST_FORMAT_ASTC_5X4 = 30,
  TEXCAST_FORMAT_ASTC_5X5 = 31,
  TEXCAST_FORMAT_ASTC_6X5 = 32,
  TEXCAST_FORMAT_ASTC_6X6 = 33,
  TEXCAST_FORMAT_ASTC_8X5 = 34,
  TEXCAST_FORMAT_ASTC_8X6 = 35,
  TEXCAST_FORMAT_ASTC_8X8 = 36,
  TEXCAST_FORMAT_ASTC_10X5 = 37,
  TEXCAST_FORMAT_ASTC_10X6 = 38,
  TEXCAST_FORMAT_ASTC_10X8 = 39,
  TEXCAST_FORMAT_ASTC_10X10 = 40,
  TEXCAST_FORMAT_ASTC_12X10 = 41,
  TEXCAST_FORMAT_ASTC_12X12 = 42,
  TEXCAST_FORMAT_MAX_ENUM = 0x7FFFFFFF
} texcast_format;

// The channels of a decoded picture, and how the planes hold them.
typedef enum texcast_color_model {
  TEXCAST_MODEL_RGB = 0,
  TEXCAST_MODEL_RGBA = 1,                // straight alpha
  TEXCAST_MODEL_GRAY = 2,                // one channel
  TEXCAST_MODEL_RED_GREEN = 3,           // two channels; blue is displayed as 0
  TEXCAST_MODEL_YCOCG_PLANES = 4,        // Y, Co and Cg, one plane each
  TEXCAST_MODEL_SCALED_YCOCG = 5,        // luma as alpha, Co and Cg as red and green, their scale as blue
  TEXCAST_MODEL_SCALED_YCOCG_ALPHA = 6,  // as SCALED_YCOCG, and a plane of straight alpha
  TEXCAST_MODEL_YCBCR = 7,               // Y'CbCr in the matrix and range of the texture
  TEXCAST_MODEL_MAX_ENUM = 0x7FFFFFFF
} texcast_color_model;

typedef struct texcast_format_info {
  size_t struct_size;
  const char* name;  // as on the command line: "ycocg-bc4"; static memory
  texcast_color_model model;
  int32_t plane_count;  // 1..3
  int32_t channels;     // of a decoded picture: 1 gray, 2 red and green, 3 RGB, 4 RGB and alpha
  int32_t reads_alpha;  // 0 or 1: an encoder uses the alpha of frames
  int32_t qualities;    // number of the qualities that it can be encoded with, fastest first; 0: only received
  int32_t reserved;     // 0
} texcast_format_info;

// A plane of a texture, as a GPU takes it.
typedef struct texcast_plane_layout {
  size_t struct_size;
  size_t offset;  // bytes from the start of the texture
  size_t bytes;
  int32_t width;  // texels, before rounding up to blocks
  int32_t height;
  int32_t blocks_x;
  int32_t blocks_y;
  int32_t block_width;  // texels; 1 or 2 for uncompressed formats
  int32_t block_height;
  int32_t block_bytes;
  uint32_t gl_internal_format;  // the linear (not sRGB) format of OpenGL, Vulkan and DXGI; 0: there is none
  uint32_t vk_format;
  uint32_t dxgi_format;
} texcast_plane_layout;

// "bc1"; NULL for an unknown format. Static memory.
TEXCAST_C_API const char* texcast_format_name(texcast_format format);
// TEXCAST_FORMAT_NONE for an unknown name, and for NULL.
TEXCAST_C_API texcast_format texcast_format_from_name(const char* name);
// All formats, first those that texcast encodes: `index` from 0, until the result is TEXCAST_FORMAT_NONE.
TEXCAST_C_API texcast_format texcast_format_at(size_t index);
// TEXCAST_MISUSE for an unknown format.
TEXCAST_C_API texcast_status texcast_format_get_info(texcast_format format, texcast_format_info* info,
                                                     texcast_error* error);

// Bytes of a texture of this size (sides of 1..16384); 0 for an unknown format, and for sides out of range.
TEXCAST_C_API size_t texcast_texture_bytes(texcast_format format, int32_t width, int32_t height);
// TEXCAST_MISUSE for an unknown format, sides out of range, and a plane that the format does not have.
TEXCAST_C_API texcast_status texcast_texture_get_plane(texcast_format format, int32_t width, int32_t height,
                                                       int32_t plane, texcast_plane_layout* layout,
                                                       texcast_error* error);

TEXCAST_C_END
