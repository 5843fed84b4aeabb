// play.cpp — `texcast play`: plays streams, captures and texture files in order.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/control_events.h"
#include "common/service_names.h"
#include "common/unused_options.h"
#include "control/timing.h"
#include "files/outputs.h"
#include "files/pipe_target.h"
#include "live/datagrams.h"
#include "media/picture_writer.h"
#include "play/clock_watch.h"
#include "play/on_demand_recordings.h"
#include "play/play_control.h"
#include "play/play_source.h"
#include "play/window_memory.h"
#include "player/player.h"
#include "player/window.h"
#include "receive/receive_settings.h"
#include "stream/receive_texts.h"
#include "stream/stream_report.h"
#include "stream/transcoding_presenter.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

using player::PlayerReport;
using player::Playlist;
using player::RunEnd;
using Direction = Playlist::Direction;

constexpr nanoseconds kEventInterval = std::chrono::milliseconds(100);

// Saves what is on the screen into PNG files. Not thread-safe.
class Screenshots {
 public:
  // `path` empty: the first free name of texcast-1.png, texcast-2.png … in the current folder. Otherwise `if_exists`
  // applies to the first picture, and later ones replace it.
  Screenshots(std::string path, IfExists if_exists)
      : path_(std::move(path)), if_exists_at_first_(if_exists), if_exists_(if_exists) {}
  // Returns the line for the on-screen display. Never throws: playback goes on if a picture cannot be saved.
  std::string save(const player::ShownPicture& picture);
  // The file that was written, which may differ from the requested name.
  const std::string& path() const { return path_; }
  // Saves to `path`, or if it is empty to the first free name. Returns the name. Throws Error.
  std::string save_as(const player::ShownPicture& picture, const std::string& path) const {
    return path.empty() ? write_to_free_name(picture) : write_to(picture, path, if_exists_at_first_);
  }
  // Throws the error of the last save() to the path of the constructor, if there was one.
  void rethrow_failure() const {
    if (failure_) throw *failure_;
  }

 private:
  std::string write(const player::ShownPicture& picture);
  static std::string write_to(const player::ShownPicture& picture, const std::string& path, IfExists if_exists);
  static std::string write_to_free_name(const player::ShownPicture& picture);

  std::string path_;
  const IfExists if_exists_at_first_;
  IfExists if_exists_;
  std::optional<Error> failure_;
};

// Returns the name of the file.
std::string Screenshots::write_to(const player::ShownPicture& picture, const std::string& path, IfExists if_exists) {
  const auto writer = media::make_picture_writer(
      {.path = path, .width = picture.width, .height = picture.height, .fps = 1, .if_exists = if_exists});
  writer->write({.width = picture.width, .height = picture.height, .pixels = picture.pixels}, nanoseconds{});
  writer->finish();
  return writer->path();
}

std::string Screenshots::write_to_free_name(const player::ShownPicture& picture) {
  for (int i = 1;; ++i) {
    try {
      return write_to(picture, fmt::format("texcast-{}.png", i), IfExists::refuse);
    } catch (const NameTaken&) {  // try the next name
    }
  }
}

std::string Screenshots::write(const player::ShownPicture& picture) {
  if (path_.empty()) return write_to_free_name(picture);
  path_ = write_to(picture, path_, if_exists_);
  if_exists_ = IfExists::overwrite;
  return path_;
}

std::string Screenshots::save(const player::ShownPicture& picture) {
  try {
    const std::string path = write(picture);
    failure_.reset();
    return "saved " + path;
  } catch (const Error& error) {
    if (!path_.empty()) failure_ = error;
    return error.what();
  }
}

