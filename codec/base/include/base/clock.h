// clock.h — what time it is, and waiting for a time. Whoever paces or times out takes a Clock, so that a test can give
// it one that passes without waiting (tests/manual_clock.h). Reading and waiting allocate nothing.
#pragma once

#include <condition_variable>
#include <mutex>

#include "texcast/frame_times.h"

namespace texcast {

// All calls from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime now() const = 0;
  virtual WallTime wall() const = 0;
  virtual void sleep_until(SteadyTime time) = 0;
  // Until `changed` is notified (or spuriously), at most until `limit`. `lock` is held again when it returns.
  virtual void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, SteadyTime limit) = 0;
};

// The system's: steady_now() and wall_now().
Clock& system_clock();

}  // namespace texcast
