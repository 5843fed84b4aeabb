#include "media/recorded_sound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/ensure.h"
#include "pcm.h"
#include "recorder_audio.h"

namespace texcast::media {

class RecordedSound::Line final : public RecorderAudio {
 public:
  Line(AudioFormat format, int bits)
      : rate_(format.rate),
        bytes_(bits > 16 ? 3 : 2),
        parameters_(avcodec_parameters_alloc()),
        line_(format.rate, bytes_ * static_cast<size_t>(format.channels)) {
    ENSURE(format.rate >= 1 && format.channels >= 1);
    if (!parameters_) throw std::bad_alloc();
    AVCodecParameters& p = *parameters_;
    p.codec_type = AVMEDIA_TYPE_AUDIO;
    p.codec_id = bytes_ == 3 ? AV_CODEC_ID_PCM_S24LE : AV_CODEC_ID_PCM_S16LE;
    p.format = bytes_ == 3 ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_S16;
    p.sample_rate = format.rate;
    av_channel_layout_default(&p.ch_layout, format.channels);
    p.bits_per_coded_sample = static_cast<int>(8 * bytes_);
    p.block_align = static_cast<int>(bytes_) * format.channels;
    p.bit_rate = int64_t{8} * p.block_align * format.rate;
  }

  void put(nanoseconds time, std::span<const float> samples) {
    pcm_.resize(samples.size() * bytes_);
    const double scale = bytes_ == 3 ? 8388608.0 : 32768.0;
    for (size_t i = 0; i < samples.size(); ++i) {
      const double value = std::clamp(static_cast<double>(samples[i]) * scale, -scale, scale - 1);
      const auto whole = static_cast<uint64_t>(std::llrint(value));
      if (bytes_ == 3)
        store_le<3>(pcm_, 3 * i, whole);
      else
        store_le<2>(pcm_, 2 * i, whole);
    }
    line_.put(std::llround(in_seconds(time) * rate_), pcm_);
  }

  void add_tracks(MuxedOutput& output) override { track_ = output.add_track(*parameters_, {1, rate_}, {0, 1}, "", ""); }
  int64_t bytes_until(nanoseconds end) override { return line_.bytes_until(sample_at(end)); }
  void write_until(nanoseconds end, nanoseconds part_begin, MuxedOutput& output) override {
    const PcmLine::Piece piece = line_.take_until(sample_at(end));
    if (piece.count == 0) return;
    output.write({.track = track_,
                  .bytes = piece.bytes,
                  .pts = piece.first - sample_at(part_begin),
                  .duration = piece.count,
                  .time_base = {1, rate_}});
  }

 private:
  int64_t sample_at(nanoseconds time) const { return av_rescale_q(time.count(), kNanoseconds, {1, rate_}); }

  const int rate_;
  const size_t bytes_;  // per sample
  ParametersPtr parameters_;
  PcmLine line_;
  int track_ = -1;
  std::vector<std::byte> pcm_;
};

RecordedSound::RecordedSound(AudioFormat format, int bits) : line_(std::make_unique<Line>(format, bits)) {}
RecordedSound::~RecordedSound() = default;
void RecordedSound::put(nanoseconds time, std::span<const float> samples) { line_->put(time, samples); }
RecorderAudio& RecordedSound::audio() { return *line_; }

}  // namespace texcast::media
