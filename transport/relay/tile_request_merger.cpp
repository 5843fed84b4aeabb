#include "transport/tile_request_merger.h"

#include <algorithm>
#include <utility>

namespace texcast::transport {
namespace {

uint32_t end_of(const PacketRange& range) { return range.first + range.count; }

// Joins the ranges with the smallest gaps until there are at most `most`: some tiles are then requested needlessly.
void join_to(std::vector<PacketRange>& ranges, size_t most) {
  if (ranges.size() <= most) return;
  std::vector<uint32_t> gaps;
  for (size_t i = 1; i < ranges.size(); ++i) gaps.push_back(ranges[i].first - end_of(ranges[i - 1]));
  const size_t joined = ranges.size() - most;
  std::ranges::nth_element(gaps, gaps.begin() + static_cast<std::ptrdiff_t>(joined - 1));
  const uint32_t widest = gaps[joined - 1];
  std::vector<PacketRange> fewer{ranges.front()};
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first - end_of(fewer.back()) <= widest && fewer.size() + (ranges.size() - i) > most)
      fewer.back().count = end_of(ranges[i]) - fewer.back().first;
    else
      fewer.push_back(ranges[i]);
  ranges = std::move(fewer);
}

// As the wire has them: a range counts up to 4095 tiles.
std::vector<PacketRange> split(const std::vector<PacketRange>& ranges) {
  std::vector<PacketRange> pieces;
  for (const PacketRange& range : ranges)
    for (uint32_t first = range.first; first < end_of(range); first += PacketRange::kMaxCount)
      pieces.push_back({first, std::min(PacketRange::kMaxCount, end_of(range) - first)});
  return pieces;
}

void unite(std::vector<PacketRange>& ranges, const TileRequest& request) {
  for (size_t i = 0; i < request.ranges; ++i) ranges.push_back(request.range(i));
  std::ranges::sort(ranges, {}, &PacketRange::first);
  std::vector<PacketRange> united;
  for (const PacketRange& range : ranges)
    if (!united.empty() && range.first <= end_of(united.back()))
      united.back().count = std::max(end_of(united.back()), end_of(range)) - united.back().first;
    else
      united.push_back(range);
  join_to(united, TileRequest::kMaxRanges);
  ranges = std::move(united);
}

}  // namespace

void TileRequestMerger::clear() {
  wants_all_ = leaving_ = false;
  waiting_.clear();
}

// A receiver that has no picture yet needs all tiles.
void TileRequestMerger::add(const TileRequest& request) {
  ++received_;
  if (request.all || !request.state) {
    wants_all_ = true;
    return;
  }
  auto at = std::ranges::find(waiting_, *request.state, &Waiting::state);
  if (at == waiting_.end()) {
    if (waiting_.size() == kMostStates) waiting_.erase(waiting_.begin());
    waiting_.push_back({.state = *request.state});
    at = waiting_.end() - 1;
  }
  unite(at->ranges, request);
}

std::optional<TileRequestMerger::Merged> TileRequestMerger::next(SteadyTime now) {
  if (wants_all_ && now >= all_at_) {
    clear();
    all_at_ = now + kAllApart;
    tiles_at_ = now + kApart;
    ++passed_on_;
    return Merged{.all = true};
  }
  if (waiting_.empty() || (!leaving_ && now < tiles_at_)) return std::nullopt;
  Waiting first = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  tiles_at_ = now + kApart;
  leaving_ = !waiting_.empty();
  ++passed_on_;
  Merged merged{.state = first.state, .ranges = split(first.ranges)};
  merged.ranges.resize(std::min(merged.ranges.size(), TileRequest::kMaxRanges));
  return merged;
}

std::optional<SteadyTime> TileRequestMerger::next_deadline() const {
  std::optional<SteadyTime> next;
  if (wants_all_) next = all_at_;
  if (!waiting_.empty()) next = std::min(next.value_or(SteadyTime::max()), leaving_ ? SteadyTime{} : tiles_at_);
  return next;
}

}  // namespace texcast::transport
