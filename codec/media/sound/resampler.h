// resampler.h — decoded sound of any kind to interleaved floats, through libswresample.
#pragma once

#include <cstdint>
#include <vector>

#include "base/audio_format.h"
#include "media/ffmpeg.h"

namespace texcast::media {

class Resampler {
 public:
  // From what `frame` is to `format`. Throws Error{corrupt} where libswresample cannot.
  Resampler(const AVFrame& frame, AudioFormat format);
  // Appends what comes out; a frame unlike the first one is silence of its length.
  void convert(const AVFrame& frame, std::vector<float>& out);
  int64_t delay() const;  // samples of the output that are still inside: the next ones out are so much earlier

 private:
  SwrPtr resampler_;
  AudioFormat format_;
  int in_rate_;
  int in_format_;
  int in_channels_;
};

}  // namespace texcast::media
