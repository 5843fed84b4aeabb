#include "clip_track.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

#include "av_error.h"
#include "base/error.h"
#include "container/hap_frame.h"
#include "picture_tracks.h"
#include "texcast/frame.h"
#include "texture_codecs.h"

namespace texcast::media {
namespace {

// Y'CbCr is limited range, but where a key of ours or the track says otherwise.
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

}  // namespace

InputPtr open_clip_input(const std::string& path, int& code) {
  set_up_ffmpeg();
  take_last_av_line();
  AVFormatContext* raw = nullptr;
  code = avformat_open_input(&raw, ("file:" + path).c_str(), nullptr, nullptr);
  return InputPtr(raw);
}

std::vector<int> texture_tracks(const AVFormatContext& input) {
  if (const auto planes = find_plane_tracks(input)) return {planes->streams.begin(), planes->streams.end()};
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& p = *input.streams[i]->codecpar;
    if (p.codec_type == AVMEDIA_TYPE_VIDEO && codec_of_track(p)) return {static_cast<int>(i)};
  }
  return {};
}

std::string video_tracks_text(const AVFormatContext& input) {
  std::string list;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& p = *input.streams[i]->codecpar;
    if (p.codec_type != AVMEDIA_TYPE_VIDEO) continue;
    const char* codec = avcodec_get_name(p.codec_id);
    list += (list.empty() ? "" : ", ") + fmt::format("{} ({})", codec, fourcc_text(p.codec_tag));
  }
  return list.empty() ? "no video" : list;
}

ClipInfo describe_clip(AVFormatContext& input, AVStream& track, const std::string& path) {
  const AVCodecParameters& p = *track.codecpar;
  if (p.width < 1 || p.height < 1 || p.width > kMaxFrameSize || p.height > kMaxFrameSize)
    throw Error(ErrorKind::corrupt, fmt::format("'{}' says its frames are {}x{}", path, p.width, p.height));
  const auto planes = find_plane_tracks(input);
  const TextureFormat format = planes ? planes->format : codec_of_track(p)->format;
  const std::string_view demuxer = input.iformat->name;
  ClipInfo info{.path = path,
                .container = demuxer.starts_with("mov") ? "mov" : std::string(demuxer.substr(0, demuxer.find(','))),
                .codec_name = planes ? "Hap Alpha-Only, a track a plane" : codec_of(format).name,
                .fourcc = fourcc_text(p.codec_tag),
                .texture = {.format = format, .width = p.width, .height = p.height, .color = color_of_track(p)},
                .duration = {},
                .frame_count = {}};
  info.texture.color.range = range_of_track(input, p, format);
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
  // Whoever reads makes room for a frame: not for one that the whole file could not hold.
  if (container::most_hap_blocks(bytes) < texture_layout(info.texture).total_bytes)
    throw Error(ErrorKind::corrupt, fmt::format("'{}' says its frames are {}x{}, more than its {} bytes can hold", path,
                                                p.width, p.height, bytes));
  return info;
}

}  // namespace texcast::media
