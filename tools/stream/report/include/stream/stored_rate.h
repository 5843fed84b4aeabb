// stored_rate.h — the bit rate of a file: the stored bytes of the frames that were played, per second of their time in
// the file, whatever the speed of playback. No clock.
#pragma once

#include <cstdint>
#include <deque>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe.
class StoredRate {
 public:
  // A frame was played. `duration`: of the frame, above 0.
  void add(uint64_t bytes, nanoseconds duration) {
    frames_.push_back({bytes, duration});
    bytes_ += bytes;
    duration_ += duration;
    while (frames_.size() > 1 && duration_ - frames_.front().duration >= kWindow) {
      bytes_ -= frames_.front().bytes;
      duration_ -= frames_.front().duration;
      frames_.pop_front();
    }
  }
  // Over the last second of the file that was played, or what there is of it; 0 before the first frame.
  double bits_per_s() const {
    return duration_ > nanoseconds{} ? static_cast<double>(bytes_) * 8 / in_seconds(duration_) : 0;
  }

 private:
  static constexpr nanoseconds kWindow = std::chrono::seconds(1);
  struct Frame {
    uint64_t bytes;
    nanoseconds duration;
  };
  std::deque<Frame> frames_;
  uint64_t bytes_ = 0;      // of frames_
  nanoseconds duration_{};  // of frames_
};

}  // namespace texcast::stream
