#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "player/osd_lines.h"
#include "player/player.h"
#include "player/seek_bar.h"
#include "player_fakes.h"

namespace texcast::player {
namespace {

using namespace std::chrono_literals;

struct Stage {
  ScriptedFeed feed;
  NotingPresenter presenter;
  std::vector<uint64_t> shown;
  PlayerReport run(PlayerSettings settings = {}, ListPlace place = {}, bool stop_at_end = true) {
    settings.on_shown = [this](const ShownFrame& frame) { shown.push_back(frame.number); };
    return Player(settings).run(feed, presenter, place, stop_at_end);
  }
};

// A live source: a new frame every `period`; of those that came since the last take() only the newest is given.
class LiveFeed final : public ScriptedFeed {
 public:
  LiveFeed(nanoseconds period, uint64_t frames) : period_(period), frames_(frames) {}
  std::optional<FeedFrame> take(SteadyTime now) override {
    const auto newest = std::min(static_cast<uint64_t>((now - start_) / period_), frames_ - 1);
    if (taken_ && *taken_ == newest) return std::nullopt;
    taken_ = newest;
    script = {{.frame = newest}};
    auto frame = ScriptedFeed::take(now);
    frame->times.available = wall_now() - (now - start_ - newest * period_);
    return frame;
  }
  void wait(SteadyTime limit) override { std::this_thread::sleep_for(std::min(limit - steady_now(), period_ / 4)); }
  FeedState state() const override { return taken_ == frames_ - 1 ? FeedState::ended : FeedState::playing; }

