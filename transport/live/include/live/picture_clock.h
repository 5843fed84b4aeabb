// picture_clock.h — the wall time of a stream's time stamp 0, by the pictures' time stamps and the times at which they
// were available. The sender of a program's sound and every receiver follow the same pictures by the same rule, so that
// sound gets the same place on the time line at both ends.
#pragma once

#include <chrono>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

// No threads, no clock.
class PictureClock {
 public:
  // The next picture; ignored if `available` is unknown.
  void on_frame(nanoseconds pts, WallTime available) {
    if (available == WallTime{}) return;
    const nanoseconds zero = available.time_since_epoch() - pts;
    if (!zero_ || (is_far(zero, *zero_) && elsewhere_ && !is_far(zero, *elsewhere_))) {
      zero_ = zero;
      elsewhere_.reset();
    } else if (is_far(zero, *zero_)) {
      elsewhere_ = zero;
    } else {
      *zero_ += (zero - *zero_) / kFollow;
      elsewhere_.reset();
    }
  }
  // Since 1970; nullopt before the first picture.
  std::optional<nanoseconds> zero() const { return zero_; }

 private:
  // The time line has changed if two pictures in a row say so. A single one was late.
  static constexpr nanoseconds kJumped = std::chrono::milliseconds(40);
  static constexpr int kFollow = 32;  // the part of a small difference that a picture adds
  static bool is_far(nanoseconds a, nanoseconds b) { return std::chrono::abs(a - b) > kJumped; }

  std::optional<nanoseconds> zero_, elsewhere_;
};

}  // namespace texcast::stream
