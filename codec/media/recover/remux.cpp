#include "remux.h"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <vector>

#include "base/error.h"
#include "container/hap_frame.h"
#include "media/ffmpeg.h"
#include "media/journal_read.h"
#include "media/texture_codecs.h"

namespace texcast::media {
namespace {

struct CopiedTrack {
  int number = -1;  // in the output; -1: left out
  bool is_texture = false;
  std::optional<container::HapImages> images{};  // of a texture track; none: frames are their bytes
  std::vector<std::byte> blocks{};               // what its frames decompress to
};

CopiedTrack copy_track(const AVStream& stream, MuxedOutput& output) {
  const AVCodecParameters& p = *stream.codecpar;
  const auto codec = p.codec_type == AVMEDIA_TYPE_VIDEO ? codec_of_track(p) : std::nullopt;
  if (!codec && p.codec_type != AVMEDIA_TYPE_AUDIO) return {};
  CopiedTrack track;
  const auto said = [&](const char* key) -> std::string {
    const AVDictionaryEntry* entry = av_dict_get(stream.metadata, key, nullptr, 0);
    return entry ? entry->value : "";
  };
  const std::string language = said("language"), name = said("handler_name");
  if (!codec) {
    track.number = output.add_track(p, stream.time_base, {0, 1}, language, name);
    return track;
  }
  if (p.width < 1 || p.height < 1 || p.width > kMaxFrameSize || p.height > kMaxFrameSize) return {};
  AVCodecParameters plain = p;  // the sample description that Matroska keeps is written anew
  plain.extradata = nullptr;
  plain.extradata_size = 0;
  track.number = output.add_track(plain, stream.time_base, stream.avg_frame_rate, language, name);
  const TextureDesc texture{.format = codec->format, .width = p.width, .height = p.height};
  track.is_texture = true;
  if (codec->codec == AV_CODEC_ID_HAP) track.images = container::hap_images(texture);
  track.blocks.resize(texture_layout(texture).total_bytes);
  return track;
}

bool is_whole(const AVPacket& packet, CopiedTrack& track) {
  if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0 || packet.size <= 0) return false;
  if (!track.is_texture) return true;
  if (!track.images) return static_cast<size_t>(packet.size) == track.blocks.size();
  const Bytes bytes = std::as_bytes(std::span(packet.data, static_cast<size_t>(packet.size)));
  return container::read_hap_frame(bytes, *track.images, track.blocks).has_value();
}

std::map<int64_t, uint32_t> marks_of(const std::string& recording) {
  std::map<int64_t, uint32_t> marks;
  const auto journal = journal_of(recording);
  if (!journal || !*journal) return marks;
  for (const auto& record : (*journal)->records)
    if (record.kind == container::JournalRecord::Kind::concealed)
      marks[static_cast<int64_t>(record.offset)] = record.size;
  return marks;
}

}  // namespace

void remux(const std::string& recording, MuxedOutput& output, RecoveryReport& report) {
  set_up_ffmpeg();
  take_last_av_line();
  AVFormatContext* raw = nullptr;
  const int code = avformat_open_input(&raw, ("file:" + recording).c_str(), nullptr, nullptr);
  const InputPtr input(raw);
  if (code < 0) throw Error(ErrorKind::input, fmt::format("cannot recover '{}': {}", recording, why(code)));
  std::vector<CopiedTrack> tracks;
  int video = -1;
  for (unsigned i = 0; i < input->nb_streams; ++i) {
    tracks.push_back(copy_track(*input->streams[i], output));
    if (video < 0 && tracks.back().is_texture) video = static_cast<int>(i);
  }
  if (video < 0)
    throw Error(ErrorKind::corrupt, fmt::format("cannot recover '{}': no texture track is found in it", recording));
  output.begin();

  const auto marks = marks_of(recording);
  const PacketPtr packet = make_packet();
  int64_t number = 0;
  while (av_read_frame(input.get(), packet.get()) >= 0) {
    CopiedTrack& track = tracks.at(static_cast<size_t>(packet->stream_index));
    const bool is_frame = packet->stream_index == video;
    const auto mark = is_frame ? marks.find(number++) : marks.end();
    if (track.number >= 0 && is_whole(*packet, track)) {
      const AVRational tick = input->streams[packet->stream_index]->time_base;
      const int64_t pts = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
      output.write({.track = track.number,
                    .bytes = std::as_bytes(std::span(packet->data, static_cast<size_t>(packet->size))),
                    .pts = pts,
                    .duration = packet->duration,
                    .time_base = tick});
      ++report.packets;
      if (is_frame) {
        if (mark != marks.end()) output.mark_concealed(report.frames, mark->second);
        ++report.frames;
        report.duration = nanoseconds(av_rescale_q(pts + packet->duration, tick, kNanoseconds));
      }
    } else if (track.number >= 0) {
      ++report.damaged;
    }
    av_packet_unref(packet.get());
  }
  take_last_av_line();
}

}  // namespace texcast::media
