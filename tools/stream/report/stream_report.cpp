#include "stream/stream_report.h"

#include <fmt/core.h>

#include <cerrno>
#include <cmath>
#include <cstdio>

#include "base/errno_text.h"
#include "base/log.h"
#include "live/datagrams.h"
#include "stream/receive_texts.h"
#include "stream/slate_text.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "textures/stream_format.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLineEvery = std::chrono::seconds(1);

double rounded(double value, double step) { return std::round(value / step) * step; }

}  // namespace

Json json_of(const Counts& counts) {
  Json object = Json::object();
  for (const auto& [name, value] : counts) object[name] = value;
  return object;
}

struct StatsLog::File {
  std::string path;
  std::FILE* stream = nullptr;
  ~File() {
    if (stream != nullptr && stream != stdout) std::fclose(stream);
  }
};

StatsLog::StatsLog(const std::string& path) : next_(steady_now() + kLineEvery), figures_(next_ - kLineEvery) {
  if (path.empty()) return;
  file_ = std::make_unique<File>();
  file_->path = path;
  file_->stream = path == "-" ? stdout : std::fopen(path.c_str(), "ae");
  if (file_->stream == nullptr)
    throw Error(ErrorKind::failed, fmt::format("cannot write statistics to {}: {}", path, errno_text(errno)));
}

StatsLog::~StatsLog() = default;

bool StatsLog::enabled() const { return file_ != nullptr; }
bool StatsLog::due(SteadyTime now) const { return file_ != nullptr && now >= next_; }

Json StatsFigures::json(const StatsLine& line, SteadyTime now) {
  const double bits_per_s = rate_.bits_per_s(line.payload_bytes, now, line.begun);
  Json json;
  json["seconds"] = rounded(in_seconds(now - begun_), 1e-3);
  json["frames"] = json_of(line.frames);
  json["dropped"] = json_of(line.dropped);
  json["packets"] = json_of(line.packets);
  if (!line.tiles.empty()) json["tiles"] = json_of(line.tiles);
  json["bits_per_s"] = std::llround(bits_per_s);
  json["latency_ms"] = Json::object();
  for (const auto& [stage, p50, p95] : line.latency)
    json["latency_ms"][stage] = Json::object({{"p50", rounded(p50, 1e-3)}, {"p95", rounded(p95, 1e-3)}});
  if (line.rate_bits_per_s) json["rate"] = std::llround(*line.rate_bits_per_s);
  if (line.crf) json["crf"] = rounded(*line.crf, 0.1);
  if (line.sound) json["sound"] = *line.sound;
  if (line.receivers) json["receivers"] = *line.receivers;
  if (line.destinations) json["destinations"] = *line.destinations;
  if (line.viewers) json["viewers"] = *line.viewers;
  for (const auto& [name, value] : line.playout) json["playout"][name] = rounded(value, 1e-3);
  return json;
}

void StatsLog::write(const StatsLine& line, SteadyTime now) {
  if (!file_) return;
  next_ = std::max(next_ + kLineEvery, now);
  const std::string text = figures_.json(line, now).text() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_->stream) != text.size() || std::fflush(file_->stream) != 0) {
    log_warning("statistics have stopped: cannot write {}: {}", file_->path, errno_text(errno));
    file_.reset();
  }
}

std::string format_text(const transport::StreamDesc& stream, uint64_t frames, uint64_t bytes) {
  const auto texture = texture_of(stream);
  if (!texture) return "?";
  std::string text(name(texture->format));
  if (stream.compact() && frames > 0)
    text += fmt::format(" coded, {} per pixel", bits_a_pixel(stream.width, stream.height, frames, bytes));
  return text;
}

std::string bits_a_pixel(int width, int height, uint64_t frames, uint64_t bytes) {
  return fmt::format("{:.2g} bits", static_cast<double>(bytes) * 8 / width / height / static_cast<double>(frames));
}

