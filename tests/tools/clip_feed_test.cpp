#include "stream/clip_feed.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "../manual_clock.h"
#include "../patience.h"
#include "fake_clip.h"
#include "media/recorder.h"

using namespace texcast;
using namespace texcast::stream;
using texcast::test::FakeClip;
using texcast::test::kPatience;
using texcast::test::ManualClock;
using namespace std::chrono_literals;
using player::FeedState;

namespace {

std::optional<player::FeedFrame> take_soon(ClipFeed& feed, SteadyTime at) {
  for (const SteadyTime limit = steady_now() + kPatience; steady_now() < limit; std::this_thread::sleep_for(500us))
    if (auto frame = feed.take(at)) return frame;
  return std::nullopt;
}

int number_in(const player::FeedFrame& frame) { return std::to_integer<int>(frame.texture.blocks[0]); }

// Waits until so many frames have been unpacked since the beginning.
void let_it_unpack(const ClipFeed& feed, uint64_t frames) {
  const SteadyTime limit = steady_now() + kPatience;
  while (feed.stages().at(1).frames < frames && steady_now() < limit) std::this_thread::sleep_for(500us);
}

// Waits until the reading thread has reached the end.
FeedState state_at_the_end(const ClipFeed& feed) {
  const SteadyTime limit = steady_now() + kPatience;
  while (feed.state() != FeedState::ended && steady_now() < limit) std::this_thread::sleep_for(500us);
  return feed.state();
}

// Waits until the next frame is available.
void let_it_read_ahead(ClipFeed& feed) {
  const SteadyTime limit = steady_now() + kPatience;
  while (!feed.ahead() && steady_now() < limit) std::this_thread::sleep_for(500us);
}

}  // namespace

TEST_CASE("a clip is shown by its time stamps, and a late screen gets the newest frame that is due") {
  ClipFeed feed(std::make_unique<FakeClip>(10), ClipPace::by_time_stamps);
  const SteadyTime begin{1000s};
  const auto first = take_soon(feed, begin);
  REQUIRE(first);
  CHECK(number_in(*first) == 0);
  let_it_unpack(feed, 1 + ReadAhead::kFrames);  // everything that it reads ahead, because threads finish in any order
  CHECK_FALSE(feed.take(begin + 49ms));
  const auto second = feed.take(begin + 50ms);
  REQUIRE(second);
  CHECK(number_in(*second) == 1);
  const auto late = feed.take(begin + 170ms);  // 2 and 3 are due
  REQUIRE(late);
  CHECK(number_in(*late) == 3);
  CHECK(late->number == 3);
  CHECK(feed.dropped() == 1);
}

TEST_CASE("pause stops the clock, not only the picture") {
  ManualClock clock;
  ClipFeed feed(std::make_unique<FakeClip>(10), ClipPace::by_time_stamps, clock);
  REQUIRE(take_soon(feed, clock.now()));
  let_it_read_ahead(feed);
  clock.advance(20ms);
  feed.set_paused(true);
  clock.advance(5s);
  CHECK_FALSE(feed.take(clock.now()));
  CHECK(feed.state() == FeedState::playing);
  feed.set_paused(false);
  CHECK_FALSE(feed.take(clock.now() + 29ms));  // the time of the pause does not count
  const auto next = feed.take(clock.now() + 30ms);
  REQUIRE(next);
  CHECK(number_in(*next) == 1);
}

TEST_CASE("a seek shows the frame at that position, also while paused and from the end") {
  ClipFeed feed(std::make_unique<FakeClip>(10), ClipPace::by_time_stamps);
  REQUIRE(take_soon(feed, steady_now()));
  feed.set_paused(true);
  feed.seek(400ms);
  const auto there = take_soon(feed, steady_now());
  REQUIRE(there);
  CHECK(number_in(*there) == 8);
  feed.seek(100h);  // past the end: the last frame
  const auto last = take_soon(feed, steady_now());
  REQUIRE(last);
  CHECK(number_in(*last) == 9);
  feed.seek(-5s);
  const auto first = take_soon(feed, steady_now());
  REQUIRE(first);
  CHECK(number_in(*first) == 0);
}

