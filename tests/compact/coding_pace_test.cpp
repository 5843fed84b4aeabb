// How carefully tiles are coded by the time there is.
#include <doctest/doctest.h>

#include <cmath>

#include "compact/speed_control.h"
#include "texcast/quality.h"

namespace texcast::compact {
namespace {

constexpr int kTilesOfAll = 400, kAtATime = 4;

// About what careless coding takes, as a part of the time that `fast` takes.
double part_of_time(const SearchEffort& effort) {
  return effort.candidates > 1 ? 1 : 0.7 * std::pow(effort.least_saved / 512.0, -0.2);
}

struct Coded {
  double seconds = 0;
  int as_usual = 0, least_careful = 0;  // tiles; least_saved of the least careful ones
};
// A frame on a processor that takes so long for a tile as usual.
Coded code(SpeedControl& pace, double tile_seconds, double seconds) {
  Coded coded;
  pace.begin(kTilesOfAll, seconds);
  for (int tile = 0; tile < kTilesOfAll; tile += kAtATime) {
    const SearchEffort effort = pace.take(kAtATime, seconds - coded.seconds);
    coded.seconds += kAtATime * tile_seconds * part_of_time(effort);
    if (effort.least_saved == search_effort(Quality::fast).least_saved) coded.as_usual += kAtATime;
    coded.least_careful = std::max(coded.least_careful, effort.least_saved);
  }
  pace.end(seconds - coded.seconds);
  return coded;
}

constexpr double kFrameTime = 0.030;

}  // namespace

TEST_CASE("coding pace: where there is time all is coded as it was asked for") {
  SpeedControl pace(search_effort(Quality::fast));
  for (int frame = 0; frame < 10; ++frame)
    CHECK(code(pace, 0.8 * kFrameTime / kTilesOfAll, kFrameTime).as_usual == kTilesOfAll);
}

TEST_CASE(
    "coding pace: what would take longer than there is time is coded in it, and no less carefully than it needs") {
  for (const double slow : {1.2, 1.5, 2.0, 2.5}) {
    SpeedControl pace(search_effort(Quality::fast));
    for (int frame = 0; frame < 10; ++frame) {
      const Coded coded = code(pace, slow * kFrameTime / kTilesOfAll, kFrameTime);
      CHECK(coded.seconds <= kFrameTime);
      CHECK(coded.seconds > 0.7 * kFrameTime);
    }
  }
}

TEST_CASE("coding pace: a cut, of which each tile takes twice as long as those before it, is coded in its time") {
  SpeedControl pace(search_effort(Quality::fast));
  for (int frame = 0; frame < 10; ++frame) code(pace, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  const Coded cut = code(pace, 1.6 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(cut.seconds <= kFrameTime);
  CHECK(cut.as_usual < kTilesOfAll / 2);
  for (int frame = 0; frame < 10; ++frame) code(pace, 0.7 * kFrameTime / kTilesOfAll, kFrameTime);
  CHECK(code(pace, 0.7 * kFrameTime / kTilesOfAll, kFrameTime).as_usual == kTilesOfAll);  // and it is forgotten
}

TEST_CASE("coding pace: the best quality has more to leave out") {
  SpeedControl pace(search_effort(Quality::best));
  pace.begin(kTilesOfAll, kFrameTime);
  CHECK(pace.take(200, kFrameTime).candidates == search_effort(Quality::best).candidates);
  CHECK(pace.take(kAtATime, 0.5 * kFrameTime).candidates < search_effort(Quality::best).candidates);
  CHECK(pace.take(kAtATime, 0.5 * kFrameTime).candidates > 1);
}

}  // namespace texcast::compact
