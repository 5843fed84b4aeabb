// sound_decoding.h — decodes sound through FFmpeg: a track's decoder, and conversion of its output to floats.
#pragma once

#include <vector>

#include "base/audio_format.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Converts decoded sound of any kind to interleaved floats, through libswresample.
class SoundResampler {
 public:
  // Converts from `frame`'s format to `format`. Throws Error{corrupt} if libswresample cannot.
  SoundResampler(const AVFrame& frame, AudioFormat format);
  // Appends the output; a frame whose format differs from the first one's becomes silence of its length.
  void convert(const AVFrame& frame, std::vector<float>& out);
  int64_t delay() const;  // output samples still inside: the next output is that much earlier

 private:
  SwrPtr resampler_;
  AudioFormat format_;
  int in_rate_;
  int in_format_;
  int in_channels_;
};

// Null if this FFmpeg has no decoder for the track.
CodecPtr open_sound_decoder(const AVStream& track);
CodecPtr open_sound_decoder(const AVCodecParameters& parameters, AVRational time_base);

}  // namespace texcast::media
