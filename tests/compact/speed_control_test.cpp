// Speed control: the search effort of tiles by the time that is left.
#include "compact/speed_control.h"

#include <doctest/doctest.h>

#include <cmath>

#include "frame_time.h"
#include "texcast/quality.h"

namespace texcast::compact {
namespace {

constexpr int kTilesOfAll = 400, kAtATime = 4;

// About the time of low-effort coding, relative to Quality::fast.
double relative_time(const SearchEffort& effort) {
  return effort.candidates > 1 ? 1 : 0.7 * std::pow(effort.least_saved / 512.0, -0.2);
}

struct Coded {
  double seconds = 0;
  int as_usual = 0, least_careful = 0;  // number of tiles; SearchEffort::least_saved of those with the lowest effort
};
// Codes a frame on a processor that needs `tile_seconds` for a tile with the usual effort.
Coded code(SpeedControl& speed, double tile_seconds, double seconds) {
  Coded coded;
  speed.begin(kTilesOfAll, seconds);
  for (int tile = 0; tile < kTilesOfAll; tile += kAtATime) {
    const SearchEffort effort = speed.take(kAtATime, seconds - coded.seconds);
    coded.seconds += kAtATime * tile_seconds * relative_time(effort);
    if (effort.least_saved == search_effort(Quality::fast).least_saved) coded.as_usual += kAtATime;
    coded.least_careful = std::max(coded.least_careful, effort.least_saved);
  }
  speed.end(seconds - coded.seconds);
  return coded;
}

constexpr double kFrameTime = 0.030;

}  // namespace

TEST_CASE("speed control: with enough time all tiles get the usual effort") {
  SpeedControl speed(search_effort(Quality::fast));
  for (int frame = 0; frame < 10; ++frame)
    CHECK(code(speed, 0.8 * kFrameTime / kTilesOfAll, kFrameTime).as_usual == kTilesOfAll);
}

TEST_CASE("speed control: slow frames finish in time, and with as much effort as this allows") {
  for (const double slow : {1.2, 1.5, 2.0, 2.5}) {
    SpeedControl speed(search_effort(Quality::fast));
    for (int frame = 0; frame < 10; ++frame) {
      const Coded coded = code(speed, slow * kFrameTime / kTilesOfAll, kFrameTime);
      CHECK(coded.seconds <= kFrameTime);
      CHECK(coded.seconds > 0.7 * kFrameTime);
    }
  }
}

TEST_CASE("speed control: a scene cut whose tiles take twice as long as before finishes in time") {
  SpeedControl speed(search_effort(Quality::fast));
  for (int frame = 0; frame < 10; ++frame) code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  const Coded cut = code(speed, 1.6 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(cut.seconds <= kFrameTime);
  CHECK(cut.as_usual < kTilesOfAll / 2);
  for (int frame = 0; frame < 10; ++frame) code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime).as_usual ==
        kTilesOfAll);  // the cut has no lasting effect
}

TEST_CASE("speed control: the best quality has more effort to save") {
  SpeedControl speed(search_effort(Quality::best));
  speed.begin(kTilesOfAll, kFrameTime);
  CHECK(speed.take(200, kFrameTime).candidates == search_effort(Quality::best).candidates);
  CHECK(speed.take(kAtATime, 0.5 * kFrameTime).candidates < search_effort(Quality::best).candidates);
  CHECK(speed.take(kAtATime, 0.5 * kFrameTime).candidates > 1);
}

TEST_CASE("speed control: transform slices get less effort step by step, and no less than the time asks for") {
  const auto effort_with = [](double time) {  // `time`: what is left, in the time that tiles take with the usual effort
    SpeedControl speed(search_effort(Quality::fast), true);
    speed.begin(kTilesOfAll, kFrameTime);
    speed.take(kTilesOfAll, kFrameTime);
    speed.end(0);
    speed.begin(kTilesOfAll, time * kFrameTime);
    return speed.take(kAtATime, time * kFrameTime).macroblocks;
  };
  using enum MacroblockEffort;
  CHECK(effort_with(1.2) == usual);
  CHECK(effort_with(1.05) == quick);
  CHECK(effort_with(1.0) == brief);
  CHECK(effort_with(0.9) == little);
  CHECK(effort_with(0.8) == least);
  CHECK(effort_with(0.1) == least);
}

TEST_CASE("refinements are coded for half of the time that is left, once it is known how long tiles take") {
  double left = kFrameTime;
  FrameToEncode frame;
  frame.seconds_left = [&] { return left; };
  FrameTime time(search_effort(Quality::fast));
  time.begin(frame);
  CHECK(time.most_with_refinements(true) == SIZE_MAX);
  time.begin_tiles(100, true);
  for (int i = 0; i < 25; ++i) {
    time.take(4);
    left -= 4 * 1e-4;
  }
  time.end_tiles();
  time.end(100, 100);
  left = kFrameTime;
  time.begin(frame);
  CHECK(std::abs(static_cast<double>(time.most_with_refinements(true)) - 0.5 * kFrameTime / 1e-4) <= 1);
  CHECK(time.most_with_refinements(false) == SIZE_MAX);  // a device codes
  left = -1;
  CHECK(time.most_with_refinements(true) == 0);
  const FrameToEncode without_limit;
  time.begin(without_limit);
  CHECK(time.most_with_refinements(true) == SIZE_MAX);
}

}  // namespace texcast::compact