TEST_CASE("the feed ends after the duration of the last frame, not before") {
  ManualClock clock;
  ClipFeed feed(std::make_unique<FakeClip>(1), ClipPace::by_time_stamps, clock);
  REQUIRE(take_soon(feed, clock.now()));
  clock.advance(50ms - 1ns);
  CHECK(feed.state() == FeedState::playing);
  clock.advance(1ns);
  CHECK(state_at_the_end(feed) == FeedState::ended);
}

TEST_CASE("the next frame is known before it is due, with its blocks and number") {
  ClipFeed feed(std::make_unique<FakeClip>(6), ClipPace::by_time_stamps);
  CHECK(feed.next_texture() == feed.info().texture);
  CHECK_FALSE(feed.ahead());  // the first is taken as soon as it is available
  const SteadyTime begin = steady_now();
  std::optional<player::FeedFrame> frame = take_soon(feed, begin);
  REQUIRE(frame);
  for (int i = 1; i < 4; ++i) {
    const uint64_t shown = frame->id;
    std::optional<player::FeedAhead> ahead;
    for (const SteadyTime limit = steady_now() + kPatience; !ahead && steady_now() < limit;) ahead = feed.ahead();
    REQUIRE(ahead);
    CHECK(ahead->id != 0);
    CHECK(ahead->id != shown);
    CHECK(ahead->ready_bytes == ahead->texture.blocks.size());
    CHECK(std::to_integer<int>(ahead->texture.blocks[0]) == i);
    CHECK_FALSE(feed.take(begin + i * 50ms - 1ms));
    frame = feed.take(begin + i * 50ms);
    REQUIRE(frame);
    CHECK(frame->id == ahead->id);
    CHECK(frame->texture.blocks.data() == ahead->texture.blocks.data());
  }
  feed.set_paused(true);
  CHECK_FALSE(feed.ahead());
  feed.set_paused(false);
  feed.seek({});
  CHECK_FALSE(feed.ahead());
  const uint64_t last = frame->id;
  frame = take_soon(feed, steady_now());
  REQUIRE(frame);
  CHECK(frame->id > last);
}

TEST_CASE("every frame at once: none is skipped, damaged ones are counted") {
  ClipFeed feed(std::make_unique<FakeClip>(200, 7), ClipPace::every_frame_at_once);
  int expected = 0;
  const SteadyTime limit = steady_now() + kPatience;
  while (feed.state() != FeedState::ended && steady_now() < limit) {
    if (const auto frame = feed.take(steady_now())) {
      if (expected == 7) ++expected;
      REQUIRE(number_in(*frame) == expected++);
    } else {
      feed.wait(steady_now() + 5ms);
    }
  }
  CHECK(expected == 200);
  CHECK(feed.damaged() == 1);
  CHECK(feed.first_damage() == "frame is damaged");
}

TEST_CASE("the rate on the display is that of the bytes in the file per second of it, not that of the blocks") {
  for (const double speed : {1.0, 4.0}) {
    ClipFeed feed(std::make_unique<FakeClip>(200), ClipPace::every_frame_at_once);
    feed.set_speed(speed);
    for (int i = 0; i < 60; ++i) REQUIRE(take_soon(feed, steady_now()));
    const auto stats = feed.stats();
    const auto rate = std::ranges::find(stats, "rate", &player::FeedStat::name);
    REQUIRE(rate != stats.end());
    CHECK(rate->value == "80.0 kbit/s as stored in the file");  // 20 frames a second of 500 bytes each
  }
}

TEST_CASE("a start in the middle of a file that loops is that of the first round only") {
  ClipFeed feed(std::make_unique<FakeClip>(5), ClipPace::every_frame_at_once);
  feed.seek(150ms);
  feed.set_loop(true);
  for (const int number : {3, 4, 0, 1, 2, 3, 4, 0}) {
    const auto frame = take_soon(feed, steady_now());
    REQUIRE(frame);
    CHECK(number_in(*frame) == number);
  }
}

TEST_CASE("errors of the reading thread reach the caller") {
  ClipFeed feed(std::make_unique<FakeClip>(10, -1, 2), ClipPace::every_frame_at_once);
  const SteadyTime limit = steady_now() + kPatience;
  while (feed.state() != FeedState::ended && steady_now() < limit)
    if (!feed.take(steady_now())) feed.wait(steady_now() + 5ms);
  CHECK_THROWS_AS(feed.rethrow_failure(), Error);
}

