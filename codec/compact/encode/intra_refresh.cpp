#include "compact/intra_refresh.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::compact {

IntraRefresh::IntraRefresh(const TileGrid& grid, const IntraRefreshSettings& settings)
    : grid_(grid), settings_(settings), budget_(grid.texture_bytes(), kShareOfRaw) {
  requested_.resize(kFramesKept * grid.tiles());
  intra_.resize(grid.tiles());
  is_repair_.resize(grid.tiles());
  wrong_.resize(grid.tiles());
  found_.resize(grid.tiles());
}

std::span<const uint8_t> IntraRefresh::next(double frame_times) {
  ENSURE(frame_times >= 1);
  frame_times_ = frame_times;
  std::ranges::fill(intra_, uint8_t{0});
  std::ranges::fill(is_repair_, uint8_t{0});
  refreshed_ = next_refreshed_;
  if (settings_.refresh_frames > 0) {
    due_tiles_ += std::min(frame_times / settings_.refresh_frames, 1.0) * grid_.tiles();
    for (; due_tiles_ >= 1; due_tiles_ -= 1) {
      intra_[next_refreshed_] = 1;
      next_refreshed_ = (next_refreshed_ + 1) % grid_.tiles();
    }
  }
  merge_requests();
  // Either all wrong tiles are repaired or none. Tiles that are left wrong would spread errors meanwhile, and tiles
  // that may not reference the repaired ones would cost extra in each of several parts.
  if (wrong_count_ == 0 || budget_.is_spent()) return intra_;
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    intra_[tile] |= wrong_[tile];
    is_repair_[tile] = wrong_[tile];
  }
  return intra_;
}

void IntraRefresh::coded(std::span<const CodedSlice> slices) {
  ENSURE(!oldest_requested_);
  Frame frame;
  if (kept_.size() == kFramesKept) {
    frame = std::move(kept_.front());
    kept_.pop_front();
    frame.tiles.clear();
  }
  for (const CodedSlice& slice : slices) {
    const uint32_t tile = slice.slice.tile;
    const bool is_inter = needs_reference(slice.coding);
    // The sub-slices of a tile count as one slice, as all of them are coded in the same way.
    if (!frame.tiles.empty() && frame.tiles.back().tile == tile) {
      Coded& coded = frame.tiles.back();
      coded.is_inter = coded.is_inter || is_inter;
      for (const uint32_t t : slice.touched.list()) coded.referenced.add(t);
      coded.referenced.any = coded.referenced.any || slice.touched.any;
      continue;
    }
    for (uint32_t t = tile; t < tile + slice.slice.tiles; ++t) {
      frame.tiles.push_back({t, is_inter, slice.touched});
      counts_.repaired += is_repair_[t];
      counts_.refreshed += intra_[t] != 0 && is_repair_[t] == 0;
    }
  }
  propagate_errors(frame, wrong_, wrong_count_);
  kept_.push_back(std::move(frame));
  ++frames_;
  account(slices);
  remember_changes(slices);
}

void IntraRefresh::account(std::span<const CodedSlice> slices) {
  double all = 0, repair = 0;
  uint32_t repaired = 0, last = UINT32_MAX;
  const auto is_refreshed = [&](uint32_t tile) { return intra_[tile] != 0 || tile < refreshed_; };
  for (const CodedSlice& slice : slices) {
    const double bytes = static_cast<double>(slice.bytes.size()) / slice.slice.tiles;
    for (uint32_t tile = slice.slice.tile; tile < slice.slice.tile + slice.slice.tiles; ++tile) {
      all += bytes;
      // A tile that is intra although next() did not ask for it would have had to reference a repaired tile.
      if (is_repair_[tile] == 0 && (!is_intra(slice.coding) || is_refreshed(tile) || frames_ == 1)) continue;
      repair += bytes;
      repaired += tile != last;
      last = tile;
    }
  }
  counts_.repair_bytes += static_cast<uint64_t>(repair);
  // The bytes of repaired tiles without repair are unknown. They are not counted, and frames of which more than a
  // quarter was repaired are ignored.
  if (repaired <= grid_.tiles() / 4) cost_.usual += (all - repair - cost_.usual) / 32;
  cost_.repairs = repair;
  budget_.spend(repair);
  budget_.pass(cost_.usual, frame_times_);
}