// Called first, because without a display nothing else should start.
std::unique_ptr<stream::TranscodingPresenter> open_presenter(const PlayOptions& o, const WindowMemory& memory) {
  using player::PresenterKind;
  // Loading the OpenGL driver takes a while.
  if (!o.no_window) log_info("opening {}", o.offscreen ? "an off-screen display" : "a window");
  auto display = player::make_presenter({.kind = o.no_window   ? PresenterKind::none
                                                 : o.offscreen ? PresenterKind::offscreen
                                                               : PresenterKind::window,
                                         .width = o.size ? o.size->width : 0,
                                         .height = o.size ? o.size->height : 0,
                                         .fullscreen = o.fullscreen,
                                         .monitor = o.monitor,
                                         .rotate = o.shape.rotate,
                                         .aspect = o.shape.aspect,
                                         .mirror = o.mirror.value_or(player::Mirror::none),
                                         .part = part_of(o),
                                         .exposure = o.exposure.value_or(0),
                                         .vsync = o.vsync.value_or(player::Vsync::adaptive),
                                         .place = memory.place()});
  return std::make_unique<stream::TranscodingPresenter>(std::move(display), o.stream.device);
}

player::PlayerChoices choices_of(const PlayOptions& o) {
  return {.show_osd = o.osd,
          .scale = o.scale.value_or(player::ScaleMode::fit),
          .speed = o.speed.value_or(1),
          .volume = o.volume.value_or(1),
          .muted = o.mute,
          .loop = o.loop,
          .screenshot_with_osd = o.screenshot_osd};
}

// Plays the list. A source that cannot be opened is named on the on-screen display and skipped; a list of one fails.
class Show {
 public:
  Show(const PlayOptions& o, stream::TranscodingPresenter& presenter, stream::StatsLog& stats)
      : o_(o),
        presenter_(presenter),
        stats_(stats),
        receive_(receive_settings(o.stream)),
        screenshots_(o.screenshot, o.stream.if_exists),
        clock_(o.clock == PlayClock::system),
        control_(o.stream.control, control_hooks()),
        player_(settings()),
        list_(o.sources),
        start_at_(o.sources.size(), o.start),
        recordings_(o.stream, [this](const Json& event) { control_.tell("recording", event); }) {}
  void run();

 private:
  player::PlayerSettings settings();
  PlayControl::Hooks control_hooks();
  control::PlayerTiming timing_of(const PlayerReport& now) const;
  std::string start_recording(const std::string& path);
  std::string toggle_recording();
  void stop_recording(control::Reply& reply);
  std::optional<PlaySource> open_from(Playlist& list, Direction direction);
  void start(PlaySource source);
  std::optional<PlaySource> open_dropped(std::vector<std::string> files);
  bool go_on(RunEnd end);
  void close(const PlayerReport& report);
  void finish();
  bool is_alone() const { return o_.sources.size() == 1 && list_.size() == 1; }
  void failed(const Error& error);
  void send_events();

  const PlayOptions& o_;
  stream::TranscodingPresenter& presenter_;
  stream::StatsLog& stats_;
  const transport::ReceiveSettings receive_;
  Screenshots screenshots_;
  ClockWatch clock_;
  PlayControl control_;
  player::Player player_;
  Playlist list_;
  std::vector<std::optional<nanoseconds>> start_at_;  // of each item of the list, until it has begun there
  std::optional<PlaySource> source_;
  OnDemandRecordings recordings_;  // after source_, whose frames it writes
  std::string message_;            // to be shown at the next turn
  SteadyTime next_events_{};       // when control_ sends events of the source next
  std::optional<transport::StreamDesc> sent_stream_;
  bool sent_ended_ = false;       // whether the end of the recording was sent
  uint64_t shown_of_source_ = 0;  // in all runs of the source
  size_t without_frames_ = 0;     // consecutive sources without a frame
  std::vector<Json> items_;
  std::set<std::string> failures_;  // messages, each once although the list may loop
  std::optional<Error> first_failure_;
  std::unique_ptr<transport::Announcer> announcer_;  // during a stream
};

