// Detects clicks at half seconds of the wall clock in the played audio, and checks their times and stages. Clocks are
// simulated.
#include "stream/click_ear.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "../times.h"
#include "media/test_sound.h"
#include "media/time_clicks.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr int kCardRate = 48000;
constexpr int kSent = 240, kCardBuffer = 512;
constexpr nanoseconds kCardLatency{int64_t{1'000'000'000} * kCardBuffer / kCardRate};
constexpr WallTime kWallBegin{1'795'420'800s + 123'456'789ns};  // start of both wall clocks
constexpr SteadyTime kSteadyBegin{5000s};

nanoseconds time_of_samples(int64_t samples) { return nanoseconds(samples * 1'000'000'000 / kCardRate); }

std::vector<float> clicks_from(WallTime begin, int64_t samples) {
  std::vector<float> out(static_cast<size_t>(samples));
  const double since = in_seconds(begin.time_since_epoch() % media::kClickPeriod);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(
        media::click_at(std::fmod(since + static_cast<double>(i) / kCardRate, in_seconds(media::kClickPeriod))));
  return out;
}

// The clicks detected in `length` of audio, with a card that is late at times.
std::vector<HeardClick> listen(nanoseconds length, nanoseconds transit, bool tells_times = true) {
  SoundPlayout playout({kCardRate, 2}, kCardLatency, kCardLatency);
  ClickEar ear;
  std::mt19937 random(7);
  std::vector<HeardClick> heard;
  int64_t put = 0;
  std::vector<float> out(2 * kCardBuffer);
  for (int64_t asked = 0; time_of_samples(asked) < length; asked += kCardBuffer) {
    const nanoseconds now = time_of_samples(asked) + nanoseconds(random() % 1'000'000);
    while (time_of_samples(put + kSent) + transit <= now) {
      const WallTime captured = kWallBegin + time_of_samples(put);
      const std::vector<float> samples = clicks_from(captured, kSent);
      playout.put({.format = {kCardRate, 1},
                   .new_stream = put == 0,
                   .samples = samples,
                   .captured = tells_times ? captured : WallTime{},
                   .arrived = kSteadyBegin + time_of_samples(put + kSent) + transit});
      put += kSent;
    }
    playout.fill(out, kSteadyBegin + now + kCardLatency);
    ear.hear(out, {kCardRate, 2}, kWallBegin + now, kSteadyBegin + now, kCardLatency, playout);
    for (const HeardClick& click : ear.take()) heard.push_back(click);
  }
  return heard;
}

}  // namespace

TEST_CASE("each click is located to a few microseconds, and its stages are in order") {
  for (const nanoseconds transit : {1ms, 30ms}) {
    CAPTURE(transit.count());
    const std::vector<HeardClick> heard = listen(5s, transit);
    REQUIRE(heard.size() >= 8);
    for (const HeardClick& click : heard) {
      const nanoseconds off = (click.captured.time_since_epoch() + 1ms) % media::kClickPeriod - 1ms;
      CHECK(std::chrono::abs(off) < 20us);
      CHECK(click.block_end - click.captured > 0ns);
      CHECK(click.block_end - click.captured <= 5ms + 20us);
      CHECK(std::chrono::abs(click.arrived - click.block_end - transit) < 1us);
      CHECK(click.given >= click.arrived);
      CHECK(click.heard - click.given >= kCardLatency - 250us);  // it is detected a little after its beginning
      CHECK(click.heard - click.given <= 2 * kCardLatency);
      const nanoseconds by_stages = click.heard - click.captured;
      CHECK(std::chrono::abs(media::age_of_click(click.heard, by_stages) - by_stages) < 20us);
      CHECK(by_stages > transit + kCardLatency);
      CHECK(by_stages < transit + 60ms);
    }
    for (size_t i = 1; i < heard.size(); ++i)
      CHECK(std::chrono::abs(heard[i].captured - heard[i - 1].captured - media::kClickPeriod) < 40us);
  }
}

TEST_CASE("clicks of a sender without time stamps have no age") { CHECK(listen(3s, 1ms, false).empty()); }

TEST_CASE("silence has no source position") {
  SoundPlayout playout({kCardRate, 1}, kCardLatency, kCardLatency);
  CHECK_FALSE(playout.origin(0).has_value());
  std::vector<float> out(kCardBuffer);
  playout.fill(out, kSteadyBegin);
  CHECK_FALSE(playout.origin(0).has_value());
}

TEST_CASE("of the possible ages of a click the nearest to the estimate is taken") {
  const WallTime heard{1'795'420'800s + 30ms};
  CHECK(media::age_of_click(heard, 0ms) == 30ms);
  CHECK(media::age_of_click(heard, 270ms) == 30ms);
  CHECK(media::age_of_click(heard, 290ms) == 530ms);
  CHECK(media::age_of_click(heard, 1100ms) == 1030ms);
  CHECK(media::age_of_click(heard, -400ms) == -470ms);
}