void add_network(StatsLine& line, const StreamStatus& s, const Counts& dropped) {
  const auto append = [](Counts& to, const Counts& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(line.frames, frame_counts(s));
  append(line.dropped, dropped);
  append(line.packets, packet_counts(s));
  append(line.tiles, tile_counts(s));
  line.payload_bytes = s.counters.bytes;
}

void add_network(Json& json, const StreamStatus& s, const Counts& dropped, double seconds) {
  StatsLine line;
  add_network(line, s, dropped);
  for (const auto& [name, value] : line.frames) json["frames_" + name] = value;
  for (const auto& [name, value] : line.dropped) json["frames_" + name] = value;
  for (const auto& [name, value] : line.packets) json["packets"][name] = value;
  for (const auto& [name, value] : line.tiles) json["tiles"][name] = value;
  json["bytes"] = s.counters.bytes;
  json["bits_per_s"] = seconds > 0 ? static_cast<double>(s.counters.bytes) * 8 / seconds : 0;
  if (!s.stream) return;
  json["width"] = s.stream->width;
  json["height"] = s.stream->height;
  json["fps_nominal"] = s.stream->fps;
  if (const auto texture = texture_of(*s.stream)) json["format"] = name(texture->format);
}

void add_recording(Json& json, const RecordingReport& recording) {
  if (recording.files.empty() && recording.passed.total() == 0) return;
  json["recording"] =
      Json::object({{"files", recording.files}, {"frames", recording.frames}, {"bytes", recording.bytes}});
  if (const MissingFrames& missing = recording.missing; missing.total() > 0)
    json["recording"]["missing"] = Json::object({{"frames", missing.total()},
                                                 {"seconds", in_seconds(missing.time)},
                                                 {"slow_disk", missing.disk},
                                                 {"slow_processor", missing.processor},
                                                 {"compiler", missing.compiler},
                                                 {"burst", missing.burst},
                                                 {"standstill", missing.standstill}});
  if (const PassedFrames& passed = recording.passed; passed.total() > 0)
    json["recording"]["passed_over"] = Json::object({{"frames", passed.total()},
                                                     {"cannot_hold", passed.cannot_hold},
                                                     {"too_many_files", passed.too_many_files},
                                                     {"not_whole", passed.not_whole}});
}

std::optional<Json> sound_json(const std::optional<SoundStatus>& status) {
  if (!status || !status->received.stream) return std::nullopt;
  const transport::AudioCounters& c = status->received.counters;
  Json json = Json::object({{"stream", sound_text(*status)},
                            {"packets", c.packets},
                            {"lost", c.lost},
                            {"restored", c.restored},
                            {"duplicates", c.duplicates},
                            {"malformed", c.malformed},
                            {"refused", c.refused},
                            {"concealed_ms", rounded(status->concealed_ms, 1e-3)}});
  if (!status->heard) return json;
  json["offset_ms"] = rounded(in_milliseconds(status->heard->offset), 1e-3);
  json["drift_ppm"] = rounded(status->heard->drift_ppm, 1e-3);
  json["jumps"] = status->heard->jumps;
  json["missing_samples"] = status->heard->missing;
  return json;
}

void print_sound(const SoundStatus& status) {
  if (!status.received.stream) return;
  const transport::AudioCounters& c = status.received.counters;
  print_row("sound", fmt::format("{}, {}; {} lost, {} restored, {:.0f} ms concealed", sound_text(status),
                                 plural(c.packets, "packet"), c.lost, c.restored, status.concealed_ms));
}

void print_network(const StreamStatus& s, const Counts& dropped, double seconds) {
  const auto& c = s.counters;
  if (s.stream) {
    const auto texture = texture_of(*s.stream);
    print_row("stream", fmt::format("{}x{} {}, {:.4g} fps, {}", s.stream->width, s.stream->height,
                                    texture ? format_text(*s.stream, s.frames, c.bytes) : "?", s.stream->fps,
                                    seconds > 0 ? bit_rate(static_cast<double>(c.bytes) * 8 / seconds)
                                                : file_size(static_cast<int64_t>(c.bytes))));
  }
  constexpr size_t kAlways = 2;
  print_row("frames", words(frame_counts(s), kAlways));
  print_row("packets", words(packet_counts(s), kAlways));
  if (const Counts tiles = tile_counts(s); !tiles.empty()) print_row("tiles", words(tiles, kAlways));
  if (const std::string causes = words(dropped); !causes.empty()) print_row("dropped", "frames: " + causes);
  if (c.socket_dropped > 0)
    print_row("", "the kernel dropped packets because the socket buffer was full: see `texcast doctor`");
}

void print_recording(const RecordingReport& recording) {
  if (recording.passed.total() > 0) print_row("skipped", words(recording.passed));
  if (recording.files.empty()) return;
  std::string files;
  for (const std::string& file : recording.files) files += (files.empty() ? "" : ", ") + file;
  print_row("recording", fmt::format("{}, {}, {}{}", files, plural(static_cast<uint64_t>(recording.frames), "frame"),
                                     file_size(recording.bytes),
                                     recording.missing.total() > 0 ? "; " + words(recording.missing) : ""));
}

void throw_incomplete(const RecordingReport& recording) {
  if (recording.failure) throw *recording.failure;
  if (recording.missing.total() > 0)
    throw Error(ErrorKind::failed,
                fmt::format("the {} is incomplete: {}", recording.missing.is_pipe ? "output" : "recording",
                            words(recording.missing)));
}

void throw_refused(const RecordingReport& recording) {
  if (!recording.refusal.empty()) throw Error(ErrorKind::usage, recording.refusal);
}

void throw_nothing_came(const std::string& source, uint16_t port, const StreamStatus& s) {
  if (s.counters.refused > 0 && s.counters.packets == 0)
    throw Error(s.refusal.why == transport::Refusal::wrong_key ? ErrorKind::input : ErrorKind::usage,
                fmt::format("packets were received at {}, but {}", source, advice(s.refusal)));
  const auto& c = s.counters;
  if (c.packets == 0 && c.oversized + c.outside > c.malformed + c.foreign)
    throw Error(ErrorKind::usage, fmt::format("no frame was received from {}: {}", source,
                                              arrival_advice(c, s.frames_unsupported, s.refusal, port)));
  if (is_capture(source) && s.compact && s.compact->held_back > 0)
    throw Error(ErrorKind::corrupt,
                fmt::format("{} begins in the middle of a coded stream, and lacks the reference of its {}: capture it "
                            "from its beginning, or send it with --refresh or --plain",
                            capture_path(source), plural(s.compact->held_back, "frame")));
  if (is_capture(source))
    throw Error(ErrorKind::corrupt,
                fmt::format("{} contains no stream that texcast supports ({} UDP packets checked)",
                            capture_path(source), s.counters.packets + s.counters.malformed + s.counters.foreign));
  throw Error(ErrorKind::network, fmt::format("no frame was received at {}: {}", source,
                                              arrival_advice(s.counters, s.frames_unsupported, s.refusal, port)));
}

}  // namespace texcast::stream
