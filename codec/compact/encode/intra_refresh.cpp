#include "compact/intra_refresh.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::compact {

IntraRefresh::IntraRefresh(const TileGrid& grid, const IntraRefreshSettings& settings)
    : grid_(grid), settings_(settings), budget_(grid.texture_bytes(), kShareOfPlain) {
  asked_.resize(kFramesKept * grid.tiles());
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
  refreshed_ = swept_;
  if (settings_.refresh_frames > 0) {
    sweep_ += std::min(frame_times / settings_.refresh_frames, 1.0) * grid_.tiles();
    for (; sweep_ >= 1; sweep_ -= 1) {
      intra_[swept_] = 1;
      swept_ = (swept_ + 1) % grid_.tiles();
    }
  }
  merge_requests();
  // All or nothing: what is left wrong makes others wrong meanwhile, and what is coded against tiles that are repaired
  // costs as much again with each of several parts.
  if (wrong_count_ == 0 || budget_.is_spent()) return intra_;
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    intra_[tile] |= wrong_[tile];
    is_repair_[tile] = wrong_[tile];
  }
  return intra_;
}

void IntraRefresh::coded(std::span<const CodedSlice> slices) {
  ENSURE(!oldest_asked_);
  Frame frame;
  if (kept_.size() == kFramesKept) {
    frame = std::move(kept_.front());
    kept_.pop_front();
    frame.tiles.clear();
  }
  for (const CodedSlice& slice : slices) {
    const uint32_t tile = slice.slice.tile;
    const bool is_against = needs_reference(slice.coding);
    // Strips of a tile are one here: they are coded in the same way.
    if (!frame.tiles.empty() && frame.tiles.back().tile == tile) {
      Coded& coded = frame.tiles.back();
      coded.is_against = coded.is_against || is_against;
      for (const uint32_t t : slice.touched.list()) coded.touched.add(t);
      coded.touched.any = coded.touched.any || slice.touched.any;
      continue;
    }
    for (uint32_t t = tile; t < tile + slice.slice.tiles; ++t) {
      frame.tiles.push_back({t, is_against, slice.touched});
      counts_.repaired += is_repair_[t];
      counts_.refreshed += intra_[t] != 0 && is_repair_[t] == 0;
    }
  }
  follow_damage(frame, wrong_, wrong_count_);
  kept_.push_back(std::move(frame));
  ++frames_;
  account(slices);
  remember_changes(slices);
}

void IntraRefresh::account(std::span<const CodedSlice> slices) {
  double all = 0, repair = 0;
  uint32_t repaired = 0, last = UINT32_MAX;
  const auto by_the_sweep = [&](uint32_t tile) { return intra_[tile] != 0 || tile < refreshed_; };
  for (const CodedSlice& slice : slices) {
    const double bytes = static_cast<double>(slice.bytes.size()) / slice.slice.tiles;
    for (uint32_t tile = slice.slice.tile; tile < slice.slice.tile + slice.slice.tiles; ++tile) {
      all += bytes;
      // Alone, without having been told so: as it would have needed one that is repaired.
      if (is_repair_[tile] == 0 && (!is_intra(slice.coding) || by_the_sweep(tile) || frames_ == 1)) continue;
      repair += bytes;
      repaired += tile != last;
      last = tile;
    }
  }
  counts_.repair_bytes += static_cast<uint64_t>(repair);
  // What repaired tiles would have taken is not known: it is not counted, and frames that are little else tell nothing.
  if (repaired <= grid_.tiles() / 4) cost_.usual += (all - repair - cost_.usual) / 32;
  cost_.repairs = repair;
  budget_.spend(repair);
  budget_.pass(cost_.usual, frame_times_);
}

void IntraRefresh::remember_changes(std::span<const CodedSlice> slices) {
  std::rotate(history_.frames.begin(), history_.frames.end() - 1, history_.frames.end());
  auto& latest = history_.frames.front();
  latest.ranges.clear();
  latest.is_told = true;
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
      latest.is_told = false;
      latest.ranges.clear();
      return;
    }
    latest.ranges.push_back({slice.slice.tile, slice.slice.tiles});
  }
}

void IntraRefresh::ask(uint64_t state, std::span<const TileRange> tiles, bool all) {
  if (!all && tiles.empty()) return;
  ++counts_.requests;
  if (frames_ == 0) return;  // the first one is coded alone altogether
  // What left before this frame's coding is over.
  if (state >= frames_ || frames_ - state > kept_.size()) {
    all = true;
    state = frames_ - 1;
  }
  uint8_t* const asked = asked_of(state);
  oldest_asked_ = std::min(oldest_asked_.value_or(state), state);
  if (all) {
    std::fill_n(asked, grid_.tiles(), uint8_t{1});
    return;
  }
  uint64_t left = grid_.tiles();  // ranges that name tiles again and again cost no more time
  for (const TileRange& range : tiles) {
    if (range.first >= grid_.tiles()) continue;
    const uint64_t count = std::min<uint64_t>({range.count, grid_.tiles() - range.first, left});
    std::fill_n(asked + range.first, count, uint8_t{1});
    left -= count;
  }
}

// All that was asked since the frame before: what is wrong behind the oldest state is followed to the next one, where
// what is wrong there joins it, and so on to the latest frame.
void IntraRefresh::merge_requests() {
  if (!oldest_asked_) return;
  std::ranges::fill(found_, uint8_t{0});
  size_t count = 0;
  for (uint64_t state = *oldest_asked_; state < frames_; ++state) {
    if (state > *oldest_asked_) follow_damage(kept_[kept_.size() - (frames_ - state)], found_, count);
    uint8_t* const asked = asked_of(state);
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      count += asked[tile] != 0 && found_[tile] == 0;
      found_[tile] |= asked[tile];
      asked[tile] = 0;
    }
  }
  oldest_asked_.reset();
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    wrong_count_ += found_[tile] != 0 && wrong_[tile] == 0;
    wrong_[tile] |= found_[tile];
  }
}

bool IntraRefresh::touches(const Coded& coded, std::span<const uint8_t> tiles) {
  return coded.is_against && (coded.touched.any || std::ranges::any_of(coded.touched.list(), [&](uint32_t tile) {
                                return tiles[tile] != 0;
                              }));
}

// What is wrong behind a frame, by what was before it.
void IntraRefresh::follow_damage(const Frame& frame, std::span<uint8_t> wrong, size_t& count) {
  if (count == 0) return;
  wrong_now_.clear();
  for (const Coded& coded : frame.tiles) wrong_now_.push_back(touches(coded, wrong) ? 1 : 0);
  for (size_t i = 0; i < frame.tiles.size(); ++i) {
    uint8_t& tile = wrong[frame.tiles[i].tile];
    count += wrong_now_[i];
    count -= tile;
    tile = wrong_now_[i];
  }
}

}  // namespace texcast::compact