player::PlayerSettings Show::settings() {
  player::PlayerSettings settings;
  settings.frame_limit = static_cast<uint64_t>(o_.stream.frames.value_or(0));
  settings.choices = choices_of(o_);
  settings.stop = &interrupt_flag();
  settings.on_report = [this](const PlayerReport& now) {
    if (stats_.enabled()) stats_.write(stats_line(*source_, now), steady_now());
  };
  settings.save_screenshot = [this](const player::ShownPicture& picture) { return screenshots_.save(picture); };
  settings.screenshot_at_end = !o_.screenshot.empty();
  settings.toggle_recording = [this] { return toggle_recording(); };
  settings.on_turn = [this](player::Remote& remote) {
    recordings_.follow();
    control_.obey(remote);
    send_events();
    if (auto complaint = clock_.complaint()) remote.say(std::move(*complaint));
    if (!message_.empty()) remote.say(std::exchange(message_, {}));
  };
  return settings;
}

// All hooks are called while a source is being played.
PlayControl::Hooks Show::control_hooks() {
  return {.source = [this] { return source_->name; },
          .sources = [this] { return Json(list_.sources()); },
          .place = [this] { return static_cast<int64_t>(list_.place().index) + 1; },
          .recording =
              [this] {
                const std::string path = source_->stream ? source_->stream->recording_path() : "";
                return path.empty() ? Json() : Json(path);
              },
          .statistics = [this](const PlayerReport& now) { return stats_line(*source_, now); },
          .timing = [this](const PlayerReport& now) { return control::to_json(timing_of(now)); },
          .save_screenshot = [this](const player::ShownPicture& picture,
                                    const std::string& path) { return screenshots_.save_as(picture, path); },
          .start_recording = [this](const std::string& path) { return start_recording(path); },
          .stop_recording = [this](control::Reply& reply) { stop_recording(reply); }};
}

control::PlayerTiming Show::timing_of(const PlayerReport& now) const {
  const auto ns = [](WallTime time) { return static_cast<int64_t>(time.time_since_epoch().count()); };
  const auto median = [](const player::StageLatency& stage) {
    return stage.frames > 0 ? std::optional(stage.p50_ms) : std::nullopt;
  };
  control::PlayerTiming timing{.has_frame = now.last.has_value(),
                               .delay_ms = median(now.total_last_second),
                               .behind_ms = median(now.behind_last_second),
                               .refresh_ms = in_milliseconds(presenter_.refresh_period()),
                               .shown = now.frames_shown,
                               .late = now.frames_late,
                               .early = now.frames_early,
                               .missed = now.frames_skipped,
                               .by_system = o_.clock == PlayClock::system};
  if (now.last) {
    timing.frame = now.last->number;
    timing.stamp_ns = ns(now.last->times.available);
    timing.due_ns = ns(now.last->due);
    timing.shown_ns = ns(now.last->times.presented);
  }
  const clock::ClockQuality quality = clock_.quality();
  timing.clock = clock::name_of_source(quality);
  if (const auto error = quality.error()) timing.error_ms = in_milliseconds(*error);
  timing.now_ns = ns(wall_now());
  return timing;
}

std::string Show::start_recording(const std::string& path) {
  if (!source_->stream) throw Error(ErrorKind::usage, "only streams can be recorded, and this is a file");
  return recordings_.start(*source_->stream, path);
}

void Show::stop_recording(control::Reply& reply) {
  if (!source_->stream) throw Error(ErrorKind::usage, "nothing is being recorded");
  const std::string path = source_->stream->recording_path();
  const auto shared = std::make_shared<std::optional<control::Reply>>();
  recordings_.stop(*source_->stream,
                   [this, path, shared](const std::string& line, const std::optional<Error>& failure) {
                     message_ = line;
                     if (*shared)
                       (*shared)->answer(failure ? control::Answer::failure(failure->kind(), failure->what())
                                                 : control::Answer::success(path));
                   });
  shared->emplace(std::move(reply));
}

