#include "compact/speed_control.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texcast::compact {
namespace {

// The slowest first. The times are those with which a stream begins, relative to Quality::fast. Those of block-coded
// tiles were measured with film in ycocg-bc4, those of transform slices with the films of docs/compact.md, section 7.
struct SpeedStep {
  SearchEffort effort;
  double of_blocks, of_transform;
};
using enum MacroblockEffort;
constexpr std::array<SpeedStep, SpeedControl::kSteps> kSpeedSteps{
    {{{.candidates = 64, .least_saved = 0}, 1.25, 1.02},
     {{.candidates = 8, .refits = 4, .least_saved = 4 * 32}, 1.12, 1.01},
     {{.candidates = 4, .refits = 0, .least_saved = 8 * 32}, 1, 1},
     {{.candidates = 2, .refits = 0, .least_saved = 8 * 32, .macroblocks = quick}, 0.88, 0.96},
     {{.candidates = 1, .refits = 0, .least_saved = 16 * 32, .macroblocks = brief}, 0.67, 0.93},
     {{.candidates = 1, .refits = 0, .least_saved = 32 * 32, .macroblocks = little}, 0.57, 0.81},
     {{.candidates = 1, .refits = 0, .least_saved = 64 * 32, .macroblocks = rough}, 0.46, 0.66},
     {{.candidates = 1, .refits = 0, .least_saved = 256 * 32, .macroblocks = least}, 0.35, 0.59},
     {{.candidates = 1, .refits = 0, .least_saved = 1000 * 32, .macroblocks = least}, 0.3, 0.58}}};
// The fraction of a frame's time that is kept in reserve, as the last tiles may take longer than those before them.
constexpr double kReservedTime = 0.08;
// The weight of previous frames in the estimate, as a fraction of this frame's work. It smooths out that some parts of
// a picture take longer than others, but is small, so that a scene cut shows soon.
constexpr double kPriorShare = 0.1;
constexpr double kNewestFrame = 0.3;   // the weight of the latest frame in averages
constexpr double kNewestTile = 0.5;    // the weight of the latest time of a tile
constexpr double kUnknownWork = 1e-4;  // seconds; any value does, as pace_ is not known either then
constexpr size_t kFewTiles = 8;

size_t step_of(const SearchEffort& usual) {
  const auto step =
      std::ranges::find_if(kSpeedSteps, [&](const SpeedStep& of) { return of.effort.candidates <= usual.candidates; });
  return static_cast<size_t>(step - kSpeedSteps.begin());
}

}  // namespace

SpeedControl::SpeedControl(const SearchEffort& usual, size_t tiles, bool transform)
    : usual_(usual), usual_step_(step_of(usual)), work_(tiles), new_work_(kUnknownWork), effort_(usual) {
  const auto time = [&](const SpeedStep& step) { return transform ? step.of_transform : step.of_blocks; };
  for (size_t i = 0; i < kSteps; ++i) relative_[i] = time(kSpeedSteps[i]) / time(kSpeedSteps[usual_step_]);
}

double SpeedControl::work_of(std::span<const uint32_t> tiles) const {
  return std::accumulate(tiles.begin(), tiles.end(), 0.0,
                         [&](double sum, uint32_t tile) { return sum + (work_[tile] > 0 ? work_[tile] : new_work_); });
}

void SpeedControl::begin(std::span<const uint32_t> tiles, double seconds_left) {
  work_left_ = work_of(tiles);
  prior_work_ = pace_ > 0 ? kPriorShare * work_left_ : 0;
  taken_work_ = coded_work_ = coded_seconds_ = 0;
  taken_tiles_ = coded_tiles_ = 0;
  seconds_at_begin_ = seconds_left;
  is_reduced_ = false;
  expected_ = measured_ = {};
}

// Estimated from previous frames and from this one so far.
double SpeedControl::pace(double seconds_left) const {
  const double work = prior_work_ + taken_work_;
  return work > 0 ? (prior_work_ * pace_ + seconds_at_begin_ - seconds_left) / work : 0;
}

SpeedControl::Turn SpeedControl::take(std::span<const uint32_t> tiles, double seconds_left) {
  const double needed = work_left_ * pace(seconds_left);
  size_t step = usual_step_;
  while (step + 1 < kSteps && relative_[step] * needed > seconds_left - kReservedTime * seconds_at_begin_) ++step;
  const double work = work_of(tiles);
  taken_work_ += work * relative_[step];
  taken_tiles_ += tiles.size();
  work_left_ = std::max(work_left_ - work, 0.0);
  is_reduced_ = is_reduced_ || step > usual_step_;
  effort_ = step == usual_step_ ? usual_ : kSpeedSteps[step].effort;
  return {effort_, step};
}

void SpeedControl::coded(std::span<const uint32_t> tiles, const Turn& turn, double seconds) {
  const double work = work_of(tiles), relative = relative_[turn.step];
  if (seconds <= 0 || work <= 0) return;
  if (std::ranges::all_of(tiles, [&](uint32_t tile) { return work_[tile] > 0; })) {
    expected_[turn.step] += work * relative;
    measured_[turn.step] += seconds;
  }
  for (const uint32_t tile : tiles) {
    const double before = work_[tile] > 0 ? work_[tile] : new_work_, now = before / work * seconds / relative;
    work_[tile] = work_[tile] > 0 ? before + (now - before) * kNewestTile : now;
  }
  coded_tiles_ += tiles.size();
  coded_seconds_ += seconds;
  coded_work_ += seconds / relative;
}

// A step that took longer than expected, compared with the other steps of the frame, becomes relatively slower. The
// times expected are those of the same tiles in earlier frames, most of which had the same step or the one beside it.
void SpeedControl::compare_steps() {
  constexpr double kLearnt = 0.25, kMostError = 2;
  const double expected = std::accumulate(expected_.begin(), expected_.end(), 0.0);
  const double measured = std::accumulate(measured_.begin(), measured_.end(), 0.0);
  if (expected <= 0 || measured <= 0) return;
  for (size_t i = 0; i < kSteps; ++i) {
    if (expected_[i] < expected / 32) continue;
    const double error = measured_[i] / expected_[i] * expected / measured;
    relative_[i] *= std::pow(std::clamp(error, 1 / kMostError, kMostError), kLearnt);
  }
  // Steps get faster from one to the next.
  for (size_t i = kSteps - 1; i-- > usual_step_;) relative_[i] = std::max(relative_[i], relative_[i + 1]);
}

void SpeedControl::look_at_time(double seconds_left) {
  constexpr int kFrames = 30;
  constexpr double kMuch = 0.25;
  if (is_reduced_ || seconds_left < 0)
    short_frames_ = kFrames;
  else if (seconds_left > kMuch * seconds_at_begin_)
    short_frames_ = std::max(short_frames_ - 1, 0);
}

void SpeedControl::end(double seconds_left) {
  look_at_time(seconds_left);
  if (taken_tiles_ < kFewTiles) return;
  const double seconds = seconds_at_begin_ - seconds_left;
  const bool is_measured = coded_tiles_ > 0;
  const double latest = seconds / (is_measured ? coded_seconds_ : taken_work_);
  pace_ = pace_ > 0 ? pace_ + (latest - pace_) * kNewestFrame : latest;
  if (is_measured) new_work_ = coded_work_ / static_cast<double>(coded_tiles_);
  const double of_tile = new_work_ * latest;
  usual_seconds_ = usual_seconds_ > 0 ? usual_seconds_ + (of_tile - usual_seconds_) * kNewestFrame : of_tile;
  compare_steps();
}

}  // namespace texcast::compact
