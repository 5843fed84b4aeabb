#include "compact/speed_control.h"

#include <algorithm>
#include <iterator>

namespace texcast::compact {
namespace {

// From the most careful one on; time as a part of what `fast` takes. Measured on film in ycocg-bc4.
struct PaceStep {
  SearchEffort effort;
  double time;
};
constexpr PaceStep kPaceSteps[] = {{{.candidates = 64, .least_saved = 0}, 1.25},
                                   {{.candidates = 8, .refits = 4, .least_saved = 4 * 32}, 1.12},
                                   {{.candidates = 4, .refits = 0, .least_saved = 8 * 32}, 1},
                                   {{.candidates = 2, .refits = 0, .least_saved = 8 * 32}, 0.88},
                                   {{.candidates = 1, .refits = 0, .least_saved = 16 * 32}, 0.67},
                                   {{.candidates = 1, .refits = 0, .least_saved = 32 * 32}, 0.57},
                                   {{.candidates = 1, .refits = 0, .least_saved = 64 * 32}, 0.46},
                                   {{.candidates = 1, .refits = 0, .least_saved = 256 * 32}, 0.35},
                                   {{.candidates = 1, .refits = 0, .least_saved = 1000 * 32}, 0.3}};
// Of a frame's time, what is not planned with: the last tiles may take longer than those before them.
constexpr double kKeptTime = 0.08;
// In what tiles took in the frames before, as if so many of this frame had taken as much: some parts of a picture take
// longer than others; but a cut is to be seen soon.
constexpr double kTrustInBefore = 0.1;
constexpr double kNewestFrame = 0.3;  // frames are like those before them

}  // namespace

SpeedControl::SpeedControl(const SearchEffort& usual) : usual_(usual), effort_(usual) {}

void SpeedControl::begin(size_t tiles, double seconds_left) {
  tiles_left_ = tiles;
  trusted_ = usual_seconds_ > 0 ? kTrustInBefore * static_cast<double>(tiles) : 0;
  taken_ = 0;
  begun_with_ = seconds_left;
}

// That one takes as carefully as usual: by the frames before, and by this one so far.
double SpeedControl::tile_seconds(double seconds_left) const {
  const double tiles = trusted_ + taken_;
  return tiles > 0 ? (trusted_ * usual_seconds_ + begun_with_ - seconds_left) / tiles : 0;
}

const SearchEffort& SpeedControl::take(size_t tiles, double seconds_left) {
  const auto usual = std::ranges::find_if(
      kPaceSteps, [&](const PaceStep& step) { return step.effort.candidates <= usual_.candidates; });
  const double needed = static_cast<double>(tiles_left_) * tile_seconds(seconds_left);
  const auto in_time = std::find_if(usual, std::prev(std::end(kPaceSteps)), [&](const PaceStep& step) {
    return step.time / usual->time * needed <= seconds_left - kKeptTime * begun_with_;
  });
  taken_ += static_cast<double>(tiles) * in_time->time / usual->time;
  tiles_left_ -= std::min(tiles, tiles_left_);
  return effort_ = in_time == usual ? usual_ : in_time->effort;
}

void SpeedControl::end(double seconds_left) {
  constexpr double kEnoughToTell = 8;  // tiles
  if (taken_ < kEnoughToTell) return;
  const double seconds = (begun_with_ - seconds_left) / taken_;
  usual_seconds_ = usual_seconds_ > 0 ? usual_seconds_ + (seconds - usual_seconds_) * kNewestFrame : seconds;
}

}  // namespace texcast::compact
