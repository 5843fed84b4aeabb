// sound_decoding.h — what reads sound through FFmpeg: a track's decoder, and what it gives as floats.
#pragma once

#include <vector>

#include "base/audio_format.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Decoded sound of any kind to interleaved floats, through libswresample.
class SoundResampler {
 public:
  // From what `frame` is to `format`. Throws Error{corrupt} where libswresample cannot.
  SoundResampler(const AVFrame& frame, AudioFormat format);
  // Appends what comes out; a frame unlike the first one is silence of its length.
  void convert(const AVFrame& frame, std::vector<float>& out);
  int64_t delay() const;  // samples of the output still inside: those that come out next are that much earlier

 private:
  SwrPtr resampler_;
  AudioFormat format_;
  int in_rate_;
  int in_format_;
  int in_channels_;
};

// Null where this FFmpeg has no decoder for the track.
CodecPtr open_sound_decoder(const AVStream& track);

}  // namespace texcast::media
