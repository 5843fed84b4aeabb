#include "transport/tile_request_merger.h"

#include <algorithm>
#include <utility>

#include "transport/packet.h"

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
  passed_.clear();
}

bool TileRequestMerger::is_covered(const TileRequest& request, SteadyTime now) const {
  return std::ranges::any_of(passed_, [&](const Passed& passed) {
    const bool knew_answer = ((request.newest - passed.newest) & kBufferIdMask) - 1 < kBufferIdMask / 2;
    if (knew_answer || now - passed.at > kAnswer) return false;
    if (passed.what.all) return true;
    if (request.all || !request.state) return false;
    for (size_t i = 0; i < request.ranges; ++i) {
      const PacketRange range = request.range(i);
      if (std::ranges::none_of(passed.what.ranges, [&](const PacketRange& one) {
            return range.first >= one.first && end_of(range) <= end_of(one);
          }))
        return false;
    }
    return true;
  });
}

bool TileRequestMerger::has_credit(uint32_t receiver, SteadyTime now) {
  if (!credits_.contains(receiver) && credits_.size() >= kMostReceivers) receiver = 0;
  Credit& credit = credits_.try_emplace(receiver, Credit{.at = now}).first->second;
  credit.pictures = std::min(kAllAtOnce, credit.pictures + in_seconds(now - credit.at) / in_seconds(kAllOfOne));
  credit.at = now;
  if (credit.pictures < 1) return false;
  credit.asks = true;
  return true;
}

// Those that asked have had a picture.
void TileRequestMerger::charge() {
  for (auto& [receiver, credit] : credits_)
    if (std::exchange(credit.asks, false)) credit.pictures -= 1;
}

// A receiver that has no picture yet needs all tiles.
void TileRequestMerger::add(uint32_t receiver, const TileRequest& request, SteadyTime now) {
  ++received_;
  if (is_covered(request, now)) {
    ++covered_;
    return;
  }
  if (request.all || !request.state) {
    if (!has_credit(receiver, now)) {
      ++refused_;
      return;
    }
    wants_all_ = true;
    all_asked_ = now;
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

TileRequestMerger::Merged TileRequestMerger::passed(Merged what, SteadyTime now, std::optional<uint32_t> newest) {
  ++passed_on_;
  if (!newest) return what;
  if (passed_.size() == kMostPassed) passed_.pop_front();
  passed_.push_back({.at = now, .newest = *newest, .what = what});
  return what;
}

std::optional<TileRequestMerger::Merged> TileRequestMerger::next(SteadyTime now, std::optional<uint32_t> newest) {
  if (wants_all_ && now >= all_at_ && now - all_asked_ > kFresh) wants_all_ = false;
  if (wants_all_ && now >= all_at_) {
    wants_all_ = leaving_ = false;
    waiting_.clear();
    passed_.clear();
    all_at_ = now + kAllApart;
    tiles_at_ = now + kApart;
    charge();
    return passed({.all = true}, now, newest);
  }
  if (waiting_.empty() || (!leaving_ && now < tiles_at_)) return std::nullopt;
  Waiting first = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  tiles_at_ = now + kApart;
  leaving_ = !waiting_.empty();
  Merged merged{.state = first.state, .ranges = split(first.ranges)};
  merged.ranges.resize(std::min(merged.ranges.size(), TileRequest::kMaxRanges));
  return passed(std::move(merged), now, newest);
}

std::optional<SteadyTime> TileRequestMerger::next_deadline() const {
  std::optional<SteadyTime> next;
  if (wants_all_) next = all_at_;
  if (!waiting_.empty()) next = std::min(next.value_or(SteadyTime::max()), leaving_ ? SteadyTime{} : tiles_at_);
  return next;
}

}  // namespace texcast::transport
