// sound.h — the sound of a stream: interleaved float samples in -1..1, with times on the time line of the pictures.
#pragma once

#include <cstdint>
#include <span>

#include "texcast/frame_times.h"

namespace texcast {

struct SoundFormat {
  int sample_rate = 48000;  // samples per second of each channel, 8000..192000
  int channels = 2;         // 1..16
  bool operator==(const SoundFormat&) const = default;
};

// How the samples are coded for the network.
enum class SoundCoding : uint8_t {
  pcm,   // 16 bits per sample: exact for samples that are multiples of 1/32768
  opus,  // 96 kbit/s for each channel; needs libopus (Debian's libopus0), and a sample rate of 48000
};

// A few milliseconds of a stream's sound, decoded. Blocks follow each other without a gap until one has new_stream set.
struct ReceivedSound {
  std::span<const float> samples{};  // interleaved; valid during the callback
  SoundFormat format{};
  // The first sample belongs to the picture with this pts. From block to block it rises by the duration of the samples,
  // unless the sender's clocks of picture and sound move apart, or its time line jumps. If the sender (UltraGrid) gives
  // no times, it is the pts of the picture that arrived at the same time.
  nanoseconds pts{};
  bool new_stream = false;  // no earlier block belongs to it; the format may be different
  bool concealed = false;   // lost on the network; the samples are a guess
};

}  // namespace texcast
