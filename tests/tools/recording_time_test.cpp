#include "stream/recording_time.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace std::chrono_literals;
using stream::RecordingTime;

namespace {

constexpr SteadyTime kBegun{1000s};

}  // namespace

TEST_CASE("time stamps of a stream are kept, with jitter, a stalled network, drift and a pause") {
  for (const int millionths : {200, -200}) {  // drift of the sender's clock
    CAPTURE(millionths);
    RecordingTime time;
    time.begin(90s, kBegun);
    nanoseconds sent{};                  // since the first frame
    for (int i = 1; i < 200'000; ++i) {  // most of an hour
      sent += 16ms;
      if (i == 50'000) sent += 600s;  // a pause, during which both clocks go on
      // 4.8 s of frames arrive at once.
      const nanoseconds held = i >= 100'000 && i < 100'300 ? (100'300 - i) * 16ms : 0ms;
      const nanoseconds jitter = i * 7919 % 15 * 1ms, drift = sent / 1'000'000 * millionths;
      REQUIRE(time.next(90s + sent, kBegun + sent + held + jitter + drift, 16ms) == sent);
    }
  }
}

TEST_CASE("time stamps that run ahead are limited to shortly after the arrival of frames") {
  RecordingTime time;
  time.begin(0s, kBegun);
  nanoseconds last{}, pts{};
  for (int i = 1; i <= 1500; ++i) {
    pts += 1h;  // each 1 ms after the previous one
    const nanoseconds now = time.next(pts, kBegun + i * 1ms, 16ms);
    CHECK(now > last);
    last = now;
  }
  CHECK(last < 6s);
  // The same if they stand still and the stream claims seconds between frames.
  for (int i = 1501; i <= 3000; ++i) last = time.next(pts, kBegun + i * 1ms, 10s);
  CHECK(last < 8s);
}

TEST_CASE("time stamps that jump back rise by a frame time, and audio is placed accordingly") {
  RecordingTime time;
  time.begin(100ms, kBegun);
  CHECK(time.next(140ms, kBegun + 40ms, 40ms) == 40ms);
  CHECK(time.next(20ms, kBegun + 80ms, 40ms) == 80ms);
  CHECK(time.zero() == -60ms);
  CHECK(time.next(60ms, kBegun + 120ms, 40ms) == 120ms);
}
