// audio_reader.h — a recording's sound: decoded, resampled, and laid on the picture's time line without a hole.
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
#include "base/frame_times.h"

namespace texcast::media {

// Not thread-safe.
class AudioReader {
 public:
  virtual ~AudioReader() = default;
  virtual std::string codec_name() const = 0;  // "aac", "pcm_s16le"
  virtual AudioFormat stored() const = 0;      // as the file has it
  // What read() gives from now on; before the first read() (48 kHz stereo else). Misuse unless both are 1 or more.
  virtual void set_format(AudioFormat format) = 0;
  // The next sample read is the one at `pts` of the picture's time line, exactly.
  virtual void seek(nanoseconds pts) = 0;
  // Whole frames (one sample a channel) into `out`, interleaved; how many. Sample k behind a seek belongs k / rate
  // later: where the track has a hole or is damaged there is silence. Less than asked for: the end.
  virtual size_t read(std::span<float> out) = 0;
};

// The file's first audio track that can be decoded; null when there is none or the file cannot be opened.
std::unique_ptr<AudioReader> open_audio(const std::string& path);

}  // namespace texcast::media
