// audio_tempo.h — changes the speed of sound without changing its pitch (libavfilter's atempo).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/audio_format.h"

namespace texcast::media {

// Not thread-safe. Throws Error{failed} if this FFmpeg cannot do it.
class AudioTempo {
 public:
  // `speed` is 0.25..4 (else misuse): so many seconds of input become one second of output.
  AudioTempo(AudioFormat format, double speed);
  ~AudioTempo();

  // Appends the output for `in` to `out`, both interleaved; about 50 ms stay inside. An empty `in` ends the input: then
  // the rest is output.
  void convert(std::span<const float> in, std::vector<float>& out);

 private:
  class Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace texcast::media
