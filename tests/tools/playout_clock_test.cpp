// The playout clock with simulated senders: clock drift, network jitter, jumping time stamps.
#include "playout/playout_clock.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

nanoseconds of_seconds(double seconds) { return nanoseconds(static_cast<int64_t>(seconds * 1e9)); }

// Sends a frame in every frame time of its own clock; the network delays each by a given time.
class Sender {
 public:
  explicit Sender(Latency latency, double frames_per_s = 60, double ppm = 0)
      : clock(latency), frame_time_s_(1 / frames_per_s), speed_(1 + ppm * 1e-6) {}

  struct Shown {
    nanoseconds waited{};    // from its arrival until it was due; negative: it was late
    nanoseconds interval{};  // since the previous frame was due
    SteadyTime due{};
  };
  Shown send(nanoseconds held_up, bool new_stream = false) {
    const double sender_s = frame_time_s_ * static_cast<double>(number_++);
    // True time passes `speed_` times as fast as the sender's.
    const SteadyTime sent = kBegin + pause_ + of_seconds(sender_s * speed_);
    const SteadyTime arrived = std::max(last_arrived_, sent + path + held_up);
    last_arrived_ = arrived;
    const SteadyTime due = clock.due({.pts = of_seconds(sender_s) + stamp_offset,
                                      .arrived = arrived,
                                      .frame_time = of_seconds(frame_time_s_),
                                      .new_stream = new_stream});
    return {due - arrived, due - std::exchange(last_due_, due), due};
  }
  void pause(nanoseconds duration) { pause_ += duration; }

  PlayoutClock clock;
  nanoseconds path = 3ms;
  nanoseconds stamp_offset = 12345s;

 private:
  static constexpr SteadyTime kBegin{1000s};
  double frame_time_s_, speed_;
  uint64_t number_ = 0;
  nanoseconds pause_{};
  SteadyTime last_arrived_{}, last_due_{};
};

class Jitter {
 public:
  nanoseconds up_to(nanoseconds most) {
    return nanoseconds(std::uniform_int_distribution<int64_t>(0, most.count())(random_));
  }

 private:
  std::mt19937 random_{5};
};

}  // namespace

TEST_CASE("latency 0 shows a frame on arrival, whatever the network does") {
  Sender sender(0ms);
  Jitter jitter;
  for (int i = 0; i < 600; ++i) CHECK(sender.send(jitter.up_to(40ms)).waited == 0ms);
}

TEST_CASE("auto adds no delay in a network without jitter") {
  Sender sender(std::nullopt);
  Jitter jitter;
  for (int i = 0; i < 1200; ++i) {
    const auto shown = sender.send(jitter.up_to(1ms));
    CHECK(shown.waited <= 1ms);  // in the first seconds the reference frame may have been delayed itself
    if (i > 600) REQUIRE(shown.waited <= 50us);
  }
  CHECK(sender.clock.state().delay == 0ms);
}

TEST_CASE("auto waits for nearly all frames of a network with jitter, not longer, and adapts down slowly") {
  Sender sender(std::nullopt);
  Jitter jitter;
  for (int i = 0; i < 600; ++i) sender.send(jitter.up_to(1ms));
  int late = 0;
  for (int i = 0; i < 1200; ++i) {
    const auto shown = sender.send(jitter.up_to(30ms));
    if (i >= 600) late += shown.waited < -16'666'667ns / 4;
  }
  CHECK(late < 600 * 3 / 100);
  CHECK(sender.clock.state().delay > 20ms);
  CHECK(sender.clock.state().delay <= 30ms);

  nanoseconds shortest = 1s, before = sender.clock.state().delay;
  for (int i = 0; i < 1800; ++i) {
    if (i % 60 == 0) {
      CHECK(sender.clock.state().delay > before - 20100us);
      before = sender.clock.state().delay;
    }
    shortest = std::min(shortest, sender.send(0ms).interval);
  }
  CHECK(sender.clock.state().delay == 0ms);
  CHECK(sender.send(0ms).waited == 0ms);
  CHECK(shortest > 16.2ms);  // 2.5 % faster
}

TEST_CASE("one delayed frame does not delay the others") {
  Sender sender(std::nullopt);
  for (int i = 0; i < 600; ++i) sender.send(0ms);
  CHECK(sender.send(60ms).waited < -50ms);
  for (int i = 0; i < 600; ++i) sender.send(0ms);
  CHECK(sender.clock.state().delay == 0ms);
}

TEST_CASE("clock drift: after an hour the latency is unchanged, and no step exceeds half a per cent") {
  for (const double ppm : {-100.0, 100.0, 400.0}) {
    CAPTURE(ppm);
    Sender sender(40ms, 10, ppm);
    Jitter jitter;
    for (int i = 0; i < 36000; ++i) {
      const auto shown = sender.send(jitter.up_to(5ms));
      if (i < 40) continue;
      REQUIRE(shown.waited > (std::abs(ppm) > 100 ? 31ms : 34ms));  // drift is known after 20 s
      REQUIRE(shown.waited < 42ms);
      REQUIRE(shown.interval > 99.4ms);
      REQUIRE(shown.interval < 100.6ms);
    }
    CHECK(sender.clock.state().drift_ppm == doctest::Approx(ppm).epsilon(0.1));
    CHECK(sender.clock.state().restarts == 0);
  }
}

