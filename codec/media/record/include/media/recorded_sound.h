// recorded_sound.h — sound that comes beside the pictures of a recording, as PCM on its way into the file.
//
// Example:
//     const auto sound = std::make_shared<RecordedSound>(AudioFormat{48000, 2}, 16);
//     const auto recorder = make_recorder({.path = "show.mov", …, .sound = sound});
//     sound->put(time, samples);        // as they come, also behind the frames that they go with
//     recorder->write(texture, pts);    // writes what is there of the sound until then
#pragma once

#include <memory>
#include <span>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::media {

class RecorderAudio;

// Not thread-safe: the recorder that has it and who puts use it on one thread.
class RecordedSound {
 public:
  // `bits` a sample in the file: 16, or 24 where more than 16 are asked for. Formats as AudioReader has them.
  RecordedSound(AudioFormat format, int bits);
  ~RecordedSound();
  // Interleaved samples of -1..1, the first at `time` of the recording (0: its first frame; what is earlier is left
  // out). They follow those before where they begin within 10 ms of their end; holes are silence.
  void put(nanoseconds time, std::span<const float> samples);
  // The recorder's.
  RecorderAudio& audio();

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

}  // namespace texcast::media
