// frame_time.h — the time limit of a lossy frame. It determines how many tiles are begun, and the effort of each tile's
// search, from the times of previous frames.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "compact/frame_encoder.h"
#include "compact/rd_parameters.h"
#include "compact/speed_control.h"

namespace texcast::compact {

class FrameTime {
 public:
  // `tiles`: in a picture. `transform`: most tiles may become transform slices.
  FrameTime(const SearchEffort& usual, size_t tiles, bool transform = false)
      : usual_(usual), speed_(usual, tiles, transform) {}

  void begin(const FrameToEncode& frame) {
    frame_ = &frame;
    is_paced_ = false;
  }
  // Call it before the first of `tiles`. `is_by_cpu`: the effort depends on the time that is left. A device takes the
  // same time with any effort.
  void begin_tiles(std::span<const uint32_t> tiles, bool is_by_cpu) {
    is_paced_ = is_by_cpu && frame_->seconds_left;
    if (is_paced_) speed_.begin(tiles, frame_->seconds_left());
  }
  // The number of dirty tiles for which there is time.
  size_t most_tiles() const { return frame_->seconds_left ? most_tiles_ : SIZE_MAX; }

  // Before begin_tiles(): the number of dirty tiles up to which refinements are coded. They can wait, and all at once
  // would delay the frames after this one. `is_by_cpu`: as there.
  size_t most_with_refinements(bool is_by_cpu) const {
    constexpr double kTimeOfRefinements = 0.5;  // of what is left
    if (!is_by_cpu || !frame_->seconds_left || speed_.usual_seconds() <= 0) return SIZE_MAX;
    return static_cast<size_t>(kTimeOfRefinements * std::max(frame_->seconds_left(), 0.0) / speed_.usual_seconds());
  }

  // Before begin_tiles(): whether the frame has a limit of time, and the latest ones lacked time.
  bool is_short() const { return frame_->seconds_left && speed_.is_short(); }

  struct Turn {
    SpeedControl::Turn of_speed;
    double seconds_left = 0;  // when it began
    const SearchEffort& effort() const { return of_speed.effort; }
  };
  // The effort for the next `tiles`. Any thread.
  Turn take(std::span<const uint32_t> tiles) {
    if (!is_paced_) return {.of_speed = {.effort = usual_}};
    const double seconds_left = frame_->seconds_left();
    const std::lock_guard lock(mutex_);
    return {speed_.take(tiles, seconds_left), seconds_left};
  }
  // Call it when all tiles of a turn are coded.
  void coded(std::span<const uint32_t> tiles, const Turn& turn) {
    if (!is_paced_) return;
    const double seconds = turn.seconds_left - frame_->seconds_left();
    const std::lock_guard lock(mutex_);
    speed_.coded(tiles, turn.of_speed, seconds);
  }
  // The effort for tiles that are coded on trial.
  SearchEffort effort() const { return speed_.effort(); }
  // Whether the time is over. Any thread.
  bool is_over() {
    const bool is_over = frame_->seconds_left && frame_->seconds_left() <= 0;
    if (is_over) was_over_ = true;
    return is_over;
  }

  void end_tiles() {
    if (is_paced_) speed_.end(frame_->seconds_left());
  }
  // `coded`: the number of coded tiles.
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