std::string Show::toggle_recording() {
  try {
    if (!source_->stream || source_->stream->recording_path().empty()) return "recording " + start_recording("");
    recordings_.stop(*source_->stream, [this](const std::string& line, const auto&) { message_ = line; });
    return "closing the recording";
  } catch (const Error& error) {
    return error.what();
  }
}

// The exit code reports the first error too.
void Show::failed(const Error& error) {
  if (!first_failure_) first_failure_ = error;
  failures_.insert(error.what());
  player_.say(error.what());
}

// Sends events for changes of the stream and its recording.
void Show::send_events() {
  const SteadyTime now = steady_now();
  if (o_.stream.control.empty() || !source_->stream || now < next_events_) return;
  next_events_ = now + kEventInterval;
  if (const auto stream = source_->stream->status().stream; stream && stream != sent_stream_) {
    sent_stream_ = stream;
    control_.tell("stream", stream_event(*stream));
  }
  const bool ended = source_->stream->recording_ended();
  if (ended && !sent_ended_)
    control_.tell("recording", Json::object({{"what", "ended"}, {"file", source_->stream->recording_path()}}));
  sent_ended_ = ended;
}

// The current source of the list or the next one that can be opened.
std::optional<PlaySource> Show::open_from(Playlist& list, Direction direction) {
  for (size_t tries = 0; tries < list.size(); ++tries) {
    try {
      return open_play_source(o_, list.current(), presenter_, receive_);
    } catch (const Error& error) {
      failed(error);
    }
    if (!list.move(direction, player_.choices().loop)) break;
  }
  return std::nullopt;
}

void Show::start(PlaySource source) {
  source_ = std::move(source);
  if (const auto at = std::exchange(start_at_[list_.place().index], std::nullopt); at && source_->clip)
    source_->clip->seek(*at);
  if (stream::is_rtp(source_->name))
    log_info("listening on {}{}; {}", source_->name, o_.no_window ? "" : ", drawing with " + presenter_.renderer(),
             stream::how_to_send(source_->stream->send_to()));
  announcer_.reset();  // before announcing again, so that the name is free
  control_.tell("source",
                Json::object({{"source", source_->name}, {"place", static_cast<int64_t>(list_.place().index) + 1}}));
  if (source_->stream && !source_->stream->recording_path().empty())
    control_.tell("recording", recording_started(source_->stream->recording_path()));
  sent_stream_.reset();
  sent_ended_ = false;
  if (source_->stream) announcer_ = announce_player(o_.stream, source_->name, source_->stream->send_to());
}

void Show::run() {
  if (auto first = open_from(list_, Direction::forward)) start(std::move(*first));
  while (source_) {
    // A still picture stays on the screen, except in scripts, which ask for frames or a screenshot.
    const bool stays =
        source_->is_still() && !o_.no_window && !o_.offscreen && !o_.stream.frames && o_.screenshot.empty();
    PlayerReport report = player_.run(source_->feed(), presenter_, list_.place(), !stays);
    shown_of_source_ += report.frames_shown;
    std::optional<PlaySource> dropped;
    if (report.end == RunEnd::files_dropped) {
      dropped = open_dropped(std::move(report.dropped_files));
      if (!dropped) continue;  // none can be read: go on with the current source
    }
    report.frames_shown = shown_of_source_;
    const RunEnd end = report.end;
    close(report);
    if (dropped)
      start(std::move(*dropped));
    else if (!go_on(end))
      break;
  }
  finish();
}

std::optional<PlaySource> Show::open_dropped(std::vector<std::string> files) {
  Playlist dropped(std::move(files));
  auto first = open_from(dropped, Direction::forward);
  if (first) {
    list_ = std::move(dropped);
    start_at_.assign(list_.size(), std::nullopt);
  }
  return first;
}

