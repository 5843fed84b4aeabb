#include "compact/speed_control.h"

#include <algorithm>
#include <iterator>

namespace texcast::compact {
namespace {

// The slowest first; the times are relative to Quality::fast. Those of block-coded tiles were measured with film in
// ycocg-bc4. Those of transform slices are estimates from the times of whole frames (docs/compact.md), of which the
// coding of tiles was taken to be 60 %.
struct SpeedStep {
  SearchEffort effort;
  double of_blocks, of_transform;
};
using enum MacroblockEffort;
constexpr SpeedStep kSpeedSteps[] = {
    {{.candidates = 64, .least_saved = 0}, 1.25, 1.02},
    {{.candidates = 8, .refits = 4, .least_saved = 4 * 32}, 1.12, 1.01},
    {{.candidates = 4, .refits = 0, .least_saved = 8 * 32}, 1, 1},
    {{.candidates = 2, .refits = 0, .least_saved = 8 * 32, .macroblocks = quick}, 0.88, 0.94},
    {{.candidates = 1, .refits = 0, .least_saved = 16 * 32, .macroblocks = brief}, 0.67, 0.91},
    {{.candidates = 1, .refits = 0, .least_saved = 32 * 32, .macroblocks = little}, 0.57, 0.77},
    {{.candidates = 1, .refits = 0, .least_saved = 64 * 32, .macroblocks = least}, 0.46, 0.68},
    {{.candidates = 1, .refits = 0, .least_saved = 256 * 32, .macroblocks = least}, 0.35, 0.67},
    {{.candidates = 1, .refits = 0, .least_saved = 1000 * 32, .macroblocks = least}, 0.3, 0.66}};
// The fraction of a frame's time that is kept in reserve, as the last tiles may take longer than those before them.
constexpr double kReservedTime = 0.08;
// The weight of previous frames in the estimate, as a fraction of this frame's tiles. It smooths out that some parts of
// a picture take longer than others, but is small, so that a scene cut shows soon.
constexpr double kPriorShare = 0.1;
constexpr double kNewestFrame = 0.3;  // the weight of the latest frame in the average

}  // namespace

SpeedControl::SpeedControl(const SearchEffort& usual, bool transform)
    : usual_(usual), transform_(transform), effort_(usual) {}

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
  const auto time = [&](const SpeedStep& step) { return transform_ ? step.of_transform : step.of_blocks; };
  const double needed = static_cast<double>(tiles_left_) * tile_seconds(seconds_left);
  const auto in_time = std::find_if(usual, std::prev(std::end(kSpeedSteps)), [&](const SpeedStep& step) {
    return time(step) / time(*usual) * needed <= seconds_left - kReservedTime * seconds_at_begin_;
  });
  taken_tiles_ += static_cast<double>(tiles) * time(*in_time) / time(*usual);
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
