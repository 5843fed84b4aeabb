// texture.h — a picture as texture blocks: what encoders, receivers and files give, and senders and files take.
#pragma once

#include "texcast/c/format.h"
#include "texcast/c/frame.h"
#include "texcast/c/status.h"

TEXCAST_C_BEGIN

// A texture, or the description of textures (where a call says so, `blocks`, `bytes` and `pts_ns` are ignored). Blocks
// that a call takes are only read during the call. Each call that gives blocks says how long they are valid.
typedef struct texcast_texture {
  size_t struct_size;
  texcast_format format;
  int32_t width;                // texels, 1..16384
  int32_t height;               // texels, 1..16384
  texcast_color_matrix matrix;  // of the source; of the blocks only for TEXCAST_MODEL_YCBCR
  texcast_color_range range;    // full, except for TEXCAST_MODEL_YCBCR
  int32_t primaries;            // H.273's number; 0 in, 2 out: unspecified
  int32_t transfer;             // the same
  int32_t aspect_num;           // pixel aspect ratio, width : height; both 0: square
  int32_t aspect_den;
  int32_t orientation;  // EXIF's number, how the picture must be turned for display; 0 in: upright, as 1
  const void* blocks;   // plane after plane (texcast_texture_get_plane)
  size_t bytes;         // of the blocks: texcast_texture_bytes()
  int64_t pts_ns;       // presentation time in the stream or the file, nanoseconds
} texcast_texture;

TEXCAST_C_END
