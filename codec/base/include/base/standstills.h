// standstills.h — times at which the whole program did not run: it was stopped, suspended, or kept from the processor.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/loop_thread.h"
#include "texcast/frame_times.h"

namespace texcast {

// Seen by a thread that only wakes up again and again. All calls from any thread.
class Standstills {
 public:
  static constexpr nanoseconds kLeast = std::chrono::milliseconds(700);
  Standstills();

  struct Last {
    SteadyTime end{};
    nanoseconds duration{};
  };
  // The last one of at least kLeast; one that has just ended too, which the thread itself may not have seen yet.
  Last last(SteadyTime now) const;
  // All of them together, that one too.
  nanoseconds total(SteadyTime now) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  SteadyTime beat_ = steady_now();
  Last last_;
  nanoseconds total_{};
  LoopThread thread_;  // last: it uses all of the above
};

}  // namespace texcast