TEST_CASE("steps are exact, forward and back, single and multiple, and stop at the ends") {
  ClipFeed feed(std::make_unique<FakeClip>(30), ClipPace::by_time_stamps);
  REQUIRE(take_soon(feed, steady_now()));
  int at = 0;
  for (const int step : {1, 1, 3, -1, -1, -2, 12, -5, 100, 1, -1, -100, -1, 6, 7}) {
    CAPTURE(step);
    feed.step(step);
    CHECK(feed.paused());
    const int to = std::clamp(at + step, 0, 29);
    if (to == at && step > 0) {
      std::this_thread::sleep_for(10ms);
      CHECK_FALSE(feed.take(steady_now()));  // it is already shown
    } else {
      const auto frame = take_soon(feed, steady_now());
      REQUIRE(frame);
      CHECK(number_in(*frame) == to);
      CHECK(frame->number == static_cast<uint64_t>(to));
    }
    CHECK(feed.position() == to * 50ms);
    CHECK_FALSE(feed.take(steady_now() + 5s));
    at = to;
  }
}

TEST_CASE("steps and seeks faster than frames add up") {
  ClipFeed feed(std::make_unique<FakeClip>(100), ClipPace::by_time_stamps);
  REQUIRE(take_soon(feed, steady_now()));
  for (int i = 0; i < 20; ++i) feed.step(1);
  for (int i = 0; i < 5; ++i) feed.step(-1);
  auto frame = take_soon(feed, steady_now());
  REQUIRE(frame);
  CHECK(number_in(*frame) == 15);
  feed.seek(*feed.position() + 1s);
  CHECK(feed.position() == 1750ms);
  feed.seek(*feed.position() + 1s);
  frame = take_soon(feed, steady_now());
  REQUIRE(frame);
  CHECK(number_in(*frame) == 55);
}

TEST_CASE("Home and End seek to the first and last frame, and playback goes on from there") {
  ClipFeed feed(std::make_unique<FakeClip>(10), ClipPace::by_time_stamps);
  REQUIRE(take_soon(feed, steady_now()));
  CHECK(feed.frame_count() == 10);
  feed.seek_to_frame(UINT64_MAX);
  auto frame = take_soon(feed, steady_now());
  REQUIRE(frame);
  CHECK(number_in(*frame) == 9);
  feed.seek_to_frame(0);
  const SteadyTime begin = steady_now();
  frame = take_soon(feed, begin);
  REQUIRE(frame);
  CHECK(number_in(*frame) == 0);
  frame = take_soon(feed, begin + 60ms);
  REQUIRE(frame);
  CHECK(number_in(*frame) == 1);
}

TEST_CASE("a loop has no gap, also if set at the end; if unset, the current pass is the last") {
  ManualClock clock;
  ClipFeed feed(std::make_unique<FakeClip>(3), ClipPace::by_time_stamps, clock);
  feed.set_loop(true);
  const SteadyTime begin = clock.now();
  for (int i = 0; i < 8; ++i) {  // each due 50 ms after the previous one
    const auto early = i == 0 ? std::nullopt : feed.take(begin + i * 50ms - 1ms);
    CHECK_FALSE(early);
    const auto frame = take_soon(feed, begin + i * 50ms);
    REQUIRE(frame);
    CHECK(number_in(*frame) == i % 3);
    CHECK(frame->times.pts == i % 3 * 50ms);
    let_it_read_ahead(feed);
  }
  CHECK(feed.dropped() == 0);
  feed.set_loop(false);
  const auto last = take_soon(feed, begin + 10s);
  REQUIRE(last);
  CHECK(number_in(*last) == 2);
  CHECK_FALSE(feed.take(begin + 20s));
  CHECK(feed.state() == FeedState::playing);  // no time has passed by the feed's clock
  clock.advance(20s);
  CHECK(state_at_the_end(feed) == FeedState::ended);
  feed.set_loop(true);
  const auto again = take_soon(feed, clock.now());
  REQUIRE(again);
  CHECK(number_in(*again) == 0);
}

