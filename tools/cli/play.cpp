// play.cpp — `texcast play`: a stream, a capture or a texture file onto the screen.
#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "cli/clip_input.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/recorder_settings.h"
#include "cli/screenshot.h"
#include "cli/stream_report.h"
#include "cli/text.h"
#include "player/player.h"
#include "stream/clip_feed.h"
#include "stream/json_text.h"
#include "stream/source_url.h"
#include "stream/stats_log.h"
#include "stream/stream_feed.h"

namespace texcast::cli {
namespace {

using player::PlayerReport;

void check_options(const PlayOptions& o) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::usage, what); };
  const bool is_stream = stream::is_rtp(o.stream.source) || stream::is_capture(o.stream.source);
  if (o.no_window && (!o.screenshot.empty() || o.osd || o.fullscreen || o.size))
    refuse(
        "--no-window draws nothing: it goes with none of --screenshot, --osd, --fullscreen, --size (try --offscreen)");
  if (o.offscreen && o.fullscreen) refuse("--fullscreen needs a window: not with --offscreen");
  if (!is_stream && !o.stream.record.empty()) refuse("--record is for streams; copy the file instead");
  if (o.stream.record.empty() && o.stream.packing.layout) refuse("--layout is for recordings: it goes with --record");
}

// The chosen presenter first: without a display nothing else should start.
std::unique_ptr<player::Presenter> open_presenter(const PlayOptions& o) {
  using player::PresenterKind;
  return player::make_presenter({.kind = o.no_window   ? PresenterKind::none
                                         : o.offscreen ? PresenterKind::offscreen
                                                       : PresenterKind::window,
                                 .width = o.size ? o.size->width : 0,
                                 .height = o.size ? o.size->height : 0,
                                 .fullscreen = o.fullscreen});
}

// Either kind of feed, and what only one of them can tell.
struct Source {
  std::unique_ptr<stream::StreamFeed> stream;
  std::unique_ptr<stream::ClipFeed> clip;
  player::Feed& feed() { return stream ? static_cast<player::Feed&>(*stream) : *clip; }
};

Source open_source(const PlayOptions& o) {
  const std::string& name = o.stream.source;
  Source source;
  if (stream::is_rtp(name) || stream::is_capture(name)) {
    const bool every_frame = o.no_window && stream::is_capture(name);
    stream::StreamFeedSettings settings{
        .title = name,
        .delivery = every_frame ? stream::Delivery::every_frame : stream::Delivery::newest_wins,
        .record = recorder_settings(o.stream.record, o.stream.packing),
        .layout = layout_settings(o.stream),
        .timeout = o.stream.timeout};
    auto datagrams = stream::open_datagrams(name, every_frame ? stream::Pace::unpaced : stream::Pace::as_captured);
    source.stream = std::make_unique<stream::StreamFeed>(std::move(datagrams), settings);
  } else {
    const auto pace = o.no_window ? stream::ClipPace::every_frame_at_once : stream::ClipPace::by_time_stamps;
    source.clip = std::make_unique<stream::ClipFeed>(open_texture_file(name), pace);
  }
  return source;
}

stream::StatsLine stats_line(const Source& source, const PlayerReport& r) {
  stream::StatsLine line;
  line.frames.push_back({"shown", r.frames_shown});
  if (source.stream) {
    add_network(line, source.stream->status());
    line.dropped.push_back({"overtaken", source.stream->replaced()});
    line.dropped.push_back({"not_recorded", source.stream->not_recorded()});
  } else {
    line.dropped.push_back({"too_late", source.clip->dropped()});
    line.dropped.push_back({"damaged", source.clip->damaged()});
  }
  if (r.frames_paused > 0) line.dropped.push_back({"paused", r.frames_paused});
  for (const auto& stage : r.stages)
    if (stage.frames > 0) line.latency.push_back({stage.name, stage.p50_ms, stage.p95_ms});
  if (r.total.frames > 0) line.latency.push_back({r.total.name, r.total.p50_ms, r.total.p95_ms});
  return line;
}

