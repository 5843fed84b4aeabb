// sound_decoder.h — decodes received sound to samples, and conceals what was lost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "live/sound_block.h"
#include "media/opus_coding.h"
#include "media/pcm_concealer.h"
#include "transport/audio_session.h"

namespace texcast::stream {

// Conceals each channel by itself. Not thread-safe.
class SoundDecoder {
 public:
  // The block is valid until the next call. nullopt: an Opus stream that cannot be decoded.
  std::optional<SoundBlock> decode(const transport::AudioUnit& unit, SteadyTime now);
  uint64_t concealed() const { return concealed_; }  // samples per channel

 private:
  void begin(const transport::AudioStream& stream);
  void decode_channel(const transport::AudioUnit& unit, size_t channel, size_t samples);

  transport::AudioStream stream_{};
  AudioFormat format_{};
  // For each channel one of:
  std::vector<media::OpusChannelDecoder> opus_;
  std::vector<media::PcmConcealer> pcm_;
  std::vector<float> one_;          // one channel of the block
  std::vector<float> interleaved_;  // all channels
  uint64_t concealed_ = 0;
};

}  // namespace texcast::stream
