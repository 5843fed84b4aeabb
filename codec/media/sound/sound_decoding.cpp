#include "sound_decoding.h"

#include <fmt/core.h>

#include <algorithm>

#include "texcast/error.h"

namespace texcast::media {

SoundResampler::SoundResampler(const AVFrame& frame, AudioFormat format)
    : format_(format),
      in_rate_(frame.sample_rate),
      in_format_(frame.format),
      in_channels_(frame.ch_layout.nb_channels) {
  AVChannelLayout wanted;
  av_channel_layout_default(&wanted, format.channels);
  AVChannelLayout had;
  if (frame.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
    av_channel_layout_default(&had, in_channels_);
  else
    had = frame.ch_layout;
  SwrContext* raw = nullptr;
  int code = swr_alloc_set_opts2(&raw, &wanted, AV_SAMPLE_FMT_FLT, format.rate, &had,
                                 static_cast<AVSampleFormat>(in_format_), in_rate_, 0, nullptr);
  resampler_.reset(raw);
  if (code >= 0) code = swr_init(raw);
  if (code < 0)
    throw Error(ErrorKind::corrupt, fmt::format("sound of {} channels at {} Hz cannot be resampled: {}", in_channels_,
                                                in_rate_, av_reason(code)));
}

int64_t SoundResampler::delay() const { return swr_get_delay(resampler_.get(), format_.rate); }

void SoundResampler::convert(const AVFrame& frame, std::vector<float>& out) {
  const auto channels = static_cast<size_t>(format_.channels);
  const int most =
      static_cast<int>(av_rescale_rnd(frame.nb_samples, format_.rate, in_rate_, AV_ROUND_UP) + delay()) + 32;
  const size_t before = out.size();
  out.resize(before + static_cast<size_t>(std::max(most, 0)) * channels);
  int made = 0;
  if (frame.sample_rate == in_rate_ && frame.format == in_format_ && frame.ch_layout.nb_channels == in_channels_) {
    auto* place = reinterpret_cast<uint8_t*>(out.data() + before);
    made =
        swr_convert(resampler_.get(), &place, most, const_cast<const uint8_t**>(frame.extended_data), frame.nb_samples);
  } else {
    made = most;  // the file changes its format: silence
  }
  out.resize(before + static_cast<size_t>(std::max(made, 0)) * channels);
}

CodecPtr open_sound_decoder(const AVStream& track) { return open_sound_decoder(*track.codecpar, track.time_base); }

CodecPtr open_sound_decoder(const AVCodecParameters& parameters, AVRational time_base) {
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (codec == nullptr) return nullptr;
  CodecPtr decoder(avcodec_alloc_context3(codec));
  if (!decoder || avcodec_parameters_to_context(decoder.get(), &parameters) < 0) return nullptr;
  decoder->pkt_timebase = time_base;  // required for skipping priming samples
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0 || decoder->sample_rate < 1) return nullptr;
  return decoder;
}

}  // namespace texcast::media
