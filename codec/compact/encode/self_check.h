// self_check.h — whether a device is believed: for its first units threads code too, and it has to code the same
// (compilers of kernels have bugs), and where it is asked for, in no more time (a small GPU is slower than some
// processors).
//
// No clock but the one that is given.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "compact/lossy_backend.h"
#include "texcast/frame_times.h"

namespace texcast::compact {

class SelfCheck {
 public:
  enum class Objection { others, slower };

  void begin(const SelfCheckSettings& wanted);
  // Threads code beside it.
  bool is_open() const { return left_ > 0; }
  // What the clock says; ever the same without one, and once the proof is over.
  SteadyTime now() const { return is_open() && clock_ ? clock_() : SteadyTime{}; }

  // Of a unit that threads coded too; of anything else that they found too. On any thread.
  void hold_against(bool is_same) { ++(is_same ? same_ : others_); }
  void object() { ++others_; }
  // What both took for a frame of which much was due.
  void took(nanoseconds device, nanoseconds threads);
  // Behind a frame, until something speaks against the device.
  std::optional<Objection> look();

  // Means of the frames that count.
  nanoseconds device_time() const { return device_ / frames(); }
  nanoseconds thread_time() const { return threads_ / frames(); }

 private:
  int64_t frames() const { return frames_ > 0 ? frames_ : 1; }
  uint32_t left_ = 0;
  std::function<SteadyTime()> clock_;
  std::atomic<uint32_t> same_ = 0, others_ = 0;
  bool has_begun_ = false;  // a device's first frame takes longer than others: it does not count
  int64_t frames_ = 0;
  nanoseconds device_{}, threads_{};
};

}  // namespace texcast::compact
