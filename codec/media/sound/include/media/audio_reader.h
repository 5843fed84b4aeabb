// audio_reader.h — a recording's sound: decoded, resampled, and synchronised with the picture, with gaps filled by
// silence.
//
// Example:
//     if (const auto audio = open_audio("clip.mov")) {
//       audio->set_format({.rate = 48000, .channels = 2});
//       audio->seek(2s);
//       std::vector<float> block(2 * 1024);
//       const size_t frames = audio->read(block);  // the sound from 2 s on
//     }
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::media {

class SoundQueue;

// Not thread-safe, except stop_waiting().
class AudioReader {
 public:
  virtual ~AudioReader() = default;
  virtual std::string codec_name() const = 0;  // "aac", "pcm_s16le"
  virtual AudioFormat stored() const = 0;      // in the file
  // The format of read(); call it before the first read(), else it is 48 kHz stereo. Misuse unless both are 1 or more.
  virtual void set_format(AudioFormat format) = 0;
  // Time 0 in the file's own clock (FrameSource::begin); 0 if the source is not a file.
  virtual nanoseconds zero_in_file() const { return {}; }
  // The next sample that is read will be exactly the one at `pts`; 0 is the picture's first frame.
  virtual void seek(nanoseconds pts) = 0;
  // Reads frames (one sample of each channel, in -1..1) into `out`, interleaved. Returns their number; fewer than fit:
  // the end. Frame k after a seek is always k / rate seconds later: gaps and damaged parts of the track become silence.
  // Throws Error{corrupt} for sound that cannot be resampled.
  virtual size_t read(std::span<float> out) = 0;
  // read() waits for sound that another thread has not read from the input yet. From this call on it does not: what is
  // missing is silence.
  virtual void stop_waiting() {}
};

// The file's first audio track that can be decoded; null if there is none or the file cannot be opened.
std::unique_ptr<AudioReader> open_audio(const std::string& path);
// The same for the sound of an input that is read once (FrameSource::sound). `zero`: FrameSource::begin().
std::unique_ptr<AudioReader> open_audio(const std::shared_ptr<SoundQueue>& queue, nanoseconds zero);

}  // namespace texcast::media
