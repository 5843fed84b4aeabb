// sound_coder.h — codes pieces of sound for the network, each channel by itself, as PCM or Opus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/audio_format.h"
#include "base/bytes.h"
#include "media/opus_coding.h"
#include "transport/audio_packet.h"

namespace texcast::stream {

struct SoundCoding {
  transport::AudioCoding coding = transport::AudioCoding::pcm;
  AudioFormat format{};          // Opus: 48 kHz
  uint32_t piece = 240;          // samples per channel of a piece; Opus: 2.5, 5, 10 or 20 ms
  int bits = 16;                 // PCM: 8, 16, 24 or 32 per sample
  int opus_bits_per_s = 96'000;  // per channel
};

// Not thread-safe. Throws Error{failed} without libopus, or if it fails.
class SoundCoder {
 public:
  explicit SoundCoder(const SoundCoding& coding);
  // The bytes of each channel of a piece of interleaved samples. They are valid until the next call.
  std::span<const Bytes> code(std::span<const float> samples);
  int delay() const { return opus_.empty() ? 0 : opus_.front().delay(); }  // of the codec, in samples

 private:
  const int bits_;
  std::vector<float> mono_;
  std::vector<std::vector<std::byte>> pcm_;  // PCM: of each channel
  std::vector<media::OpusChannelEncoder> opus_;
  std::vector<Bytes> channels_;
};

}  // namespace texcast::stream
