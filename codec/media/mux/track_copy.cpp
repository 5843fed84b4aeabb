#include "media/track_copy.h"

#include <span>
#include <string>
#include <string_view>

#include "media/clip_track.h"
#include "media/texture_codecs.h"

namespace texcast::media {
namespace {

bool is_possible(const AVCodecParameters& p) {
  return p.width >= 1 && p.height >= 1 && p.width <= kMaxFrameSize && p.height <= kMaxFrameSize;
}

}  // namespace

std::optional<int> copy_track(const AVFormatContext& input, const AVStream& stream, MuxedOutput& output) {
  const AVCodecParameters& p = *stream.codecpar;
  const auto codec = p.codec_type == AVMEDIA_TYPE_VIDEO ? codec_of_track(p) : std::nullopt;
  if (!codec && p.codec_type != AVMEDIA_TYPE_AUDIO) return std::nullopt;
  const std::string language = metadata_of(stream.metadata, "language"),
                    name = metadata_of(stream.metadata, "handler_name");
  if (!codec) return output.add_track(p, stream.time_base, {0, 1}, language, name);
  if (!is_possible(p)) return std::nullopt;
  AVCodecParameters plain = p;
  if (codec->coding == FileCoding::plain) {  // without the sample description of Matroska: the muxer writes a new one
    plain.extradata = nullptr;
    plain.extradata_size = 0;
  }
  plain.sample_aspect_ratio =
      av_guess_sample_aspect_ratio(const_cast<AVFormatContext*>(&input), const_cast<AVStream*>(&stream), nullptr);
  if (metadata_of(input.metadata, kRangeKey) == "limited") plain.color_range = AVCOL_RANGE_MPEG;
  return output.add_track(plain, stream.time_base, stream.avg_frame_rate, language, name);
}

TrackPacket track_packet(const AVPacket& packet, int track, AVRational time_base) {
  return {.track = track,
          .bytes = std::as_bytes(std::span(packet.data, static_cast<size_t>(packet.size))),
          .pts = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts,
          .duration = packet.duration,
          .time_base = time_base,
          .is_key = (packet.flags & AV_PKT_FLAG_KEY) != 0};
}

}  // namespace texcast::media