TEST_CASE("speed is media time per second; frames that are skipped are not even unpacked") {
  auto clip = std::make_unique<FakeClip>(200);
  const std::atomic<int>& unpacked = clip->unpacked();
  std::atomic<bool>& unpacks_last = clip->unpacks_last();  // so that there are frames to skip
  unpacks_last = true;
  ManualClock clock;
  ClipFeed feed(std::move(clip), {.pace = ClipPace::by_time_stamps, .threads = 1}, clock);
  feed.set_speed(0.5);
  const SteadyTime begin = clock.now();
  REQUIRE(take_soon(feed, begin));
  let_it_read_ahead(feed);
  CHECK_FALSE(feed.take(begin + 99ms));
  REQUIRE(feed.take(begin + 100ms));
  feed.set_speed(100);  // limited to 4
  CHECK(feed.speed() == 4);
  const SteadyTime fast = clock.now();
  const int before = unpacked;
  std::optional<player::FeedFrame> frame;
  for (const SteadyTime limit = steady_now() + kPatience; steady_now() < limit && !(frame && frame->number >= 100);)
    if (auto next = feed.take(fast + 1250ms)) frame = next;  // 100 frames later
  unpacks_last = false;
  REQUIRE(frame);
  CHECK(frame->number < 103);
  CHECK(unpacked - before < 50);
  CHECK(feed.dropped() > 50);
}

TEST_CASE("a damaged frame that is mostly readable is shown, reported and counted") {
  auto clip = std::make_unique<FakeClip>(3, 1);
  clip->set_most_is_there();
  ClipFeed feed(std::move(clip), ClipPace::every_frame_at_once);
  for (int i = 0; i < 3; ++i) {
    const auto frame = take_soon(feed, SteadyTime{});
    REQUIRE(frame);
    CHECK(number_in(*frame) == i);
  }
  CHECK(feed.damaged() == 1);
  CHECK(feed.first_damage() == "frame is damaged");
}

TEST_CASE("damaged frames are skipped, reported and counted; pause, steps and seeks pass them") {
  ClipFeed feed(std::make_unique<FakeClip>(10, 3), ClipPace::by_time_stamps);
  REQUIRE(take_soon(feed, steady_now()));
  feed.step(2);
  REQUIRE(take_soon(feed, steady_now()));
  feed.step(1);
  auto frame = take_soon(feed, steady_now());
  REQUIRE(frame);
  CHECK(number_in(*frame) == 4);
  feed.seek(150ms);
  frame = take_soon(feed, steady_now());
  REQUIRE(frame);
  CHECK(number_in(*frame) == 4);
  CHECK(feed.first_damage() == "frame is damaged");
}

TEST_CASE("with two buffers and three threads every frame arrives in order") {
  ReadAhead ahead(std::make_unique<FakeClip>(60), player::make_plain_upload_buffers(2, 16), 3);
  AheadFrame held;
  uint64_t count = 0;
  for (const SteadyTime limit = steady_now() + kPatience; !ahead.ended() && steady_now() < limit;) {
    auto next = ahead.take_next();
    if (!next) {
      ahead.wait(steady_now() + 5ms);
      continue;
    }
    held = std::move(*next);
    CHECK(held.number == count++);
    CHECK(std::to_integer<uint64_t>(held.blocks.bytes()[0]) == held.number);
  }
  CHECK(count == 60);
}

