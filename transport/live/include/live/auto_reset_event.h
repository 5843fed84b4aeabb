// auto_reset_event.h — wakes one waiting thread. Set while nobody waits, it ends the next wait.
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
  // Returns when set since the last wait, or at `limit`.
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
