#include "pcm.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace texcast::media {
namespace {

// Decoders of FFmpeg's 24-bit sources (FLAC, ALAC, TrueHD …) output 32 bits.
bool has_more_than_16_bits(const AVCodecContext& decoder, AVCodecID codec) {
  if (decoder.bits_per_raw_sample > 0) return decoder.bits_per_raw_sample > 16;
  return av_get_exact_bits_per_sample(codec) > 16;
}

}  // namespace

std::unique_ptr<PcmDecoder> PcmDecoder::open(const AVCodecParameters& parameters, AVRational time_base) {
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (!codec) return nullptr;
  CodecPtr decoder(avcodec_alloc_context3(codec));
  if (!decoder) throw std::bad_alloc();
  if (avcodec_parameters_to_context(decoder.get(), &parameters) < 0) return nullptr;
  decoder->pkt_timebase = time_base;
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0) return nullptr;
  if (decoder->sample_rate < 1 || decoder->ch_layout.nb_channels < 1) return nullptr;
  ParametersPtr p(avcodec_parameters_alloc());
  if (!p) throw std::bad_alloc();
  const int bytes = has_more_than_16_bits(*decoder, parameters.codec_id) ? 3 : 2;
  p->codec_type = AVMEDIA_TYPE_AUDIO;
  p->codec_id = bytes == 3 ? AV_CODEC_ID_PCM_S24LE : AV_CODEC_ID_PCM_S16LE;
  p->format = bytes == 3 ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_S16;
  p->sample_rate = decoder->sample_rate;
  if (av_channel_layout_copy(&p->ch_layout, &decoder->ch_layout) < 0) throw std::bad_alloc();
  p->bits_per_coded_sample = 8 * bytes;
  p->block_align = bytes * p->ch_layout.nb_channels;
  p->bit_rate = int64_t{8} * p->block_align * p->sample_rate;
  return std::unique_ptr<PcmDecoder>(new PcmDecoder(std::move(decoder), std::move(p)));
}

PcmDecoder::PcmDecoder(CodecPtr decoder, ParametersPtr parameters)
    : decoder_(std::move(decoder)), parameters_(std::move(parameters)) {}

void PcmDecoder::decode(const AVPacket* packet, const Put& put) {
  if (avcodec_send_packet(decoder_.get(), packet) < 0) return;
  while (avcodec_receive_frame(decoder_.get(), frame_.get()) == 0) {
    const Bytes samples = convert(*frame_);
    if (!samples.empty()) put(frame_->best_effort_timestamp, samples);
    av_frame_unref(frame_.get());
  }
}

Bytes PcmDecoder::convert(const AVFrame& frame) {
  AVCodecParameters& p = *parameters_;
  // The recording's track cannot change: frames of another rate or with other channels are left out.
  if (frame.sample_rate != p.sample_rate || frame.ch_layout.nb_channels != p.ch_layout.nb_channels) return {};
  const bool is_24 = p.codec_id == AV_CODEC_ID_PCM_S24LE;
  const AVSampleFormat to = is_24 ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_S16;
  if (!resampler_) {
    SwrContext* raw = nullptr;
    const int code = swr_alloc_set_opts2(&raw, &p.ch_layout, to, p.sample_rate, &p.ch_layout,
                                         static_cast<AVSampleFormat>(frame.format), p.sample_rate, 0, nullptr);
    resampler_.reset(raw);
    if (code < 0 || swr_init(raw) < 0) return {};
  }
  const size_t samples = static_cast<size_t>(frame.nb_samples) * static_cast<size_t>(p.ch_layout.nb_channels);
  const size_t wide = is_24 ? 4 : 2;
  wide_.resize(samples * wide);
  auto* out = reinterpret_cast<uint8_t*>(wide_.data());
  const auto** in = const_cast<const uint8_t**>(frame.extended_data);
  if (swr_convert(resampler_.get(), &out, frame.nb_samples, in, frame.nb_samples) != frame.nb_samples) return {};
  if (!is_24) return wide_;
  packed_.resize(samples * 3);  // the upper three bytes of each, little-endian
  for (size_t i = 0; i < samples; ++i) std::memcpy(packed_.data() + 3 * i, wide_.data() + 4 * i + 1, 3);
  return packed_;
}

void PcmLine::put(int64_t first, Bytes samples) {
  constexpr int64_t kLongestHole = 60;  // seconds: time stamps further ahead are errors
  const int64_t tolerance = rate_ / 100;
  if (taken_ > 0) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  const int64_t ahead = first - end();
  // The first piece is placed exactly at its time stamp; later ones within the tolerance are appended to the previous
  // one.
  if (ahead > (begun_ ? tolerance : 0)) {
    bytes_.resize(bytes_.size() + static_cast<size_t>(std::min(ahead, kLongestHole * rate_)) * frame_bytes_);
  } else if (ahead < (begun_ ? -tolerance : 0)) {
    const size_t early = static_cast<size_t>(-ahead) * frame_bytes_;
    samples = samples.subspan(std::min(early, samples.size()));
    if (samples.empty()) return;
  }
  begun_ = true;
  bytes_.insert(bytes_.end(), samples.begin(), samples.end());
}

int64_t PcmLine::samples_until(int64_t end) const {
  return std::clamp<int64_t>(end - begin_, 0, static_cast<int64_t>(waiting() / frame_bytes_));
}

int64_t PcmLine::bytes_until(int64_t end) const { return samples_until(end) * static_cast<int64_t>(frame_bytes_); }

PcmLine::Piece PcmLine::take_until(int64_t end) {
  const int64_t count = samples_until(end);
  const size_t size = static_cast<size_t>(count) * frame_bytes_;
  const Piece piece{begin_, count, Bytes(bytes_).subspan(taken_, size)};
  taken_ += size;
  begin_ += count;
  return piece;
}

}  // namespace texcast::media
