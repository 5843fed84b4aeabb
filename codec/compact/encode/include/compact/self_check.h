// self_check.h — checks an encoder backend against the CPU, as compilers of kernels have bugs. For a backend's first
// slices the CPU codes too. The backend is used after enough equal slices; one mismatch disables it. With a clock it is
// also disabled if it takes longer than the CPU, as a small GPU in a large machine may.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::compact {

inline constexpr uint32_t kSelfCheckSlices = 1024;

struct SelfCheckSettings {
  uint32_t slices = 0;                  // number to compare; 0: no check
  std::function<SteadyTime()> clock{};  // empty: speed does not matter
};

class SelfCheck {
 public:
  enum class Failure { mismatch, slower };

  void begin(const SelfCheckSettings& settings);
  // While it runs the CPU codes too.
  bool is_running() const { return left_ > 0; }
  // Without a clock, and after the check, it costs nothing and always returns the same time.
  SteadyTime now() const { return is_running() && clock_ ? clock_() : SteadyTime{}; }

  // Call it for each slice that both coded. Any thread.
  void compare(bool is_same) { ++(is_same ? same_ : mismatches_); }
  // Call it for any other result in which they differ. Any thread.
  void report_mismatch() { ++mismatches_; }
  // The times of a frame in which enough was coded for them to be meaningful.
  void add_times(nanoseconds device, nanoseconds cpu);
  // Call it after each frame.
  std::optional<Failure> failure();

  // Averages over the frames of add_times().
  nanoseconds device_time() const { return device_ / frames(); }
  nanoseconds cpu_time() const { return cpu_ / frames(); }

 private:
  int64_t frames() const { return frames_ > 0 ? frames_ : 1; }
  uint32_t left_ = 0;
  std::function<SteadyTime()> clock_;
  std::atomic<uint32_t> same_ = 0, mismatches_ = 0;
  bool is_warm_ = false;  // a device's first frame takes longer than others, and is not counted
  int64_t frames_ = 0;
  nanoseconds device_{}, cpu_{};
};

}  // namespace texcast::compact
