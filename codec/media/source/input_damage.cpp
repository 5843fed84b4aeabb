#include "input_damage.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <istream>
#include <string_view>
#include <vector>

#include "base/bytes.h"

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

// .avi counts in frames, and its header has their number, which a writer into a pipe does not know.
int64_t behind_count(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read) {
  if (input.pb == nullptr || input.pb->seekable == 0) return 0;
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

// A number of EBML: the zeros before its first 1 bit give the number of bytes that follow. Nothing if it is truncated,
// or if its value means that the length is not known.
std::optional<uint64_t> ebml_length(std::istream& file) {
  const int first = file.get();
  if (first <= 0) return std::nullopt;
  int more = 0;
  while ((first << more & 0x80) == 0) ++more;
  const uint64_t mask = 0x7FU >> more;
  uint64_t value = static_cast<uint64_t>(first) & mask;
  bool is_unknown = value == mask;
  for (int i = 0; i < more; ++i) {
    const int byte = file.get();
    if (byte < 0) return std::nullopt;
    value = value << 8 | static_cast<uint64_t>(byte);
    is_unknown = is_unknown && byte == 0xFF;
  }
  return is_unknown ? std::nullopt : std::optional(value);
}

// Whether a .mkv ends before the length of its Segment, which is everything after a header.
bool segment_breaks_off(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto next_is = [&](uint32_t wanted) {
    std::array<std::byte, 4> id{};
    file.read(reinterpret_cast<char*>(id.data()), id.size());
    return file && load_be32(id, 0) == wanted;
  };
  constexpr uint32_t kEbml = 0x1A45DFA3, kSegment = 0x18538067;
  constexpr uint64_t kLongestHeader = 4096;
  if (!next_is(kEbml)) return false;
  const auto header = ebml_length(file);
  if (!header || *header > kLongestHeader) return false;
  file.seekg(static_cast<std::streamoff>(*header), std::ios::cur);
  if (!next_is(kSegment)) return false;
  const auto length = ebml_length(file);
  const auto begin = static_cast<uint64_t>(file.tellg());
  file.seekg(0, std::ios::end);
  return length && *length > static_cast<uint64_t>(file.tellg()) - begin;
}

// .mkv stores its length as a time. It is used if the file is shorter than that; else the sound may be longer than the
// picture.
int64_t behind_duration(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read,
                        const std::string& path) {
  if (!segment_breaks_off(path)) return 0;
  const AVRational rate =
      av_guess_frame_rate(const_cast<AVFormatContext*>(&input), const_cast<AVStream*>(&track), nullptr);
  const double whole = tagged_seconds(track).value_or(static_cast<double>(input.duration) / AV_TIME_BASE);
  if (rate.num <= 0 || rate.den <= 0 || whole <= 0) return 1;
  const double end = static_cast<double>(read.end.value_or(0)) * av_q2d(track.time_base);
  return std::max<int64_t>(1, std::llround((whole - end) * av_q2d(rate)));
}

// The offsets at which the appended files begin in a file of atoms: each atom "ftyp" but the first.
std::vector<uint64_t> joints_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint64_t> joints;
  bool had_movie = false;
  std::array<std::byte, 16> head{};
  for (uint64_t place = 0;;) {
    file.seekg(static_cast<std::streamoff>(place));
    file.read(reinterpret_cast<char*>(head.data()), head.size());
    if (file.gcount() < 8) return joints;
    uint64_t size = load_be32(head, 0);
    const bool is_long = size == 1 && file.gcount() == static_cast<std::streamsize>(head.size());
    if (is_long) size = load_be64(head, 8);
    const uint32_t type = load_be32(head, 4);
    if (type == MKBETAG('f', 't', 'y', 'p') && had_movie) {
      joints.push_back(place);
      had_movie = false;
    }
    had_movie = had_movie || type == MKBETAG('m', 'o', 'o', 'v');
    if (size < 8 || size > uint64_t{INT64_MAX} - place) return joints;  // 0: up to the end
    place += size;
  }
}

int64_t frames_from(const std::string& path, uint64_t begin) {
  AVFormatContext* raw = nullptr;
  const int code =
      avformat_open_input(&raw, fmt::format("subfile,,start,{},end,0,,:{}", begin, path).c_str(), nullptr, nullptr);
  const InputPtr input(raw);
  if (code < 0) return 1;
  const int video = av_find_best_stream(input.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  return video < 0 ? 1 : std::max<int64_t>(1, input->streams[video]->nb_frames);
}

}  // namespace

int64_t frames_in_joined_files(const AVFormatContext& input, const std::string& path) {
  if (!is_demuxer(input, "mov")) return 0;
  int64_t frames = 0;
  for (const uint64_t begin : joints_of(path)) frames += frames_from(path, begin);
  return frames;
}

bool ends_inside_packet(const AVFormatContext& input) {
  int64_t packet = 0;
  if (!is_demuxer(input, "mpegts") || av_opt_get_int(input.priv_data, "ts_packetsize", 0, &packet) < 0) return false;
  const int64_t size = input.pb != nullptr ? avio_size(input.pb) : 0;
  return packet > 0 && size > 0 && size % packet != 0;
}

void ReadSoFar::add(const AVPacket& packet) {
  const int64_t shown = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (packet.dts != AV_NOPTS_VALUE) last_dts = std::max(last_dts.value_or(packet.dts), packet.dts);
  if (shown != AV_NOPTS_VALUE) end = std::max(end.value_or(shown + packet.duration), shown + packet.duration);
}

int64_t frames_behind_end(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read,
                          const std::string& path) {
  if (is_demuxer(input, "mov")) return behind_index(track, read);
  if (is_demuxer(input, "avi")) return behind_count(input, track, read);
  if (is_demuxer(input, "matroska")) return behind_duration(input, track, read, path);
  return 0;
}

bool is_cut_short(const AVFormatContext& input, const AVPacket& packet) {
  if ((packet.flags & AV_PKT_FLAG_CORRUPT) == 0) return false;
  return is_demuxer(input, "mov") || is_demuxer(input, "matroska") || is_demuxer(input, "avi") ||
         is_demuxer(input, "flv");
}

}  // namespace texcast::media
