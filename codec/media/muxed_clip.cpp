#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "av_error.h"
#include "av_ptr.h"
#include "base/error.h"
#include "clips.h"
#include "container/hap_frame.h"
#include "texture_codecs.h"

namespace texcast::media {
namespace {

double seconds(nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

InputPtr open_input(const std::string& path, int& code) {
  set_up_ffmpeg();
  take_last_av_line();
  AVFormatContext* raw = nullptr;
  code = avformat_open_input(&raw, ("file:" + path).c_str(), nullptr, nullptr);
  return InputPtr(raw);
}

// The track with textures of a format we know; -1 when there is none. No probing of streams: the container's header
// has all there is to know, and probing would decode frames.
int texture_track(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& p = *input.streams[i]->codecpar;
    if (p.codec_type == AVMEDIA_TYPE_VIDEO && codec_with_tag(p.codec_tag)) return static_cast<int>(i);
  }
  return -1;
}

std::string tracks_text(const AVFormatContext& input) {
  std::string list;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& p = *input.streams[i]->codecpar;
    if (p.codec_type != AVMEDIA_TYPE_VIDEO) continue;
    const char* codec = avcodec_get_name(p.codec_id);
    list += (list.empty() ? "" : ", ") + fmt::format("{} ({})", codec, fourcc_text(p.codec_tag));
  }
  return list.empty() ? "no video" : list;
}

ColorSpec color_of_track(const AVCodecParameters& p) {
  ColorSpec color{.matrix = ColorMatrix::bt709,
                  .range = ColorRange::full,
                  .primaries = static_cast<uint8_t>(p.color_primaries),
                  .transfer = static_cast<uint8_t>(p.color_trc)};
  if (p.color_space == AVCOL_SPC_SMPTE170M || p.color_space == AVCOL_SPC_BT470BG) color.matrix = ColorMatrix::bt601;
  if (p.color_space == AVCOL_SPC_BT2020_NCL) color.matrix = ColorMatrix::bt2020;
  return color;
}

class MuxedClip final : public ClipReader {
 public:
  explicit MuxedClip(const std::string& path);
  const ClipInfo& info() const override { return info_; }
  Result<std::optional<ClipFrame>> next() override;
  void seek(nanoseconds pts) override;

 private:
  enum class Read { packet, end, damaged };
  void describe(const std::string& path);
  Read read_packet(AVPacket& packet);
  nanoseconds time_of(const AVPacket& packet) const;
  Failure damaged(const std::string& reason);