void IntraRefresh::remember_changes(std::span<const CodedSlice> slices) {
  std::rotate(history_.frames.begin(), history_.frames.end() - 1, history_.frames.end());
  auto& latest = history_.frames.front();
  latest.ranges.clear();
  latest.is_described = true;
  for (const CodedSlice& slice : slices) {
    if (!latest.ranges.empty()) {
      TileRange& last = latest.ranges.back();
      if (slice.slice.tile == last.first + last.count - 1) continue;
      if (slice.slice.tile == last.first + last.count) {
        last.count += slice.slice.tiles;
        continue;
      }
    }
    if (2 * latest.ranges.size() >= ChangeHistory::kMostBytes) {
      latest.is_described = false;
      latest.ranges.clear();
      return;
    }
    latest.ranges.push_back({slice.slice.tile, slice.slice.tiles});
  }
}

void IntraRefresh::request(uint64_t state, std::span<const TileRange> tiles, bool all) {
  if (!all && tiles.empty()) return;
  ++counts_.requests;
  if (frames_ == 0) return;  // the first frame is all intra
  // The frame was not coded yet, or is no longer kept.
  if (state >= frames_ || frames_ - state > kept_.size()) {
    all = true;
    state = frames_ - 1;
  }
  uint8_t* const requested = requested_in(state);
  oldest_requested_ = std::min(oldest_requested_.value_or(state), state);
  if (all) {
    std::fill_n(requested, grid_.tiles(), uint8_t{1});
    return;
  }
  uint64_t left = grid_.tiles();  // bounds the time for ranges that overlap
  for (const TileRange& range : tiles) {
    if (range.first >= grid_.tiles()) continue;
    const uint64_t count = std::min<uint64_t>({range.count, grid_.tiles() - range.first, left});
    std::fill_n(requested + range.first, count, uint8_t{1});
    left -= count;
  }
}

// Processes all requests since the previous frame. Errors after the oldest requested frame are propagated to the next
// frame, where the tiles requested there are added, and so on up to the latest frame.
void IntraRefresh::merge_requests() {
  if (!oldest_requested_) return;
  std::ranges::fill(found_, uint8_t{0});
  size_t count = 0;
  for (uint64_t state = *oldest_requested_; state < frames_; ++state) {
    if (state > *oldest_requested_) propagate_errors(kept_[kept_.size() - (frames_ - state)], found_, count);
    uint8_t* const requested = requested_in(state);
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      count += requested[tile] != 0 && found_[tile] == 0;
      found_[tile] |= requested[tile];
      requested[tile] = 0;
    }
  }
  oldest_requested_.reset();
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    wrong_count_ += found_[tile] != 0 && wrong_[tile] == 0;
    wrong_[tile] |= found_[tile];
  }
}

bool IntraRefresh::references_any(const Coded& coded, std::span<const uint8_t> tiles) {
  return coded.is_inter && (coded.referenced.any || std::ranges::any_of(coded.referenced.list(), [&](uint32_t tile) {
                              return tiles[tile] != 0;
                            }));
}

// Updates `wrong` from the state before a frame to the state after it.
void IntraRefresh::propagate_errors(const Frame& frame, std::span<uint8_t> wrong, size_t& count) {
  if (count == 0) return;
  wrong_after_.clear();
  for (const Coded& coded : frame.tiles) wrong_after_.push_back(references_any(coded, wrong) ? 1 : 0);
  for (size_t i = 0; i < frame.tiles.size(); ++i) {
    uint8_t& tile = wrong[frame.tiles[i].tile];
    count += wrong_after_[i];
    count -= tile;
    tile = wrong_after_[i];
  }
}

}  // namespace texcast::compact
