// audio_tempo.h — sound played faster or slower at its own pitch (libavfilter's atempo).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/audio_format.h"

namespace texcast::media {

// Not thread-safe. Throws Error{failed} where this FFmpeg cannot do it.
class AudioTempo {
 public:
  // `speed` is 0.25..4 (else misuse): so many seconds of input become one second of output.
  AudioTempo(AudioFormat format, double speed);
  ~AudioTempo();

  // Appends to `out` what comes out for `in`, both interleaved; about 50 ms stay inside. An empty `in` is the end: then
  // the rest comes out.
  void convert(std::span<const float> in, std::vector<float>& out);

 private:
  class Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace texcast::media
