// time_sound.h — audio of a recording without a file.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "media/audio_reader.h"

namespace texcast::test {

inline constexpr int kTimeSoundRate = 48000;
inline constexpr float kTimeSoundPerSecond = 0.01F;  // the sample at t seconds has the value t / 100

// Audio of this length, in which the value of every sample tells its position.
class TimeSound : public media::AudioReader {
 public:
  explicit TimeSound(nanoseconds length) : length_(samples(length)) {}
  std::string codec_name() const override { return "time"; }
  AudioFormat stored() const override { return {kTimeSoundRate, 2}; }
  void set_format(AudioFormat) override {}
  void seek(nanoseconds pts) override { at_ = samples(pts); }
  size_t read(std::span<float> out) override {
    size_t frames = 0;
    for (; 2 * frames < out.size() && at_ < length_; ++frames, ++at_)
      out[2 * frames] = out[2 * frames + 1] = static_cast<float>(at_) / kTimeSoundRate * kTimeSoundPerSecond;
    return frames;
  }

 private:
  static int64_t samples(nanoseconds time) {
    return std::llround(std::chrono::duration<double>(time).count() * kTimeSoundRate);
  }
  int64_t length_, at_ = 0;
};

}  // namespace texcast::test
