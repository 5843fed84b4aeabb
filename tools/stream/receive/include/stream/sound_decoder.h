// sound_decoder.h — buffers of sound into samples, whatever their coding, and what to hear where some got lost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/opus_coding.h"
#include "media/pcm_concealer.h"
#include "stream/sound_block.h"
#include "transport/audio_session.h"

namespace texcast::stream {

// Units of a session into samples; what is missing is concealed, channel by channel. Not thread-safe.
class SoundDecoder {
 public:
  // Valid until the next call. Nothing where there is nothing to hear: a stream of Opus that cannot be decoded.
  std::optional<SoundBlock> decode(const transport::AudioUnit& unit, SteadyTime now);
  uint64_t concealed() const { return concealed_; }  // samples of a channel

 private:
  void begin(const transport::AudioStream& stream);
  void decode_channel(const transport::AudioUnit& unit, size_t channel, size_t samples);

  transport::AudioStream stream_{};
  AudioFormat format_{};
  std::vector<media::OpusChannelDecoder> opus_;  // of each channel; or
  std::vector<media::PcmConcealer> pcm_;
  std::vector<float> one_;          // channel
  std::vector<float> interleaved_;  // of the block
  uint64_t concealed_ = 0;
};

}  // namespace texcast::stream
