#include "timeline.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace texcast;
using stream::Timeline;
using namespace std::chrono_literals;

TEST_CASE("an hour at 59.94 fps does not drift") {
  const double fps = 60000.0 / 1001;
  const nanoseconds frame(std::llround(1e9 / fps));
  Timeline timeline(frame);
  const SteadyTime first_ready{5s};
  CHECK(timeline.due(0ns, first_ready) == first_ready);
  const int frames = 215784;  // an hour
  for (int i = 1; i <= frames; ++i) {
    const nanoseconds pts(std::llround(i * 1e9 / fps));
    // Decoded at any time from early to just a frame late.
    const SteadyTime ready = first_ready + pts + nanoseconds((i * 7919 % 1000 - 800) * 20000);
    REQUIRE(timeline.due(pts, ready) == first_ready + pts);
  }
  CHECK(timeline.slipped() == 0ns);
}

TEST_CASE("a slow decoder slows the stream down, instead of making every later frame late") {
  Timeline timeline(10ms);
  timeline.due(0ms, SteadyTime{});
  // Twice as slow as real time.
  SteadyTime ready{0ms};
  for (int i = 1; i <= 100; ++i) {
    ready += 20ms;
    const SteadyTime due = timeline.due(i * 10ms, ready);
    CHECK(due <= ready);
    CHECK(ready - due <= 10ms);                   // never later than the time at which it would be dropped
    CHECK(timeline.due(i * 10ms, ready) == due);  // asking again changes nothing
  }
  CHECK(timeline.slipped() >= 980ms);
  CHECK(timeline.slipped() <= 1000ms);
}

TEST_CASE("a suspended program is late by that time, which is not blamed on its decoder") {
  Timeline timeline(10ms);
  timeline.due(0ms, SteadyTime{});
  // Suspended for five seconds, as measured ten times a second; the decoder takes 20 ms more.
  timeline.due(10ms, SteadyTime(9ms), 5080ms);  // decoded before the suspension
  CHECK(timeline.due(20ms, SteadyTime(5020ms), 5080ms) == SteadyTime(5020ms));
  CHECK(timeline.stood_still() == 5s);
  CHECK(timeline.slipped() == 0ms);
  CHECK(timeline.due(30ms, SteadyTime(5330ms), 5080ms) == SteadyTime(5330ms));
  CHECK(timeline.stood_still() == 5080ms);
  CHECK(timeline.slipped() == 220ms);
}

TEST_CASE("a frame is dropped when its successor is due") {
  Timeline timeline(20ms);
  CHECK(timeline.drop_at(timeline.due(0ms, SteadyTime(7ms))) == SteadyTime(27ms));
}
