// system_playout.h — frames of a live stream by the system clock: each waits in the mailbox until its time stamp is
// `delay` ago on a clock that the sender and all players share.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/line_limit.h"
#include "playout/playout_clock.h"
#include "playout/system_schedule.h"
#include "stream/mailbox.h"
#include "textures/block_pool.h"

namespace texcast::stream {

class SystemPlayout {
 public:
  // Both must outlive this; the mailbox is one of newest_wins.
  SystemPlayout(nanoseconds delay, Mailbox& mailbox, Clock& clock = system_clock());

  // Receiving thread. Frames without a time stamp, or with one of another clock, are due at once.
  void put(const FrameRef& frame);
  // Render thread, before each take from the mailbox: the clock may have been slewed or set.
  void follow();
  // When the frame should be visible; WallTime{} if it is shown as it comes. Any thread, like the others.
  WallTime due(const PooledFrame& frame) const;
  // Overwrites what the schedule decides: the delay, frames that arrived too late, and steps of the clock.
  void describe(PlayoutState& state) const;
  // Once for each change: why the stream is not shown by the clock.
  std::optional<std::string> news();

 private:
  void tell_stamp(const SystemSchedule::Due& due, const PooledFrame& frame);

  Mailbox& mailbox_;
  Clock& clock_;
  mutable std::mutex mutex_;  // held while a frame is put into the mailbox
  SystemSchedule schedule_;
  uint64_t late_ = 0;
  SystemSchedule::Stamp stamp_ = SystemSchedule::Stamp::good;  // of the latest frame
  LineLimit lines_;
  std::optional<std::string> news_;
};

}  // namespace texcast::stream
