// mailbox.h — hands frames from the thread that receives to the one that shows, each when it is due.
//
// Newest wins: of the frames that are due the newest is taken; those that it overtakes are dropped, and counted. Every
// frame: one place, and the giver waits until it is empty (for captures that are replayed as fast as they can be
// shown).
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/clock.h"
#include "live/block_pool.h"
#include "player/feed.h"

namespace texcast::stream {

enum class Delivery { newest_wins, every_frame };

class Mailbox {
 public:
  // Frames that wait for their time: a second of 120.
  static constexpr size_t kPlaces = 120;

  // The clock outlives it.
  explicit Mailbox(Delivery delivery, Clock& clock = system_clock()) : delivery_(delivery), clock_(clock) {}

  // Receiving thread. `due` zero: at once. With every_frame it may wait for take() or close(); after close() the frame
  // is discarded. Where all places are taken the oldest frame gives way, and is counted.
  void put(FrameRef frame, SteadyTime due = {});
  void close();  // no more frames will come, or nobody takes them any more

  void nudge();  // wait_until() returns, though no frame is due

  // Render thread.
  FrameRef take(SteadyTime now);  // an empty one when no frame is due
  // Until a frame is to be drawn, nudge(), close(), or `limit`.
  void wait_until(SteadyTime limit, const player::SwapGrid& swaps = {});
  FrameRef next() const;         // what take() would give once it is due, if no more came; stays here
  bool empty() const;            // of frames due or not
  uint64_t overtaken() const;    // frames that a newer one overtook before anybody took them
  uint64_t crowded_out() const;  // frames that gave way because too many waited

 private:
  struct Place {
    FrameRef frame;
    SteadyTime due{};
  };
  Place& place(size_t index) { return places_[(first_ + index) % kPlaces]; }
  FrameRef pop();

  const Delivery delivery_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Place, kPlaces> places_;  // a ring: `waiting_` frames from `first_` on
  size_t first_ = 0, waiting_ = 0;
  bool closed_ = false, nudged_ = false;
  uint64_t overtaken_ = 0, crowded_out_ = 0;
};

}  // namespace texcast::stream
