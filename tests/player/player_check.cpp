// Which frames are shown, when the picture is drawn, what is reported, and when a run ends.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "player_fakes.h"
#include "shown_statistics.h"

namespace texcast::player {
namespace {

using namespace std::chrono_literals;

// A live source: a new frame every `period`. take() returns only the newest since the last call.
class LiveFeed final : public ScriptedFeed {
 public:
  LiveFeed(test::ManualClock& clock, nanoseconds period, uint64_t frames)
      : clock_(clock), period_(period), frames_(frames) {}
  std::optional<FeedFrame> take(SteadyTime now) override {
    const auto newest = std::min(static_cast<uint64_t>((now - start_) / period_), frames_ - 1);
    if (taken_ && *taken_ == newest) return std::nullopt;
    taken_ = newest;
    script = {{.frame = newest}};
    auto frame = ScriptedFeed::take(now);
    frame->times.available = clock_.wall() - (now - start_ - newest * period_);
    return frame;
  }
  void wait(SteadyTime limit) override { clock_.sleep_until(std::min(limit, clock_.now() + period_ / 4)); }
  FeedState state() const override { return taken_ == frames_ - 1 ? FeedState::ended : FeedState::playing; }

 private:
  test::ManualClock& clock_;
  SteadyTime start_ = clock_.now();
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

TEST_CASE("while the presenter prepares for a feed's format, it says so, takes no frame, and obeys commands") {
  Stage stage;
  stage.feed.script = {{0}, {1}, {2}};
  stage.feed.next_format = TextureFormat::etc2;
  stage.presenter.preparing = 5;
  std::vector<std::string> said;
  stage.presenter.on_present = [&] {
    said.insert(said.end(), stage.presenter.lines.begin(), stage.presenter.lines.end());
    said.emplace_back("|");
  };
  stage.presenter.commands = {{}, {Command::toggle_fullscreen}};
  const int before = stage.feed.waits;
  stage.run({.on_turn = [&](Remote&) { CHECK((stage.presenter.preparing == 0 || stage.feed.script.size() == 3)); }});
  CHECK(stage.shown == std::vector<uint64_t>{0, 1, 2});
  CHECK(stage.feed.waits == before);  // with frames in the feed the player would not sleep
  CHECK(stage.presenter.is_fullscreen);
  REQUIRE(said.size() >= 2);
  CHECK(said[0] == "making etc2");
  CHECK(std::ranges::count(said, "making etc2") <= 2);  // and once more for the window
  CHECK(said.back() == "|");
}

TEST_CASE("the available part of the next frame goes to the presenter, and is dropped if another one comes") {
  Stage stage;
  stage.feed.script = {{}, {}, {0}, {}, {1}, {}, {}, {2}, {3}};
  stage.feed.aheads = {100, 100, 102, 102, 102};  // of frames 0 and 2; at first frame 1 comes instead of 2
  stage.run();
  CHECK(stage.presenter.ahead_log == "aauaduaauu");
}

TEST_CASE("a picture that is on the screen already counts as shown, and is neither uploaded nor drawn") {
  Stage stage;
  stage.feed.script = {{.frame = 0, .changed_in = 1}, {.frame = 1, .changed_in = 1},
                       {.frame = 3, .changed_in = 1}, {.frame = 4, .changed_in = 5},
                       {.frame = 6, .changed_in = 6},  // in the skipped frame
                       {.frame = 7, .changed_in = 6}, {.frame = 8},
                       {.frame = 9, .changed_in = 6},  // its changes are unknown
                       {.frame = 5, .changed_in = 5}};
  const PlayerReport report = stage.run();
  CHECK(stage.shown == std::vector<uint64_t>{0, 1, 3, 4, 6, 7, 8, 9, 5});
  CHECK(report.frames_shown == 9);
  CHECK(report.frames_unchanged == 3);
  CHECK(stage.presenter.uploads == 6);
  CHECK(stage.presenter.presents == 6);
  CHECK(stage.feed.swaps_told == 9);
}

TEST_CASE("over an unchanged picture the pointer moves, text appears, and begun uploads are dropped") {
  Stage stage;
  stage.feed.script = {{.frame = 0, .changed_in = 1}, {}, {.frame = 1, .changed_in = 1}};
  stage.feed.aheads = {101};
  stage.run();
  CHECK(stage.presenter.ahead_log == "uad");

  ScriptedFeed feed;
  NotingPresenter presenter;
  for (uint64_t i = 0; i < 4; ++i) feed.script.push_back({.frame = i, .changed_in = 1});
  Player player({.on_shown = [&](const ShownFrame& frame) {
    if (frame.number == 0) feed.pointer.x = 7;
  }});
  player.run(feed, presenter);
  CHECK(presenter.uploads == 1);
  CHECK(presenter.cursors == std::vector<int>{0, 7});
  CHECK(presenter.presents == 2);
}

TEST_CASE("a display is swapped from time to time, even without changes, to keep track of its refresh") {
  Stage stage;
  stage.presenter.period = 16ms;
  stage.feed.script = {{.frame = 0, .changed_in = 1}, {.frame = 1, .changed_in = 1}};
  Player player({.on_shown = [&](const ShownFrame&) { stage.clock.advance(260ms); }}, stage.clock);
  player.run(stage.feed, stage.presenter);
  CHECK(stage.presenter.uploads == 2);
  CHECK(stage.presenter.presents == 2);
}

TEST_CASE("frame limit") {
  Stage stage;
  stage.feed.script = {{0}, {1}, {2}, {3}};
  const PlayerReport report = stage.run({.frame_limit = 2});
  CHECK(report.frames_shown == 2);
  CHECK(report.end == RunEnd::frame_limit);
}

TEST_CASE("the slate says what the player waits for until the first frame") {
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

TEST_CASE("a pointer that moves is drawn without a new frame, and one that does not move costs nothing") {
  ScriptedFeed feed;
  feed.script = {{0}, {}, {}, {}, {}, {}, {}, {1}};
  NotingPresenter presenter;
  test::ManualClock clock;
  feed.on_wait = [&] {
    if (feed.waits == 2 || feed.waits == 4) feed.pointer.x += 100;
  };
  Player player({}, clock);
  player.run(feed, presenter);
  presenter.cursors.erase(std::unique(presenter.cursors.begin(), presenter.cursors.end()), presenter.cursors.end());
  CHECK(presenter.cursors == std::vector<int>{0, 100, 200});
  CHECK(presenter.draws <= 5);  // two frames, two moves, and the text
}

TEST_CASE("a stream that stops: its last picture is dimmed under the text, and both end with the next frame") {
  Stage stage;
  stage.feed.script = {{0}, {}, {}, {1}};
  std::vector<std::pair<bool, bool>> seen;
  stage.presenter.on_present = [&] {
    seen.emplace_back(stage.presenter.dimmed, shows(stage.presenter, "no signal"));
    stage.feed.slate_words = {};
    if (seen.size() == 1) stage.feed.slate_words = {"no signal for 0:01"};
  };
  stage.feed.on_wait = [&] { stage.clock.advance(210ms); };  // until the text is checked again
  stage.run();
  CHECK(seen == std::vector<std::pair<bool, bool>>{{false, false}, {true, true}, {false, false}});
}

TEST_CASE("a picture with a time is drawn for the first refresh at or after it, right after the previous refresh") {
  const SwapGrid grid(SteadyTime(1000ms), 10ms);
  CHECK(grid.seen_at(SteadyTime(1000ms)) == SteadyTime(1010ms));
  CHECK(grid.seen_at(SteadyTime(1013ms)) == SteadyTime(1020ms));
  CHECK(grid.draw_from(SteadyTime(1010ms)) == SteadyTime(1000ms));
  CHECK(grid.draw_from(SteadyTime(1010001us)) == SteadyTime(1010ms));
  for (SteadyTime due(1000ms); due < SteadyTime(1200ms); due += 1ms) {
    CHECK(grid.seen_at(grid.draw_from(due)) >= due);
    if (due > SteadyTime(1010ms)) CHECK(grid.seen_at(grid.draw_from(due) - 1ns) < due);
  }
  CHECK(grid.seen_at(SteadyTime(2000ms)) == SteadyTime(2000ms));  // too long ago to know
  CHECK(!grid.fades(SteadyTime(1240ms)));
  CHECK(grid.fades(SteadyTime(1250ms)));
  CHECK(!SwapGrid().fades(SteadyTime(1250ms)));
  CHECK(SwapGrid().seen_at(SteadyTime(7ms)) == SteadyTime(7ms));
  CHECK(SwapGrid().draw_from(SteadyTime(7ms)) == SteadyTime(7ms));
}

TEST_CASE("a slow presenter shows the newest frame, never one from a queue") {
  test::ManualClock clock;
  LiveFeed feed(clock, 4ms, 50);
  NotingPresenter presenter;
  presenter.on_present = [&] { clock.advance(18ms); };
  std::vector<ShownFrame> shown;
  Player player({.on_shown = [&](const ShownFrame& frame) { shown.push_back(frame); }}, clock);
  const PlayerReport report = player.run(feed, presenter);
  CHECK(report.frames_shown == 12);  // every 18 ms, until the last one came after 196 ms
  CHECK(report.frames_shown + report.frames_skipped == shown.back().number - shown.front().number + 1);
  CHECK(shown.back().number == 49);
  // A newer one comes every 4 ms. Queueing the 46 others would delay the last one by 800 ms.
  for (const ShownFrame& frame : shown) CHECK(frame.times.uploaded - frame.times.available < 4ms);
  CHECK(report.total.frames == report.frames_shown);
  CHECK(report.total.p50_ms >= 18);
  CHECK(report.total.p95_ms < 18 + 4);
}

TEST_CASE("stage times: each is the difference of two neighbours, and unknown ones are not counted") {
  test::ManualClock clock;
  struct TimedFeed final : ScriptedFeed {
    explicit TimedFeed(const Clock& clock) : clock_(clock) {}
    const Clock& clock_;
    std::optional<FeedFrame> take(SteadyTime now) override {
      auto frame = ScriptedFeed::take(now);
      if (!frame) return frame;
      const WallTime end = clock_.wall();
      frame->times.available = end - 50ms;
      frame->times.encoded = end - 40ms;
      frame->times.sent = end - 37ms;
      if (frame->number == 1) frame->times.first_packet = end - 35ms;
      return frame;
    }
  } feed(clock);
  feed.script = {{0}, {1}, {2}};
  NotingPresenter presenter;
  presenter.on_present = [&] { clock.advance(7ms); };
  const PlayerReport report = Player({}, clock).run(feed, presenter);
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
  CHECK(stage("present").p50_ms == doctest::Approx(7));
  CHECK(report.total.p50_ms == doctest::Approx(57));
}

TEST_CASE("the last second: its rate, skipped frames and times, without anything earlier") {
  ShownStatistics statistics;
  const SteadyTime begin{1000s};
  const WallTime wall{2000s};
  const auto show = [&](uint64_t number, SteadyTime at, nanoseconds latency) {
    ShownFrame frame{.number = number};
    frame.times.available = wall;
    frame.times.encoded = wall + latency / 2;
    frame.times.presented = wall + latency;
    statistics.add(frame, at);
  };
  for (uint64_t i = 0; i < 100; ++i)
    show(i * 3, begin + i * 20ms, 500ms);  // two seconds at 50 per second, one of three frames
  CHECK(statistics.report(begin + 2s).total_last_second.p50_ms == doctest::Approx(500));
  CHECK(statistics.report(begin + 2s).frames_skipped_last_second == 2 * 49);
  for (uint64_t i = 0; i < 25; ++i) show(300 + i, begin + 2s + i * 40ms, i < 20 ? 10ms : 30ms);
  const PlayerReport report = statistics.report(begin + 2990ms);
  CHECK(report.fps_last_second == doctest::Approx(25));
  CHECK(report.total_last_second.frames == 25);
  CHECK(report.total_last_second.p50_ms == doctest::Approx(10));
  CHECK(report.total_last_second.p95_ms == doctest::Approx(30));
  CHECK(report.stages_last_second[0].p95_ms == doctest::Approx(15));
  CHECK(report.stages_last_second[1].frames == 0);
  CHECK(report.frames_skipped_last_second == 2);
  CHECK(report.frames_skipped == 2 * 99 + 2);  // of the whole run
  CHECK(report.total.p50_ms == doctest::Approx(500));
  const PlayerReport later = statistics.report(begin + 60s);
  CHECK(later.fps_last_second == 0);
  CHECK(later.total_last_second.frames == 0);
}

TEST_CASE("settings are kept for the next run, a notice is shown once, and the frame limit is for all runs together") {
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

TEST_CASE("a screenshot is what is on the screen, on the key and at the end, and the display says where it is") {
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

TEST_CASE("a screenshot is the clean picture, after the end too, unless the display was asked for") {
  for (const bool with_osd : {false, true}) {
    CAPTURE(with_osd);
    Stage stage;
    stage.feed.script = {{0}, {1}, {2}, {}, {}, {}};
    stage.feed.pointer.x = 7;
    stage.feed.on_wait = [&] {
      stage.clock.advance(210ms);  // until the text is checked again
      stage.feed.slate_words = {"no signal for 0:02"};
    };
    bool seen_dimmed = false;
    stage.presenter.on_present = [&] { seen_dimmed = seen_dimmed || stage.presenter.dimmed; };
    int taken = 0;
    stage.run({.choices = {.show_osd = true, .screenshot_with_osd = with_osd},
               .save_screenshot =
                   [&](const ShownPicture&) {
                     ++taken;
                     return "saved";
                   },
               .screenshot_at_end = true});
    CHECK(seen_dimmed);  // on the screen
    CHECK(taken == 1);
    CHECK(stage.presenter.read_back_with_texts == with_osd);
    CHECK(stage.presenter.read_back_dimmed == with_osd);
    CHECK(stage.presenter.cursors.back() == 7);  // the pointer belongs to the captured desktop
    CHECK(shows(stage.presenter, "no signal"));  // the screen shows the texts again
  }
}

TEST_CASE("before the first picture a screenshot shows why there is none") {
  Stage stage;
  stage.feed.ends = false;
  stage.feed.slate_words = {"waiting for rtp://:5004"};
  stage.presenter.commands = {{}, {Command::screenshot}, {Command::quit}};
  stage.run({.save_screenshot = [](const ShownPicture&) { return "saved"; }});
  CHECK(stage.presenter.read_back_with_texts);
}

TEST_CASE("the window's title tells what is shown and in which state, as it changes") {
  Stage stage;
  stage.feed.can_seek = true;
  stage.feed.name = "/films/show.mov";
  stage.feed.script = {{}, {0}, {1}, {}, {}, {}, {}};
  stage.feed.on_wait = [&] { stage.clock.advance(210ms); };
  stage.presenter.commands = {{}, {}, {}, {}, {Command::toggle_pause}};
  std::vector<std::string> titles;
  stage.presenter.on_present = [&] {
    if (titles.empty() || titles.back() != stage.presenter.title_text) titles.push_back(stage.presenter.title_text);
  };
  stage.run({}, {1, 3});
  REQUIRE(titles.size() >= 3);
  CHECK(titles[0] == "show.mov (2 of 3): opening - texcast");
  CHECK(titles[1] == "show.mov (2 of 3): playing - texcast");
  CHECK(titles[2] == "show.mov (2 of 3): paused - texcast");
}

TEST_CASE("another thread stops a run that waits for ever") {
  Stage stage;
  stage.feed.ends = false;
  std::atomic<bool> stop = false;
  const SteadyTime before = stage.clock.now();
  stage.feed.on_wait = [&] {
    stage.clock.advance(5ms);
    if (stage.clock.now() - before == 250ms) std::thread([&] { stop = true; }).join();  // longer than the text's period
  };
  stage.run({.stop = &stop});
  CHECK(stage.clock.now() - before == 250ms);
  CHECK(stage.presenter.presents == 1);  // an idle player redraws nothing
}

TEST_CASE("a presenter prepares more formats only while a stream is awaited that does not run yet") {
  for (const bool is_late : {false, true}) {
    CAPTURE(is_late);
    Stage stage;
    stage.feed.ends = false;
    stage.feed.is_late = is_late;
    stage.presenter.formats_to_warm_up = 3;
    const SteadyTime before = stage.clock.now();
    std::atomic<bool> stop = false;
    stage.feed.on_wait = [&] {
      if (stage.clock.now() - before <= 290ms) CHECK(stage.presenter.formats_to_warm_up == 3);
      stage.clock.advance(10ms);
      if (stage.clock.now() - before == 350ms) stop = true;
    };
    stage.run({.stop = &stop});
    CHECK(stage.presenter.formats_to_warm_up == (is_late ? 0 : 3));
  }
}

TEST_CASE("an ended feed may keep its last picture, without busy waiting") {
  Stage stage;
  stage.feed.script = {{0}};
  stage.presenter.commands.assign(5, {});
  stage.presenter.commands.push_back({Command::quit});
  const SteadyTime before = stage.clock.now();
  CHECK(stage.run({}, {}, false).end == RunEnd::quit);
  CHECK(stage.clock.now() - before >= 40ms);
}

TEST_CASE("reports come about once a second during a run") {
  test::ManualClock clock;
  LiveFeed feed(clock, 10ms, 120);
  NotingPresenter presenter;
  std::vector<PlayerReport> reports;
  Player player({.on_report = [&](const PlayerReport& report) { reports.push_back(report); }}, clock);
  player.run(feed, presenter);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].frames_shown == 100);
  CHECK(reports[0].fps_last_second == doctest::Approx(99));  // the first is a whole second old
}

}  // namespace texcast::player
