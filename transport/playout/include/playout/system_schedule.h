// system_schedule.h — when frames are due on the system clock, which the players of a wall share (PTP, NTP), as times
// of this machine's steady clock. Readings of both clocks are arguments.
//
//     SystemSchedule schedule(delay);
//     mailbox.retime(schedule.follow(read_clocks(clock)));      // often: the clock may be slewed or set
//     mailbox.put(frame, schedule.due(frame.available, arrived).time);
//
// Not thread-safe. Allocates nothing.
#pragma once

#include <cstdint>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Both clocks at one moment.
struct ClockReading {
  SteadyTime steady{};
  WallTime wall{};
};

class SystemSchedule {
 public:
  // A time stamp that is this far from the time of its arrival, before or after, is of a clock that is not the same.
  static constexpr nanoseconds kOtherClock = std::chrono::milliseconds(1500);

  // Each frame is due `delay` after its time stamp. All players of a wall have the same delay.
  explicit SystemSchedule(nanoseconds delay) : delay_(delay) {}

  // Follows the system clock. Returns by how much times that this returned earlier must be moved.
  nanoseconds follow(const ClockReading& now);
  // After the first follow().
  WallTime wall_at(SteadyTime time) const { return WallTime(time.time_since_epoch() + offset_); }
  SteadyTime steady_at(WallTime time) const { return SteadyTime(time.time_since_epoch() - offset_); }

  enum class Stamp : uint8_t { good, missing, other_clock };
  struct Due {
    SteadyTime time{};  // the arrival if the stamp is of no use: then the frame is shown at once
    WallTime wall{};    // WallTime{}: likewise
    Stamp stamp = Stamp::good;
  };
  // A frame of that time stamp (WallTime{}: it has none) arrived.
  Due due(WallTime stamp, SteadyTime arrived) const;

  nanoseconds delay() const { return delay_; }
  uint64_t steps() const { return steps_; }  // times that the system clock was set, by more than a millisecond

 private:
  const nanoseconds delay_;
  nanoseconds offset_{};  // wall - steady
  bool follows_ = false;
  uint64_t steps_ = 0;
};

}  // namespace texcast::stream
