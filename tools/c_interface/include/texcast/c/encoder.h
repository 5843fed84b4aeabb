// encoder.h — encodes frames as textures, with several frames in flight.
//
// Example:
//     texcast_frame frame = {.struct_size = sizeof frame, .pixel_format = TEXCAST_PIXELS_RGBA, .width = 64,
//                            .height = 48, .plane = {pixels}, .stride = {4 * 64}};
//     texcast_encoder_settings settings = {.struct_size = sizeof settings, .format = TEXCAST_FORMAT_BC7};
//     texcast_texture texture = {.struct_size = sizeof texture};
//     texcast_encoder* encoder = NULL;
//     if (texcast_encoder_create(&frame, &settings, &encoder, &error) > 0) …
//     if (texcast_encoder_submit(encoder, &frame, &error) > 0) …
//     if (texcast_encoder_next(encoder, &texture, &error) > 0) …       // texture.blocks, texture.bytes
//     texcast_encoder_destroy(encoder);
#pragma once

#include "texcast/c/frame.h"
#include "texcast/c/status.h"
#include "texcast/c/texture.h"

TEXCAST_C_BEGIN

typedef enum texcast_quality {
  TEXCAST_QUALITY_FAST = 0,
  TEXCAST_QUALITY_NORMAL = 1,
  TEXCAST_QUALITY_HIGH = 2,
  TEXCAST_QUALITY_BEST = 3,
  TEXCAST_QUALITY_MAX_ENUM = 0x7FFFFFFF
} texcast_quality;

// While a device's kernel is not compiled, which takes seconds the first time. The blocks are the same.
typedef enum texcast_encoder_start {
  TEXCAST_START_AT_ONCE = 0,     // the CPU encodes meanwhile
  TEXCAST_START_WHEN_BUILT = 1,  // texcast_encoder_create() waits
  TEXCAST_START_MAX_ENUM = 0x7FFFFFFF
} texcast_encoder_start;

// Also of senders, which encode.
typedef struct texcast_encoder_settings {
  size_t struct_size;
  texcast_format format;     // 0: TEXCAST_FORMAT_BC1
  texcast_quality quality;   // TEXCAST_USAGE if the format does not have it
  const char* device;        // as texcast_choose_devices() takes it; NULL: the best one
  int32_t frames_in_flight;  // submitted and not yet taken, per device: 1..16; 0: 4
  texcast_encoder_start start;
} texcast_encoder_settings;

// Any thread may call; calls on one encoder wait for each other. One thread may submit and another take.
typedef struct texcast_encoder texcast_encoder;

// `source` describes the frames; each must have exactly this description. `settings` may be NULL: the defaults.
// TEXCAST_NO_DEVICE, TEXCAST_USAGE, TEXCAST_MISUSE for values that do not exist. `*encoder` is the caller's, who
// destroys it; NULL on error.
TEXCAST_C_API texcast_status texcast_encoder_create(const texcast_frame* source,
                                                    const texcast_encoder_settings* settings, texcast_encoder** encoder,
                                                    texcast_error* error);

// Copies the frame and starts. TEXCAST_MISUSE if as many frames as texcast_encoder_capacity() are in flight, and for a
// frame of another description or without memory. TEXCAST_NO_DEVICE: the device is lost, and so is the encoder.
TEXCAST_C_API texcast_status texcast_encoder_submit(texcast_encoder* encoder, const texcast_frame* frame,
                                                    texcast_error* error);

// Waits for the oldest frame. `texture->blocks` belongs to the encoder, and is valid until the next call of
// texcast_encoder_next() or the encoder's end. TEXCAST_END: no frame is in flight. TEXCAST_NO_DEVICE as above.
TEXCAST_C_API texcast_status texcast_encoder_next(texcast_encoder* encoder, texcast_texture* texture,
                                                  texcast_error* error);

TEXCAST_C_API int32_t texcast_encoder_in_flight(texcast_encoder* encoder);  // 0 for NULL
TEXCAST_C_API int32_t texcast_encoder_capacity(texcast_encoder* encoder);   // 0 for NULL

// The description of its textures, without blocks.
TEXCAST_C_API texcast_status texcast_encoder_get_texture(texcast_encoder* encoder, texcast_texture* texture,
                                                         texcast_error* error);
// "NVIDIA H200", "cpu-reference"; several: with commas. Valid as long as the encoder. NULL for NULL.
TEXCAST_C_API const char* texcast_encoder_device_name(const texcast_encoder* encoder);

// Waits for work that is under way. NULL: nothing happens. No other call may be running or follow.
TEXCAST_C_API void texcast_encoder_destroy(texcast_encoder* encoder);

TEXCAST_C_END