// Irregular time stamps, in a file with an index of every frame and in one with time stamps only.
TEST_CASE("real files: steps and seeks give the same frames as sequential reading") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("texcast-feed-{}", getpid());
  std::filesystem::create_directory(folder);
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 8};
  constexpr int kCount = 24;
  const auto blocks_of = [](int i) { return std::vector(32, static_cast<std::byte>(i)); };
  for (const char* name : {"steps.mov", "steps.mkv", "compact.mkv"}) {
    CAPTURE(std::string(name));
    const auto coding = name == std::string("compact.mkv") ? FileCoding::compact : FileCoding::plain;
    const std::string path = (folder / name).string();
    {
      const auto recorder = media::make_recorder({.path = path, .texture = desc, .fps = 50, .coding = coding});
      for (int i = 0; i < kCount; ++i) recorder->write({desc, blocks_of(i)}, i * 20ms + (i > 5 ? 430ms : 0ms));
    }
    ClipFeed feed(media::open_clip(path), ClipPace::by_time_stamps);
    const auto expect = [&](int number) {
      const auto frame = take_soon(feed, steady_now());
      REQUIRE(frame);
      CHECK(number_in(*frame) == number);
      CHECK(std::ranges::equal(frame->texture.blocks, blocks_of(number)));
    };
    expect(0);
    for (int i = 1; i < kCount; ++i) {
      feed.step(1);
      expect(i);
    }
    for (int i = kCount - 2; i >= 0; --i) {
      feed.step(-1);
      expect(i);
    }
    feed.seek_to_frame(UINT64_MAX);
    expect(kCount - 1);
    feed.seek_to_frame(0);
    expect(0);
    feed.seek(500ms);  // the sixth is shown until 550 ms
    expect(5);
    feed.seek(555ms);
    expect(6);
    feed.seek(1h);
    expect(kCount - 1);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE(
    "a clip by the system clock begins in time, is joined late, loops in phase, and follows a clock that is set") {
  // ManualClock's wall clock has the time of its steady clock.
  ManualClock clock;
  constexpr int kFrames = 20;
  const auto frame_at = [](nanoseconds since) { return static_cast<int>(since / 50ms % kFrames); };
  const WallTime begin = clock.wall() + 10s;
  const auto open = [&] {
    return ClipFeed(std::make_unique<FakeClip>(kFrames), {.timing = ClipTiming{.begin = begin, .lap = kFrames * 50ms}},
                    clock);
  };
  ClipFeed feed = open();
  CHECK_FALSE(feed.seekable());
  CHECK_FALSE(feed.take(clock.now()));
  CHECK(feed.slate(clock.now()) == std::vector<std::string>{"fake.mov begins in 0:10"});
  clock.advance(10s - 1ns);
  let_it_unpack(feed, 1);
  CHECK_FALSE(feed.take(clock.now()));
  clock.advance(1ns);
  for (nanoseconds since{}; since < 2500ms; since += 50ms, clock.advance(50ms)) {
    const auto frame = take_soon(feed, clock.now());
    REQUIRE(frame);
    CHECK(number_in(*frame) == frame_at(since));
    CHECK(frame->due == begin + since);
    CHECK(frame->times.available == frame->due);
  }
  clock.advance(1h + 120ms);
  ClipFeed late = open();
  const auto joined = take_soon(late, clock.now());
  REQUIRE(joined);
  CHECK(number_in(*joined) == frame_at(clock.wall() - begin));
  const auto followed = take_soon(feed, clock.now());  // an hour was left out: it seeks
  REQUIRE(followed);
  CHECK(number_in(*followed) == number_in(*joined));
  CHECK(followed->due == joined->due);
  feed.set_paused(true);
  clock.advance(50ms);
  CHECK(take_soon(feed, clock.now()));  // the player does not show it
  CHECK(feed.state() == FeedState::playing);
}

TEST_CASE("a clip by the system clock without a loop ends") {
  ManualClock clock;
  ClipFeed feed(std::make_unique<FakeClip>(3), {.timing = ClipTiming{.begin = clock.wall(), .lap = std::nullopt}},
                clock);
  REQUIRE(take_soon(feed, clock.now()));
  clock.advance(149ms);
  CHECK(feed.state() == FeedState::playing);
  CHECK(number_in(*take_soon(feed, clock.now())) == 2);
  clock.advance(1ms);
  CHECK(feed.state() == FeedState::ended);
}

TEST_CASE("a small step of the clock holds the picture or skips frames, a large one seeks") {
  ClipSchedule schedule({.begin = WallTime(1000s), .lap = 60s});
  const auto at = [&](nanoseconds wall) {
    schedule.follow({SteadyTime(5s), WallTime(wall)});
    return schedule.at(SteadyTime(5s));
  };
  CHECK(schedule.seek(at(1130s), std::nullopt, std::nullopt) == 10s);  // in the third lap
  CHECK(at(1131s) == 11s);
  CHECK(schedule.due(11s) == WallTime(1131s));
  CHECK_FALSE(schedule.seek(at(1130950ms), 11100ms, 11s));  // 50 ms back
  CHECK_FALSE(schedule.seek(at(1131050ms), 11100ms, 11s));  // and ahead
  CHECK(schedule.seek(at(1129s), 11100ms, 11s) == 9s);
  CHECK_FALSE(schedule.seek(at(1129500ms), 8s, 7s));  // it has just sought
  CHECK(schedule.seek(at(1190s), 9100ms, 9s) == 10s);
  CHECK(schedule.due(10s) == WallTime(1190s));
}
