// playout_clock.h — when each frame of a live stream should be on the screen. Pure: time is an argument.
//
//   due = time stamp + lag;  lag follows  envelope (transit_envelope.h)  +  delay
//
// The envelope carries the sender's clock over to ours and drifts with it. The delay is what the network's jitter
// needs:
//   auto    nearly all of the jitter of the last seconds, less the quarter of a frame time that nobody sees; nothing in
//           a calm network. Grows at once, shrinks slowly. The beginning, a second or as long as frames still become
//           quicker, is no measure of it.
//   fixed   as asked for, behind a frame that nothing held up.
//   0       no clock at all: a frame is due when it is there.
// Lag moves by 5 ms a second at most (0.5 % of the speed), so that drift, a shorter path and a shrinking delay cost a
// frame that is shown twice or not at all now and then, and never a jump; what cannot be followed so is jumped to:
// another stream, time stamps that jump, a stall of a second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame_times.h"
#include "stream/transit_envelope.h"

namespace texcast::stream {

// None: auto. Zero: every frame as soon as it is whole. Else the fixed delay.
using Latency = std::optional<nanoseconds>;

struct PlayoutArrival {
  nanoseconds pts{};         // the sender's time stamp
  SteadyTime arrived{};      // whole, or given up; never falls from one call to the next
  nanoseconds frame_time{};  // nominal; 0: not known
  bool new_stream = false;
};

struct PlayoutState {
  nanoseconds delay{};    // behind a frame that nothing held up
  nanoseconds jitter{};   // 98 % of the last seconds' frames were held up by less
  double drift_ppm = 0;   // positive: the sender's clock is the slower one
  uint64_t late = 0;      // frames that came after they were due
  uint64_t restarts = 0;  // how often the clock was set anew, the first time not counted
};

// Not thread-safe. Allocates nothing after construction.
class PlayoutClock {
 public:
  static constexpr nanoseconds kMostDelay = std::chrono::milliseconds(200);  // auto does not wait for more

  explicit PlayoutClock(Latency latency);
  // When the frame should be shown: in the past where it is late already.
  SteadyTime due(const PlayoutArrival& frame);
  const PlayoutState& state() const { return state_; }

 private:
  struct Sample {
    SteadyTime at{};
    nanoseconds transit{};
  };
  static constexpr size_t kSamples = 512;

  bool must_restart(const PlayoutArrival& frame, nanoseconds transit) const;
  void restart(const PlayoutArrival& frame);
  bool is_settling(const PlayoutArrival& frame);
  void forget_beginning();
  const Sample& newest(size_t nth) const { return samples_[(next_ + kSamples - 1 - nth) % kSamples]; }
  void measure_jitter(SteadyTime now);
  nanoseconds grow_or_shrink(nanoseconds wanted, nanoseconds elapsed, bool at_once);
  void follow(nanoseconds target, nanoseconds elapsed, bool settling);

  const Latency latency_;
  TransitEnvelope envelope_;
  std::array<Sample, kSamples> samples_{};
  size_t next_ = 0, count_ = 0;
  std::vector<nanoseconds> held_up_;  // room for sorting
  nanoseconds lag_{};
  SteadyTime settled_at_{}, last_{};
  PlayoutState state_;
};

}  // namespace texcast::stream
