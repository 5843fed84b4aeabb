#include "play/play_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string_view>
#include <utility>

#include "common/latency_figures.h"
#include "compact/opencl_reconstruction_backend.h"
#include "files/outputs.h"
#include "files/texture_files.h"
#include "live/datagrams.h"
#include "receive/receive_settings.h"
#include "stream/stream_report.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "transport/address.h"
#include "transport/interface.h"

namespace texcast::cli {

std::optional<player::PicturePart> part_of(const PlayOptions& o) {
  auto part = o.part;
  if (part && part->cell && o.bezel) part->cell->bezel = {o.bezel->width, o.bezel->height};
  return part;
}

bool is_received(const std::string& name) { return stream::is_rtp(name) || stream::is_capture(name); }

void check_play_source(const std::string& name) {
  constexpr std::array<std::string_view, 8> kLive = {"udp", "srt", "rtsp", "rtsps", "rtmp", "rtmps", "tcp", "rist"};
  const size_t colon = name.find("://");
  if (colon == std::string::npos || std::ranges::count(kLive, std::string_view(name).substr(0, colon)) == 0) return;
  size_t host = colon + 3;
  if (name[host] == '@') ++host;  // as FFmpeg writes an address to listen at
  const std::string host_and_port = name.substr(host, name.find_first_of("/?", host) - host);
  throw Error(ErrorKind::usage,
              fmt::format("cannot play '{0}': `play` shows texture files and the streams of texcast.{1} To show this "
                          "one, run `texcast send '{0}' rtp://HOST`, which reads it with FFmpeg, and `texcast play "
                          "rtp://:5004` on HOST",
                          name, name.starts_with("udp") ? fmt::format(" Did you mean rtp://{}?", host_and_port) : ""));
}

namespace {

std::optional<nanoseconds> system_delay_of(const PlayOptions& o) {
  return o.clock == PlayClock::system ? std::optional(o.delay.value_or(kWallDelay)) : std::nullopt;
}

// Times of the day are those of today, in the time zone of this machine.
WallTime wall_of(const Moment& moment) {
  if (!moment.of_day) return moment.wall;
  const std::time_t now = std::chrono::system_clock::to_time_t(wall_now());
  std::tm day{};
  localtime_r(&now, &day);
  day.tm_hour = day.tm_min = day.tm_sec = 0;
  day.tm_isdst = -1;
  return WallTime(std::chrono::seconds(mktime(&day))) + *moment.of_day;
}

std::optional<stream::ClipTiming> timing_of(const PlayOptions& o, const media::ClipInfo& clip) {
  if (o.clock != PlayClock::system) return std::nullopt;
  const bool has_duration = clip.duration && *clip.duration > nanoseconds{};
  if (o.loop && !has_duration)
    throw Error(ErrorKind::usage,
                fmt::format("--loop with --clock system needs the duration of '{}', which it does not "
                            "tell",
                            clip.path));
  return stream::ClipTiming{.begin = o.at ? wall_of(*o.at) : WallTime{}, .lap = o.loop ? clip.duration : std::nullopt};
}

}  // namespace

PlaySource open_play_source(const PlayOptions& o, const std::string& name, player::Presenter& presenter,
                            const transport::ReceiveSettings& receive) {
  PlaySource source;
  source.name = name;
  if (is_received(name)) {
    const bool every_frame = o.no_window && stream::is_capture(name);
    media::RecorderSettings recording = recorder_settings(o.stream.record, o.stream.packing);
    source.recoveries = claim_output(recording, o.stream.if_exists, Start::with_the_first_frame);
    stream::StreamFeedSettings settings{
        .title = name,
        .delivery = every_frame ? stream::Delivery::every_frame : stream::Delivery::newest_wins,
        .record = std::move(recording),
        .layout = layout_settings(o.stream),
        .latency = o.latency.value_or(LatencyChoice{}).fixed,
        .system_delay = system_delay_of(o),
        .receive = limited_to(receive, presenter.largest_texture()),
        .timeout = o.stream.timeout,
        .device = o.stream.device};
    auto datagrams = stream::open_datagrams(name, every_frame ? stream::Pace::unpaced : stream::Pace::as_captured,
                                            o.stream.interface, o.stream.from);
    settings.port = datagrams->port();
    if (stream::is_rtp(name))
      settings.send_to = [address = transport::resolve_address(name, true), port = settings.port,
                          interface = o.stream.interface.empty() ? 0 : transport::interface_index(o.stream.interface)] {
        return transport::urls_to_send_to(address, port, interface);
      };
    settings.hear_sound = !o.stream.no_audio && !o.offscreen && !o.no_window;
    const bool wants_sound = settings.hear_sound || (!o.stream.no_audio && media::takes_sound(settings.record.path));
    settings.sound_of_capture = wants_sound;
    auto sound = wants_sound && stream::is_rtp(name)
                     ? stream::open_sound_datagrams(name, o.stream.interface, o.stream.from)
                     : nullptr;
    source.stream = std::make_unique<stream::StreamFeed>(std::move(datagrams), settings, std::move(sound));
  } else {
    stream::ClipFeedSettings settings{
        .pace = o.no_window ? stream::ClipPace::every_frame_at_once : stream::ClipPace::by_time_stamps,
        .presenter = &presenter,
        .sound = !o.offscreen && !o.stream.no_audio};
    auto file = open_texture_file(name);
    if (o.start && file->info().frame_count == 1)
      throw Error(ErrorKind::usage, fmt::format("--start is for videos: '{}' is a single picture", name));
    if (o.start && *o.start >= file->info().duration.value_or(nanoseconds::max()))
      throw Error(ErrorKind::usage,
                  fmt::format("--start: '{}' ends after {:.4g} s", name, in_seconds(*file->info().duration)));
    if (const auto part = part_of(o)) file->want_only(player::bytes_of(*part, file->info().texture));
    file->use_backend([device = o.stream.device](const TextureDesc& texture) {
      return compact::usual_reconstruction_backend(device, texture);
    });
    if (file->info().frame_count != 1) settings.timing = timing_of(o, file->info());
    source.clip = std::make_unique<stream::ClipFeed>(std::move(file), std::move(settings));
  }
  return source;
}

namespace {

// May exceed the rate of the source if every frame is read as fast as possible.
std::optional<double> rate_of(const PlaySource& source, const player::PlayerReport& r) {
  double nominal = source.clip ? source.clip->info().fps : 0;
  if (source.stream)
    if (const auto stream = source.stream->status().stream) nominal = stream->fps;
  return frame_rate(r.frames_shown, nanoseconds(static_cast<int64_t>(r.seconds * 1e9)), nominal);
}

std::string shown_text(const PlaySource& source, const player::PlayerReport& r) {
  const uint64_t skipped = source.clip ? source.clip->dropped() : 0;  // dropped_of() has those of a stream
  return fmt::format("{} in {:.1f} s{}{}", plural(r.frames_shown, "frame"), r.seconds, rate_text(rate_of(source, r)),
                     skipped == 0 ? "" : fmt::format("; {} too late", skipped));
}

// In order. A clip's frames are read and unpacked before the player gets them.
std::vector<player::StageLatency> stages_of(const PlaySource& source, const player::PlayerReport& r) {
  std::vector<player::StageLatency> stages;
  if (source.clip) stages = source.clip->stages();
  stages.insert(stages.end(), r.stages.begin(), r.stages.end());
  std::erase_if(stages, [](const player::StageLatency& stage) { return stage.frames == 0; });
  return stages;
}

std::string stages_text(const PlaySource& source, const player::PlayerReport& r) {
  std::string text;
  for (const auto& stage : stages_of(source, r))
    text += fmt::format("{}{} {:.1f} / {:.1f}", text.empty() ? "" : ", ", stage.name, stage.p50_ms, stage.p95_ms);
  return text;
}

stream::Counts dropped_of(const PlaySource& source, const player::PlayerReport& r) {
  stream::Counts dropped = source.stream->dropped();
  dropped.push_back({"paused", r.frames_paused});
  return dropped;
}

std::vector<stream::StatsLine::Figure> playout_of(const stream::StreamFeed& feed) {
  const stream::PlayoutState state = feed.playout();
  return {{"delay_ms", in_milliseconds(state.delay)},
          {"jitter_ms", in_milliseconds(state.jitter)},
          {"drift_ppm", state.drift_ppm},
          {"late", static_cast<double>(state.late)},
          {"restarts", static_cast<double>(state.restarts)}};
}

}  // namespace

stream::StatsLine stats_line(const PlaySource& source, const player::PlayerReport& r) {
  stream::StatsLine line;
  line.frames.push_back({"shown", r.frames_shown});
  if (source.stream) {
    add_network(line, source.stream->status(), dropped_of(source, r));
    line.playout = playout_of(*source.stream);
    line.sound = sound_json(source.stream->sound());
  } else {
    line.dropped.push_back({"too_late", source.clip->dropped()});
    line.dropped.push_back({"damaged", source.clip->damaged()});
    line.dropped.push_back({"paused", r.frames_paused});
  }
  for (const auto& stage : stages_of(source, r)) line.latency.push_back({stage.name, stage.p50_ms, stage.p95_ms});
  if (r.total.frames > 0) line.latency.push_back({r.total.name, r.total.p50_ms, r.total.p95_ms});
  return line;
}

Json play_json(const std::string& screenshot, const PlaySource& source, const player::PlayerReport& r,
               const stream::RecordingReport& recording, const stream::TranscodingPresenter& presenter) {
  Json json = Json::object({{"source", source.name}, {"frames_shown", r.frames_shown}, {"seconds", r.seconds}});
  const auto fps = rate_of(source, r);
  json["fps"] = fps ? Json(*fps) : Json();
  if (source.stream) {
    json["frames_unchanged"] = r.frames_unchanged;
    add_network(json, source.stream->status(), dropped_of(source, r), r.seconds);
    for (const auto& [name, value] : playout_of(*source.stream)) json["playout"][name] = value;
    if (const auto sound = sound_json(source.stream->sound())) json["sound"] = *sound;
    add_recording(json, recording);
  } else {
    json["frames_too_late"] = source.clip->dropped();
    json["frames_damaged"] = source.clip->damaged();
  }
  if (r.total.frames > 0) json["latency_ms"] = latency_json(r.total.p50_ms, r.total.p95_ms);
  for (const auto& stage : stages_of(source, r))
    json["stages_ms"][stage.name] = latency_json(stage.p50_ms, stage.p95_ms);
  if (const uint64_t bytes = presenter.uploaded_bytes(); bytes > 0) json["uploaded_bytes"] = bytes;
  if (const auto& transcoding = presenter.transcoding(); transcoding && r.frames_shown > 0)
    json["transcoding"] = Json::object({{"from", std::string(name(transcoding->from))},
                                        {"to", std::string(name(transcoding->to))},
                                        {"device", transcoding->device}});
  if (!screenshot.empty()) json["screenshot"] = screenshot;
  return json;
}

void print_play_report(const std::string& screenshot, const PlaySource& source, const player::PlayerReport& r,
                       const stream::RecordingReport& recording, const std::string& shown_as) {
  const bool is_live = stream::is_rtp(source.name);
  print_row("shown", shown_text(source, r));
  if (!shown_as.empty() && r.frames_shown > 0) print_row("", "as " + shown_as);
  if (source.stream) {
    print_network(source.stream->status(), dropped_of(source, r), is_live ? r.seconds : 0);
    if (const auto sound = source.stream->sound()) stream::print_sound(*sound);
  } else {
    const auto& info = source.clip->info();
    print_row("clip", fmt::format("{}x{} {}, {:.4g} fps", info.texture.width, info.texture.height,
                                  name(info.texture.format), info.fps));
    print_row("stages", stages_text(source, r) + " ms (p50 / p95)");
  }
  if (is_live && r.total.frames > 0) {
    print_row("latency",
              fmt::format("{:.1f} / {:.1f} ms (p50 / p95, from available to shown)", r.total.p50_ms, r.total.p95_ms));
    print_row("", stages_text(source, r));
  }
  print_recording(recording);
  if (!screenshot.empty()) print_row("screenshot", screenshot);
}

void print_play_row(const PlaySource& source, const player::PlayerReport& r) {
  fmt::print("{}: {}\n", source.name, shown_text(source, r));
}

}  // namespace texcast::cli
