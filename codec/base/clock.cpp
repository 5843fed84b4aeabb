#include "base/clock.h"

#include <thread>

namespace texcast {
namespace {

class SystemClock final : public Clock {
 public:
  SteadyTime now() const override { return steady_now(); }
  WallTime wall() const override { return wall_now(); }
  void sleep_until(SteadyTime time) override { std::this_thread::sleep_until(time); }
  void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, SteadyTime limit) override {
    changed.wait_until(lock, limit);
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace texcast