 private:
  SteadyTime start_ = steady_now();
  nanoseconds period_;
  uint64_t frames_;
  std::optional<uint64_t> taken_;
};

}  // namespace

TEST_CASE("every frame of the feed is shown once, in order, and the run ends with the feed") {
  Stage stage;
  stage.feed.script = {{}, {0}, {1}, {}, {2, true}, {5}, {6}};
  const PlayerReport report = stage.run();
  CHECK(stage.shown == std::vector<uint64_t>{0, 1, 2, 5, 6});
  CHECK(report.frames_shown == 5);
  CHECK(report.frames_concealed == 1);
  CHECK(report.frames_skipped == 2);
  CHECK(report.end == RunEnd::feed_ended);
  CHECK(stage.presenter.uploads == 5);
  CHECK(stage.presenter.presents == 6);  // the slate, then each frame; nothing is drawn twice without need
  CHECK(stage.presenter.title_text.find("a feed") == 0);
  CHECK_FALSE(stage.presenter.playing);
}

TEST_CASE("what there is of the next frame goes to the presenter, and is dropped when another one comes") {
  Stage stage;
  stage.feed.script = {{}, {}, {0}, {}, {1}, {}, {}, {2}, {3}};
  stage.feed.aheads = {100, 100, 102, 102, 102};  // of frames 0 and 2; frame 1 comes instead of 2 at first
  stage.run();
  CHECK(stage.presenter.ahead_log == "aauaduaauu");
}

TEST_CASE("frame limit") {
  Stage stage;
  stage.feed.script = {{0}, {1}, {2}, {3}};
  const PlayerReport report = stage.run({.frame_limit = 2});
  CHECK(report.frames_shown == 2);
  CHECK(report.end == RunEnd::frame_limit);
}

TEST_CASE("the slate says what is waited for until the first frame") {
  Stage stage;
  stage.feed.script = {{}, {}, {}};
  stage.feed.on_wait = [&] {
    CHECK(shows(stage.presenter, "waiting for a feed"));
    CHECK(stage.presenter.place == OverlayPlace::centre);
  };
  stage.run();
  CHECK(stage.feed.waits == 2);  // the third entry is the end
  stage.feed.script = {{0}};
  stage.run();
  CHECK(stage.presenter.lines.empty());
}

TEST_CASE("a stream that stops: its last picture dimmed under the words, both gone with the next frame") {
  Stage stage;
  stage.feed.script = {{0}, {}, {}, {1}};
  std::vector<std::pair<bool, bool>> seen;
  stage.presenter.on_present = [&] {
    seen.emplace_back(stage.presenter.dimmed, shows(stage.presenter, "no signal"));
    stage.feed.slate_words = {};
    if (seen.size() == 1) stage.feed.slate_words = {"no signal for 0:01"};
  };
  stage.feed.on_wait = [] { std::this_thread::sleep_for(210ms); };  // until words are looked at again
  stage.run();
  CHECK(seen == std::vector<std::pair<bool, bool>>{{false, false}, {true, true}, {false, false}});
}

TEST_CASE("a picture for a time is drawn for the first refresh that is not before it, right after the one before") {
  const SwapGrid grid(1000ms, 10ms);
  CHECK(grid.seen_at(1000ms) == 1010ms);
  CHECK(grid.seen_at(1013ms) == 1020ms);
  CHECK(grid.draw_from(1010ms) == 1000ms);
  CHECK(grid.draw_from(1010001us) == 1010ms);
  for (auto due = 1000ms; due < 1200ms; due += 1ms) {
    CHECK(grid.seen_at(grid.draw_from(due)) >= due);
    if (due > 1010ms) CHECK(grid.seen_at(grid.draw_from(due) - 1ns) < due);
  }
  CHECK(grid.seen_at(2000ms) == 2000ms);  // too long ago to know
  CHECK(SwapGrid().seen_at(7ms) == 7ms);
  CHECK(SwapGrid().draw_from(7ms) == 7ms);
}

TEST_CASE("a slow presenter shows the newest frame, never one from a queue") {
  LiveFeed feed(4ms, 50);
  NotingPresenter presenter;
  presenter.on_present = [] { std::this_thread::sleep_for(18ms); };
  std::vector<ShownFrame> shown;
  Player player({.on_shown = [&](const ShownFrame& frame) { shown.push_back(frame); }});
  const PlayerReport report = player.run(feed, presenter);
  REQUIRE(report.frames_shown >= 3);
  CHECK(report.frames_shown <= 13);  // 200 ms of frames at 18 ms and more each
  CHECK(report.frames_shown + report.frames_skipped == shown.back().number - shown.front().number + 1);
  CHECK(shown.back().number == 49);
  // Queueing the 46 others would put the last one 800 ms late. Half of them bounds what a busy machine adds.
  for (const ShownFrame& frame : shown) CHECK(frame.times.uploaded - frame.times.available < 400ms);
  CHECK(report.total.frames == report.frames_shown);
  CHECK(report.total.p50_ms >= 18);
}

TEST_CASE("stage times: each is the difference of its neighbours, unknown ones are not counted") {
  struct TimedFeed final : ScriptedFeed {
    std::optional<FeedFrame> take(SteadyTime now) override {
      auto frame = ScriptedFeed::take(now);
      if (!frame) return frame;
      const WallTime end = wall_now();
      frame->times.available = end - 50ms;
      frame->times.encoded = end - 40ms;
      frame->times.sent = end - 37ms;
      if (frame->number == 1) frame->times.first_packet = end - 35ms;
      return frame;
    }
  } feed;
  feed.script = {{0}, {1}, {2}};
  NotingPresenter presenter;
  const PlayerReport report = Player({}).run(feed, presenter);
  const auto stage = [&](std::string_view name) {
    return *std::find_if(report.stages.begin(), report.stages.end(), [&](auto& s) { return s.name == name; });
  };
  CHECK(stage("encode").frames == 3);
  CHECK(stage("encode").p50_ms == doctest::Approx(10));
  CHECK(stage("send").p95_ms == doctest::Approx(3));
  CHECK(stage("network").frames == 1);
  CHECK(stage("network").p50_ms == doctest::Approx(2));
  CHECK(stage("assemble").frames == 0);
  CHECK(stage("present").frames == 3);
  CHECK(report.total.p50_ms >= 50);
}

TEST_CASE("pause: the picture stands, the feed knows, later frames are not shown until it plays again") {
  Stage stage;
  stage.feed.script = {{0}, {1}, {2}, {3}, {4}};
  using enum Command;
  stage.presenter.commands = {{}, {toggle_pause}, {}, {toggle_pause}};
  const PlayerReport report = stage.run();
  CHECK(stage.shown == std::vector<uint64_t>{0, 3, 4});
  CHECK(report.frames_paused == 2);
  CHECK(stage.feed.pauses == std::vector<bool>{true, false});
}

TEST_CASE("seeking adds up, stays inside the file, and shows one frame while paused") {
  Stage stage;
  stage.feed.can_seek = true;
  stage.feed.script = {{50}, {51}, {80}, {81}, {82}};
  using enum Command;
  stage.presenter.commands = {{}, {toggle_pause}, {seek_back_5s, seek_back_5s, seek_forward_60s, seek_back_60s}};
  const PlayerReport report = stage.run();
  CHECK(stage.feed.seeks == std::vector<nanoseconds>{46s, 41s, 100s, 40s});
  CHECK(stage.shown == std::vector<uint64_t>{50, 80});
  CHECK(report.frames_paused == 3);
  CHECK(report.frames_skipped == 0);  // a jump that was asked for is no loss

  Stage live;
  live.feed.script = {{0}, {1}};
  live.presenter.commands = {{}, {seek_forward_5s}};
  live.run();
  CHECK(live.feed.seeks.empty());
}

TEST_CASE("frames, ends, speed, volume, loop and scale reach the feed and the window, and are told") {
  using enum Command;
  struct Row {
    std::vector<UserInput> inputs;
    std::string_view told;
    std::function<bool(const ScriptedFeed&, const NotingPresenter&)> done;
  };
  const std::vector<Row> rows = {
      {{step_back}, "paused", [](auto& f, auto&) { return f.steps == std::vector{-1} && f.pauses.back(); }},
      {{step_forward, step_forward},
       "paused",
       [](auto& f, auto&) {
         return f.steps == std::vector{1, 1};
       }},
      {{seek_first}, "", [](auto& f, auto&) { return f.frame_seeks == std::vector<uint64_t>{0} && f.pauses.empty(); }},
      {{seek_last}, "paused", [](auto& f, auto&) { return f.frame_seeks == std::vector{UINT64_MAX} && f.pauses[0]; }},
      {{faster, faster}, "speed 1.5×", [](auto& f, auto&) { return f.speed_set == 1.5; }},
      {{slower}, "speed 0.75×", [](auto& f, auto&) { return f.speed_set == 0.75; }},
      {{slower, normal_speed}, "speed 1×", [](auto& f, auto&) { return f.speed_set == 1; }},
      {{quieter, quieter}, "sound 90 %", [](auto& f, auto&) { return std::abs(f.volume_set - 0.9) < 1e-9; }},
      {{louder}, "sound 100 %", [](auto& f, auto&) { return f.volume_set == 1; }},
      {{toggle_mute}, "sound 100 %, muted", [](auto& f, auto&) { return f.muted_set; }},
      {{toggle_loop}, "loop", [](auto& f, auto&) { return f.loop_set; }},
      {{next_scale}, "fill", [](auto&, auto& p) { return p.scale == ScaleMode::fill; }},
      {{next_scale, next_scale}, "1:1", [](auto&, auto& p) { return p.scale == ScaleMode::exact; }},
      {{next_scale, next_scale, next_scale}, "fit", [](auto&, auto& p) { return p.scale == ScaleMode::fit; }},
      {{next_monitor}, "", [](auto&, auto& p) { return p.monitor_moves == 1; }},
      {{show_position}, "0:00:07.0 / 0:01:40.0 · frame 8 / 101", [](auto&, auto& p) { return p.seek_bar.has_value(); }},
      {{next_item}, "no list", [](auto&, auto&) { return true; }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.told);
    CAPTURE(static_cast<int>(row.inputs[0].command));
    Stage stage;
    stage.feed.can_seek = true;
    stage.feed.script = {{7}, {7}, {7}};
    stage.presenter.commands = {{}, row.inputs};
    stage.run();
    CHECK((row.told.empty() || shows(stage.presenter, row.told)));
    CHECK(row.done(stage.feed, stage.presenter));
  }
}

TEST_CASE("speeds and volume end where they end") {
  using enum Command;
  Stage stage;
  stage.feed.can_seek = true;
  stage.feed.script = {{0}, {1}, {2}};
  stage.presenter.commands = {{}, std::vector<UserInput>(20, slower), std::vector<UserInput>(30, quieter)};
  stage.run();
  CHECK(stage.feed.speed_set == 0.25);
  CHECK(stage.feed.volume_set == 0);
  Stage up;
  up.feed.can_seek = true;
  up.feed.script = {{0}, {1}};
  up.presenter.commands = {{}, std::vector<UserInput>(20, faster)};
  up.run({.choices = {.speed = 0.6}});
  CHECK(up.feed.speed_set == 4);
}

TEST_CASE("a live stream is not steered in time, and says so") {
  for (const Command command : {Command::seek_last, Command::step_back, Command::faster, Command::seek_back_5s}) {
    Stage live;
    live.feed.script = {{0}, {1}};
    live.presenter.commands = {{}, {command}};
    live.run();
    CHECK(live.feed.frame_seeks.empty());
    CHECK(live.feed.steps.empty());
    CHECK(live.feed.pauses.empty());
    CHECK(shows(live.presenter, "not in a live stream"));
  }
}

TEST_CASE("choices go on to the next run, a notice is told once, the frame limit is for all runs together") {
  ScriptedFeed first, second;
  first.can_seek = second.can_seek = true;
  first.script = {{0}, {1}};
  second.script.assign(10, {0});
  NotingPresenter presenter;
  presenter.commands = {{Command::louder, Command::quieter, Command::next_scale, Command::toggle_osd, Command::faster}};
  Player player({.frame_limit = 5});
  player.say("cannot open x");
  bool told = false;
  presenter.on_present = [&] { told = told || shows(presenter, "cannot open x"); };
  player.run(first, presenter, {0, 2});
  CHECK(player.choices().scale == ScaleMode::fill);
  told = false;
  const PlayerReport report = player.run(second, presenter, {1, 2});
  CHECK(report.frames_shown == 3);
  CHECK(report.end == RunEnd::frame_limit);
  CHECK(shows(presenter, "renderer"));
  CHECK(second.speed_set == 1.25);
  CHECK(second.volume_set == doctest::Approx(0.95));
  CHECK_FALSE(told);
}

TEST_CASE("playlist: next and previous end the run, not at the ends of the list unless it loops") {
  using enum Command;
  const auto end_of = [](Command command, ListPlace place, bool loop) {
    Stage stage;
    stage.feed.script.assign(5, {0});
    stage.presenter.commands = {{}, {command}};
    return stage.run({.choices = {.loop = loop}}, place).end;
  };
  CHECK(end_of(next_item, {0, 3}, false) == RunEnd::next_item);
  CHECK(end_of(next_item, {2, 3}, false) == RunEnd::feed_ended);
  CHECK(end_of(next_item, {2, 3}, true) == RunEnd::next_item);
  CHECK(end_of(previous_item, {0, 3}, false) == RunEnd::feed_ended);
  CHECK(end_of(previous_item, {2, 3}, false) == RunEnd::previous_item);
  Stage listed;
  listed.feed.script = {{0}};
  listed.run({.choices = {.loop = true}}, {0, 2});
  CHECK_FALSE(listed.feed.loop_set);  // the list loops, not its files
}

TEST_CASE("dropped files end the run when all of them are there") {
  Stage stage;
  stage.feed.script.assign(10, {0});
  stage.presenter.commands = {{},
                              {UserInput(Command::file_dropped, "a.mov")},
                              {},
                              {UserInput(Command::file_dropped, "b.mov"), Command::drop_complete}};
  const PlayerReport report = stage.run();
  CHECK(report.end == RunEnd::files_dropped);
  CHECK(report.dropped_files == std::vector<std::string>{"a.mov", "b.mov"});
  CHECK(report.frames_shown == 3);
}

TEST_CASE("mouse: a drag on the seek bar stops the clock, seeks to the place under it, and plays on") {
  const SeekBarLayout bar = seek_bar_layout({1280, 720}, 4);
  const auto at = [&](Command command, double part) { return UserInput(command, x_at(bar, part), bar.track.y); };
  const auto time_at = [&](double part) { return nanoseconds(std::llround(part_at(bar, x_at(bar, part)) * 100e9)); };
  using enum Command;
  Stage stage;
  stage.feed.can_seek = true;
  stage.feed.script.assign(10, {50});
  stage.presenter.commands = {{},
                              {at(pointer_moved, 0.5)},
                              {at(pointer_pressed, 0.5)},
                              {at(pointer_moved, 0.6), at(pointer_moved, 0.7)},
                              {at(pointer_moved, 0.8), at(pointer_released, 0.8)}};
  std::vector<SeekBar> bars;
  stage.presenter.on_present = [&] {
    if (stage.presenter.seek_bar) bars.push_back(*stage.presenter.seek_bar);
  };
  stage.run();
  CHECK(stage.feed.seeks == std::vector<nanoseconds>{time_at(0.5), time_at(0.7), time_at(0.8)});
  CHECK(stage.feed.pauses == std::vector<bool>{true, false});
  REQUIRE(bars.size() >= 3);
  CHECK(bars[0].duration == "1:40");
  CHECK(bars[0].pointed == doctest::Approx(0.5).epsilon(0.01));
  CHECK(bars[0].pointed_at.substr(0, 6) == clock_text(time_at(0.5)).substr(0, 6));
  CHECK(bars[2].played == doctest::Approx(0.7).epsilon(0.01));
  CHECK(bars[2].position == "1:10");
  CHECK(bars.back().position == "0:50");  // let go: where the feed is
  CHECK(stage.presenter.pointer == true);
}

TEST_CASE("mouse: a double click off the bar is fullscreen, on it none") {
  using enum Command;
  for (const bool on_the_bar : {false, true}) {
    Stage stage;
    stage.feed.can_seek = true;
    stage.feed.script = {{0}, {1}};
    stage.presenter.commands = {{}, {UserInput(pointer_double_pressed, 600, on_the_bar ? 690 : 300)}};
    stage.run();
    CHECK(stage.presenter.is_fullscreen != on_the_bar);
  }
}

TEST_CASE("escape leaves fullscreen first, q quits at once") {
  Stage stage;
  stage.feed.script.assign(100, {0});
  using enum Command;
  stage.presenter.commands = {{toggle_fullscreen}, {}, {escape}, {}, {escape}};
  CHECK(stage.run().end == RunEnd::quit);
  CHECK(stage.shown.size() == 4);
  CHECK_FALSE(stage.presenter.is_fullscreen);

  Stage quitting;
  quitting.feed.script.assign(100, {0});
  quitting.presenter.commands = {{toggle_fullscreen}, {quit}};
  CHECK(quitting.run().end == RunEnd::quit);
  CHECK(quitting.shown.size() == 1);
}

TEST_CASE("display and key list are toggled, over the picture and over the slate") {
  Stage stage;
  stage.feed.script = {{}, {0}, {1}, {2}, {3}};
  using enum Command;
  stage.presenter.commands = {{toggle_osd}, {}, {toggle_keys}, {toggle_osd}, {toggle_keys}};
  std::vector<std::array<bool, 3>> seen;
  stage.presenter.on_present = [&] {
    seen.push_back(
        {shows(stage.presenter, "waiting"), shows(stage.presenter, "renderer"), shows(stage.presenter, "fullscreen")});
  };
  stage.run();
  REQUIRE(seen.size() == 5);
  CHECK(seen[0] == std::array{true, true, false});
  CHECK(seen[1] == std::array{false, true, false});
  CHECK(seen[2] == std::array{false, true, true});
  CHECK(seen[3] == std::array{false, false, true});
  CHECK(seen[4] == std::array{false, false, false});
}

TEST_CASE("a screenshot is what is on the screen, on the key and at the end, and the display says where it went") {
  Stage stage;
  stage.feed.script = {{0}, {1}, {2}};
  stage.presenter.commands = {{}, {Command::screenshot}};
  int taken = 0;
  bool told = false;
  stage.presenter.on_present = [&] { told = told || shows(stage.presenter, "saved shot-1.png"); };
  const PlayerReport report = stage.run({.save_screenshot =
                                             [&](const ShownPicture& picture) {
                                               CHECK(picture.pixels == std::vector<uint8_t>{1, 2, 3});
                                               return "saved shot-" + std::to_string(++taken) + ".png";
                                             },
                                         .screenshot_at_end = true});
  CHECK(taken == 2);
  CHECK(told);
  CHECK(report.frames_shown == 3);
}

TEST_CASE("another thread stops a run that waits for ever") {
  Stage stage;
  stage.feed.ends = false;
  stage.feed.on_wait = [] { std::this_thread::sleep_for(5ms); };
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    std::this_thread::sleep_for(250ms);  // longer than the period of the words
    stop = true;
  });
  const SteadyTime before = steady_now();
  stage.run({.stop = &stop});
  stopper.join();
  CHECK(steady_now() - before < 2s);
  CHECK(stage.presenter.presents == 1);  // an idle player redraws nothing
}

TEST_CASE("an ended feed may keep its last picture, without spinning") {
  Stage stage;
  stage.feed.script = {{0}};
  stage.presenter.commands.assign(5, {});
  stage.presenter.commands.push_back({Command::quit});
  const SteadyTime before = steady_now();
  CHECK(stage.run({}, {}, false).end == RunEnd::quit);
  CHECK(steady_now() - before >= 40ms);
}

TEST_CASE("reports come about once a second while it runs") {
  LiveFeed feed(10ms, 120);
  NotingPresenter presenter;
  std::vector<PlayerReport> reports;
  Player player({.on_report = [&](const PlayerReport& report) { reports.push_back(report); }});
  player.run(feed, presenter);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].frames_shown > 20);
  CHECK(reports[0].fps_last_second > 20);
  CHECK(reports[0].fps_last_second <= 102);
}

}  // namespace texcast::player
