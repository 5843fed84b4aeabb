// doorbell.h — wakes one waiting thread. A ring that comes while nobody waits is kept for the next wait.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/frame_times.h"

namespace texcast::stream {

class Doorbell {
 public:
  // From any thread.
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    bell_.notify_one();
  }
  // Returns when rung since the last wait, or at `limit`.
  void wait_until(SteadyTime limit) {
    std::unique_lock lock(mutex_);
    bell_.wait_until(lock, std::chrono::steady_clock::time_point(limit), [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable bell_;
  bool rung_ = false;
};

}  // namespace texcast::stream
