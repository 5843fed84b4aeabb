// rate_meter.h — bits per second from a rising count of bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe.
class RateMeter {
 public:
  // The count begins with the first call.
  RateMeter() = default;
  // The count was 0 at `begun`.
  explicit RateMeter(SteadyTime begun) : since_(begun) {}

  // The rate since the last call that was about a second or more ago (lines that are written once a second come a
  // little sooner or later); before that the rate since the count began, and 0 as long as that is too short to tell.
  // `counted_from`: when the count began after all, if that was later.
  double bits_per_s(uint64_t bytes_so_far, SteadyTime now, SteadyTime counted_from = {}) {
    if (!since_) {
      bytes_ = bytes_so_far;
      since_ = now;
    }
    if (bytes_so_far < bytes_) bytes_ = 0;  // another stream, which has begun since then
    if (!has_rate_ && bytes_ == 0 && counted_from > *since_) since_ = counted_from;
    const nanoseconds passed = now - *since_;
    if (has_rate_ && passed < kInterval) return rate_;
    if (passed < kShortest) return 0;
    rate_ = static_cast<double>(bytes_so_far - bytes_) * 8 / in_seconds(passed);
    if (passed < kInterval) return rate_;
    has_rate_ = true;
    bytes_ = bytes_so_far;
    since_ = now;
    return rate_;
  }

 private:
  static constexpr nanoseconds kInterval = std::chrono::milliseconds(750), kShortest = std::chrono::milliseconds(50);
  std::optional<SteadyTime> since_{};
  uint64_t bytes_ = 0;     // at that time
  bool has_rate_ = false;  // of a complete interval
  double rate_ = 0;
};

}  // namespace texcast::stream
