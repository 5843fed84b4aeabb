// rate_meter.h — bits per second from a rising count of bytes.
#pragma once

#include <cstdint>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe.
class RateMeter {
 public:
  // The rate over the last complete second or slightly more; 0 in the first second.
  double bits_per_s(uint64_t bytes_so_far, SteadyTime now) {
    if (!begun_ || bytes_so_far < bytes_) {  // fewer: another stream
      begun_ = true;
      bytes_ = bytes_so_far;
      since_ = now;
    } else if (now - since_ >= std::chrono::seconds(1)) {
      rate_ = static_cast<double>(bytes_so_far - bytes_) * 8 / in_seconds(now - since_);
      bytes_ = bytes_so_far;
      since_ = now;
    }
    return rate_;
  }

 private:
  bool begun_ = false;
  uint64_t bytes_ = 0;
  SteadyTime since_{};
  double rate_ = 0;
};

}  // namespace texcast::stream
