// audio_format.h — the format of sound that is passed between modules: interleaved float samples in -1..1.
#pragma once

namespace texcast {

struct AudioFormat {
  int rate = 48000;  // Hz
  int channels = 2;
};

}  // namespace texcast
