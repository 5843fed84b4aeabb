#include "compact/rate_model.h"

#include <algorithm>
#include <cmath>

namespace texcast::compact {
namespace {

// A lambda below those that the costs were learned with is an extrapolation. This exponent makes it cautious.
constexpr double kCautiousPower = 0.65;
// The costs before anything is learned: those of film in ycocg-bc4.
constexpr double kInterCost = 0.4, kIntraCost = 1.0, kRefinementCost = 0.4;

}  // namespace

// Observations count more the more complexity they have, compared with the usual one of a frame.
void RateModel::Cost::learn() {
  constexpr double kLeast = 0.02, kMost = 0.7;
  if (observed_complexity_ > 0) {
    const double weight = std::clamp(observed_complexity_ / (observed_complexity_ + usual_complexity_), kLeast, kMost);
    bytes_ += (observed_bytes_ / observed_complexity_ - bytes_) * weight;
    usual_complexity_ += (observed_complexity_ - usual_complexity_) / 8;
  }
  observed_bytes_ = observed_complexity_ = 0;
}

void RateModel::Cost::replace() {
  if (observed_complexity_ > 0) bytes_ = observed_bytes_ / observed_complexity_;
  observed_bytes_ = observed_complexity_ = 0;
}

RateModel::RateModel(int finest_lambda, double coarsest_lambda)
    : finest_lambda_(finest_lambda),
      coarsest_lambda_(coarsest_lambda),
      costs_{Cost(kInterCost), Cost(kIntraCost), Cost(kRefinementCost)} {}

void RateModel::begin() { known_lambda_ = usual_lambda_; }

// Coding with the smallest lambda takes twice as long as with a hundred times this lambda. A coarser picture is better
// than one whose changed tiles are deferred.
void RateModel::adapt_to_time(std::span<const TileToCode> tiles) {
  constexpr double kMore = 1.3, kLess = 1 / 1.05, kMost = 100;
  const bool is_short =
      std::ranges::any_of(tiles, [](const TileToCode& t) { return t.need != TileNeed::refinement && !t.has_time; });
  time_factor_ = std::clamp(time_factor_ * (is_short ? kMore : kLess), 1.0, kMost);
}

bool RateModel::is_unlike_previous(std::span<const TileToCode> tiles) {
  constexpr double kMore = 1.5, kMuch = 1.0 / 16;
  double all = 0;
  new_complexity_ = 0;
  for (const TileToCode& tile : tiles) {
    all += tile.complexity;
    if (tile.need == TileNeed::intra) new_complexity_ += tile.complexity;
  }
  return new_complexity_ > kMore * usual_new_complexity_ + kMuch * all;
}

double RateModel::bytes(const TileToCode& tile, double lambda) const {
  return unit_bytes(tile) / std::pow(tile.need == TileNeed::refinement ? tile.lambda : lambda, kBitsPower);
}

double RateModel::lambda_for(double unit_bytes, double bytes) const {
  const double finest = finest_lambda();
  if (unit_bytes <= 0) return finest;
  if (bytes <= 0) return coarsest_lambda_;
  double lambda = std::pow(unit_bytes / bytes, 1 / kBitsPower);
  if (lambda < known_lambda_) lambda = known_lambda_ * std::pow(lambda / known_lambda_, kBitsPower / kCautiousPower);
  return std::clamp(lambda, finest, coarsest_lambda_);
}

double RateModel::line_overhead(size_t line_bytes, double slice_bytes) const {
  constexpr double kUsual = 8000;  // recent frames count as so many bytes of slices
  return (line_overhead_ * kUsual + static_cast<double>(line_bytes)) / (kUsual + slice_bytes);
}

void RateModel::observe(TileNeed need, double bytes, double predicted) {
  Cost& of_need = costs_[static_cast<size_t>(need)];
  of_need.observe(bytes, predicted / of_need.bytes());
}

void RateModel::learn_trial(double lambda) {
  for (Cost& of_need : costs_) of_need.replace();
  known_lambda_ = lambda;
}

void RateModel::end(size_t line_bytes, double slice_bytes, std::optional<double> lambda) {
  for (Cost& of_need : costs_) of_need.learn();
  usual_new_complexity_ = new_complexity_;
  constexpr double kNewest = 0.25, kLeastBytes = 1000;
  if (slice_bytes > kLeastBytes)
    line_overhead_ += (static_cast<double>(line_bytes) / slice_bytes - line_overhead_) * kNewest;
  if (!lambda) return;
  last_lambda_ = *lambda;
  usual_lambda_ = usual_lambda_ > 0 ? std::sqrt(usual_lambda_ * last_lambda_) : last_lambda_;
}

}  // namespace texcast::compact
