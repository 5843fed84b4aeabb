// recorded_sound.h — sound that accompanies the pictures of a recording, and is stored as PCM.
//
// Example:
//     const auto sound = std::make_shared<RecordedSound>(AudioFormat{48000, 2}, 16);
//     const auto recorder = make_recorder({.path = "show.mov", …, .sound = sound});
//     sound->put(time, samples);        // as they come, possibly later than the frames they belong to
//     recorder->write(texture, pts);    // writes the sound that is available until then
#pragma once

#include <memory>
#include <span>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::media {

class RecorderAudio;

// Not thread-safe: the recorder and the caller of put() must use it on one thread.
class RecordedSound {
 public:
  // `bits` per sample in the file: 16, or 24 if more than 16 are requested. Formats are those of AudioReader.
  RecordedSound(AudioFormat format, int bits);
  ~RecordedSound();
  // Interleaved samples of -1..1, the first at `time` of the recording (0: its first frame; earlier ones are dropped).
  // They are appended to the previous ones if they begin within 10 ms of their end; gaps are silence.
  void put(nanoseconds time, std::span<const float> samples);
  // For the recorder.
  RecorderAudio& audio();

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

}  // namespace texcast::media
