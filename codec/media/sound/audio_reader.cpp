#include "media/audio_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "media/ffmpeg.h"
#include "sound_decoding.h"
#include "sound_feed.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// A seek goes this far before the requested place: sound may be interleaved that much later than the picture, and some
// codecs need earlier packets.
constexpr nanoseconds kSoundRunUp = std::chrono::milliseconds(500);
// Time stamps that are off by no more than this are rounding errors (Matroska counts milliseconds), not gaps.
constexpr nanoseconds kTolerance = std::chrono::milliseconds(4);

class MuxedAudio final : public AudioReader {
 public:
  explicit MuxedAudio(std::unique_ptr<SoundFeed> feed)
      : feed_(std::move(feed)), decoder_(feed_->open_decoder()), zero_(feed_->zero()) {
    ENSURE(decoder_);
  }

  std::string codec_name() const override { return avcodec_get_name(decoder_->codec_id); }
  AudioFormat stored() const override { return {decoder_->sample_rate, decoder_->ch_layout.nb_channels}; }
  nanoseconds zero_in_file() const override { return zero_; }
  void set_format(AudioFormat format) override {
    ENSURE(format.rate >= 1 && format.channels >= 1);
    format_ = format;
    resampler_.reset();
  }
  void seek(nanoseconds pts) override;
  size_t read(std::span<float> out) override;
  void stop_waiting() override { feed_->stop_waiting(); }

 private:
  enum class More { sound, silence, end };
  More decode_more();
  SoundFeed::Got feed_decoder();
  void add_silence();
  void resample(const AVFrame& frame);
  void align_ready(int64_t first);
  int64_t sample_at(nanoseconds time) const { return av_rescale_q(time.count(), kNanoseconds, {1, format_.rate}); }

  const std::unique_ptr<SoundFeed> feed_;
  const CodecPtr decoder_;
  const nanoseconds zero_;  // time 0, by the container's clock
  AudioFormat format_;
  std::optional<SoundResampler> resampler_;
  PacketPtr packet_ = make_packet();
  FramePtr frame_ = make_frame();
  bool ended_ = false;
  bool exact_ = true;         // the next samples are placed exactly at their time stamp, without tolerance
  int64_t position_ = 0;      // of the next sample that is returned, from time 0, in format_.rate
  std::vector<float> ready_;  // interleaved; the next samples begin at `taken_`
  size_t taken_ = 0;
};

void MuxedAudio::seek(nanoseconds pts) {
  // May be before the beginning, where AAC's priming packets are.
  feed_->seek(zero_ + std::max(pts, nanoseconds{}) - kSoundRunUp);
  avcodec_flush_buffers(decoder_.get());
  resampler_.reset();
  ready_.clear();
  taken_ = 0;
  ended_ = false;
  exact_ = true;
  position_ = sample_at(std::max(pts, nanoseconds{}));
}

size_t MuxedAudio::read(std::span<float> out) {
  const auto channels = static_cast<size_t>(format_.channels);
  const size_t wanted = out.size() / channels * channels;
  size_t filled = 0;
  while (filled < wanted) {
    if (taken_ == ready_.size()) {
      ready_.clear();
      taken_ = 0;
      const More more = decode_more();
      if (more == More::end) break;
      if (more == More::silence) add_silence();
      continue;
    }
    const size_t count = std::min(wanted - filled, ready_.size() - taken_);  // both are whole frames
    std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(taken_), count,
                out.begin() + static_cast<std::ptrdiff_t>(filled));
    taken_ += count;
    filled += count;
    position_ += static_cast<int64_t>(count / channels);
  }
  return filled / channels;
}

// Data that cannot be decoded are skipped; the gap is filled when sound continues.
MuxedAudio::More MuxedAudio::decode_more() {
  while (!ended_) {
    const int code = avcodec_receive_frame(decoder_.get(), frame_.get());
    if (code == 0) {
      resample(*frame_);
      av_frame_unref(frame_.get());
      if (!ready_.empty()) return More::sound;
    } else if (code == AVERROR(EAGAIN)) {
      if (feed_decoder() == SoundFeed::Got::gap) return More::silence;
    } else {
      ended_ = true;
    }
  }
  return More::end;
}

SoundFeed::Got MuxedAudio::feed_decoder() {
  const nanoseconds needed = zero_ + nanoseconds(av_rescale_q(position_ + 1, {1, format_.rate}, kNanoseconds));
  while (true) {
    av_packet_unref(packet_.get());
    const SoundFeed::Got got = feed_->next(*packet_, needed);
    if (got == SoundFeed::Got::gap) return got;
    const int code = avcodec_send_packet(decoder_.get(), got == SoundFeed::Got::packet ? packet_.get() : nullptr);
    if (code == 0 || got == SoundFeed::Got::end) return got;
  }
}

// Fills the gap of the feed; where it has no end yet, a millisecond of it. Sound that comes for it later is dropped.
void MuxedAudio::add_silence() {
  const int64_t least = std::max(1, format_.rate / 1000), most = format_.rate;
  const int64_t gap = std::clamp(sample_at(feed_->gap_end() - zero_) - position_, least, most);
  ready_.assign(static_cast<size_t>(gap * format_.channels), 0.0F);
  exact_ = true;
}

void MuxedAudio::resample(const AVFrame& frame) {
  if (!resampler_) resampler_.emplace(frame, format_);
  const int64_t delayed = resampler_->delay();
  resampler_->convert(frame, ready_);
  if (frame.pts == AV_NOPTS_VALUE) return align_ready(position_);
  const AVRational time_base = feed_->time_base();
  const int64_t from_zero = frame.pts - av_rescale_q(zero_.count(), kNanoseconds, time_base);
  align_ready(av_rescale_q(from_zero, time_base, {1, format_.rate}) - delayed);
}

// ready_ begins with sample `first`. Makes it begin with position_, by adding silence or dropping earlier samples.
void MuxedAudio::align_ready(int64_t first) {
  const int64_t ahead = first - position_;
  if (!std::exchange(exact_, false) && std::abs(ahead) <= sample_at(kTolerance)) return;
  const auto channels = static_cast<size_t>(format_.channels);
  if (ahead > 0) {
    constexpr int64_t kLongestHole = 60;  // seconds: time stamps further ahead are errors
    const int64_t hole = std::min(ahead, kLongestHole * format_.rate);
    ready_.insert(ready_.begin(), static_cast<size_t>(hole) * channels, 0.0F);
  } else {
    const size_t late = std::min(ready_.size(), static_cast<size_t>(-ahead) * channels);
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(late));
    if (ready_.empty()) exact_ = true;  // all of it was earlier: the next samples must be placed exactly
  }
}

}  // namespace

std::unique_ptr<AudioReader> open_audio(const std::string& path) {
  auto feed = open_file_feed(path);
  return feed ? std::make_unique<MuxedAudio>(std::move(feed)) : nullptr;
}

std::unique_ptr<AudioReader> open_audio(const std::shared_ptr<SoundQueue>& queue, nanoseconds zero) {
  auto feed = open_queue_feed(queue, zero);
  return feed ? std::make_unique<MuxedAudio>(std::move(feed)) : nullptr;
}

}  // namespace texcast::media
