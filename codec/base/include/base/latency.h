// latency.h — percentiles of the latest measurements of one stage. Not thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "texcast/frame_times.h"

namespace texcast {

// Keeps the newest kCapacity durations; adding never allocates.
class LatencyWindow {
 public:
  static constexpr size_t kCapacity = 4096;
  void add(std::chrono::nanoseconds duration);
  size_t count() const { return count_; }
  // Returns the percentile (nearest rank) of the latest `newest` durations, or zero if there are none. `fraction` is in
  // [0, 1]: 0.5 is the median, 0.95 the 95th percentile.
  std::chrono::nanoseconds percentile(double fraction, size_t newest = kCapacity) const;
  double milliseconds(double fraction, size_t newest = kCapacity) const {
    return in_milliseconds(percentile(fraction, newest));
  }

 private:
  std::array<std::chrono::nanoseconds, kCapacity> ring_{};
  size_t next_ = 0;
  size_t count_ = 0;
};

}  // namespace texcast
