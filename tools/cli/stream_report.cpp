#include "cli/stream_report.h"

#include <fmt/core.h>

#include "base/error.h"
#include "cli/text.h"
#include "stream/json_text.h"
#include "stream/source_url.h"
#include "stream/stream_format.h"

namespace texcast::cli {

using stream::RecordingReport;
using stream::StreamStatus;

void add_network(stream::StatsLine& line, const StreamStatus& s) {
  const auto& c = s.counters;
  line.frames.insert(line.frames.end(), {{"in", s.frames}, {"lost", c.frames_lost}, {"concealed", c.frames_concealed}});
  line.dropped.insert(line.dropped.end(), {{"refused", s.frames_refused}, {"unbuffered", s.frames_unbuffered}});
  line.packets.insert(line.packets.end(), {{"received", c.packets},
                                           {"lost", c.lost},
                                           {"reordered", c.reordered},
                                           {"duplicate", c.duplicate},
                                           {"late", c.late},
                                           {"malformed", c.malformed},
                                           {"foreign", c.foreign},
                                           {"refused", c.refused},
                                           {"dropped_by_kernel", c.socket_dropped}});
  line.payload_bytes = c.bytes;
}

void add_network(Json& json, const StreamStatus& s, double seconds) {
  stream::StatsLine line;
  add_network(line, s);
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

void print_network(const StreamStatus& s, double seconds) {
  const auto& c = s.counters;
  if (s.stream) {
    const auto texture = stream::texture_of(*s.stream);
    print_row("stream", fmt::format("{}x{} {}, {:.4g} frames a second, {}", s.stream->width, s.stream->height,
                                    texture ? name(texture->format) : "?", s.stream->fps,
                                    seconds > 0 ? megabits(static_cast<double>(c.bytes) * 8 / seconds)
                                                : file_size(static_cast<int64_t>(c.bytes))));
  }
  print_row("lost", fmt::format("{}, {} patched from the one before; {} of {} packets", plural(c.frames_lost, "frame"),
                                c.frames_concealed, c.lost, c.packets + c.lost));
  const uint64_t odd = c.late + c.duplicate + c.malformed + c.foreign + c.refused;
  if (c.reordered + odd > 0)
    print_row("odd", fmt::format("packets: {} reordered, {} late, {} duplicate, {} malformed, {} foreign, {} refused",
                                 c.reordered, c.late, c.duplicate, c.malformed, c.foreign, c.refused));
  if (c.socket_dropped > 0)
    print_row("kernel", fmt::format("dropped {} for want of buffer; `texcast doctor` says how to enlarge it",
                                    plural(c.socket_dropped, "packet")));
  if (s.frames_refused > 0) print_row("refused", plural(s.frames_refused, "frame") + " that texcast cannot show");
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
  if (s.counters.packets + s.counters.malformed + s.counters.foreign == 0)
    throw Error(ErrorKind::network, fmt::format("nothing came to {}; start `texcast send INPUT rtp://THIS-HOST:PORT`, "
                                                "and see that no firewall stands between",
                                                source));
  throw Error(ErrorKind::network, fmt::format("packets came to {}, but no frame that texcast shows ({} malformed, {} "
                                              "foreign)",
                                              source, s.counters.malformed, s.counters.foreign));
}

}  // namespace texcast::cli
