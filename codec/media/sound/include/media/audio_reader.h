// audio_reader.h — a recording's sound: decoded, resampled, and in time with the picture, with silence in its holes.
//
// Example:
//     if (const auto audio = open_audio("clip.mov")) {
//       audio->set_format({.rate = 48000, .channels = 2});
//       audio->seek(2s);
//       std::vector<float> block(2 * 1024);
//       const size_t frames = audio->read(block);  // what is heard from 2 s on
//     }
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::media {

// Not thread-safe.
class AudioReader {
 public:
  virtual ~AudioReader() = default;
  virtual std::string codec_name() const = 0;  // "aac", "pcm_s16le"
  virtual AudioFormat stored() const = 0;      // as the file has it
  // What read() gives; to be called before the first read(), else it is 48 kHz stereo. Misuse unless both are 1 or
  // more.
  virtual void set_format(AudioFormat format) = 0;
  // When time 0 is on the file's own clock (FrameSource::begin); 0 for what is no file.
  virtual nanoseconds zero_in_file() const { return {}; }
  // The next sample that is read is exactly the one at `pts`; 0 is the picture's first frame.
  virtual void seek(nanoseconds pts) = 0;
  // Frames (one sample of each channel, in -1..1) into `out`, interleaved. Returns how many; fewer than have room
  // there: the end. Frame k after a seek is always k / rate seconds later: where the track has a hole or is damaged
  // there is silence. Throws Error{corrupt} for sound that cannot be resampled.
  virtual size_t read(std::span<float> out) = 0;
};

// The file's first audio track that can be decoded; null when there is none or the file cannot be opened.
std::unique_ptr<AudioReader> open_audio(const std::string& path);

}  // namespace texcast::media
