#include "media/audio_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "sound_decoding.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// A seek goes this far before the requested place: sound may be interleaved that much later than the picture, and some
// codecs need earlier packets.
constexpr nanoseconds kSoundRunUp = std::chrono::milliseconds(500);
// Time stamps that are off by no more than this are rounding errors (Matroska counts milliseconds), not gaps.
constexpr nanoseconds kTolerance = std::chrono::milliseconds(4);

AVStream* picture_of(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i)
    if (input.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) return input.streams[i];
  return nullptr;
}

// When the picture begins, by the container's clock: that is time 0. For a .mkv FFmpeg knows it only after reading the
// first packet. Seeking back afterwards loses priming samples, so the file is opened a second time for this.
nanoseconds beginning_of_picture(const std::string& path) {
  int code = 0;
  const InputPtr input = open_clip_input(path, code);
  const AVStream* picture = input ? picture_of(*input) : nullptr;
  if (picture == nullptr) return {};
  const PacketPtr packet = make_packet();
  for (int i = 0; i < 1000 && picture->start_time == AV_NOPTS_VALUE; ++i) {
    av_packet_unref(packet.get());
    if (av_read_frame(input.get(), packet.get()) < 0) break;
  }
  take_last_av_line();
  if (picture->start_time == AV_NOPTS_VALUE) return {};
  return nanoseconds(av_rescale_q(picture->start_time, picture->time_base, kNanoseconds));
}

class MuxedAudio final : public AudioReader {
 public:
  MuxedAudio(InputPtr input, AVStream* track, CodecPtr decoder, nanoseconds beginning)
      : input_(std::move(input)),
        track_(track),
        decoder_(std::move(decoder)),
        picture_(picture_of(*input_)),
        beginning_(beginning) {
    for (unsigned i = 0; i < input_->nb_streams; ++i)
      if (input_->streams[i] != track_) input_->streams[i]->discard = AVDISCARD_ALL;
  }

  std::string codec_name() const override { return avcodec_get_name(track_->codecpar->codec_id); }
  AudioFormat stored() const override { return {decoder_->sample_rate, decoder_->ch_layout.nb_channels}; }
  nanoseconds zero_in_file() const override { return beginning_; }
  void set_format(AudioFormat format) override {
    ENSURE(format.rate >= 1 && format.channels >= 1);
    format_ = format;
    resampler_.reset();
  }
  void seek(nanoseconds pts) override;
  size_t read(std::span<float> out) override;

 private:
  bool decode_more();
  bool feed_decoder();
  void resample(const AVFrame& frame);
  void align_ready(int64_t first);
  int64_t beginning(AVRational time_base) const { return av_rescale_q(beginning_.count(), kNanoseconds, time_base); }
  int64_t sample_at(nanoseconds time) const { return av_rescale_q(time.count(), kNanoseconds, {1, format_.rate}); }

  InputPtr input_;
  AVStream* track_;  // of input_
  CodecPtr decoder_;
  const AVStream* picture_;      // may be null
  const nanoseconds beginning_;  // of the recording, by the container's clock
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
  // A .mov has an index of every track, Matroska only one of the picture's.
  const bool own_index = std::string_view(input_->iformat->name).starts_with("mov") || picture_ == nullptr;
  const AVStream& guide = own_index ? *track_ : *picture_;
  // The target may be before the beginning, where AAC's priming packets are.
  const int64_t target = beginning(guide.time_base) + av_rescale_q((std::max(pts, nanoseconds{}) - kSoundRunUp).count(),
                                                                   kNanoseconds, guide.time_base);
  if (av_seek_frame(input_.get(), guide.index, target, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(input_.get(), guide.index, beginning(guide.time_base), AVSEEK_FLAG_BACKWARD);
  take_last_av_line();
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
      if (!decode_more()) break;
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

// False at the end. Data that cannot be decoded are skipped; the gap is filled when sound continues.
bool MuxedAudio::decode_more() {
  while (!ended_) {
    const int code = avcodec_receive_frame(decoder_.get(), frame_.get());
    if (code == 0) {
      resample(*frame_);
      av_frame_unref(frame_.get());
      if (!ready_.empty()) return true;
    } else if (code == AVERROR(EAGAIN)) {
      feed_decoder();
    } else {
      ended_ = true;
    }
  }
  return false;
}

bool MuxedAudio::feed_decoder() {
  while (true) {
    av_packet_unref(packet_.get());
    const int code = av_read_frame(input_.get(), packet_.get());
    if (code == AVERROR_INVALIDDATA) continue;
    if (code < 0) return avcodec_send_packet(decoder_.get(), nullptr) == 0;
    if (packet_->stream_index != track_->index) continue;
    if (avcodec_send_packet(decoder_.get(), packet_.get()) == 0) return true;
  }
}

void MuxedAudio::resample(const AVFrame& frame) {
  if (!resampler_) resampler_.emplace(frame, format_);
  const int64_t delayed = resampler_->delay();
  resampler_->convert(frame, ready_);
  if (frame.pts == AV_NOPTS_VALUE) return align_ready(position_);
  align_ready(av_rescale_q(frame.pts - beginning(track_->time_base), track_->time_base, {1, format_.rate}) - delayed);
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
  int code = 0;
  InputPtr input = open_clip_input(path, code);
  if (!input) return nullptr;
  for (unsigned i = 0; i < input->nb_streams; ++i) {
    AVStream* track = input->streams[i];
    if (track->codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    if (CodecPtr decoder = open_sound_decoder(*track))
      return std::make_unique<MuxedAudio>(std::move(input), track, std::move(decoder), beginning_of_picture(path));
  }
  return nullptr;
}

}  // namespace texcast::media
