// Speed control: the search effort of tiles by the time that is left.
#include "compact/speed_control.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "frame_time.h"
#include "texcast/quality.h"

namespace texcast::compact {
namespace {

constexpr int kTilesOfAll = 400, kAtATime = 4;

// About the time of low-effort coding, relative to Quality::fast.
double relative_time(const SearchEffort& effort) {
  return effort.candidates > 1 ? 1 : 0.7 * std::pow(effort.least_saved / 512.0, -0.2);
}

std::vector<uint32_t> all_tiles() {
  std::vector<uint32_t> tiles(kTilesOfAll);
  std::iota(tiles.begin(), tiles.end(), 0);
  return tiles;
}
std::vector<uint32_t> first_tiles(size_t count) {
  std::vector<uint32_t> tiles = all_tiles();
  tiles.resize(count);
  return tiles;
}

struct Coded {
  double seconds = 0;
  int as_usual = 0, least_careful = 0;  // number of tiles; SearchEffort::least_saved of those with the lowest effort
};
// Codes a frame on a processor that needs `tile_seconds` for a tile with the usual effort.
Coded code(SpeedControl& speed, double tile_seconds, double seconds) {
  Coded coded;
  const auto tiles = all_tiles();
  speed.begin(tiles, seconds);
  for (int tile = 0; tile < kTilesOfAll; tile += kAtATime) {
    const auto some = std::span(tiles).subspan(static_cast<size_t>(tile), kAtATime);
    const SpeedControl::Turn turn = speed.take(some, seconds - coded.seconds);
    const SearchEffort& effort = turn.effort;
    const double taken = kAtATime * tile_seconds * relative_time(effort);
    coded.seconds += taken;
    speed.coded(some, turn, taken);
    if (effort.least_saved == search_effort(Quality::fast).least_saved) coded.as_usual += kAtATime;
    coded.least_careful = std::max(coded.least_careful, effort.least_saved);
  }
  speed.end(seconds - coded.seconds);
  return coded;
}

constexpr double kFrameTime = 0.030;

}  // namespace

TEST_CASE("speed control: with enough time all tiles get the usual effort") {
  SpeedControl speed(search_effort(Quality::fast), kTilesOfAll);
  for (int frame = 0; frame < 10; ++frame)
    CHECK(code(speed, 0.8 * kFrameTime / kTilesOfAll, kFrameTime).as_usual == kTilesOfAll);
}

TEST_CASE("speed control: slow frames finish in time, and with as much effort as this allows") {
  for (const double slow : {1.2, 1.5, 2.0, 2.5}) {
    SpeedControl speed(search_effort(Quality::fast), kTilesOfAll);
    for (int frame = 0; frame < 10; ++frame) {
      const Coded coded = code(speed, slow * kFrameTime / kTilesOfAll, kFrameTime);
      CHECK(coded.seconds <= kFrameTime);
      CHECK(coded.seconds > 0.7 * kFrameTime);
    }
  }
}

TEST_CASE("speed control: a scene cut whose tiles take twice as long as before finishes in time") {
  SpeedControl speed(search_effort(Quality::fast), kTilesOfAll);
  for (int frame = 0; frame < 10; ++frame) code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  const Coded cut = code(speed, 1.6 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(cut.seconds <= kFrameTime);
  CHECK(cut.as_usual < kTilesOfAll / 2);
  for (int frame = 0; frame < 10; ++frame) code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime).as_usual ==
        kTilesOfAll);  // the cut has no lasting effect
}

