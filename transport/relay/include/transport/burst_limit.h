// burst_limit.h — when datagrams that came in a burst may go on: a relay that was held up, or whose network was, must
// not fill the queues behind it at the rate of its own line. No I/O; time is an argument.
//
// A bucket of kBurst bytes for each destination (all get the same) drains at twice the rate at which the stream came in
// the last second, and at least at kLeastRate. So a stream that comes evenly is never delayed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "texcast/frame_times.h"

namespace texcast::transport {

// Not thread-safe.
class BurstLimit {
 public:
  static constexpr double kBurst = 96 << 10;       // bytes: two full calls of the kernel
  static constexpr double kLeastRate = 100e6 / 8;  // bytes per second
  static constexpr nanoseconds kLongest = std::chrono::milliseconds(2);

  // `bytes` are about to leave: how long they must wait, at most kLongest.
  nanoseconds wait(size_t bytes, SteadyTime now) {
    const double seconds = begun_ ? std::max(in_seconds(now - at_), 0.0) : 0;
    begun_ = true;
    at_ = now;
    mean_ *= std::max(0.0, 1 - seconds);
    mean_ += static_cast<double>(bytes);
    const double rate = std::max(kLeastRate, 2 * mean_);
    level_ = std::max(0.0, level_ - seconds * rate) + static_cast<double>(bytes);
    if (level_ <= kBurst) return {};
    const auto time = nanoseconds(static_cast<int64_t>((level_ - kBurst) / rate * 1e9));
    return std::min(time, kLongest);
  }

 private:
  bool begun_ = false;
  SteadyTime at_{};
  double level_ = 0;  // bytes
  double mean_ = 0;   // bytes of about the last second
};

}  // namespace texcast::transport
