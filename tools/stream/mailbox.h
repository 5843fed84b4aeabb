// mailbox.h — hands frames from the thread that receives to the one that shows.
//
// Newest wins: one place; a frame that was not taken in time is replaced, and counted. Every frame: the same place,
// but the giver waits until it is empty (for captures that are replayed as fast as they can be shown).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "stream/frame_pool.h"

namespace texcast::stream {

enum class Delivery { newest_wins, every_frame };

class Mailbox {
 public:
  explicit Mailbox(Delivery delivery) : delivery_(delivery) {}

  // Receiving thread. With every_frame it may wait for take() or close(); after close() the frame is discarded.
  void put(FrameRef frame);
  void close();  // no more frames will come, or nobody takes them any more

  // Render thread.
  FrameRef take();                    // an empty one when there is no new frame
  void wait_until(SteadyTime limit);  // until there is a frame, the box is closed, or `limit`
  bool empty() const;
  uint64_t replaced() const;  // frames that nobody took

 private:
  const Delivery delivery_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FrameRef waiting_;
  bool closed_ = false;
  uint64_t replaced_ = 0;
};

}  // namespace texcast::stream
