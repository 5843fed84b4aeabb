#include "media/clip_track.h"

#include <fmt/core.h>

#include <string_view>

#include "media/ffmpeg.h"
#include "media/picture_tracks.h"
#include "media/texture_codecs.h"

namespace texcast::media {

InputPtr open_clip_input(const std::string& path, int& code, EditLists edits) {
  set_up_ffmpeg();
  take_last_av_line();
  AVFormatContext* raw = nullptr;
  Options options;
  if (edits == EditLists::as_offset) options.set("advanced_editlist", "0");
  code = avformat_open_input(&raw, ("file:" + path).c_str(), nullptr, options.out());
  return InputPtr(raw);
}

AVStream* picture_of(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    AVStream* stream = input.streams[i];
    const bool is_cover = (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    if (stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_cover) return stream;
  }
  return nullptr;
}

const AVStream& seek_guide(const AVFormatContext& input, const AVStream& sound) {
  const std::string_view demuxer = input.iformat->name;
  // A .mov has an index of every track. In transport streams FFmpeg looks at the packets themselves, and not at those
  // of tracks that are left out (AVDISCARD_ALL).
  if (demuxer.starts_with("mov") || demuxer == "mpegts") return sound;
  // Matroska has an index of the picture's track only, and playlists begin at its key frames.
  const AVStream* const picture = picture_of(input);
  return picture != nullptr ? *picture : sound;
}

std::vector<int> texture_tracks(const AVFormatContext& input) {
  if (const auto planes = find_plane_tracks(input)) return {planes->streams.begin(), planes->streams.end()};
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& p = *input.streams[i]->codecpar;
    if (p.codec_type == AVMEDIA_TYPE_VIDEO && codec_of_track(p)) return {static_cast<int>(i)};
  }
  return {};
}

bool is_muxed_clip(const std::string& path) {
  int code = 0;
  const InputPtr input = open_clip_input(path, code);
  return input && !texture_tracks(*input).empty();
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

}  // namespace texcast::media
