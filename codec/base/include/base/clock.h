// clock.h — reads the time, and waits for a time. Code that paces or times out takes a Clock, so that a test can pass
// one that advances without waiting (tests/manual_clock.h). Reading and waiting allocate nothing.
#pragma once

#include <condition_variable>
#include <mutex>

#include "texcast/frame_times.h"

namespace texcast {

// All members may be called on any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime now() const = 0;
  virtual WallTime wall() const = 0;
  virtual void sleep_until(SteadyTime time) = 0;
  // Waits until `changed` is notified (or spuriously), at most until `limit`. `lock` is held again when it returns.
  virtual void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, SteadyTime limit) = 0;
};

// The clock of the system: steady_now() and wall_now().
Clock& system_clock();

}  // namespace texcast
