// transit_envelope.h — the least time that frames take from the sender's clock to ours, and how the two clocks drift.
// Pure: time is an argument.
//
//   transit = when a frame came, on our clock, minus its time stamp, on the sender's. The clocks' zeros are unrelated,
//             so its value means nothing, but its least value does: a frame that nothing held up. Queues only add.
//
//   transit |    x    x  x                 The envelope lies under all of them. Its slope is the drift of the two
//           |  x   x    x  x x             crystals (tens of ppm), its height the path.
//           | x__x___x____x__x__
//           +-------------------- time
#pragma once

#include <array>
#include <cstddef>

#include "base/frame_times.h"

namespace texcast::stream {

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

}  // namespace texcast::stream
