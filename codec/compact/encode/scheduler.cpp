#include "scheduler.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace texcast::compact {
namespace {

// Beyond that, bits do not show in a film.
constexpr double kFinestCrfOfFilm = 14;

}  // namespace

Scheduler::Scheduler(const TileGrid& grid) : finest_of_film_(rd_parameters(kFinestCrfOfFilm).lambda) {
  for (auto* flags : {&changed_, &deferred_, &frames_deferred_, &pending_intra_, &is_film_, &still_frames_})
    flags->resize(grid.tiles());
  for (auto* list : {&changed_tiles_, &dirty_tiles_, &order_}) list->reserve(grid.tiles());
  compared_.resize(grid.tiles());
  quality_.resize(grid.tiles());
  place_in_dirty_.resize(grid.tiles());
}

void Scheduler::begin(const FrameToEncode& frame, bool has_reference) {
  frame_ = &frame;
  has_reference_ = has_reference;
  if (!has_reference) std::ranges::fill(pending_intra_, uint8_t{1});
  is_any_unreliable_ = std::ranges::any_of(frame.wrong, [](uint8_t wrong) { return wrong != 0; }) ||
                       std::ranges::find(pending_intra_, 1) != pending_intra_.end();
}

void Scheduler::forget() {
  for (auto* flags : {&changed_, &deferred_, &frames_deferred_, &is_film_, &still_frames_})
    std::ranges::fill(*flags, uint8_t{0});
  std::ranges::fill(quality_, RdParameters{});
}

void Scheduler::lose_reference() {
  has_reference_ = false;
  std::ranges::fill(pending_intra_, uint8_t{1});
  is_any_unreliable_ = true;
}

std::span<const uint32_t> Scheduler::tiles_to_compare() {
  size_t count = 0;
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    compared_[count] = tile;
    count += may_have_changed(tile) ? 1 : 0;
  }
  return std::span(compared_).first(count);
}

void Scheduler::list_tiles() {
  changed_tiles_.clear();
  dirty_tiles_.clear();
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    if (has_changed(tile)) changed_tiles_.push_back(tile);
    if (!is_dirty(tile)) continue;
    place_in_dirty_[tile] = static_cast<uint32_t>(dirty_tiles_.size());
    dirty_tiles_.push_back(tile);
  }
}

void Scheduler::limit(size_t most) {
  for (const uint32_t tile : dirty_tiles_) defer(tile, false);
  if (dirty_tiles_.size() <= most) return;
  order_ = dirty_tiles_;
  const auto urgency = [&](uint32_t tile) {
    return std::tuple(!is_intra(tile), is_refined(tile), -int{frames_deferred_[tile]}, tile);
  };
  std::ranges::nth_element(order_, order_.begin() + static_cast<std::ptrdiff_t>(most), {}, urgency);
  for (const uint32_t tile : std::span(order_).subspan(most)) defer(tile, !is_intra(tile));
}

bool Scheduler::is_unreliable(uint32_t tile, const ReferencedTiles& referenced) const {
  const bool is_refreshed = tile < frame_->refreshed && frame_->refreshed < tiles();
  if (!is_any_unreliable_ && !is_refreshed) return false;
  return referenced.any || std::ranges::any_of(referenced.list(), [&](uint32_t other) {
           return may_be_wrong(other) || (is_refreshed && other >= frame_->refreshed) || pending_intra_[other] != 0;
         });
}

void Scheduler::end_tile(uint32_t tile) {
  const bool is_late = is_dirty(tile) && is_deferred(tile);
  constexpr uint8_t kMost = std::numeric_limits<uint8_t>::max();
  frames_deferred_[tile] =
      is_late ? static_cast<uint8_t>(std::min(frames_deferred_[tile] + 1, int{kMost})) : uint8_t{0};
  still_frames_[tile] =
      has_changed(tile) ? uint8_t{0} : static_cast<uint8_t>(std::min(still_frames_[tile] + 1, int{kMost}));
  if (is_late && is_intra(tile)) pending_intra_[tile] = 1;
  if (is_to_be_coded(tile)) pending_intra_[tile] = 0;
}

bool Scheduler::is_waiting() const {
  for (uint32_t tile = 0; tile < tiles(); ++tile)
    if (is_deferred(tile) || is_below_finest(tile)) return true;
  return false;
}

}  // namespace texcast::compact
