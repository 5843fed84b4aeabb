// Playout of the audio of a live stream with simulated clocks. The audio is a slow ramp, so that each sample tells when
// it was captured.
#include "stream/sound_playout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "../times.h"
#include "../tiny.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr int kRate = 8000;  // a sixth of the work at 48 kHz
constexpr double kRampSeconds = 4;
constexpr nanoseconds kSenderZero = 1'700'000'000s;  // on the sender's wall clock
constexpr nanoseconds kOurZero = 5000s;              // on the receiver's steady clock, at the same moment

struct Simulation {
  double card_ppm = 0;    // the card is faster than the clock by this
  double sender_ppm = 0;  // the sender's sample clock is faster by this
  nanoseconds transit = 3ms, jitter = 1ms, card_latency = 10ms;
  nanoseconds card_jitter = 2ms;  // of the card's calls
  std::function<bool(int)> arrives = [](int) { return true; };
  std::function<void(SoundPlayout&, nanoseconds)> each_fill = [](SoundPlayout&, nanoseconds) {};

  struct Heard {
    double most_off_ms = 0, least_off_ms = 0;  // captured to heard, relative to `expected`
    double steepest = 0;                       // difference of consecutive samples, relative to the ramp
    int silent = 0;                            // samples
  };

  // `look_from`: audio before that does not count.
  Heard run(SoundPlayout& playout, nanoseconds length, nanoseconds look_from,
            std::optional<nanoseconds> expected = {}) {
    std::mt19937 random(1);
    const auto some = [&](nanoseconds most) {
      return nanoseconds(
          static_cast<int64_t>(static_cast<double>(most.count()) * static_cast<double>(random() % 1000) / 1000));
    };
    constexpr int kBlock = 40;  // 5 ms
    constexpr size_t kAsked = 80;
    Heard heard;
    bool any = false;
    int64_t given = 0, asked = 0;
    double last = 0;
    SteadyTime latest{};
    for (int block = 0;; ++block) {
      const double sent_s = static_cast<double>(given) / (kRate * (1 + sender_ppm * 1e-6));
      const nanoseconds sent = nanoseconds(std::llround(sent_s * 1e9));
      if (sent > length) break;
      // The card's calls until this block arrives.
      const SteadyTime arrived = std::max(latest, SteadyTime(kOurZero + sent + transit + some(jitter)));
      latest = arrived;
      for (;;) {
        const nanoseconds even(std::llround(static_cast<double>(asked) / (kRate * (1 + card_ppm * 1e-6)) * 1e9));
        const nanoseconds now = even + some(card_jitter);
        if (SteadyTime(kOurZero + now) > arrived) break;
        std::vector<float> out(kAsked);
        each_fill(playout, now);
        playout.fill(out, SteadyTime(kOurZero + now + card_latency));
        for (size_t i = 0; i < kAsked; ++i) {
          // The true time of playback: the card plays evenly, whenever it calls.
          const double heard_s = in_seconds(even + card_latency + card_jitter / 2) + static_cast<double>(i) / kRate;
          look(heard, out[i], heard_s, now >= look_from, any, last, expected);
        }
        asked += kAsked;
      }
      std::vector<float> samples(kBlock);
      for (int i = 0; i < kBlock; ++i) samples[static_cast<size_t>(i)] = ramp(sent_s + static_cast<double>(i) / kRate);
      if (arrives(block))
        playout.put({.format = {kRate, 1},
                     .new_stream = block == 0,
                     .samples = samples,
                     .captured = WallTime(kSenderZero + sent),
                     .arrived = arrived});
      given += kBlock;
    }
    return heard;
  }

  static float ramp(double seconds) {
    return static_cast<float>(0.1 + 0.8 * std::fmod(seconds, kRampSeconds) / kRampSeconds);
  }
  static void look(Heard& heard, float value, double heard_s, bool counts, bool& any, double& last,
                   std::optional<nanoseconds> expected) {
    // At the end of the ramp samples are interpolated between its ends.
    const double phase = std::fmod(heard_s, kRampSeconds);
    if (!counts || phase < 0.4 || phase > kRampSeconds - 0.4) return void(any = false);
    if (value < 0.05F) {
      ++heard.silent;
      return;
    }
    const double captured = (value - 0.1) / 0.8 * kRampSeconds;
    double off = std::remainder(heard_s - captured, kRampSeconds) * 1000;
    if (expected) off -= in_milliseconds(*expected);
    heard.most_off_ms = any || heard.most_off_ms != 0 ? std::max(heard.most_off_ms, off) : off;
    heard.least_off_ms = any || heard.least_off_ms != 0 ? std::min(heard.least_off_ms, off) : off;
    if (any) heard.steepest = std::max(heard.steepest, std::abs(captured - last) * kRate);
    any = true;
    last = captured;
  }
};

