// byte_coverage.h — which bytes of a frame have arrived, as disjoint, sorted, non-touching intervals [begin, end). A
// packet in order costs O(1); the memory is reused from frame to frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/stream.h"

namespace texcast::transport {

class ByteCoverage {
 public:
  using Interval = ByteRange;
  enum class Added { new_bytes, nothing_new, refused };
  // More intervals than this are refused (a malicious sender; an 8K frame without every other packet has 6000), so the
  // memory is bounded by 256 KiB a frame.
  static constexpr size_t kMaxIntervals = 32768;

  ByteCoverage() { intervals_.reserve(64); }  // as many as a lossy network leaves in a frame
  void clear() {
    intervals_.clear();
    covered_ = 0;
  }
  Added add(uint32_t begin, uint32_t end);  // begin < end
  // Calls `visit(begin, end)` for each missing part of [begin, end), in order.
  template <typename Visit>
  void for_each_gap(uint32_t begin, uint32_t end, Visit visit) const {
    if (!intervals_.empty() && intervals_.back().end > begin) {  // else it is the next packet in order
      auto next = std::ranges::upper_bound(intervals_, begin, {}, &Interval::end);
      for (; next != intervals_.end() && next->begin < end; ++next) {
        if (begin < next->begin) visit(begin, next->begin);
        begin = next->end;
      }
    }
    if (begin < end) visit(begin, end);
  }
  uint64_t covered() const { return covered_; }
  std::span<const Interval> intervals() const { return intervals_; }
  // Number of contiguous bytes from the beginning.
  uint32_t prefix() const { return !intervals_.empty() && intervals_.front().begin == 0 ? intervals_.front().end : 0; }
  bool covers(uint32_t begin, uint32_t end) const;    // all of it
  bool overlaps(uint32_t begin, uint32_t end) const;  // any of it
  // Number of complete pieces [i * bytes, (i + 1) * bytes).
  uint32_t whole_pieces(uint32_t bytes) const;

 private:
  std::vector<Interval> intervals_;
  uint64_t covered_ = 0;
};

}  // namespace texcast::transport
