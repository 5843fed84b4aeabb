// progress_call.h — holds the function that Encoder::on_progress() sets, for those that call it on their own threads.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace texcast {

// Thread-safe. An empty function disables the calls.
class ProgressCall {
 public:
  // The previous function is not called any more when this returns.
  void set(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    call_ = std::move(call);
  }
  bool wanted() const {
    const std::lock_guard lock(mutex_);
    return static_cast<bool>(call_);
  }
  void tell() const {
    const std::lock_guard lock(mutex_);
    if (call_) call_();
  }

 private:
  mutable std::mutex mutex_;
  std::function<void()> call_;
};

}  // namespace texcast
