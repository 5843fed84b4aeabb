#include "live/sound_coder.h"

#include "base/ensure.h"
#include "transport/pcm_samples.h"

namespace texcast::stream {

SoundCoder::SoundCoder(const SoundCoding& coding)
    : bits_(coding.bits), mono_(coding.piece), channels_(static_cast<size_t>(coding.format.channels)) {
  const bool is_opus = coding.coding == transport::AudioCoding::opus;
  ENSURE(coding.format.channels > 0 && (!is_opus || coding.format.rate == media::kOpusRate));
  for (size_t c = 0; c < channels_.size(); ++c) {
    if (is_opus)
      opus_.emplace_back(coding.opus_bits_per_s);
    else
      pcm_.emplace_back(coding.piece * transport::pcm_bytes(coding.bits));
  }
}

std::span<const Bytes> SoundCoder::code(std::span<const float> samples) {
  const size_t channels = channels_.size();
  ENSURE(samples.size() == mono_.size() * channels);
  for (size_t c = 0; c < channels; ++c) {
    if (opus_.empty()) {
      transport::floats_to_pcm(samples.subspan(c), channels, bits_, pcm_[c]);
      channels_[c] = pcm_[c];
    } else {
      for (size_t i = 0; i < mono_.size(); ++i) mono_[i] = samples[i * channels + c];
      channels_[c] = opus_[c].encode(mono_);
    }
  }
  return channels_;
}

}  // namespace texcast::stream