SoundPlayout playout() { return {{kRate, 1}, 10ms, 10ms}; }

}  // namespace

TEST_CASE("with a card clock 200 ppm off audio stays within 2 ms for ten minutes, without a jump or a gap") {
  for (const bool of_sender : {false, true}) {
    CAPTURE(of_sender);
    Simulation simulation;
    (of_sender ? simulation.sender_ppm : simulation.card_ppm) = of_sender ? -200 : 200;
    SoundPlayout sound = playout();
    const auto heard = simulation.run(sound, of_sender || test::tiny_only() ? 120s : 600s, 20s);
    MESSAGE("captured to heard varies by ", heard.most_off_ms - heard.least_off_ms, " ms");
    CHECK(heard.most_off_ms - heard.least_off_ms < 2);
    CHECK(heard.silent == 0);
    CHECK(heard.steepest < 1.04);  // at most half a per cent, and rounding errors
    CHECK(sound.state().jumps == 0);
    CHECK(sound.state().missing == 0);
    if (!of_sender) CHECK(sound.state().drift_ppm == doctest::Approx(-200).epsilon(0.2));
  }
}

TEST_CASE("audio is played with the picture: with the same delay from capture") {
  for (const nanoseconds lag : {60ms, 120ms}) {
    Simulation simulation;
    simulation.each_fill = [&](SoundPlayout& sound, nanoseconds now) {
      sound.on_picture(WallTime(kSenderZero + now - lag), SteadyTime(kOurZero + now));
    };
    SoundPlayout sound = playout();
    const auto heard = simulation.run(sound, 40s, 20s, lag);
    CHECK(std::abs(heard.most_off_ms) < 2);
    CHECK(std::abs(heard.least_off_ms) < 2);
    CHECK(sound.state().behind_picture == 0ns);
  }
}

TEST_CASE(
    "a picture that is shown sooner than its sound can be there is followed as closely as can be, and it says so") {
  Simulation simulation;
  simulation.each_fill = [&](SoundPlayout& sound, nanoseconds now) {
    sound.on_picture(WallTime(kSenderZero + now - 4ms), SteadyTime(kOurZero + now));
  };
  SoundPlayout sound = playout();
  const auto heard = simulation.run(sound, 40s, 20s, 4ms);
  CHECK(heard.silent == 0);
  CHECK(heard.most_off_ms < 40);
  CHECK(in_milliseconds(sound.state().behind_picture) == doctest::Approx(heard.most_off_ms).epsilon(0.2));
}

TEST_CASE("the picture's delay grows by 30 ms: the audio follows without a gap") {
  Simulation simulation;
  simulation.each_fill = [&](SoundPlayout& sound, nanoseconds now) {
    const nanoseconds lag = now < 30s ? 60ms : 90ms;
    sound.on_picture(WallTime(kSenderZero + now - lag), SteadyTime(kOurZero + now));
  };
  SoundPlayout sound = playout();
  const auto heard = simulation.run(sound, 90s, 70s, 90ms);
  CHECK(std::abs(heard.most_off_ms) < 2);
  CHECK(std::abs(heard.least_off_ms) < 2);
  CHECK(sound.state().jumps == 0);
  CHECK(sound.state().missing == 0);
}

TEST_CASE("late blocks leave a gap, which is counted, and later audio is synchronous again") {
  Simulation simulation;
  SoundPlayout sound = playout();
  simulation.jitter = 0ms;
  int calls = 0;
  simulation.each_fill = [&](SoundPlayout&, nanoseconds now) { calls += now > 10s ? 1 : 0; };
  const auto before = simulation.run(sound, 10s, 5s);
  CHECK(before.silent == 0);
  CHECK(sound.state().missing == 0);
  // The card calls for 100 ms, and no block arrives.
  for (int i = 0; i < 10; ++i) {
    std::vector<float> out(80);
    sound.fill(out, SteadyTime(kOurZero + 10s + 10ms * (i + 1)));
  }
  CHECK(sound.state().missing > 400);
  CHECK(sound.state().missing < 900);
}

TEST_CASE("without time stamps audio is played by its samples, as early as the network allows") {
  SoundPlayout sound = playout();
  std::vector<float> samples(80, 0.5F);
  int silent = 0;
  for (int i = 0; i < 400; ++i) {
    const SteadyTime now(kOurZero + 10ms * i);
    sound.put({.format = {kRate, 1}, .new_stream = i == 0, .samples = samples, .arrived = now});
    std::vector<float> out(80);
    sound.fill(out, now + 10ms);
    if (i > 20) silent += static_cast<int>(std::ranges::count_if(out, [](float v) { return v < 0.49F; }));
  }
  CHECK(silent == 0);
  CHECK(sound.state().playing);
}
