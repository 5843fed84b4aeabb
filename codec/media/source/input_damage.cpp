#include "input_damage.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace texcast::media {
namespace {

bool is_demuxer(const AVFormatContext& input, std::string_view name) {
  return std::string_view(input.iformat->name).starts_with(name);
}

// .mov and .mp4 have an index of all packets before the first is read, or with each fragment.
int64_t behind_index(const AVStream& track, const ReadSoFar& read) {
  auto& stream = const_cast<AVStream&>(track);
  int64_t missing = 0;
  for (int i = avformat_index_get_entries_count(&stream) - 1; i >= 0; --i) {
    const AVIndexEntry& entry = *avformat_index_get_entry(&stream, i);
    if (read.last_dts && entry.timestamp <= *read.last_dts) break;
    if ((entry.flags & AVINDEX_DISCARD_FRAME) == 0) ++missing;
  }
  return missing;
}

// .avi counts in frames, and its header says how many.
int64_t behind_count(const AVStream& track, const ReadSoFar& read) {
  return read.end ? std::max<int64_t>(0, track.nb_frames - *read.end) : track.nb_frames;
}

// The track's own length, which FFmpeg and mkvmerge write as a tag: "00:00:10.040000000".
std::optional<double> tagged_seconds(const AVStream& track) {
  const AVDictionaryEntry* entry = av_dict_get(track.metadata, "DURATION", nullptr, 0);
  int hours = 0, minutes = 0;
  double seconds = 0;
  if (entry == nullptr || std::sscanf(entry->value, "%d:%d:%lf", &hours, &minutes, &seconds) != 3) return std::nullopt;
  return hours * 3600.0 + minutes * 60.0 + seconds;
}

// .mkv says how long it is as a time. That counts where the file is shorter than it says: else the sound may be longer
// than the picture.
int64_t behind_duration(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read,
                        const std::string& said) {
  if (said.find("ended prematurely") == std::string::npos) return 0;
  const AVRational rate =
      av_guess_frame_rate(const_cast<AVFormatContext*>(&input), const_cast<AVStream*>(&track), nullptr);
  const double whole = tagged_seconds(track).value_or(static_cast<double>(input.duration) / AV_TIME_BASE);
  if (rate.num <= 0 || rate.den <= 0 || whole <= 0) return 1;
  const double end = static_cast<double>(read.end.value_or(0)) * av_q2d(track.time_base);
  return std::max<int64_t>(1, std::llround((whole - end) * av_q2d(rate)));
}

}  // namespace

void ReadSoFar::add(const AVPacket& packet) {
  const int64_t shown = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (packet.dts != AV_NOPTS_VALUE) last_dts = std::max(last_dts.value_or(packet.dts), packet.dts);
  if (shown != AV_NOPTS_VALUE) end = std::max(end.value_or(shown + packet.duration), shown + packet.duration);
}

int64_t frames_behind_end(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read,
                          const std::string& said) {
  if (is_demuxer(input, "mov")) return behind_index(track, read);
  if (is_demuxer(input, "avi")) return behind_count(track, read);
  if (is_demuxer(input, "matroska")) return behind_duration(input, track, read, said);
  return 0;
}

bool is_cut_short(const AVFormatContext& input, const AVPacket& packet) {
  if ((packet.flags & AV_PKT_FLAG_CORRUPT) == 0) return false;
  return is_demuxer(input, "mov") || is_demuxer(input, "matroska") || is_demuxer(input, "avi") ||
         is_demuxer(input, "flv");
}

}  // namespace texcast::media
