// audio_format.h — how sound is handed from module to module: interleaved floats in -1..1.
#pragma once

namespace texcast {

struct AudioFormat {
  int rate = 48000;  // samples a second and channel
  int channels = 2;
};

}  // namespace texcast
