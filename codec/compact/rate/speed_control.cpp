#include "compact/speed_control.h"

#include <algorithm>
#include <iterator>

namespace texcast::compact {
namespace {

// The slowest first; the time is relative to Quality::fast. Measured with film in ycocg-bc4.
struct SpeedStep {
  SearchEffort effort;
  double time;
};
constexpr SpeedStep kSpeedSteps[] = {{{.candidates = 64, .least_saved = 0}, 1.25},
                                     {{.candidates = 8, .refits = 4, .least_saved = 4 * 32}, 1.12},
                                     {{.candidates = 4, .refits = 0, .least_saved = 8 * 32}, 1},
                                     {{.candidates = 2, .refits = 0, .least_saved = 8 * 32}, 0.88},
                                     {{.candidates = 1, .refits = 0, .least_saved = 16 * 32}, 0.67},
                                     {{.candidates = 1, .refits = 0, .least_saved = 32 * 32}, 0.57},
                                     {{.candidates = 1, .refits = 0, .least_saved = 64 * 32}, 0.46},
                                     {{.candidates = 1, .refits = 0, .least_saved = 256 * 32}, 0.35},
                                     {{.candidates = 1, .refits = 0, .least_saved = 1000 * 32}, 0.3}};
// The fraction of a frame's time that is kept in reserve, as the last tiles may take longer than those before them.
constexpr double kReservedTime = 0.08;
// The weight of previous frames in the estimate, as a fraction of this frame's tiles. It smooths out that some parts of
// a picture take longer than others, but is small, so that a scene cut shows soon.
constexpr double kPriorShare = 0.1;
constexpr double kNewestFrame = 0.3;  // the weight of the latest frame in the average

}  // namespace

SpeedControl::SpeedControl(const SearchEffort& usual) : usual_(usual), effort_(usual) {}

void SpeedControl::begin(size_t tiles, double seconds_left) {
  tiles_left_ = tiles;
  prior_tiles_ = usual_seconds_ > 0 ? kPriorShare * static_cast<double>(tiles) : 0;
  taken_tiles_ = 0;
  seconds_at_begin_ = seconds_left;
}

// The time of a tile with the usual effort, estimated from previous frames and from this one so far.
double SpeedControl::tile_seconds(double seconds_left) const {
  const double tiles = prior_tiles_ + taken_tiles_;
  return tiles > 0 ? (prior_tiles_ * usual_seconds_ + seconds_at_begin_ - seconds_left) / tiles : 0;
}

const SearchEffort& SpeedControl::take(size_t tiles, double seconds_left) {
  const auto usual = std::ranges::find_if(
      kSpeedSteps, [&](const SpeedStep& step) { return step.effort.candidates <= usual_.candidates; });
  const double needed = static_cast<double>(tiles_left_) * tile_seconds(seconds_left);
  const auto in_time = std::find_if(usual, std::prev(std::end(kSpeedSteps)), [&](const SpeedStep& step) {
    return step.time / usual->time * needed <= seconds_left - kReservedTime * seconds_at_begin_;
  });
  taken_tiles_ += static_cast<double>(tiles) * in_time->time / usual->time;
  tiles_left_ -= std::min(tiles, tiles_left_);
  return effort_ = in_time == usual ? usual_ : in_time->effort;
}

void SpeedControl::end(double seconds_left) {
  constexpr double kLeastTiles = 8;  // tiles
  if (taken_tiles_ < kLeastTiles) return;
  const double seconds = (seconds_at_begin_ - seconds_left) / taken_tiles_;
  usual_seconds_ = usual_seconds_ > 0 ? usual_seconds_ + (seconds - usual_seconds_) * kNewestFrame : seconds;
}

}  // namespace texcast::compact