TEST_CASE("speed control: the time of each step is learnt if the steps take other times than were assumed") {
  // Tiles of the lower half take three times as long as others, which says nothing about the steps.
  const auto seconds_of = [](uint32_t tile, const SearchEffort& effort, const std::array<double, 6>& times) {
    const double place = tile < kTilesOfAll / 2 ? 0.5 : 1.5;
    return place * kFrameTime / kTilesOfAll *
           times[static_cast<size_t>(MacroblockEffort::usual) - static_cast<size_t>(effort.macroblocks)];
  };
  for (const std::array<double, 6>& times :
       {std::array{1.6, 1.5, 1.4, 1.3, 0.7, 0.6}, {1.6, 1.0, 0.8, 0.6, 0.4, 0.3}}) {
    SpeedControl speed(search_effort(Quality::fast), kTilesOfAll, true);
    const auto tiles = all_tiles();
    for (int frame = 0; frame < 60; ++frame) {
      double left = kFrameTime;
      size_t first_step = SpeedControl::kSteps, last_step = 0;
      speed.begin(tiles, left);
      for (size_t tile = 0; tile < tiles.size(); tile += kAtATime) {
        const auto some = std::span(tiles).subspan(tile, kAtATime);
        const SpeedControl::Turn turn = speed.take(some, left);
        first_step = std::min(first_step, turn.step);
        last_step = std::max(last_step, turn.step);
        double taken = 0;
        for (const uint32_t one : some) taken += seconds_of(one, turn.effort, times);
        left -= taken;
        speed.coded(some, turn, taken);
      }
      speed.end(left);
      if (frame < 30) continue;
      CHECK(left >= 0);
      CHECK(left < 0.2 * kFrameTime);
      CHECK(last_step - first_step <= 3);  // the last tiles do not pay for the first ones
    }
  }
}

TEST_CASE("speed control: time is short until thirty frames had a quarter of theirs to spare") {
  SpeedControl speed(search_effort(Quality::fast), kTilesOfAll);
  CHECK_FALSE(speed.is_short());
  code(speed, 1.2 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(speed.is_short());
  for (int frame = 0; frame < 60; ++frame) code(speed, 0.85 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(speed.is_short());
  for (int frame = 0; frame < 29; ++frame) code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(speed.is_short());
  code(speed, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK_FALSE(speed.is_short());
}

TEST_CASE("speed control: the best quality has more effort to save") {
  SpeedControl speed(search_effort(Quality::best), kTilesOfAll);
  speed.begin(all_tiles(), kFrameTime);
  CHECK(speed.take(first_tiles(200), kFrameTime).effort.candidates == search_effort(Quality::best).candidates);
  CHECK(speed.take(first_tiles(kAtATime), 0.5 * kFrameTime).effort.candidates <
        search_effort(Quality::best).candidates);
  CHECK(speed.take(first_tiles(kAtATime), 0.5 * kFrameTime).effort.candidates > 1);
}

TEST_CASE("speed control: transform slices get less effort step by step, and no less than the time asks for") {
  const auto effort_with = [](double time) {  // `time`: what is left, in the time that tiles take with the usual effort
    SpeedControl speed(search_effort(Quality::fast), kTilesOfAll, true);
    speed.begin(all_tiles(), kFrameTime);
    speed.take(all_tiles(), kFrameTime);
    speed.end(0);
    speed.begin(all_tiles(), time * kFrameTime);
    return speed.take(first_tiles(kAtATime), time * kFrameTime).effort.macroblocks;
  };
  using enum MacroblockEffort;
  CHECK(effort_with(1.2) == usual);
  CHECK(effort_with(1.06) == quick);
  CHECK(effort_with(1.02) == brief);
  CHECK(effort_with(0.9) == little);
  CHECK(effort_with(0.8) == rough);
  CHECK(effort_with(0.7) == least);
  CHECK(effort_with(0.1) == least);
}

TEST_CASE("refinements are coded for half of the time that is left, once it is known how long tiles take") {
  double left = kFrameTime;
  FrameToEncode frame;
  frame.seconds_left = [&] { return left; };
  FrameTime time(search_effort(Quality::fast), kTilesOfAll);
  time.begin(frame);
  CHECK(time.most_with_refinements(true) == SIZE_MAX);
  time.begin_tiles(first_tiles(100), true);
  for (int i = 0; i < 25; ++i) {
    const auto tiles = first_tiles(4);
    const FrameTime::Turn turn = time.take(tiles);
    left -= 4 * 1e-4;
    time.coded(tiles, turn);
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
