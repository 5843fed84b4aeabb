// audio_tempo.h — sound played faster or slower at its own pitch (libavfilter's atempo).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/audio_format.h"

namespace texcast::media {

// Not thread-safe.
class AudioTempo {
 public:
  // `speed` 0.25..4 (else misuse): so many seconds of input become one of output.
  AudioTempo(AudioFormat format, double speed);
  ~AudioTempo();

  // Appends to `out` what came out for `in`, which is interleaved; 50 ms or so stay inside. An empty `in`: the end, and
  // all of it comes.
  void convert(std::span<const float> in, std::vector<float>& out);

 private:
  class Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace texcast::media
