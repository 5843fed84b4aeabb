// playout_clock.h — the playout delay of a live stream: when each frame should be on the screen. Time is an argument.
//
//   due = time stamp + lag;  lag follows  envelope (TransitEnvelope)  +  delay
//
// The envelope converts the sender's clock to ours and drifts with it. The delay absorbs the network's jitter:
//   auto    what lets 2 % of the frames be late (PlayoutDelay), minus a quarter of a frame time, which is invisible;
//           zero in a calm network. It grows at once and shrinks by at most 20 ms per second.
//   fixed   the given delay, after a frame that was not held up.
//   0       no clock: a frame is due when it arrives.
// Apart from that, lag changes by at most 5 ms per second (0.5 % of the speed), so that drift, another path and a
// shrinking delay cost an occasional repeated or skipped frame, and never a jump. It jumps only if it cannot follow: in
// the first two seconds, to another stream, after a jump of time stamps, or a stall of a second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "playout/playout_delay.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// The minimum transit time of frames, and the drift between the sender's clock and ours.
//
//   transit = arrival of a frame on our clock minus its time stamp on the sender's. The clocks' zeros are unrelated, so
//             the value means nothing, but its minimum belongs to a frame that was not held up: queues only add.
//
//   transit |    x    x  x                 The envelope lies below all of them. Its slope is the drift of the two
//           |  x   x    x  x x             crystals (tens of ppm), its height the path.
//           | x__x___x____x__x__
//           +-------------------- time
//
// Not thread-safe. Allocates nothing.
class TransitEnvelope {
 public:
  // `longer`: permanently; the envelope was raised. `shorter`: so much that earlier measurements are void; also if the
  // sender's first frames were late.
  enum class Path { same, longer, shorter };
  // A frame arrived at `now` (which never falls) with `transit`.
  Path add(SteadyTime now, nanoseconds transit);
  nanoseconds at(SteadyTime now) const;  // the minimum transit expected at `now`; 0 before the first frame
  bool empty() const { return !has_anchor_; }
  // Forgets the path and keeps the drift: the same sender's time stamps have jumped.
  void restart();
  // Forgets the drift too: there is another sender.
  void forget();
  double drift_ppm() const { return drift_ * 1e6; }  // positive: the sender's clock is the slower one

 private:
  struct Least {  // the frame with the minimum transit of about a second
    SteadyTime at{};
    nanoseconds transit{};
    int frames = 0;
  };
  static constexpr size_t kKept = 64;  // minima that determine the slope; the recent ones determine the height

  const Least& kept(size_t newest) const { return ring_[(next_ + kKept - 1 - newest) % kKept]; }
  bool close(SteadyTime now);
  void update_drift();
  void lower_onto_recent(SteadyTime now);
  nanoseconds line_from(const Least& from, SteadyTime now) const;

  Least open_{};
  SteadyTime open_since_{}, begun_{};  // begun_: of the path
  std::array<Least, kKept> ring_{};
  size_t next_ = 0, count_ = 0;
  Least anchor_{};  // the envelope goes through it
  bool has_anchor_ = false;
  double drift_ = 0;
};

// nullopt: auto. Zero: each frame as soon as it is complete. Otherwise a fixed delay.
using Latency = std::optional<nanoseconds>;

struct PlayoutArrival {
  nanoseconds pts{};         // the sender's time stamp
  SteadyTime arrived{};      // when it was complete or given up; never falls from one call to the next
  nanoseconds frame_time{};  // nominal; 0: unknown
  bool new_stream = false;
};

struct PlayoutState {
  nanoseconds delay{};    // after a frame that was not held up
  nanoseconds jitter{};   // 98 % of the latest frames were held up by this or less
  double drift_ppm = 0;   // positive: the sender's clock is the slower one
  uint64_t late = 0;      // frames that arrived after they were due
  uint64_t restarts = 0;  // resets of the clock, without the first
};

// Not thread-safe. Allocates nothing.
class PlayoutClock {
 public:
  static constexpr nanoseconds kMostDelay = PlayoutDelay::kMost;  // of auto

  explicit PlayoutClock(Latency latency) : latency_(latency) {}
  // When the frame should be shown; in the past if it is late.
  SteadyTime due(const PlayoutArrival& frame);
  const PlayoutState& state() const { return state_; }

 private:
  bool must_restart(const PlayoutArrival& frame, nanoseconds transit) const;
  void restart(const PlayoutArrival& frame);
  bool settle(const PlayoutArrival& frame);
  TransitEnvelope::Path measure(const PlayoutArrival& frame, nanoseconds transit);
  void follow(nanoseconds floor, nanoseconds change, nanoseconds elapsed, bool settling);

  const Latency latency_;
  TransitEnvelope envelope_;
  PlayoutDelay delay_;
  nanoseconds lag_{}, last_pts_{};
  SteadyTime settled_at_{}, last_{};
  PlayoutState state_;
};

}  // namespace texcast::stream
