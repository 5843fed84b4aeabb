// clock_watch.h — keeps an eye on the system clock while `play --clock system` runs, and says when it is not
// synchronised.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "base/loop_thread.h"
#include "clock/clock_quality.h"

namespace texcast::cli {

// All members may be called on any thread.
class ClockWatch {
 public:
  // `is_needed`: false: nothing is watched, and quality() asks the kernel only.
  explicit ClockWatch(bool is_needed);
  clock::ClockQuality quality() const;
  // Once for each time that the clock is not synchronised: the line for the screen.
  std::optional<std::string> complaint();

 private:
  void watch(const std::stop_token& stop);
  void set(clock::ClockQuality quality);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<clock::ClockQuality> quality_;
  std::optional<std::string> complaint_;
  std::optional<LoopThread> thread_;  // last: it uses the members above
};

}  // namespace texcast::cli
