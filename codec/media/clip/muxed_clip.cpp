#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "clips.h"
#include "compact_chain.h"
#include "container/compact_frame.h"
#include "container/hap_frame.h"
#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "media/orientation.h"
#include "media/picture_tracks.h"
#include "media/texture_codecs.h"
#include "picture_packets.h"
#include "texcast/error.h"
#include "texcast/frame.h"

namespace texcast::media {
namespace {

// From texcast's own key in the file's metadata, else from the track, else limited for Y'CbCr and full for RGB.
ColorRange range_of_track(const AVFormatContext& input, const AVCodecParameters& p, TextureFormat format) {
  const AVDictionaryEntry* said = av_dict_get(input.metadata, kRangeKey, nullptr, 0);
  const bool is_full = said != nullptr ? std::string_view(said->value) == "full" : p.color_range == AVCOL_RANGE_JPEG;
  return is_full ? ColorRange::full : usual_color(format).range;
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

Bytes packet_bytes(const AVPacket& packet) {
  return std::as_bytes(std::span(packet.data, static_cast<size_t>(packet.size)));
}

// Throws Error{corrupt} if the header is inconsistent. `track` is the first of texture_tracks().
ClipInfo describe_clip(AVFormatContext& input, AVStream& track, const std::string& path) {
  const AVCodecParameters& p = *track.codecpar;
  if (p.width < 1 || p.height < 1 || p.width > kMaxFrameSize || p.height > kMaxFrameSize)
    throw Error(ErrorKind::corrupt, fmt::format("'{}' has frames of the invalid size {}x{}", path, p.width, p.height));
  const auto planes = find_plane_tracks(input);
  const auto codec = planes ? std::nullopt : codec_of_track(p);
  const TextureFormat format = planes ? planes->format : codec->format;
  const bool is_compact = codec && codec->coding == FileCoding::compact;
  const std::string_view demuxer = input.iformat->name;
  ClipInfo info{.path = path,
                .container = demuxer.starts_with("mov") ? "mov" : std::string(demuxer.substr(0, demuxer.find(','))),
                .codec_name = planes       ? std::string("Hap Alpha-Only, one track per plane")
                              : is_compact ? std::string("compact")
                                           : std::string(format_row(format).track.name),
                .coding = is_compact ? FileCoding::compact : FileCoding::plain,
                .coding_version = codec ? codec->coding_version : 0,
                .fourcc = fourcc_text(p.codec_tag),
                .texture = {.format = format, .width = p.width, .height = p.height, .color = color_of_track(p)},
                .duration = {},
                .frame_count = {}};
  info.texture.color.range = range_of_track(input, p, format);
  const AVRational aspect = av_guess_sample_aspect_ratio(&input, &track, nullptr);
  info.texture.aspect = pixel_aspect(aspect.num, aspect.den).value_or(PixelAspect{});
  info.texture.orientation = orientation_of(track);
  const AVRational rate = av_guess_frame_rate(&input, &track, nullptr);
  if (rate.num > 0 && rate.den > 0) info.fps = av_q2d(rate);
  if (track.duration > 0)
    info.duration = nanoseconds(av_rescale_q(track.duration, track.time_base, kNanoseconds));
  else if (input.duration > 0)
    info.duration = nanoseconds(av_rescale_q(input.duration, AV_TIME_BASE_Q, kNanoseconds));
  if (track.nb_frames > 0) info.frame_count = track.nb_frames;
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  if (ignored) return info;
  info.file_bytes = static_cast<int64_t>(bytes);
  // A reader allocates memory for a whole frame. Therefore sizes for which the file is too short, however well it is
  // compressed, are refused here.
  const bool is_too_short = is_compact ? bytes < container::least_compact_bytes(info.texture)
                                       : container::most_hap_blocks(bytes) < texture_layout(info.texture).total_bytes;
  if (is_too_short)
    throw Error(ErrorKind::corrupt, fmt::format("'{}' claims frames of {}x{}, more than its {} bytes can hold", path,
                                                p.width, p.height, bytes));
  return info;
}

class MuxedClip final : public ClipReader {
 public:
  explicit MuxedClip(const std::string& path);
  const ClipInfo& info() const override { return info_; }
  Result<std::optional<StoredFrame>> next_stored() override;
  Result<void> unpack(const StoredFrame& stored, MutableBytes blocks) const override;
  void seek(nanoseconds pts) override;
  void seek_to_frame(int64_t number) override;
  void use_backend(const MakeRebuilder& make) override {
    if (chain_) chain_->use_backend(make);
  }
  void only_look() override { only_looks_ = true; }
  void want_only(const std::vector<MemoryRange>& ranges) override { wanted_ = ranges; }

 private:
  using Read = PicturePackets::Read;
  int64_t start() const { return track_->start_time == AV_NOPTS_VALUE ? 0 : track_->start_time; }
  nanoseconds time_of(const AVPacket& packet) const;
  nanoseconds time_from(int64_t ticks) const {
    return nanoseconds(av_rescale_q(ticks, track_->time_base, kNanoseconds));
  }
  bool index_is_whole() const;
  void restart();
  int64_t number_of(const AVPacket& packet) const;
  Result<std::optional<StoredFrame>> rebuilt(StoredFrame frame, const std::shared_ptr<AVPacket>& packet);
  void pass_over(const PicturePacket& picture);
  Failure damaged(int64_t number, const std::string& reason) const;

  InputPtr input_;
  AVStream* track_ = nullptr;  // of input_: the only track of the picture, or the first of three
  ClipInfo info_;
  std::vector<PictureTrack> parts_;  // the part of each track in the picture
  std::optional<PicturePackets> packets_;
  mutable Workers workers_;            // they share the chunks or tiles of a frame
  std::optional<CompactChain> chain_;  // none: not a coded stream
  std::vector<MemoryRange> wanted_;    // want_only()
  bool only_looks_ = false;
  PicturePacket waiting_;  // read while seeking: next_stored() returns it next
  PicturePacket ahead_;    // the one after that
  int64_t number_ = 0;     // of the next frame
};

MuxedClip::MuxedClip(const std::string& path) {
  int code = 0;
  input_ = open_clip_input(path, code);
  if (!input_) throw Error(ErrorKind::input, fmt::format("cannot open '{}': {}", path, av_reason(code)));
  const std::vector<int> tracks = texture_tracks(*input_);
  for (unsigned i = 0; i < input_->nb_streams && tracks.empty(); ++i)
    if (const auto why = why_not_compact(*input_->streams[i]->codecpar))
      throw Error(ErrorKind::input, fmt::format("'{}' holds a coded stream that cannot be read: {}", path, *why));
  if (tracks.empty())
    throw Error(ErrorKind::input, fmt::format("'{}' holds {}; supported in texture recordings are {}", path,
                                              video_tracks_text(*input_), list_texture_fourccs()));
  for (unsigned i = 0; i < input_->nb_streams; ++i)
    if (std::ranges::count(tracks, static_cast<int>(i)) == 0) input_->streams[i]->discard = AVDISCARD_ALL;
  std::vector<const AVStream*> streams;
  for (const int track : tracks) streams.push_back(input_->streams[track]);
  packets_.emplace(*input_, streams);
  track_ = input_->streams[tracks.front()];
  info_ = describe_clip(*input_, *track_, path);
  parts_ = picture_tracks(info_.texture, info_.coding);
  if (info_.coding == FileCoding::compact) chain_.emplace(info_.texture, workers_);
}

nanoseconds MuxedClip::time_of(const AVPacket& packet) const {
  const int64_t stamp = stamp_of(packet);
  return stamp == AV_NOPTS_VALUE ? nanoseconds(0) : time_from(stamp - start());
}

Failure MuxedClip::damaged(int64_t number, const std::string& reason) const {
  return {fmt::format("{}: frame {} is damaged: {}", info_.path, number, reason)};
}

Result<std::optional<StoredFrame>> MuxedClip::next_stored() {
  PicturePacket picture = std::exchange(waiting_, std::exchange(ahead_, {}));
  if (!picture[0]) {
    const Read read = packets_->read(picture);
    if (read == Read::end) return std::optional<StoredFrame>();
    if (read == Read::damaged) return damaged(number_++, packets_->error());
  }
  StoredFrame frame{.pts = time_of(*picture[0]), .duration = time_from(picture[0]->duration), .number = number_++};
  if (chain_) return rebuilt(std::move(frame), picture[0]);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const AVPacket& packet = *picture[i];
    frame.stored_bytes += packet.size;
    frame.parts[i] = {packet_bytes(packet), picture[i]};
  }
  return std::optional(std::move(frame));
}

// Runs on the reading thread, as each frame depends on the previous one; the workers share its tiles.
Result<std::optional<StoredFrame>> MuxedClip::rebuilt(StoredFrame frame, const std::shared_ptr<AVPacket>& packet) {
  const Bytes bytes = packet_bytes(*packet);
  frame.stored_bytes = packet->size;
  if (only_looks_) {
    const auto head = container::check_compact_frame(bytes);
    if (!head) return damaged(frame.number, head.error().message);
    frame.parts[0] = {bytes, packet};
    return std::optional(std::move(frame));
  }
  CompactChain::Frame now = chain_->follow(bytes);
  if (!now.blocks) return damaged(frame.number, now.damage);
  frame.parts[0] = {{now.blocks.get(), chain_->texture_bytes()}, now.blocks};
  frame.damage = std::move(now.damage);
  return std::optional(std::move(frame));
}

void MuxedClip::pass_over(const PicturePacket& picture) {
  if (chain_ && picture[0] && !only_looks_) chain_->follow(packet_bytes(*picture[0]));
}

namespace {

Result<void> copy_exactly(Bytes bytes, MutableBytes out) {
  if (bytes.size() != out.size())
    return Failure{fmt::format("it has {} bytes, but its size needs {}", bytes.size(), out.size())};
  std::ranges::copy(bytes, out.begin());
  return {};
}

// The ranges of the whole texture inside of a track's part, which begins at `offset`; relative to that.
std::vector<MemoryRange> wanted_within(const std::vector<MemoryRange>& wanted, size_t offset, size_t bytes) {
  std::vector<MemoryRange> inside;
  for (const MemoryRange& range : wanted) {
    const size_t begin = std::max(range.begin, offset), end = std::min(range.end, offset + bytes);
    if (begin < end) inside.push_back({begin - offset, end - offset});
  }
  return inside;
}

}  // namespace

Result<void> MuxedClip::unpack(const StoredFrame& stored, MutableBytes blocks) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const PictureTrack& part = parts_[i];
    const MutableBytes out = blocks.subspan(part.offset, part.bytes);
    const std::vector<MemoryRange> wanted = wanted_within(wanted_, part.offset, part.bytes);
    if (wanted.empty() && !wanted_.empty()) continue;
    const auto unpacked = part.images ? container::read_hap_frame(stored.parts[i].bytes, *part.images, out,
                                                                  {.workers = &workers_, .wanted = wanted})
                                      : copy_exactly(stored.parts[i].bytes, out);
    if (!unpacked)
      return damaged(stored.number, (part.name.empty() ? "" : part.name + ": ") + unpacked.error().message);
  }
  if (!stored.damage.empty()) return damaged(stored.number, stored.damage);
  return {};
}