// Opens the next source. False: there is none.
bool Show::go_on(RunEnd end) {
  if (end == RunEnd::quit || end == RunEnd::stopped || end == RunEnd::frame_limit) return false;
  if (without_frames_ >= list_.size()) return false;  // no source of the loop shows a frame
  const Direction direction = end == RunEnd::previous_item ? Direction::back : Direction::forward;
  if (!list_.move(direction, player_.choices().loop)) return false;
  auto next = open_from(list_, direction);
  if (next) start(std::move(*next));
  return source_.has_value();
}

// Closes the source and reports what was shown.
void Show::close(const PlayerReport& report) {
  PlaySource source = std::move(*std::exchange(source_, std::nullopt));
  without_frames_ = report.frames_shown > 0 ? 0 : without_frames_ + 1;
  if (report.end == RunEnd::feed_ended) control_.tell("end", Json::object({{"source", source.name}}));
  shown_of_source_ = 0;
  try {
    stream::RecordingReport recording;
    if (source.stream) {
      recording = recordings_.finish();
      const bool records = !source.stream->recording_path().empty();
      stream::RecordingReport last = source.stream->finish();
      if (records) control_.tell("recording", recording_stopped(last));
      recording = OnDemandRecordings::joined(std::move(recording), std::move(last));
    } else
      source.clip->rethrow_failure();
    stats_.write(stats_line(source, report), steady_now());
    if (report.frames_shown == 0 && source.stream && report.end == RunEnd::feed_ended)
      throw_nothing_came(source.name, source.stream->port(), source.stream->status());
    if (o_.stream.json)
      items_.push_back(play_json(screenshots_.path(), source, report, recording, presenter_));
    else if (reports() && is_alone())
      print_play_report(screenshots_.path(), source, report, recording, presenter_.shown_as());
    else if (reports())
      print_play_row(source, report);
    throw_incomplete(recording);
    if (report.end == RunEnd::feed_ended || report.end == RunEnd::frame_limit) throw_refused(recording);
    if (source.clip && source.clip->damaged() > 0)
      throw Error(ErrorKind::corrupt,
                  fmt::format("{} damaged in '{}' and skipped; the first: {}", plural(source.clip->damaged(), "frame"),
                              source.name, source.clip->first_damage()));
  } catch (const Error& error) {
    failed(error);
  }
}

void Show::finish() {
  if (o_.stream.json && items_.size() == 1) fmt::print("{}\n", items_[0].text(2));
  if (o_.stream.json && items_.size() > 1) {
    Json list = Json::array();
    for (const Json& item : items_) list.push(item);
    fmt::print("{}\n", Json::object({{"sources", list}}).text(2));
  }
  screenshots_.rethrow_failure();
  if (!first_failure_) return;
  if (is_alone()) throw *first_failure_;
  throw Error(first_failure_->kind(),
              fmt::format("{} could not be played completely: {}", plural(failures_.size(), "source"),
                          joined({failures_.begin(), failures_.end()}, "; ")));
}

}  // namespace

int run_play(const PlayOptions& given) {
  const PlayOptions o = with_addresses(given);
  check_receiving(o.stream);
  for (const std::string& source : o.sources) check_play_source(source);
  reject_unused(as_given(o));
  require_file(o.stream.record, "--record", "use `texcast receive SOURCE -` for a pipe");
  require_file(o.screenshot, "--screenshot", "it is PNG, by the name's extension");
  if (!o.screenshot.empty()) {
    check_place(o.screenshot);
    media::check_picture_name(o.screenshot, o.stream.if_exists);
  }
  stream::StatsLog stats(o.stream.stats_json);
  const WindowMemory memory(o);
  const auto presenter = open_presenter(o, memory);
  const EndsHereIfInterrupted ends_before_presenter;
  const RememberedWindow remembered(memory, *presenter);
  Show(o, *presenter, stats).run();
  return 0;
}

}  // namespace texcast::cli
