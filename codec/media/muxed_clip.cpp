#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "av_error.h"
#include "av_ptr.h"
#include "base/ensure.h"
#include "base/error.h"
#include "clip_track.h"
#include "clips.h"
#include "container/hap_frame.h"
#include "texture_codecs.h"

namespace texcast::media {
namespace {

class MuxedClip final : public ClipReader {
 public:
  explicit MuxedClip(const std::string& path);
  const ClipInfo& info() const override { return info_; }
  Result<std::optional<StoredFrame>> next_stored() override;
  Result<void> unpack(const StoredFrame& stored, MutableBytes blocks) const override;
  void seek(nanoseconds pts) override;
  void seek_to_frame(int64_t number) override;

 private:
  enum class Read { packet, end, damaged };
  Read read_packet(AVPacket& packet);
  int64_t start() const { return track_->start_time == AV_NOPTS_VALUE ? 0 : track_->start_time; }
  int64_t stamp_of(const AVPacket& packet) const;
  nanoseconds time_of(const AVPacket& packet) const;
  nanoseconds time_from(int64_t ticks) const {
    return nanoseconds(av_rescale_q(ticks, track_->time_base, kNanoseconds));
  }
  bool index_is_whole() const;
  int64_t number_of(const AVPacket& packet) const;
  Failure damaged(int64_t number, const std::string& reason) const;

