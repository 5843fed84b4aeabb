// decoder.h — decodes textures to pixels, on the CPU.
#pragma once

#include "texcast/c/status.h"
#include "texcast/c/texture.h"

TEXCAST_C_BEGIN

// One sample of a channel, in the machine's byte order.
typedef enum texcast_sample_type {
  TEXCAST_SAMPLES_UNORM8 = 0,   // a byte: 0..255 for 0..1
  TEXCAST_SAMPLES_UNORM16 = 1,  // two bytes: 0..65535 for 0..1
  TEXCAST_SAMPLES_HALF = 2,     // two bytes: IEEE 754 binary16
  TEXCAST_SAMPLES_MAX_ENUM = 0x7FFFFFFF
} texcast_sample_type;

// Tightly packed pixels, full range, top row first: `channels` samples each.
typedef struct texcast_image {
  size_t struct_size;
  size_t bytes;      // width x height x channels samples
  int32_t width;     // pixels
  int32_t height;    // pixels
  int32_t channels;  // 1 gray; 2 red, green; 3 R G B; 4 R G B and straight alpha
  texcast_sample_type samples;
} texcast_image;

// Describes the picture that texcast_decode() makes of such textures; `texture` is a description.
TEXCAST_C_API texcast_status texcast_decode_get_image(const texcast_texture* texture, texcast_image* image,
                                                      texcast_error* error);

// Decodes into `pixels`, which has `bytes` bytes (else TEXCAST_MISUSE): those that texcast_decode_get_image() says. The
// orientation is ignored. Any thread, on distinct memory.
TEXCAST_C_API texcast_status texcast_decode(const texcast_texture* texture, void* pixels, size_t bytes,
                                            texcast_error* error);

TEXCAST_C_END
