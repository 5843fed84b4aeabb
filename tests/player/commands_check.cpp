// The effect of each command, and what the display shows about it.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cmath>

#include "player/osd_lines.h"
#include "player/remote.h"
#include "player/seek_bar.h"
#include "player_fakes.h"

namespace texcast::player {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("pause: the picture stays, the feed pauses too, and later frames are not shown until it plays again") {
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
  CHECK(report.frames_skipped == 0);  // a requested jump does not count as loss

  Stage live;
  live.feed.script = {{0}, {1}};
  live.presenter.commands = {{}, {seek_forward_5s}};
  live.run();
  CHECK(live.feed.seeks.empty());
}

TEST_CASE("frames, ends, speed, volume, loop and scale reach the feed and the window, and are displayed") {
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

TEST_CASE("remote control sets values, and is refused values that are impossible") {
  Stage stage;
  stage.feed.can_seek = true;
  stage.feed.script = {{7}, {7}, {7}, {7}, {7}};
  int turns = 0;
  const PlayerReport report = stage.run({.on_turn = [&](Remote& remote) {
    if (++turns != 2) return;
    remote.set_paused(true);
    remote.set_paused(true);  // it is paused already
    remote.set_volume(1.5);
    remote.set_muted(true);
    remote.set_loop(true);
    remote.set_scale(ScaleMode::fill);
    remote.set_fullscreen(true);
    remote.set_osd(true);
    CHECK(remote.set_speed(7));
    CHECK(remote.seek_to(30s));
    CHECK(remote.seek_by(-2s));
    CHECK(remote.seek_to(500s));  // the end is at 100
    CHECK(remote.step_by(-3));
    CHECK_FALSE(remote.change_item(true));
    CHECK(remote.playback().paused);
    CHECK(remote.choices().volume == 1);
    CHECK(remote.report().frames_shown == 1);
    std::string seen;
    CHECK(remote.screenshot([&](const ShownPicture& picture) { return seen = std::to_string(picture.width); }));
    CHECK(seen == "1");
    remote.say("a word");
    remote.set_paused(false);
  }});
  CHECK(turns == 6);
  CHECK(report.frames_shown == 5);
  CHECK(stage.feed.pauses == std::vector<bool>{true, true, false});  // steps pause, too
  CHECK(stage.feed.volume_set == 1);
  CHECK(stage.feed.muted_set);
  CHECK(stage.feed.loop_set);
  CHECK(stage.feed.speed_set == 4);
  CHECK(stage.feed.seeks == std::vector<nanoseconds>{30s, 28s, 100s});
  CHECK(stage.feed.steps == std::vector{-3});
  CHECK(stage.presenter.scale == ScaleMode::fill);
  CHECK(stage.presenter.is_fullscreen);
  CHECK(shows(stage.presenter, "a word"));
  CHECK(shows(stage.presenter, "sound"));  // the display is on

  Stage live;
  live.feed.script = {{0}, {1}, {2}};
  const PlayerReport quit = live.run({.on_turn =
                                          [&](Remote& remote) {
                                            CHECK_FALSE(remote.set_speed(2));
                                            CHECK_FALSE(remote.seek_to(1s));
                                            CHECK_FALSE(remote.step_by(1));
                                            CHECK_FALSE(remote.change_item(false));
                                            CHECK(remote.change_item(true));
                                          }},
                                     {.index = 0, .count = 2});
  CHECK(quit.end == RunEnd::next_item);
  CHECK(live.feed.seeks.empty());
}

TEST_CASE("r begins and ends a recording if recording is possible, and the display names the file") {
  using enum Command;
  Stage stage;
  stage.feed.script = {{0}, {1}, {2}};
  stage.presenter.commands = {{}, {toggle_recording}};
  stage.run({.toggle_recording = [] { return std::string("recording a.mov"); }});
  CHECK(shows(stage.presenter, "recording a.mov"));
  Stage none;
  none.feed.script = {{0}, {1}, {2}};
  none.presenter.commands = {{}, {toggle_recording}};
  none.run();
  CHECK(shows(none.presenter, "this cannot be recorded"));
}

TEST_CASE("speeds and volume stay within their limits") {
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

TEST_CASE("a live stream cannot be sought or change its speed, and the display says so") {
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

TEST_CASE("playlist: forward and back, up to the ends, or around if it loops") {
  using enum Playlist::Direction;
  Playlist list({"a", "b", "c"});
  CHECK(list.current() == "a");
  CHECK_FALSE(list.move(back, false));
  CHECK(list.current() == "a");
  CHECK(list.move(forward, false));
  CHECK(list.move(forward, false));
  CHECK(list.current() == "c");
  CHECK(list.place().index == 2);
  CHECK(list.place().count == 3);
  CHECK_FALSE(list.move(forward, false));
  CHECK(list.current() == "c");
  CHECK(list.move(forward, true));
  CHECK(list.current() == "a");
  CHECK(list.move(back, true));
  CHECK(list.current() == "c");
  Playlist single({"x"});
  CHECK_FALSE(single.move(forward, false));
  CHECK(single.move(forward, true));
  CHECK(single.current() == "x");
}

TEST_CASE("playlist: next and previous end the run, but not at the ends of the list unless it loops") {
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

TEST_CASE("dropped files end the run when the last of them has arrived") {
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

TEST_CASE("mouse: a drag on the seek bar stops the clock, seeks to the place under the pointer, and plays on") {
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
  CHECK(bars.back().position == "0:50");  // released: the feed's position
  CHECK(stage.presenter.pointer == true);
}

TEST_CASE("mouse: without a new frame the picture is drawn again only if the seek bar differs from the one shown") {
  const SeekBarLayout bar = seek_bar_layout({1280, 720}, 4);
  const auto at = [&](double part) { return UserInput(Command::pointer_moved, x_at(bar, part), bar.track.y); };
  Stage stage;
  stage.feed.can_seek = true;
  stage.feed.script = {{0}, {}, {}, {}, {}, {}, {}};
  stage.presenter.commands = {{}, {at(0.5)}, {at(0.5)}, {}, {at(0.6)}, {at(0.6)}};
  stage.run();
  CHECK(stage.presenter.presents == 3);  // frame 0, the bar, the bar with another place pointed at
}

TEST_CASE("mouse: a double click outside the seek bar is fullscreen, on it nothing") {
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

}  // namespace texcast::player
