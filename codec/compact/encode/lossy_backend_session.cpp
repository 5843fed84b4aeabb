#include "lossy_backend_session.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"

namespace texcast::compact {

void LossyBackendSession::take_over(std::unique_ptr<LossyBackend> chooser, const TileGrid& grid) {
  ENSURE(chooser_ == nullptr);
  chooser_ = std::move(chooser);
  is_started_ = false;
  told_of_.assign(grid.tiles(), {});
  is_found_.assign(grid.tiles(), 0);
  place_in_batch_.assign(grid.tiles(), 0);
  for (auto* tiles : {&told_, &told_otherwise_, &given_}) tiles->reserve(grid.tiles());
}

void LossyBackendSession::begin_frame() {
  retired_.reset();
  std::ranges::fill(is_found_, uint8_t{0});
}

void LossyBackendSession::start(const LossyBackendState& state, Workers& workers) {
  chooser_->start(state, workers);
  is_started_ = true;
  std::ranges::fill(told_of_, Told{});
}

void LossyBackendSession::begin(LossyBackendFrame frame) {
  for (auto* tiles : {&told_, &told_otherwise_, &given_}) tiles->clear();
  for (uint32_t tile = 0; tile < told_of_.size(); ++tile) {
    const Told told = std::exchange(told_of_[tile], Told{});
    if (!told.is_told) continue;
    told_.push_back(tile);
    if (!told.is_as_chosen) told_otherwise_.push_back(tile);
    if (told.is_given) given_.push_back(tile);
  }
  frame.told = told_;
  frame.told_otherwise = told_otherwise_;
  frame.given = given_;
  differences_ = chooser_->begin(frame);
}

void LossyBackendSession::take_chosen(std::span<const TileToEncode> tiles) {
  chosen_ = chooser_->chosen();
  for (size_t i = 0; i < tiles.size(); ++i) {
    place_in_batch_[tiles[i].tile] = static_cast<uint32_t>(i);
    is_found_[tiles[i].tile] = chosen_.tiles[i].symbols.empty() ? 1 : 2;
  }
}

void LossyBackendSession::forget_chosen(std::span<const uint32_t> tiles) {
  for (const uint32_t tile : tiles) is_found_[tile] = 0;
}

}  // namespace texcast::compact
