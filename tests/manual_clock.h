// manual_clock.h — a clock that advances only if a test sets it, or if the code under test waits: a wait ends at once,
// at the time waited for. For tests in which no second thread could end the wait.
#pragma once

#include <atomic>

#include "base/clock.h"
#include "times.h"

namespace texcast::test {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(SteadyTime now = SteadyTime(std::chrono::hours(1))) : now_(now) {}
  SteadyTime now() const override { return now_; }
  WallTime wall() const override { return wall_of(now_); }
  void sleep_until(SteadyTime time) override {
    SteadyTime before = now_;
    while (before < time && !now_.compare_exchange_weak(before, time)) {
    }
  }
  void wait_until(std::condition_variable&, std::unique_lock<std::mutex>&, SteadyTime limit) override {
    sleep_until(limit);
  }
  void advance(nanoseconds by) { now_ = now() + by; }

 private:
  std::atomic<SteadyTime> now_;
};

}  // namespace texcast::test
