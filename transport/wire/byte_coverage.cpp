#include "transport/byte_coverage.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::transport {

ByteCoverage::Added ByteCoverage::add(uint32_t begin, uint32_t end) {
  ENSURE(begin < end);
  if (!intervals_.empty() && intervals_.back().end == begin) {  // the next packet in order
    intervals_.back().end = end;
    covered_ += end - begin;
    return Added::new_bytes;
  }
  // All intervals from `first` up to `last` overlap or touch [begin, end).
  const auto first = std::lower_bound(intervals_.begin(), intervals_.end(), begin,
                                      [](const Interval& i, uint32_t at) { return i.end < at; });
  if (first == intervals_.end() || first->begin > end) {
    if (intervals_.size() >= kMaxIntervals) return Added::refused;
    intervals_.insert(first, {begin, end});
    covered_ += end - begin;
    return Added::new_bytes;
  }
  if (first->begin <= begin && end <= first->end) return Added::nothing_new;
  auto last = first;
  uint64_t covered_before = 0;
  uint32_t merged_end = end;
  for (; last != intervals_.end() && last->begin <= end; ++last) {
    covered_before += last->end - last->begin;
    merged_end = std::max(merged_end, last->end);
  }
  *first = {std::min(begin, first->begin), merged_end};
  covered_ += first->end - first->begin - covered_before;
  intervals_.erase(first + 1, last);
  return Added::new_bytes;
}

bool ByteCoverage::covers(uint32_t begin, uint32_t end) const {
  const auto found = std::lower_bound(intervals_.begin(), intervals_.end(), end,
                                      [](const Interval& i, uint32_t at) { return i.end < at; });
  return found != intervals_.end() && found->begin <= begin;
}

bool ByteCoverage::overlaps(uint32_t begin, uint32_t end) const {
  const auto next = std::ranges::upper_bound(intervals_, begin, {}, &Interval::end);
  return next != intervals_.end() && next->begin < end;
}

uint32_t ByteCoverage::whole_pieces(uint32_t bytes) const {
  uint32_t pieces = 0;
  for (const Interval& interval : intervals_) {
    const uint32_t first = interval.begin / bytes + (interval.begin % bytes != 0 ? 1 : 0);
    const uint32_t end = interval.end / bytes;
    if (end > first) pieces += end - first;
  }
  return pieces;
}

}  // namespace texcast::transport
