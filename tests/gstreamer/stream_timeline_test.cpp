// The times of a sender on a pipeline's clock.
#include "stream_timeline.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace texcast::gstreamer;
using namespace std::chrono_literals;

TEST_CASE("frames keep the distances of the sender, whatever their delays are") {
  StreamTimeline timeline;
  nanoseconds first{};
  for (int n = 0; n < 300; ++n) {
    const nanoseconds pts = 5s + n * 20ms, jitter = n % 7 * 3ms;
    const nanoseconds time = timeline.place(pts, n * 20ms + 10ms + jitter, n == 0);
    if (n == 0) first = time;
    CHECK(time == first + n * 20ms);
  }
  CHECK(first == 10ms);
}

TEST_CASE("a sooner frame moves all later ones, and time never goes back") {
  StreamTimeline timeline;
  CHECK(timeline.place(0ms, 100ms, true) == 100ms);
  CHECK(timeline.place(20ms, 30ms, false) > 100ms);  // 10 ms is the delay, but 100 ms are over
  nanoseconds last{};
  for (int n = 2; n < 20; ++n) last = timeline.place(n * 20ms, n * 20ms + 15ms, false);
  CHECK(last == 19 * 20ms + 10ms);
}

TEST_CASE("the drift of the sender's clock does not add up") {
  for (const double drift : {1.0002, 0.9998}) {
    StreamTimeline timeline;
    nanoseconds time{}, now{};
    for (int n = 0; n < 100000; ++n) {
      now = nanoseconds(static_cast<int64_t>(n * 20e6 * drift));
      time = timeline.place(n * 20ms, now, n == 0);
    }
    CHECK(time <= now);
    CHECK(time > now - 5ms);
  }
}

TEST_CASE("another sender, or a jump of its times, begins anew") {
  StreamTimeline timeline;
  timeline.place(0ms, 1s, true);
  CHECK(timeline.place(700s, 1500ms, true) == 1500ms);
  CHECK(timeline.place(701s, 2500ms, false) == 2500ms);
  CHECK(timeline.place(0s, 3s, false) == 3s);  // a file that is played again
}
