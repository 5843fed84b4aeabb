// playout_clock.h — when each frame of a live stream should be on the screen. Pure: time is an argument.
//
//   due = time stamp + lag;  lag follows  envelope (TransitEnvelope)  +  delay
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

#include "texcast/frame_times.h"

namespace texcast::stream {

// The least time that frames take from the sender's clock to ours, and how the two clocks drift.
//
//   transit = when a frame came, on our clock, minus its time stamp, on the sender's. The clocks' zeros are unrelated,
//             so its value means nothing, but its least value does: a frame that nothing held up. Queues only add.
//
//   transit |    x    x  x                 The envelope lies under all of them. Its slope is the drift of the two
//           |  x   x    x  x x             crystals (tens of ppm), its height the path.
//           | x__x___x____x__x__
//           +-------------------- time
//
// Not thread-safe. Allocates nothing.
class TransitEnvelope {
 public:
  // `longer`: for good, and the envelope was lifted to it. `shorter`: by so much that what was measured before says
  // nothing; also where a sender's first frames were late.
  enum class Path { same, longer, shorter };
  // A frame came at `now` (never before the one before it) with `transit`.
  Path add(SteadyTime now, nanoseconds transit);
  nanoseconds at(SteadyTime now) const;  // the least transit expected at `now`; 0 before the first frame
  bool empty() const { return !has_anchor_; }
  // Forgets the path, keeps the drift: the same sender's time stamps jumped.
  void restart();
  // Forgets the drift too: another sender.
  void forget();
  double drift_ppm() const { return drift_ * 1e6; }  // positive: the sender's clock is the slower one

 private:
  struct Least {  // of a second or so of frames
    SteadyTime at{};
    nanoseconds transit{};
    int frames = 0;
  };
  static constexpr size_t kKept = 64;   // leasts that the slope is drawn under
  static constexpr size_t kRecent = 8;  // leasts that the height is of: older ones are another path's, perhaps

  const Least& kept(size_t newest) const { return ring_[(next_ + kKept - 1 - newest) % kKept]; }
  bool close(SteadyTime now);
  void update_drift();
  void lower_onto_recent(SteadyTime now);
  nanoseconds line_from(const Least& from, SteadyTime now) const;

  Least open_{};
  SteadyTime open_since_{};
  std::array<Least, kKept> ring_{};
  size_t next_ = 0, count_ = 0;
  Least anchor_{};  // the envelope goes through it
  bool has_anchor_ = false;
  double drift_ = 0;
};

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
  bool settle(const PlayoutArrival& frame);
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
