#include "compact/rate_control.h"

#include <algorithm>
#include <cmath>

#include "base/ensure.h"

namespace texcast::compact {
namespace {

constexpr double kCoarsestCrf = 45;  // larger ones save hardly any bits
// The share of the frame's room that is planned for, as predictions may be too low by the rest.
constexpr double kPlanned = 0.9;
constexpr double kLeastWanted = 0.25;      // of a frame time's bytes, however full the buffer is
constexpr double kPaidBack = 0.3;          // of the buffer's fill, in each frame
constexpr double kRefinementShare = 0.25;  // of a frame, if changed tiles could take all of it
// A frame whose lambda would have to be larger than usual by these factors gets some, or all, of the buffer: a scene
// cut.
constexpr double kCoarser = 1.4, kMuchCoarser = 3;
constexpr double kMostOfAFrame = 0.5;  // of the buffer, for the refinement of a tile

double crf_of(double lambda) { return 23 + 3 * std::log2(lambda / 300); }

double coarsest_lambda(int finest) { return std::max<double>(rd_parameters(kCoarsestCrf).lambda, finest); }

}  // namespace

RateControl::RateControl(uint32_t tiles, const RateSettings& settings)
    : finest_(with_refinements(rd_parameters(settings.crf), settings.refinements)),
      parameters_(finest_),
      refinements_(settings.refinements),
      model_(finest_.lambda, coarsest_lambda(finest_.lambda)),
      buffer_(settings.bits_per_s, settings.fps, settings.buffer_frames),
      budget_(tiles, settings.payload_bytes, settings.line_bytes, model_) {
  ENSURE(settings.bits_per_s > 0 && settings.fps > 0 && settings.buffer_frames >= 1);
}

void RateControl::set_rate(double bits_per_s) {
  ENSURE(bits_per_s > 0);
  buffer_.set_rate(bits_per_s);
}

void RateControl::set_crf(double crf) {
  finest_ = with_refinements(rd_parameters(crf), refinements_);
  parameters_.finest = finest_.finest;
  model_.set_limits(finest_.lambda, coarsest_lambda(finest_.lambda));
}

void RateControl::begin(double frame_times, size_t history_bytes) {
  ENSURE(frame_times > 0);
  buffer_.begin(frame_times);
  budget_.begin(buffer_.most_bytes(), history_bytes);
  model_.begin();
  had_trial_ = false;
}

// Normally the bytes that drained since the previous frame, less a part of the buffer's fill. A frame that is much
// harder than the previous ones, as after a scene cut, may use as much of the buffer as it needs.
double RateControl::wanted_line_bytes(double unit_bytes) {
  const double drained = buffer_.drained_bytes(), most = kPlanned * static_cast<double>(budget_.most_line_bytes());
  const double usual = std::min(std::max(drained - kPaidBack * buffer_.fill(), kLeastWanted * drained), most);
  const double coarser = model_.lambda_for(unit_bytes, budget_.bytes_in(usual)) / model_.usual_lambda();
  const double share = std::clamp((coarser - kCoarser) / (kMuchCoarser - kCoarser), 0.0, 1.0);
  needs_trial_ = needs_trial_ || share > 0;
  return std::max(usual, usual + share * (most - usual));
}

// The bytes at lambda 1 of refinements whose tiles are much coarser than the changed tiles will be.
double RateControl::coarse_unit_bytes(std::span<const TileToCode> tiles, double lambda) const {
  constexpr double kCoarserThan = 2;
  double sum = 0;
  for (const TileToCode& tile : tiles)
    if (tile.has_time && tile.need == TileNeed::refinement && tile.lambda > kCoarserThan * lambda)
      sum += model_.unit_bytes(tile);
  return sum;
}

RdParameters RateControl::set_lambda(double lambda) {
  lambda_ = lambda;
  parameters_ = rd_parameters_of_lambda(lambda);
  parameters_.finest = finest_.finest;
  return parameters_;
}

// Changed tiles, and static ones that are coarser, get the same lambda. The other static tiles get a share of the
// bytes.
RdParameters RateControl::plan(std::span<TileToCode> tiles) {
  double changed = 0, refinements = 0;  // changed: bytes at lambda 1
  if (had_trial_)
    model_.learn_trial(lambda_);
  else
    model_.adapt_to_time(tiles);
  for (TileToCode& tile : tiles) {
    tile.is_chosen = false;
    (tile.need == TileNeed::refinement ? refinements : changed) += model_.bytes(tile, 1);
  }
  needs_trial_ = model_.is_unlike_previous(tiles);
  const double bytes = budget_.bytes_in(wanted_line_bytes(changed));
  if (had_trial_) needs_trial_ = false;
  double lambda = model_.lambda_for(changed, bytes), coarse = 0;
  for (int i = 0; i < 3 && refinements > 0; ++i) {
    coarse = coarse_unit_bytes(tiles, lambda);
    lambda = model_.lambda_for(changed + coarse, bytes);
  }
  const double kept =
      std::max(std::min(refinements, kRefinementShare * bytes), bytes * coarse / std::max(changed + coarse, 1.0));
  set_lambda(first_lambda_ = model_.lambda_for(changed, bytes - kept));
  const double chosen = budget_.choose_changed(tiles, bytes - kept, lambda_);
  budget_.choose_refinements(tiles, std::max(kept, bytes - chosen), finest_.finest);
  return parameters_;
}

void RateControl::add_trial(const TileToCode& tile, size_t slice_bytes) {
  had_trial_ = true;
  model_.observe(tile.need, static_cast<double>(slice_bytes), model_.bytes(tile, lambda_));
}

Admission RateControl::admit(std::span<const TileToCode> tiles, std::span<const CodedSlice> slices) {
  return budget_.admit(tiles, slices, lambda_, kMostOfAFrame * buffer_.capacity());
}

// If the predictions were too low, lambda first becomes a little larger. If this is not enough, the frame takes more of
// the buffer than planned.
RdParameters RateControl::next_batch() {
  constexpr double kALittle = 1.5, kMostFiner = 0.5, kMostCoarser = 8;
  const auto lambdas = budget_.lambdas_of_rest(kPlanned * static_cast<double>(budget_.most_line_bytes()));
  if (!lambdas) return parameters_;
  const double lambda = std::min(lambdas->planned, std::max(kALittle * first_lambda_, lambdas->least));
  return set_lambda(std::clamp(lambda, std::max(kMostFiner * first_lambda_, model_.finest_lambda()),
                               std::min(kMostCoarser * lambda_, model_.coarsest_lambda())));
}

void RateControl::end() {
  buffer_.add(static_cast<double>(budget_.used_line_bytes()));
  budget_.end();
}

double RateControl::crf() const { return crf_of(model_.last_lambda()); }

}  // namespace texcast::compact
