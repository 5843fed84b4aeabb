// standstills.h — detects times at which the whole program did not run, because it was stopped, suspended, or kept from
// the processor.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/loop_thread.h"
#include "texcast/frame_times.h"

namespace texcast {

// A thread detects them that does nothing but wake up periodically. All members may be called on any thread.
class Standstills {
 public:
  static constexpr nanoseconds kLeast = std::chrono::milliseconds(700);
  Standstills();

  struct Last {
    SteadyTime end{};
    nanoseconds duration{};
  };
  // The latest one of at least kLeast, including one that has just ended and that the thread may not have seen yet.
  Last last(SteadyTime now) const;
  // The duration of all of them together, including such a one.
  nanoseconds total(SteadyTime now) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  SteadyTime beat_ = steady_now();
  Last last_;
  nanoseconds total_{};
  LoopThread thread_;  // last: it uses the members above
};

}  // namespace texcast