TEST_CASE("a change of the path delay is followed without a jump") {
  Sender sender(30ms);
  for (int i = 0; i < 600; ++i) sender.send(0ms);
  CHECK(sender.send(0ms).waited == 30ms);
  for (const nanoseconds path : {18ms, 3ms}) {
    sender.path = path;
    for (int i = 0; i < 900; ++i) {
      const auto shown = sender.send(0ms);
      REQUIRE(shown.interval > 16.5ms);
      REQUIRE(shown.interval < 16.8ms);
    }
    CHECK(sender.send(0ms).waited == 30ms);
  }
}

TEST_CASE("jumping time stamps, a pausing sender, another stream: the clock restarts at once") {
  Sender sender(20ms);
  for (int i = 0; i < 300; ++i) sender.send(0ms);
  const auto is_back = [&] { return std::chrono::abs(sender.send(0ms).waited - 20ms) < 1us; };
  sender.stamp_offset -= 12000s;
  CHECK(is_back());
  sender.stamp_offset += 5s;
  CHECK(is_back());
  sender.pause(7s);
  CHECK(is_back());
  CHECK(sender.clock.state().restarts == 3);
  sender.stamp_offset -= 300ms;
  CHECK(std::chrono::abs(sender.send(0ms, true).waited - 20ms) < 1us);
  CHECK(sender.clock.state().restarts == 4);
}

TEST_CASE("a network stall causes no lasting delay") {
  Sender sender(std::nullopt);
  for (int i = 0; i < 300; ++i) sender.send(0ms);
  // For 1.5 s nothing arrives, then everything at once.
  for (int i = 0; i < 90; ++i) sender.send(1500ms - i * 16666667ns);
  for (int i = 0; i < 90; ++i) sender.send(0ms);
  CHECK(sender.send(0ms).waited <= PlayoutClock::kMostDelay);
  for (int i = 0; i < 60 * 70; ++i) sender.send(0ms);
  CHECK(sender.send(0ms).waited == 0ms);
}

TEST_CASE("a backlog at the start, worked off gradually, causes no delay afterwards") {
  // The first frames take longer than a frame time (memory is allocated and touched), later ones a bit less.
  for (const int frames : {10, 30, 60, 150}) {
    CAPTURE(frames);
    Sender sender(std::nullopt);
    Jitter jitter;
    const auto backlog = [&](int i) { return 26ms * std::max(frames - i, 0) / frames; };
    int i = 0;
    for (; i < frames; ++i) sender.send(backlog(i) + jitter.up_to(500us));
    for (; i < frames + 150; ++i) sender.send(jitter.up_to(500us));
    CHECK(sender.clock.state().delay == 0ms);
    CHECK(sender.send(0ms).waited <= 1ms);
    CHECK(sender.clock.state().restarts == 0);
  }
}

TEST_CASE("a delay at the start, after an undelayed first frame, is forgotten as quickly") {
  Sender sender(std::nullopt);
  Jitter jitter;
  for (int i = 0; i < 20; ++i) sender.send(2ms * std::min(i, 20 - i) + jitter.up_to(500us));
  for (int i = 0; i < 150; ++i) sender.send(jitter.up_to(500us));
  CHECK(sender.clock.state().delay == 0ms);
  CHECK(sender.send(0ms).waited <= 1ms);
}

TEST_CASE("first frames that are faster than all later ones are forgotten as quickly too") {
  Sender sender(std::nullopt);
  Jitter jitter;
  for (int i = 0; i < 10; ++i) sender.send(jitter.up_to(500us));
  for (int i = 0; i < 150; ++i) sender.send(9ms + jitter.up_to(500us));
  CHECK(sender.clock.state().delay == 0ms);
  CHECK(sender.send(9ms).waited <= 1ms);
}

TEST_CASE("auto waits for a network with jitter from the start") {
  Sender sender(std::nullopt);
  Jitter jitter;
  int late = 0;
  for (int i = 0; i < 1200; ++i) {
    const auto shown = sender.send(jitter.up_to(30ms));
    if (i >= 60) late += shown.waited < -16'666'667ns / 4;
  }
  CHECK(late < 1140 * 3 / 100);
  CHECK(sender.clock.state().delay > 20ms);
}

TEST_CASE("a sender whose first frames are late while it warms up causes no delay") {
  Sender sender(std::nullopt);
  for (int i = 0; i < 40; ++i) sender.send(700ms - i * 17ms);
  for (int i = 0; i < 60; ++i) sender.send(0ms);
  CHECK(sender.clock.state().delay == 0ms);
  CHECK(sender.send(0ms).waited == 0ms);
}
