// clip_schedule.h — plays a recording by the system clock: the position that should be visible, on the time line of
// ReadAhead, and when that must seek. Times are arguments.
//
//     begin            begin + lap                     The time line of ReadAhead begins again at each seek, with the
//       |---- lap 0 ----|---- lap 1 ----|---- …        first frame of the lap in which that ends.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "playout/system_schedule.h"

namespace texcast::stream {

// Shared by all players that show it.
struct ClipTiming {
  WallTime begin{};                // when the first frame is due
  std::optional<nanoseconds> lap;  // the recording begins again after this time, above 0; unset: it ends
};

class ClipSchedule {
 public:
  explicit ClipSchedule(ClipTiming timing) : timing_(timing) {}

  void follow(const ClockReading& now) { clock_.follow(now); }
  // The position at `time`, negative before the first frame is due.
  nanoseconds at(SteadyTime time) const;
  SteadyTime when(nanoseconds position) const { return clock_.steady_at(due(position)); }
  WallTime due(nanoseconds position) const { return timing_.begin + origin_ + position; }

  // Call it when the display shows `position`, with the next frame of ReadAhead (nothing: not known yet) and the last
  // one shown. Returns where ReadAhead must seek to: at the beginning, and if the clock has moved so far that waiting
  // or reading on takes longer.
  std::optional<nanoseconds> seek(nanoseconds position, std::optional<nanoseconds> next,
                                  std::optional<nanoseconds> shown);

 private:
  static constexpr nanoseconds kFar = std::chrono::seconds(1);

  const ClipTiming timing_;
  SystemSchedule clock_{nanoseconds::zero()};
  nanoseconds origin_{};  // of ReadAhead's time line, since the beginning
  bool begun_ = false;
  nanoseconds sought_{};  // the time since the beginning at the last seek
};

}  // namespace texcast::stream