void print_json(const PlayOptions& o, const Source& source, const PlayerReport& r,
                const stream::RecordingReport& recording) {
  Json json = Json::object(
      {{"source", o.stream.source}, {"frames_shown", r.frames_shown}, {"seconds", r.seconds}, {"fps", r.fps}});
  if (source.stream) {
    add_network(json, source.stream->status(), r.seconds);
    json["frames_overtaken"] = source.stream->replaced();
    add_recording(json, recording);
  } else {
    json["frames_too_late"] = source.clip->dropped();
    json["frames_damaged"] = source.clip->damaged();
  }
  if (r.total.frames > 0) json["latency_ms"] = Json::object({{"p50", r.total.p50_ms}, {"p95", r.total.p95_ms}});
  for (const auto& stage : r.stages)
    if (stage.frames > 0) json["stages_ms"][stage.name] = Json::object({{"p50", stage.p50_ms}, {"p95", stage.p95_ms}});
  if (!o.screenshot.empty()) json["screenshot"] = o.screenshot;
  fmt::print("{}\n", json.text(2));
}

void print_report(const PlayOptions& o, const Source& source, const PlayerReport& r,
                  const stream::RecordingReport& recording) {
  const bool is_live = stream::is_rtp(o.stream.source);
  const uint64_t skipped = source.stream ? source.stream->replaced() : source.clip->dropped();
  print_row("shown", fmt::format("{} in {:.1f} s, {:.1f} a second{}", plural(r.frames_shown, "frame"), r.seconds, r.fps,
                                 skipped == 0 ? "" : fmt::format("; {} overtaken by newer ones", skipped)));
  if (source.stream) {
    print_network(source.stream->status(), is_live ? r.seconds : 0);
  } else {
    const auto& info = source.clip->info();
    print_row("clip", fmt::format("{}x{} {}, {:.4g} frames a second", info.texture.width, info.texture.height,
                                  name(info.texture.format), info.fps));
  }
  if (is_live && r.total.frames > 0) {
    print_row("latency",
              fmt::format("{:.1f} / {:.1f} ms (p50 / p95, frame available to shown)", r.total.p50_ms, r.total.p95_ms));
    std::string stages;
    for (const auto& stage : r.stages)
      if (stage.frames > 0)
        stages +=
            fmt::format("{}{} {:.1f} / {:.1f}", stages.empty() ? "" : ", ", stage.name, stage.p50_ms, stage.p95_ms);
    print_row("", stages);
  }
  print_recording(recording);
  if (!o.screenshot.empty()) print_row("screenshot", o.screenshot);
}

}  // namespace

int run_play(const PlayOptions& o) {
  check_options(o);
  stream::StatsLog stats(o.stream.stats_json);
  const auto presenter = open_presenter(o);
  Source source = open_source(o);
  if (stream::is_rtp(o.stream.source))
    log_info("listening on {}{}", o.stream.source, o.no_window ? "" : ", drawing with " + presenter->renderer());

  Screenshots screenshots(o.screenshot);
  player::PlayerSettings settings;
  settings.frame_limit = static_cast<uint64_t>(o.stream.frames.value_or(0));
  settings.show_osd = o.osd;
  settings.stop = &interrupt_flag();
  settings.on_report = [&](const PlayerReport& now) {
    if (stats.enabled()) stats.write(stats_line(source, now), steady_now());
  };
  settings.save_screenshot = [&](const player::ShownPicture& picture) { return screenshots.save(picture); };
  settings.screenshot_at_end = !o.screenshot.empty();

  const PlayerReport report = player::Player(settings).run(source.feed(), *presenter);
  stream::RecordingReport recording;
  if (source.stream)
    recording = source.stream->finish();
  else
    source.clip->rethrow_failure();
  stats.write(stats_line(source, report), steady_now());
  if (report.frames_shown == 0 && source.stream && !interrupted() && !report.quit_by_user)
    throw_nothing_came(o.stream.source, source.stream->status());

  if (o.stream.json)
    print_json(o, source, report, recording);
  else
    print_report(o, source, report, recording);
  screenshots.rethrow_failure();
  if (source.clip && source.clip->damaged() > 0)
    throw Error(ErrorKind::corrupt,
                fmt::format("{} damaged in {} and left out, the first: {}", plural(source.clip->damaged(), "frame"),
                            o.stream.source, source.clip->first_damage()));
  return 0;
}

}  // namespace texcast::cli
