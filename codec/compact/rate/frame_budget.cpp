#include "compact/frame_budget.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace texcast::compact {

FrameBudget::FrameBudget(uint32_t tiles, size_t payload_bytes, LineBytes line_bytes, RateModel& model)
    : model_(model), line_bytes_(std::move(line_bytes)), sizes_(tiles, payload_bytes) {
  order_.reserve(tiles);
}

size_t FrameBudget::line_bytes(const PayloadSizes& sizes) const {
  return line_bytes_ ? line_bytes_(sizes.ended()) : sizes.ended().bytes;
}

void FrameBudget::begin(size_t most_line_bytes, size_t history_bytes) {
  most_line_bytes_ = most_line_bytes;
  sizes_.begin(history_bytes);
  empty_line_bytes_ = used_line_bytes_ = line_bytes(sizes_);
  used_bytes_ = changed_.used = changed_.predicted_of_used = refinements_.used = 0;
  log_lambda_sum_ = log_lambda_weight_ = 0;
}

double FrameBudget::bytes_in(double line_bytes) const {
  return std::max(0.0, line_bytes - static_cast<double>(empty_line_bytes_)) /
         model_.line_overhead(line_bytes_of_slices(), used_bytes_);
}

// Tiles that were deferred longest come first. All are chosen until the frame is predicted to be full.
double FrameBudget::choose_changed(std::span<TileToCode> tiles, double bytes, double lambda) {
  changed_.planned = bytes;
  order_.clear();
  for (uint32_t i = 0; i < tiles.size(); ++i)
    if (tiles[i].has_time && tiles[i].need != TileNeed::refinement) order_.push_back(i);
  std::ranges::sort(order_, [&](uint32_t a, uint32_t b) {
    return tiles[a].frames_deferred != tiles[b].frames_deferred ? tiles[a].frames_deferred > tiles[b].frames_deferred
                                                                : a < b;
  });
  const double room = bytes_in(static_cast<double>(most_line_bytes_));
  double sum = 0;
  rest_ = deferred_rest_ = 0;
  for (const uint32_t i : order_) {
    const double of_tile = model_.bytes(tiles[i], lambda);
    if (sum > 0 && sum + of_tile > room) break;
    sum += of_tile;
    tiles[i].is_chosen = true;
    rest_ += model_.bytes(tiles[i], 1);
    if (tiles[i].frames_deferred > 0) deferred_rest_ += model_.bytes(tiles[i], 1);
  }
  changed_.predicted = sum;
  return sum;
}

// The coarsest tiles come first. They get the lambda for which there is room if all tiles get it, but each step divides
// lambda by kStep at most, as content that is static only for a moment is not worth more.
void FrameBudget::choose_refinements(std::span<TileToCode> tiles, double bytes, int finest) {
  constexpr int kStep = 4;
  refinements_.planned = bytes;
  double unit_bytes = 0;
  for (const TileToCode& tile : tiles)
    if (tile.has_time && tile.need == TileNeed::refinement) unit_bytes += model_.unit_bytes(tile);
  const double common = model_.lambda_for(unit_bytes, bytes);
  order_.clear();
  for (uint32_t i = 0; i < tiles.size(); ++i)
    if (tiles[i].has_time && tiles[i].need == TileNeed::refinement) order_.push_back(i);
  std::ranges::sort(order_, [&](uint32_t a, uint32_t b) {
    return tiles[a].lambda != tiles[b].lambda ? tiles[a].lambda > tiles[b].lambda : a < b;
  });
  double sum = 0;
  for (const uint32_t i : order_) {
    int& lambda = tiles[i].lambda;
    lambda = std::max({finest, tiles[i].finest, std::min(lambda / kStep, static_cast<int>(common))});
    const double of_tile = model_.bytes(tiles[i], lambda);
    if (sum > 0 && sum + of_tile > bytes) break;
    sum += of_tile;
    tiles[i].is_chosen = true;
  }
}

// Refinements leave room for all changed tiles that are still to come, and tiles that were never deferred leave room
// for those that were.
Admission FrameBudget::admit(std::span<const TileToCode> tiles, std::span<const CodedSlice> slices, double lambda,
                             double never_above) {
  const bool is_refinement = tiles.front().need == TileNeed::refinement;
  double bytes = 0, predicted = 0;
  uint8_t frames_deferred = 0;
  PayloadSizes sizes = sizes_;
  for (const CodedSlice& slice : slices) {
    bytes += static_cast<double>(slice.bytes.size());
    sizes.add(slice);
  }
  for (const TileToCode& tile : tiles) {
    predicted += model_.bytes(tile, lambda);
    frames_deferred = std::max(frames_deferred, tile.frames_deferred);
    if (is_refinement) continue;
    rest_ -= model_.bytes(tile, 1);
    if (tile.frames_deferred > 0) deferred_rest_ -= model_.bytes(tile, 1);
  }
  model_.observe(tiles.front().need, bytes, predicted);
  const double scale = model_.line_overhead(line_bytes_of_slices(), used_bytes_) / std::pow(lambda, kBitsPower);
  const double kept = is_refinement ? rest_ * scale : frames_deferred == 0 ? deferred_rest_ * scale : 0;
  const size_t line = line_bytes(sizes);
  const bool has_room = static_cast<double>(line) + std::max(kept, 0.0) <= static_cast<double>(most_line_bytes_);
  if (is_refinement) {
    if (!has_room || refinements_.used + bytes > refinements_.planned)
      return static_cast<double>(line - used_line_bytes_) > never_above ? Admission::never : Admission::deferred;
    refinements_.used += bytes;
  } else {
    changed_.used += bytes;
    changed_.predicted_of_used += predicted;
    if (!has_room) return Admission::deferred;
    log_lambda_sum_ += predicted * std::log(lambda);
    log_lambda_weight_ += predicted;
  }
  sizes_ = sizes;
  used_line_bytes_ = line;
  used_bytes_ += bytes;
  return Admission::admitted;
}

// The tiles that are already coded show by how much the prediction was wrong.
std::optional<FrameBudget::Lambdas> FrameBudget::lambdas_of_rest(double most_line_bytes) const {
  constexpr double kTrust = 0.25;  // the prediction counts as if so much of the frame had come true
  if (rest_ <= 0 || changed_.predicted_of_used <= 0) return std::nullopt;
  const double trusted = kTrust * changed_.predicted;
  const double unit_bytes = rest_ * (changed_.used + trusted) / (changed_.predicted_of_used + trusted);
  const double most = bytes_in(most_line_bytes) - refinements_.used;
  return Lambdas{.planned = model_.lambda_for(unit_bytes, changed_.planned - changed_.used),
                 .least = model_.lambda_for(unit_bytes, most - changed_.used)};
}

void FrameBudget::end() {
  std::optional<double> lambda;
  if (log_lambda_weight_ > 0) lambda = std::exp(log_lambda_sum_ / log_lambda_weight_);
  model_.end(line_bytes_of_slices(), used_bytes_, lambda);
}

}  // namespace texcast::compact
