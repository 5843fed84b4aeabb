// stage_time.h — wall time and processor time of one stage of the work.
#pragma once

#include <ctime>

#include "texcast/frame_times.h"

namespace texcast {

struct StageTime {
  nanoseconds wall{};
  nanoseconds cpu{};  // of the threads that did the work; less than `wall` if they waited
  StageTime& operator+=(const StageTime& other) {
    wall += other.wall;
    cpu += other.cpu;
    return *this;
  }
};

// Processor time of this thread or of the whole process; `clock` is as clock_gettime() takes it.
inline nanoseconds cpu_now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}
inline nanoseconds thread_cpu_now() { return cpu_now(CLOCK_THREAD_CPUTIME_ID); }
inline nanoseconds process_cpu_now() { return cpu_now(CLOCK_PROCESS_CPUTIME_ID); }

// Adds the time from its construction to the end of the scope, on this thread.
class StageTimer {
 public:
  explicit StageTimer(StageTime& stage) : stage_(stage) {}
  ~StageTimer() { stage_ += {steady_now() - wall_, thread_cpu_now() - cpu_}; }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageTime& stage_;
  const SteadyTime wall_ = steady_now();
  const nanoseconds cpu_ = thread_cpu_now();
};

}  // namespace texcast
