// media_clock.h — what time it is in a recording: runs at a speed, stands still, and keeps to another clock without
// jumps.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/frame_times.h"

namespace texcast::stream {

// Not thread-safe. Times of the steady clock come in as arguments.
class MediaClock {
 public:
  nanoseconds at(SteadyTime now) const { return running_ ? media_ + scaled(now - since_, speed_) : media_; }
  // When it will be `media`; while it stands: never.
  SteadyTime when(nanoseconds media) const {
    return running_ ? since_ + scaled(media - media_, 1 / speed_) : SteadyTime::max();
  }
  void set(nanoseconds media, SteadyTime now) {
    media_ = media;
    since_ = checked_ = now;
  }
  void hold(SteadyTime now) { set(media_, now); }  // stays where it was set last
  void run(bool running, SteadyTime now) {
    set(at(now), now);
    running_ = running;
  }
  void set_speed(double speed, SteadyTime now) {
    set(at(now), now);
    speed_ = speed;
  }
  double speed() const { return speed_; }
  bool running() const { return running_; }

  // The other clock says `media`. A difference is made up for gradually, most of it in a sixth of a second, so that its
  // ticks are not seen; a large one (something stalled) at once.
  void keep_to(nanoseconds media, SteadyTime now) {
    const nanoseconds off = media - at(now);
    if (std::chrono::abs(off) > kJump) return set(media, now);
    const double share = static_cast<double>((now - checked_).count()) / static_cast<double>(kCatchUp.count());
    set(at(now) + scaled(off, std::clamp(share, 0.0, 1.0)), now);
  }

 private:
  static constexpr nanoseconds kJump = std::chrono::milliseconds(150);
  static constexpr nanoseconds kCatchUp = std::chrono::milliseconds(150);  // time constant
  static nanoseconds scaled(nanoseconds time, double by) {
    return by == 1 ? time : nanoseconds(std::llround(static_cast<double>(time.count()) * by));
  }
  nanoseconds media_{};
  SteadyTime since_{};
  SteadyTime checked_{};
  double speed_ = 1;
  bool running_ = true;
};

}  // namespace texcast::stream
