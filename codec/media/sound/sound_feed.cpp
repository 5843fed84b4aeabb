#include "sound_feed.h"

#include <utility>

#include "media/clip_track.h"
#include "sound_decoding.h"

namespace texcast::media {
namespace {

nanoseconds time_of(int64_t stamp, AVRational time_base) {
  return nanoseconds(av_rescale_q(stamp, time_base, kNanoseconds));
}

// Whether the tracks are not known before some packets were read, as in transport streams, .flv and .mpg; or the format
// of the sound is not, as in .mp3.
bool needs_packets(const AVFormatContext& input) {
  if ((input.ctx_flags & AVFMTCTX_NOHEADER) != 0) return true;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& p = *input.streams[i]->codecpar;
    if (p.codec_type == AVMEDIA_TYPE_AUDIO && (p.sample_rate < 1 || p.ch_layout.nb_channels < 1)) return true;
  }
  return false;
}

// An opened file. FFmpeg decodes frames to find out about tracks, so that is left out where the header suffices.
struct OpenedSound {
  InputPtr input;  // null: it cannot be opened
  bool was_probed = false;
};

OpenedSound open_sound_file(const std::string& path) {
  int code = 0;
  OpenedSound opened{.input = open_clip_input(path, code)};
  if (!opened.input || !needs_packets(*opened.input)) return opened;
  opened.was_probed = true;
  if (avformat_find_stream_info(opened.input.get(), nullptr) < 0) opened.input.reset();
  take_last_av_line();
  return opened;
}

// Matroska has the start of a track in its first packet only. Seeking back afterwards loses priming samples, so the
// file is opened a second time for this.
nanoseconds start_of_picture(const std::string& path) {
  const OpenedSound opened = open_sound_file(path);
  const AVStream* picture = opened.input ? picture_of(*opened.input) : nullptr;
  if (picture == nullptr) return {};
  const PacketPtr packet = make_packet();
  for (int i = 0; i < 1000 && picture->start_time == AV_NOPTS_VALUE; ++i) {
    av_packet_unref(packet.get());
    if (av_read_frame(opened.input.get(), packet.get()) < 0) break;
  }
  take_last_av_line();
  return picture->start_time == AV_NOPTS_VALUE ? nanoseconds{} : time_of(picture->start_time, picture->time_base);
}

class FileFeed final : public SoundFeed {
 public:
  // `track`: its index in the input.
  FileFeed(std::string path, OpenedSound opened, int track) : path_(std::move(path)), track_(track) {
    take(std::move(opened));
    if (picture_ == nullptr)
      zero_ = was_probed_ && stream().start_time != AV_NOPTS_VALUE ? time_of(stream().start_time, time_base())
                                                                   : nanoseconds{};
    else if (picture_->start_time != AV_NOPTS_VALUE)
      zero_ = time_of(picture_->start_time, picture_->time_base);
    else
      zero_ = start_of_picture(path_);
  }

  CodecPtr open_decoder() const override { return open_sound_decoder(stream()); }
  AVRational time_base() const override { return stream().time_base; }
  nanoseconds zero() const override { return zero_; }
  Got next(AVPacket& packet, nanoseconds needed) override;
  void seek(nanoseconds time) override;

 private:
  AVStream& stream() const { return *input_->streams[track_]; }
  void take(OpenedSound opened);
  bool begin_again();

  const std::string path_;
  const int track_;
  InputPtr input_;
  const AVStream* picture_ = nullptr;  // of input_; null: none
  bool was_probed_ = false;
  bool is_at_begin_ = true;
  nanoseconds zero_{};
};

void FileFeed::take(OpenedSound opened) {
  input_ = std::move(opened.input);
  was_probed_ = opened.was_probed;
  picture_ = picture_of(*input_);
  for (unsigned i = 0; i < input_->nb_streams; ++i)
    if (static_cast<int>(i) != track_) input_->streams[i]->discard = AVDISCARD_ALL;
}

SoundFeed::Got FileFeed::next(AVPacket& packet, nanoseconds /*needed*/) {
  is_at_begin_ = false;
  for (;;) {
    av_packet_unref(&packet);
    const int code = av_read_frame(input_.get(), &packet);
    if (code == AVERROR_INVALIDDATA) continue;
    if (code < 0) return Got::end;
    if (packet.stream_index == track_) return Got::packet;
  }
}

// Opens the file again. False if that fails; nothing has changed then.
bool FileFeed::begin_again() {
  OpenedSound opened = open_sound_file(path_);
  if (!opened.input || static_cast<int>(opened.input->nb_streams) <= track_) return false;
  take(std::move(opened));
  return true;
}

void FileFeed::seek(nanoseconds time) {
  // Without an index a seek to the beginning finds the first picture, and loses the sound before it.
  if (was_probed_ && time <= zero_ && (is_at_begin_ || begin_again())) {
    is_at_begin_ = true;
    return;
  }
  is_at_begin_ = false;
  const AVStream& guide = seek_guide(*input_, stream());
  const auto ticks = [&](nanoseconds at) { return av_rescale_q(at.count(), kNanoseconds, guide.time_base); };
  if (av_seek_frame(input_.get(), guide.index, ticks(time), AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(input_.get(), guide.index, ticks(zero_), AVSEEK_FLAG_BACKWARD);
  take_last_av_line();
}

class QueueFeed final : public SoundFeed {
 public:
  QueueFeed(std::shared_ptr<SoundQueue> queue, size_t track, nanoseconds zero)
      : queue_(std::move(queue)), number_(track), zero_(zero) {}

  CodecPtr open_decoder() const override { return open_sound_decoder(*track().parameters, track().time_base); }
  AVRational time_base() const override { return track().time_base; }
  nanoseconds zero() const override { return zero_; }
  nanoseconds gap_end() const override { return queue_->known(); }
  Got next(AVPacket& packet, nanoseconds needed) override {
    for (;;) {
      queue_->wait(needed);
      const auto taken = queue_->take();
      if (!taken) return queue_->ended() ? Got::end : Got::gap;
      if (taken->track != number_) continue;
      av_packet_move_ref(&packet, taken->packet.get());
      return Got::packet;
    }
  }
  // The reader of the pictures goes to places, and the sound follows.
  void seek(nanoseconds /*time*/) override { queue_->go_to_newest_pass(); }
  void stop_waiting() override { queue_->stop_waiting(); }

 private:
  const SoundTrack& track() const { return queue_->tracks()[number_]; }

  const std::shared_ptr<SoundQueue> queue_;
  const size_t number_;
  const nanoseconds zero_;
};

}  // namespace

std::unique_ptr<SoundFeed> open_file_feed(const std::string& path) {
  OpenedSound opened = open_sound_file(path);
  if (!opened.input) return nullptr;
  for (unsigned i = 0; i < opened.input->nb_streams; ++i) {
    const AVStream& stream = *opened.input->streams[i];
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && open_sound_decoder(stream))
      return std::make_unique<FileFeed>(path, std::move(opened), static_cast<int>(i));
  }
  return nullptr;
}

std::unique_ptr<SoundFeed> open_queue_feed(std::shared_ptr<SoundQueue> queue, nanoseconds zero) {
  for (size_t i = 0; i < queue->tracks().size(); ++i) {
    const SoundTrack& track = queue->tracks()[i];
    if (open_sound_decoder(*track.parameters, track.time_base))
      return std::make_unique<QueueFeed>(std::move(queue), i, zero);
  }
  return nullptr;
}

}  // namespace texcast::media
