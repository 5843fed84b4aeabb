#include "compact/repair_plan.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::compact {
namespace {

constexpr double kShare = 0.25;  // of what is sent anyway

}  // namespace

RepairPlan::RepairPlan(const TileGrid& grid, const RepairSettings& settings)
    : grid_(grid), settings_(settings), budget_(static_cast<double>(grid.texture_bytes())) {
  wanted_.resize(grid.tiles());
  alone_.resize(grid.tiles());
  is_repair_.resize(grid.tiles());
  wrong_.resize(grid.tiles());
  wrong_now_.resize(grid.tiles());
}

std::span<const uint8_t> RepairPlan::next() {
  std::ranges::fill(alone_, uint8_t{0});
  std::ranges::fill(is_repair_, uint8_t{0});
  if (settings_.refresh_frames > 0) {
    sweep_ += grid_.tiles() / settings_.refresh_frames;
    for (; sweep_ >= 1; sweep_ -= 1) {
      alone_[swept_] = 1;
      swept_ = (swept_ + 1) % grid_.tiles();
    }
  }
  // By what they would take in plain, which is more than they will.
  double room = budget_;
  const double tile_bytes = static_cast<double>(grid_.most_plain_bytes(1));
  for (uint32_t tile = 0; tile < grid_.tiles() && wanted_count_ > 0 && room > 0; ++tile) {
    if (wanted_[tile] == 0) continue;
    wanted_[tile] = 0;
    --wanted_count_;
    if (alone_[tile] == 0) room -= tile_bytes;
    alone_[tile] = 1;
    is_repair_[tile] = 1;
  }
  return alone_;
}

void RepairPlan::coded(std::span<const CodedUnit> units) {
  Frame frame;
  if (kept_.size() == kFramesKept) {
    frame = std::move(kept_.front());
    kept_.pop_front();
    frame.tiles.clear();
  }
  double bytes = 0, repair = 0;
  for (const CodedUnit& unit : units) {
    const uint32_t tile = unit.unit.tile;
    const bool is_against = unit.coding == Coding::against;
    // Strips of a tile are one here: they are coded in the same way.
    if (!frame.tiles.empty() && frame.tiles.back().tile == tile) {
      Coded& coded = frame.tiles.back();
      coded.is_against = coded.is_against || is_against;
      for (const uint32_t t : unit.touched.list()) coded.touched.add(t);
      coded.touched.any = coded.touched.any || unit.touched.any;
    } else {
      frame.tiles.push_back({tile, is_against, unit.touched});
      counts_.repaired += is_repair_[tile];
      counts_.refreshed += alone_[tile] != 0 && is_repair_[tile] == 0;
    }
    bytes += static_cast<double>(unit.bytes.size());
    if (is_repair_[tile] != 0) repair += static_cast<double>(unit.bytes.size());
  }
  kept_.push_back(std::move(frame));
  ++frames_;
  counts_.repair_bytes += static_cast<uint64_t>(repair);
  usual_bytes_ += (bytes - repair - usual_bytes_) / 32;
  const auto whole = static_cast<double>(grid_.texture_bytes());
  budget_ = std::min(whole, budget_ - repair + kShare * usual_bytes_ + whole / 256);
  remember_changes(units);
}

void RepairPlan::remember_changes(std::span<const CodedUnit> units) {
  std::rotate(history_.frames.begin(), history_.frames.end() - 1, history_.frames.end());
  auto& latest = history_.frames.front();
  latest.ranges.clear();
  latest.is_told = true;
  for (const CodedUnit& unit : units) {
    if (!latest.ranges.empty()) {
      TileRange& last = latest.ranges.back();
      if (unit.unit.tile == last.first + last.count - 1) continue;
      if (unit.unit.tile == last.first + last.count) {
        ++last.count;
        continue;
      }
    }
    if (2 * latest.ranges.size() >= ChangeHistory::kMostBytes) {
      latest.is_told = false;
      latest.ranges.clear();
      return;
    }
    latest.ranges.push_back({unit.unit.tile, 1});
  }
}

void RepairPlan::ask(uint64_t state, std::span<const TileRange> tiles, bool all) {
  if (!all && tiles.empty()) return;
  ++counts_.requests;
  // What left before this frame's coding is over; older than what is kept, all may be wrong.
  if (state >= frames_ || frames_ - state > kept_.size()) all = true;
  if (all) {
    const auto second = static_cast<uint64_t>(settings_.fps);
    if (last_whole_ && frames_ < *last_whole_ + second) {
      ++counts_.refused;
      return;
    }
    last_whole_ = frames_;
    std::ranges::fill(wanted_, uint8_t{1});
    wanted_count_ = wanted_.size();
    return;
  }
  std::ranges::fill(wrong_, uint8_t{0});
  for (const TileRange& range : tiles)
    for (uint64_t tile = range.first; tile < std::min<uint64_t>(uint64_t{range.first} + range.count, wrong_.size());
         ++tile)
      wrong_[tile] = 1;
  for (uint64_t number = state + 1; number < frames_; ++number) {
    const Frame& frame = kept_[kept_.size() - (frames_ - number)];
    wrong_now_ = wrong_;
    for (const Coded& coded : frame.tiles) {
      bool is_wrong = false;
      if (coded.is_against) {
        is_wrong = coded.touched.any && std::ranges::find(wrong_, 1) != wrong_.end();
        for (const uint32_t tile : coded.touched.list()) is_wrong = is_wrong || wrong_[tile] != 0;
      }
      wrong_now_[coded.tile] = is_wrong ? 1 : 0;
    }
    wrong_.swap(wrong_now_);
  }
  for (uint32_t tile = 0; tile < wrong_.size(); ++tile) {
    if (wrong_[tile] == 0 || wanted_[tile] != 0) continue;
    wanted_[tile] = 1;
    ++wanted_count_;
  }
}

}  // namespace texcast::compact