// Whether entry i of the demuxer's index is frame i. Matroska's index may skip frames without notice.
bool MuxedClip::index_is_whole() const {
  return !chain_ && track_->nb_frames > 0 && avformat_index_get_entries_count(track_) == track_->nb_frames;
}

int64_t MuxedClip::number_of(const AVPacket& packet) const {
  if (index_is_whole()) {
    const int64_t stamp = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    return std::max(0, av_index_search_timestamp(track_, stamp, AVSEEK_FLAG_BACKWARD));
  }
  return std::llround(static_cast<double>(time_of(packet).count()) * 1e-9 * info_.fps);
}

// The demuxer's index leads to a key frame at or before `pts`. From there frames are read up to the first that is later
// than `pts`. Its predecessor is the target, and both are kept for next_stored().
void MuxedClip::seek(nanoseconds pts) {
  const int64_t target =
      start() + av_rescale_q_rnd(std::max<int64_t>(0, pts.count()), kNanoseconds, track_->time_base, AV_ROUND_DOWN);
  if (av_seek_frame(input_.get(), track_->index, target, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(input_.get(), track_->index, start(), AVSEEK_FLAG_BACKWARD);
  take_last_av_line();
  restart();
  for (bool is_first = true;; is_first = false) {
    const Read read = packets_->read(ahead_);
    if (read == Read::end) break;
    if (read == Read::damaged) continue;
    if (chain_ && is_first &&
        (ahead_[0]->flags & AV_PKT_FLAG_KEY) == 0) {  // the index is wrong: start at the beginning
      av_seek_frame(input_.get(), track_->index, start(), AVSEEK_FLAG_BACKWARD);
      restart();
      continue;
    }
    const bool is_later = time_of(*ahead_[0]) > pts;
    if (is_later && waiting_[0]) break;
    pass_over(waiting_);
    waiting_ = std::exchange(ahead_, {});
    if (is_later) break;  // `pts` is before the first frame, which is taken
  }
  number_ = waiting_[0] ? number_of(*waiting_[0]) : 0;
}

void MuxedClip::restart() {
  packets_->restart();
  waiting_ = ahead_ = {};
  if (chain_) chain_->restart();
}

void MuxedClip::seek_to_frame(int64_t number) {
  if (!index_is_whole()) {
    // The middle of the frame, where rounding does not matter.
    const double frames = static_cast<double>(std::max<int64_t>(0, number)) + 0.5;
    const double seconds = info_.fps > 0 ? frames / info_.fps : 0;
    return seek(seconds < 1e8 ? nanoseconds(std::llround(seconds * 1e9)) : nanoseconds::max() / 2);
  }
  const int last = avformat_index_get_entries_count(track_) - 1;
  const auto entry = static_cast<int>(std::clamp<int64_t>(number, 0, last));
  av_seek_frame(input_.get(), track_->index, avformat_index_get_entry(track_, entry)->timestamp, AVSEEK_FLAG_BACKWARD);
  take_last_av_line();
  restart();
  number_ = entry;
}

}  // namespace

std::unique_ptr<ClipReader> open_muxed_clip(const std::string& path) { return std::make_unique<MuxedClip>(path); }

}  // namespace texcast::media
