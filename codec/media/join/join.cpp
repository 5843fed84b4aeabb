#include "media/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "media/files.h"
#include "media/muxed_output.h"
#include "media/output_claim.h"
#include "media/recorded_part.h"
#include "media/recording_state.h"
#include "media/texture_codecs.h"
#include "media/track_copy.h"
#include "same_tracks.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

struct OpenPart {
  std::string path;
  InputPtr input;
  RecordedPart part;
};

RecordedPart part_of(const std::string& path, const AVFormatContext& input) {
  const auto part = part_of_text(metadata_of(input.metadata, kPartKey));
  if (!part)
    throw Error(ErrorKind::input,
                fmt::format("'{}' is no part of a recording: `texcast encode --part K/N` writes those", path));
  return *part;
}

OpenPart open_part(const std::string& path) {
  if (recording_state(path) == RecordingState::cut_off)
    throw Error(ErrorKind::corrupt,
                fmt::format("'{}' was not closed, so frames are missing at its end: encode this part again", path));
  int code = 0;
  InputPtr input = open_clip_input(path, code, EditLists::as_offset);
  if (input) code = avformat_find_stream_info(input.get(), nullptr);
  take_last_av_line();
  if (!input || code < 0) throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", path, av_reason(code)));
  const RecordedPart part = part_of(path, *input);
  return {.path = path, .input = std::move(input), .part = part};
}

void check_successor(const OpenPart& one, const OpenPart& next) {
  const RecordedPart &a = one.part, &b = next.part;
  if (a.count != b.count)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is one of {} parts, and '{}' one of {}: join those of one recording", one.path,
                            a.count, next.path, b.count));
  if (a.identity != b.identity)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' and '{}' are parts of different recordings: their inputs, options or versions of "
                            "texcast differ; encode one of them again as the other",
                            one.path, next.path));
  if (a.number == b.number)
    throw Error(ErrorKind::usage, fmt::format("'{}' and '{}' are both part {} of {}: leave out one", one.path,
                                              next.path, a.number, a.count));
  if (b.number != a.number + 1)
    throw Error(ErrorKind::usage, fmt::format("part {} of {} is missing", a.number + 1, a.count));
  if (a.end != b.begin)
    throw Error(ErrorKind::usage, fmt::format("'{}' does not begin where '{}' ends: they are of different recordings",
                                              next.path, one.path));
  if (!same_tracks(*one.input, *next.input))
    throw Error(ErrorKind::usage, fmt::format("'{}' and '{}' were encoded with different options, or from different "
                                              "inputs: encode both again",
                                              one.path, next.path));
}

std::vector<OpenPart> open_parts(const std::vector<std::string>& paths) {
  std::vector<OpenPart> parts;
  for (const std::string& path : paths) parts.push_back(open_part(path));
  std::ranges::stable_sort(parts, {}, [](const OpenPart& one) { return one.part.number; });
  if (parts.front().part.number != 1)
    throw Error(ErrorKind::usage, fmt::format("part 1 of {} is missing", parts.front().part.count));
  for (size_t i = 1; i < parts.size(); ++i) check_successor(parts[i - 1], parts[i]);
  if (const RecordedPart& last = parts.back().part; last.number != last.count)
    throw Error(ErrorKind::usage, fmt::format("part {} of {} is missing", last.number + 1, last.count));
  return parts;
}

const char* muxer_for(const JoinSettings& settings) {
  const char* muxer = muxer_of(settings.output);
  if (muxer == nullptr)
    throw Error(ErrorKind::usage, fmt::format("'{}': parts are joined to .mov or .mkv", settings.output));
  for (const std::string& part : settings.parts) {
    const char* its = muxer_of(part);
    if (its == nullptr || std::strcmp(its, muxer) != 0)
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' has another extension than '{}': give the output that of the parts", part,
                              settings.output));
    std::error_code ignored;
    if (std::filesystem::equivalent(part, settings.output, ignored))
      throw Error(ErrorKind::usage, fmt::format("'{}' is one of the parts; choose another output", settings.output));
  }
  return muxer;
}

// Copies the packets of parts, one part after the other. FFmpeg's demuxer returns the last packet of a track of a .mov
// too short by the time of the first one, or too long if that is negative.
class Joiner {
 public:
  Joiner(const AVFormatContext& first, MuxedOutput& output, const std::atomic<bool>* stop, JoinReport& report)
      : output_(output), is_mov_(std::string_view(muxer_of(output.path())) == "mov"), stop_(stop), report_(report) {
    for (unsigned i = 0; i < first.nb_streams; ++i) {
      tracks_.push_back(copy_track(first, *first.streams[i], output));
      const AVCodecParameters& p = *first.streams[i]->codecpar;
      if (!picture_ && tracks_.back() && p.codec_type == AVMEDIA_TYPE_VIDEO) picture_ = static_cast<int>(i);
    }
  }

  void add(OpenPart& part) {
    std::vector<std::optional<int64_t>> first(part.input->nb_streams);  // its time
    std::vector<PacketPtr> last(part.input->nb_streams);                // of each track, which is not copied yet
    PacketPtr packet = make_packet();
    for (; av_read_frame(part.input.get(), packet.get()) >= 0;) {
      if (stop_ != nullptr && stop_->load()) throw Error(ErrorKind::failed, "joining was stopped before its end");
      const auto index = static_cast<size_t>(packet->stream_index);
      if (index >= first.size()) continue;
      if (!first[index]) first[index] = packet->pts;
      if (last[index]) copy(*last[index], part);
      last[index] = std::exchange(packet, make_packet());
    }
    take_last_av_line();
    for (size_t index = 0; index < last.size(); ++index) {
      if (!last[index]) continue;
      if (is_mov_) last[index]->duration += *first[index];
      copy(*last[index], part);
    }
    ++report_.parts;
  }

 private:
  void copy(const AVPacket& packet, const OpenPart& part) {
    const auto index = static_cast<size_t>(packet.stream_index);
    if (index >= tracks_.size() || !tracks_[index]) return;
    const AVRational time_base = part.input->streams[index]->time_base;
    TrackPacket copy = track_packet(packet, *tracks_[index], time_base);
    // Coded sound before the part's time 0 is also at the end of the previous part.
    if (copy.pts < 0 && part.part.number > 1) return;
    copy.pts += av_rescale_q(part.part.begin.count(), kNanoseconds, time_base);
    output_.write(copy);
    if (packet.stream_index != picture_) return;
    ++report_.frames;
    report_.duration = nanoseconds(av_rescale_q(copy.pts + copy.duration, time_base, kNanoseconds));
  }

  MuxedOutput& output_;
  const bool is_mov_;
  const std::atomic<bool>* stop_;
  JoinReport& report_;
  std::vector<std::optional<int>> tracks_;  // their numbers in the output; nothing: left out
  std::optional<int> picture_{};            // the first track of it
};

}  // namespace

JoinReport join_parts(const JoinSettings& settings) {
  const char* muxer = muxer_for(settings);
  std::vector<OpenPart> parts = open_parts(settings.parts);
  const auto claim = OutputClaim::take(settings.output, settings.if_exists);
  JoinReport report{.output = claim->path()};
  MuxedOutput output(claim, muxer);
  try {
    Joiner joiner(*parts.front().input, output, settings.stop, report);
    output.begin();
    for (OpenPart& part : parts) {
      joiner.add(part);
      part.input.reset();
    }
    report.bytes = output.finish();
  } catch (...) {
    discard_recording(claim->path());
    throw;
  }
  return report;
}

}  // namespace texcast::media
