#include "stream/stream_report.h"

#include <fmt/core.h>

#include "base/error.h"
#include "stream/slate_text.h"
#include "stream/source_url.h"
#include "stream/stream_format.h"
#include "text/figures.h"
#include "text/json_text.h"

namespace texcast::stream {

using stream::RecordingReport;
using stream::StreamStatus;

void add_network(stream::StatsLine& line, const StreamStatus& s, const stream::Counts& dropped) {
  const auto append = [](stream::Counts& to, const stream::Counts& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(line.frames, frame_counts(s));
  append(line.dropped, dropped);
  append(line.packets, packet_counts(s));
  line.payload_bytes = s.counters.bytes;
}

void add_network(Json& json, const StreamStatus& s, const stream::Counts& dropped, double seconds) {
  stream::StatsLine line;
  add_network(line, s, dropped);
  for (const auto& [name, value] : line.frames) json["frames_" + name] = value;
  for (const auto& [name, value] : line.dropped) json["frames_" + name] = value;
  for (const auto& [name, value] : line.packets) json["packets"][name] = value;
  json["bytes"] = s.counters.bytes;
  json["bits_per_s"] = seconds > 0 ? static_cast<double>(s.counters.bytes) * 8 / seconds : 0;
  if (!s.stream) return;
  json["width"] = s.stream->width;
  json["height"] = s.stream->height;
  json["fps_nominal"] = s.stream->fps;
  if (const auto texture = stream::texture_of(*s.stream)) json["format"] = name(texture->format);
}

void add_recording(Json& json, const RecordingReport& recording) {
  if (recording.files.empty()) return;
  json["recording"] =
      Json::object({{"files", recording.files}, {"frames", recording.frames}, {"bytes", recording.bytes}});
}

void print_network(const StreamStatus& s, const stream::Counts& dropped, double seconds) {
  const auto& c = s.counters;
  if (s.stream) {
    const auto texture = stream::texture_of(*s.stream);
    print_row("stream", fmt::format("{}x{} {}, {:.4g} frames a second, {}", s.stream->width, s.stream->height,
                                    texture ? name(texture->format) : "?", s.stream->fps,
                                    seconds > 0 ? megabits(static_cast<double>(c.bytes) * 8 / seconds)
                                                : file_size(static_cast<int64_t>(c.bytes))));
  }
  constexpr size_t kAlways = 2;
  print_row("frames", words(frame_counts(s), kAlways));
  print_row("packets", words(packet_counts(s), kAlways));
  if (const std::string causes = words(dropped); !causes.empty()) print_row("dropped", "frames: " + causes);
  if (c.socket_dropped > 0)
    print_row("", "the kernel dropped packets for want of buffer: `texcast doctor` says how to enlarge it");
}

void print_recording(const RecordingReport& recording) {
  if (recording.files.empty()) return;
  std::string files;
  for (const std::string& file : recording.files) files += (files.empty() ? "" : ", ") + file;
  print_row(
      "recording",
      fmt::format("{}, {}, {}{}", files, plural(static_cast<uint64_t>(recording.frames), "frame"),
                  file_size(recording.bytes),
                  recording.dropped > 0 ? fmt::format("; {} missing: the disk was too slow", recording.dropped) : ""));
}

void throw_nothing_came(const std::string& source, const StreamStatus& s) {
  if (s.counters.refused > 0 && s.counters.packets == 0)
    throw Error(s.refusal == transport::Refusal::wrong_key ? ErrorKind::input : ErrorKind::usage,
                fmt::format("packets came to {}, but {}", source, stream::advice(s.refusal)));
  if (stream::is_capture(source))
    throw Error(ErrorKind::corrupt, fmt::format("{} holds no stream that texcast shows ({} UDP packets looked at)",
                                                stream::capture_path(source),
                                                s.counters.packets + s.counters.malformed + s.counters.foreign));
  throw Error(ErrorKind::network, fmt::format("no frame came to {}: {}", source,
                                              stream::arrival_advice(s.counters, s.frames_unsupported, s.refusal)));
}

}  // namespace texcast::stream
