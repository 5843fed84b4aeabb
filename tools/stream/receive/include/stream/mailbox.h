// mailbox.h — passes frames from the receiving thread to the render thread, each when it is due.
//
// newest_wins: the newest of the frames that are due is taken; older ones are dropped and counted. every_frame: there
// is one place, and put() waits until it is empty (for captures that are replayed as fast as they can be shown).
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/clock.h"
#include "player/feed.h"
#include "textures/block_pool.h"

namespace texcast::stream {

enum class Delivery { newest_wins, every_frame };

class Mailbox {
 public:
  // Frames that can wait for their time: one second at 120 frames per second.
  static constexpr size_t kPlaces = 120;

  // The clock must outlive this.
  explicit Mailbox(Delivery delivery, Clock& clock = system_clock()) : delivery_(delivery), clock_(clock) {}

  // Receiving thread. `due`: zero for at once. With every_frame it may wait for take() or close(); after close() the
  // frame is discarded. If all places are taken, the oldest frame is dropped and counted.
  void put(FrameRef frame, SteadyTime due = {});
  void close();  // no more frames will come, or nobody will take them

  // Moves the times of all frames that wait: the clock that they follow was set or slewed. Any thread.
  void retime(nanoseconds by);
  void nudge();  // makes wait_until() return although no frame is due

  // Render thread.
  FrameRef take(SteadyTime now);  // empty if no frame is due
  // Waits until a frame is to be drawn, nudge(), close(), or `limit`.
  void wait_until(SteadyTime limit, const player::SwapGrid& swaps = {});
  FrameRef next() const;         // the frame that take() would return once it is due, if no more came; it stays here
  bool empty() const;            // no frame waits, due or not
  uint64_t overtaken() const;    // frames dropped because a newer one was due
  uint64_t crowded_out() const;  // frames dropped because too many waited

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
