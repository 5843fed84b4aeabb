#include "live/sound_decoder.h"

#include <algorithm>

#include "transport/pcm_samples.h"

namespace texcast::stream {
namespace {

constexpr size_t kMostOpus = 5760;  // samples in a packet

using transport::AudioUnit;

}  // namespace

void SoundDecoder::begin(const transport::AudioStream& stream) {
  const bool is_opus = stream.coding == transport::AudioCoding::opus;
  stream_ = stream;
  format_ = {.rate = is_opus ? media::kOpusRate : stream.rate, .channels = stream.channels};
  opus_.clear();
  pcm_.clear();
  for (int i = 0; i < stream.channels; ++i) {
    if (is_opus)
      opus_.emplace_back();
    else
      pcm_.emplace_back(stream.rate);
  }
}

std::optional<SoundBlock> SoundDecoder::decode(const AudioUnit& unit, SteadyTime now) {
  if (unit.new_stream || stream_ != unit.stream) begin(unit.stream);
  size_t samples = unit.samples;
  if (!opus_.empty()) samples = samples * static_cast<size_t>(media::kOpusRate) / static_cast<size_t>(unit.stream.rate);
  const auto channels = static_cast<size_t>(format_.channels);
  if (samples == 0 || channels == 0) return std::nullopt;
  interleaved_.assign(samples * channels, 0.0F);
  one_.resize(std::max(samples, kMostOpus));
  for (size_t c = 0; c < channels; ++c) {
    decode_channel(unit, c, samples);
    for (size_t i = 0; i < samples; ++i) interleaved_[i * channels + c] = one_[i];
  }
  return SoundBlock{.format = format_,
                    .bits = opus_.empty() ? stream_.bits : 16,
                    .new_stream = unit.new_stream,
                    .samples = interleaved_,
                    .captured = unit.captured,
                    .arrived = now,
                    .concealed = unit.kind == AudioUnit::Kind::lost};
}

// Fills the first `samples` of one_.
void SoundDecoder::decode_channel(const AudioUnit& unit, size_t channel, size_t samples) {
  const auto out = std::span(one_).first(samples);
  const Bytes bytes =
      unit.kind == AudioUnit::Kind::sound && channel < unit.channels.size() ? unit.channels[channel] : Bytes{};
  if (unit.kind == AudioUnit::Kind::silent) {
    std::ranges::fill(out, 0.0F);
    if (!pcm_.empty()) pcm_[channel].came(out);
    return;
  }
  if (!bytes.empty()) {
    if (pcm_.empty()) {
      const size_t made = opus_[channel].decode(bytes, one_);
      if (made < samples) std::ranges::fill(out.subspan(made), 0.0F);
      if (made > 0) return;
    } else {
      std::ranges::fill(out, 0.0F);
      transport::pcm_to_floats(bytes, stream_.bits, out, 1);
      return pcm_[channel].came(out);
    }
  }
  concealed_ += samples;
  if (pcm_.empty())
    opus_[channel].conceal(out);
  else
    pcm_[channel].conceal(out);
}

}  // namespace texcast::stream
