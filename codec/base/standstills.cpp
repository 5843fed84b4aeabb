#include "base/standstills.h"

#include <chrono>

namespace texcast {
namespace {

constexpr nanoseconds kBeat = std::chrono::milliseconds(100);

}  // namespace

Standstills::Standstills()
    : thread_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
          changed_.wait_for(lock, stop, kBeat, [] { return false; });
          const SteadyTime now = steady_now();
          if (now - beat_ >= kLeast) {
            last_ = {now, now - beat_};
            total_ += last_.duration;
          }
          beat_ = now;
        }
      }) {}

Standstills::Last Standstills::last(SteadyTime now) const {
  const std::lock_guard lock(mutex_);
  return now - beat_ >= kLeast ? Last{now, now - beat_} : last_;
}

nanoseconds Standstills::total(SteadyTime now) const {
  const std::lock_guard lock(mutex_);
  return total_ + (now - beat_ >= kLeast ? now - beat_ : nanoseconds{});
}

}  // namespace texcast
