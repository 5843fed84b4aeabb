// auto_reset_event.h — an event that wakes one waiting thread. If it is set while no thread waits, the next wait
// returns at once.
#pragma once

#include <condition_variable>
#include <mutex>

#include "texcast/frame_times.h"

namespace texcast::stream {

class AutoResetEvent {
 public:
  // From any thread.
  void set() {
    {
      const std::lock_guard lock(mutex_);
      set_ = true;
    }
    changed_.notify_one();
  }
  // Returns once set() has been called since the last wait, or at `limit`.
  void wait_until(SteadyTime limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, limit, [this] { return set_; });
    set_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace texcast::stream
