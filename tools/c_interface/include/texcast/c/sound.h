// sound.h — the sound of a stream: interleaved float samples in -1..1, with times on the time line of the pictures.
#pragma once

#include "texcast/c/status.h"

TEXCAST_C_BEGIN

// How the samples are coded for the network.
typedef enum texcast_sound_coding {
  TEXCAST_SOUND_PCM = 0,   // 16 bits per sample
  TEXCAST_SOUND_OPUS = 1,  // 96 kbit/s for each channel; needs libopus, and a sample rate of 48000
  TEXCAST_SOUND_MAX_ENUM = 0x7FFFFFFF
} texcast_sound_coding;

// A few milliseconds of received sound. Blocks follow each other without a gap until one has is_new_stream set.
typedef struct texcast_sound {
  size_t struct_size;    // of the library: members beyond it do not exist
  const float* samples;  // count x channels, interleaved; valid during the callback
  size_t count;          // samples of each channel
  int64_t pts_ns;        // the first sample belongs to the picture with this time
  int32_t sample_rate;   // of each channel
  int32_t channels;
  int32_t is_new_stream;  // 0 or 1: no earlier block belongs to it; the format may be different
  int32_t is_concealed;   // 0 or 1: lost on the network; the samples are a guess
} texcast_sound;

// Called on a thread of the receiver, one call at a time, possibly at the same time as the function for textures.
typedef void (*texcast_sound_function)(void* user, const texcast_sound* sound);

TEXCAST_C_END