  InputPtr input_;
  AVStream* track_ = nullptr;  // the input's
  ClipInfo info_;
  std::optional<container::HapImages> images_;
  mutable Workers workers_;  // unpack chunks
  PacketPtr packet_ = make_packet();
  PacketPtr ahead_ = make_packet();  // read while seeking, belongs after packet_
  bool has_packet_ = false;          // packet_ waits to be given out
  bool has_ahead_ = false;
  bool ended_ = false;
  int64_t number_ = 0;  // of the next frame
  std::string read_error_;
};

MuxedClip::MuxedClip(const std::string& path) {
  int code = 0;
  input_ = open_clip_input(path, code);
  if (!input_) throw Error(ErrorKind::input, fmt::format("cannot open '{}': {}", path, why(code)));
  const int track = texture_track(*input_);
  if (track < 0)
    throw Error(ErrorKind::input, fmt::format("'{}' holds {}; texture recordings that can be read hold {}", path,
                                              video_tracks_text(*input_), list_texture_fourccs()));
  for (unsigned i = 0; i < input_->nb_streams; ++i)
    if (static_cast<int>(i) != track) input_->streams[i]->discard = AVDISCARD_ALL;
  track_ = input_->streams[track];
  info_ = describe_clip(*input_, *track_, path);
  images_ = container::hap_images(info_.texture);
}

int64_t MuxedClip::stamp_of(const AVPacket& packet) const {
  const int64_t stamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  return stamp != AV_NOPTS_VALUE ? stamp : start();
}

nanoseconds MuxedClip::time_of(const AVPacket& packet) const { return time_from(stamp_of(packet) - start()); }

MuxedClip::Read MuxedClip::read_packet(AVPacket& packet) {
  if (ended_) return Read::end;
  for (;;) {
    av_packet_unref(&packet);
    const int code = av_read_frame(input_.get(), &packet);
    if (code == AVERROR_EOF) {
      ended_ = true;
      return Read::end;
    }
    if (code < 0) {
      // Invalid data is one sample's trouble, and the demuxer has stepped over it; an I/O error would come for ever.
      if (code != AVERROR_INVALIDDATA) ended_ = true;
      read_error_ = why(code);
      return Read::damaged;
    }
    if (packet.stream_index != track_->index) continue;
    if ((packet.flags & AV_PKT_FLAG_CORRUPT) == 0) return Read::packet;
    read_error_ = "the file breaks off inside it";
    return Read::damaged;
  }
}

Failure MuxedClip::damaged(int64_t number, const std::string& reason) const {
  return {fmt::format("{}: frame {} is damaged: {}", info_.path, number, reason)};
}

Result<std::optional<StoredFrame>> MuxedClip::next_stored() {
  if (!has_packet_ && has_ahead_) {
    std::swap(packet_, ahead_);
    has_packet_ = std::exchange(has_ahead_, false);
  }
  if (!std::exchange(has_packet_, false)) {
    const Read read = read_packet(*packet_);
    if (read == Read::end) return std::optional<StoredFrame>();
    if (read == Read::damaged) return damaged(number_++, read_error_);
  }
  const std::shared_ptr<AVPacket> packet = std::exchange(packet_, make_packet());
  StoredFrame frame{.pts = time_of(*packet),
                    .duration = time_from(packet->duration),
                    .number = number_++,
                    .stored_bytes = packet->size};
  frame.parts[0] = {std::as_bytes(std::span(packet->data, static_cast<size_t>(packet->size))), packet};
  return std::optional(std::move(frame));
}

Result<void> MuxedClip::unpack(const StoredFrame& stored, MutableBytes blocks) const {
  const auto unpacked = container::read_hap_frame(stored.parts[0].bytes, *images_, blocks, {.workers = &workers_});
  if (!unpacked) return damaged(stored.number, unpacked.error().message);
  return {};
}

// Then entry i is frame i. Matroska's index may leave frames out, and nothing tells.
bool MuxedClip::index_is_whole() const {
  return track_->nb_frames > 0 && avformat_index_get_entries_count(track_) == track_->nb_frames;
}

int64_t MuxedClip::number_of(const AVPacket& packet) const {
  if (index_is_whole()) {
    const int64_t stamp = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    return std::max(0, av_index_search_timestamp(track_, stamp, AVSEEK_FLAG_BACKWARD));
  }
  return std::llround(static_cast<double>(time_of(packet).count()) * 1e-9 * info_.fps);
}

// The demuxer's index gets near; from there packets are read up to the first that is too late. That one waits.
void MuxedClip::seek(nanoseconds pts) {
  const int64_t target =
      start() + av_rescale_q_rnd(std::max<int64_t>(0, pts.count()), kNanoseconds, track_->time_base, AV_ROUND_UP);
  if (av_seek_frame(input_.get(), track_->index, target, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(input_.get(), track_->index, start(), AVSEEK_FLAG_BACKWARD);
  take_last_av_line();
  ended_ = has_packet_ = has_ahead_ = false;
  for (;;) {
    const Read read = read_packet(*ahead_);
    if (read == Read::end) break;
    if (read == Read::damaged) continue;
    if (time_of(*ahead_) > pts && has_packet_) {
      has_ahead_ = true;
      break;
    }
    const bool is_later = time_of(*ahead_) > pts;
    std::swap(packet_, ahead_);
    has_packet_ = true;
    if (is_later) break;  // before the first frame: the first frame
  }
  number_ = has_packet_ ? number_of(*packet_) : 0;
}

void MuxedClip::seek_to_frame(int64_t number) {
  if (!index_is_whole()) {
    const double frames = static_cast<double>(std::max<int64_t>(0, number)) + 0.5;  // into the middle of its time
    const double seconds = info_.fps > 0 ? frames / info_.fps : 0;
    return seek(seconds < 1e8 ? nanoseconds(std::llround(seconds * 1e9)) : nanoseconds::max() / 2);
  }
  const int last = avformat_index_get_entries_count(track_) - 1;
  const auto entry = static_cast<int>(std::clamp<int64_t>(number, 0, last));
  av_seek_frame(input_.get(), track_->index, avformat_index_get_entry(track_, entry)->timestamp, AVSEEK_FLAG_BACKWARD);
  take_last_av_line();
  ended_ = has_packet_ = has_ahead_ = false;
  number_ = entry;
}

}  // namespace

std::unique_ptr<ClipReader> open_muxed_clip(const std::string& path) { return std::make_unique<MuxedClip>(path); }

bool is_muxed_clip(const std::string& path) {
  int code = 0;
  const InputPtr input = open_clip_input(path, code);
  return input && texture_track(*input) >= 0;
}

}  // namespace texcast::media