  InputPtr input_;
  AVStream* track_ = nullptr;  // the input's
  ClipInfo info_;
  container::HapTexture section_{};
  std::vector<std::byte> blocks_;
  PacketPtr packet_ = make_packet();
  PacketPtr ahead_ = make_packet();  // read while seeking, belongs after packet_
  bool has_packet_ = false;          // packet_ waits to be given out
  bool has_ahead_ = false;
  bool ended_ = false;
  int64_t number_ = 0;  // of the next frame, for messages
  std::string read_error_;
};

MuxedClip::MuxedClip(const std::string& path) {
  int code = 0;
  input_ = open_input(path, code);
  if (!input_) throw Error(ErrorKind::input, fmt::format("cannot open '{}': {}", path, why(code)));
  const int track = texture_track(*input_);
  if (track < 0)
    throw Error(ErrorKind::input, fmt::format("'{}' holds {}; texture recordings that can be read hold {}", path,
                                              tracks_text(*input_), list_texture_fourccs()));
  for (unsigned i = 0; i < input_->nb_streams; ++i)
    if (static_cast<int>(i) != track) input_->streams[i]->discard = AVDISCARD_ALL;
  track_ = input_->streams[track];
  describe(path);
}

void MuxedClip::describe(const std::string& path) {
  const AVCodecParameters& p = *track_->codecpar;
  if (p.width < 1 || p.height < 1 || p.width > kMaxFrameSize || p.height > kMaxFrameSize)
    throw Error(ErrorKind::corrupt, fmt::format("'{}' says its frames are {}x{}", path, p.width, p.height));
  const TextureCodec& codec = *codec_with_tag(p.codec_tag);
  section_ = container::hap_texture(codec.format);
  const std::string_view demuxer = input_->iformat->name;
  info_ = {.path = path,
           .container = demuxer.starts_with("mov") ? "mov" : std::string(demuxer.substr(0, demuxer.find(','))),
           .codec_name = codec.name,
           .fourcc = fourcc_text(codec.tag),
           .texture = {.format = codec.format, .width = p.width, .height = p.height, .color = color_of_track(p)},
           .duration = {},
           .frame_count = {}};
  const AVRational rate = av_guess_frame_rate(input_.get(), track_, nullptr);
  if (rate.num > 0 && rate.den > 0) info_.fps = av_q2d(rate);
  if (track_->duration > 0)
    info_.duration = nanoseconds(av_rescale_q(track_->duration, track_->time_base, kNanoseconds));
  else if (input_->duration > 0)
    info_.duration = nanoseconds(av_rescale_q(input_->duration, AV_TIME_BASE_Q, kNanoseconds));
  if (track_->nb_frames > 0) info_.frame_count = track_->nb_frames;
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  if (!ignored) info_.file_bytes = static_cast<int64_t>(bytes);
  blocks_.resize(texture_layout(info_.texture).total_bytes);
}

nanoseconds MuxedClip::time_of(const AVPacket& packet) const {
  const int64_t stamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const int64_t start = track_->start_time == AV_NOPTS_VALUE ? 0 : track_->start_time;
  if (stamp == AV_NOPTS_VALUE) return nanoseconds(0);
  return nanoseconds(av_rescale_q(stamp - start, track_->time_base, kNanoseconds));
}

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

Failure MuxedClip::damaged(const std::string& reason) {
  return {fmt::format("{}: frame {} is damaged: {}", info_.path, number_++, reason)};
}

Result<std::optional<ClipFrame>> MuxedClip::next() {
  if (!has_packet_ && has_ahead_) {
    std::swap(packet_, ahead_);
    has_packet_ = std::exchange(has_ahead_, false);
  }
  if (!std::exchange(has_packet_, false)) {
    const Read read = read_packet(*packet_);
    if (read == Read::end) return std::optional<ClipFrame>();
    if (read == Read::damaged) return damaged(read_error_);
  }
  const Bytes stored = std::as_bytes(std::span(packet_->data, static_cast<size_t>(packet_->size)));
  const auto unpacked = container::read_hap_frame(stored, section_, blocks_);
  if (!unpacked) return damaged(unpacked.error().message);
  ++number_;
  return std::optional(
      ClipFrame{.texture = {info_.texture, blocks_}, .pts = time_of(*packet_), .stored_bytes = packet_->size});
}

// The demuxer's index gets near; from there packets are read up to the first that is too late. That one waits.
void MuxedClip::seek(nanoseconds pts) {
  const int64_t start = track_->start_time == AV_NOPTS_VALUE ? 0 : track_->start_time;
  const int64_t target =
      start + av_rescale_q_rnd(std::max<int64_t>(0, pts.count()), kNanoseconds, track_->time_base, AV_ROUND_UP);
  if (av_seek_frame(input_.get(), track_->index, target, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(input_.get(), track_->index, start, AVSEEK_FLAG_BACKWARD);
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
  number_ = has_packet_ ? std::llround(seconds(time_of(*packet_)) * info_.fps) : 0;
}

}  // namespace

std::unique_ptr<ClipReader> open_muxed_clip(const std::string& path) { return std::make_unique<MuxedClip>(path); }

bool is_muxed_clip(const std::string& path) {
  int code = 0;
  const InputPtr input = open_input(path, code);
  return input && texture_track(*input) >= 0;
}

}  // namespace texcast::media
