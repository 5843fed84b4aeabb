// frame_time.h — the time in which a lossy frame has to be coded: how many tiles are begun, and with how much effort
// each is searched, by the frames before.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "compact/frame_encoder.h"
#include "compact/rd_parameters.h"
#include "compact/speed_control.h"

namespace texcast::compact {

class FrameTime {
 public:
  explicit FrameTime(const SearchEffort& usual) : usual_(usual), speed_(usual) {}

  void begin(const FrameToEncode& frame) {
    frame_ = &frame;
    is_paced_ = false;
  }
  // Before the first of so many tiles. `is_by_cpu`: effort depends on the time that is left. A device takes the same
  // time whatever the effort.
  void begin_tiles(size_t tiles, bool is_by_cpu) {
    is_paced_ = is_by_cpu && frame_->seconds_left;
    if (is_paced_) speed_.begin(tiles, frame_->seconds_left());
  }
  // How many dirty tiles there is time for.
  size_t most_tiles() const { return frame_->seconds_left ? most_tiles_ : SIZE_MAX; }

  // The effort for so many tiles that are coded next. Any thread.
  SearchEffort take(size_t tiles) {
    if (!is_paced_) return usual_;
    const std::lock_guard lock(mutex_);
    return speed_.take(tiles, frame_->seconds_left());
  }
  // The effort of tiles that are coded on trial.
  SearchEffort effort() const { return speed_.effort(); }
  // Any thread.
  bool is_over() {
    const bool is_over = frame_->seconds_left && frame_->seconds_left() <= 0;
    if (is_over) was_over_ = true;
    return is_over;
  }

  void end_tiles() {
    if (is_paced_) speed_.end(frame_->seconds_left());
  }
  // `coded`: so many tiles were.
  void end(size_t coded, size_t all_tiles) {
    constexpr size_t kLeast = 16;
    if (was_over_.exchange(false))
      most_tiles_ = std::max(coded, kLeast);
    else if (most_tiles_ < all_tiles && coded + kLeast >= most_tiles_)
      most_tiles_ += most_tiles_ / 8 + 1;
  }

 private:
  const SearchEffort usual_;
  const FrameToEncode* frame_ = nullptr;
  bool is_paced_ = false;
  std::mutex mutex_;
  SpeedControl speed_;
  size_t most_tiles_ = SIZE_MAX;
  std::atomic<bool> was_over_ = false;
};

}  // namespace texcast::compact
