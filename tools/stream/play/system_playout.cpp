#include "stream/system_playout.h"

#include <fmt/core.h>

#include <utility>

#include "base/log.h"
#include "stream/read_clocks.h"

namespace texcast::stream {

SystemPlayout::SystemPlayout(nanoseconds delay, Mailbox& mailbox, Clock& clock)
    : mailbox_(mailbox), clock_(clock), schedule_(delay) {
  schedule_.follow(read_clocks(clock_));
}

void SystemPlayout::put(const FrameRef& frame) {
  const std::lock_guard lock(mutex_);
  const SystemSchedule::Due due = schedule_.due(frame->available, frame->arrived);
  if (due.stamp == SystemSchedule::Stamp::good && due.time < frame->arrived) ++late_;
  tell_stamp(due, *frame);
  mailbox_.put(frame, due.time);
}

void SystemPlayout::follow() {
  const std::lock_guard lock(mutex_);
  mailbox_.retime(schedule_.follow(read_clocks(clock_)));
}

WallTime SystemPlayout::due(const PooledFrame& frame) const {
  const std::lock_guard lock(mutex_);
  return schedule_.due(frame.available, frame.arrived).wall;
}

void SystemPlayout::describe(PlayoutState& state) const {
  const std::lock_guard lock(mutex_);
  state.delay = schedule_.delay();
  state.late = late_;
  state.restarts = schedule_.steps();
}

std::optional<std::string> SystemPlayout::news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

// The lock is held.
void SystemPlayout::tell_stamp(const SystemSchedule::Due& due, const PooledFrame& frame) {
  using Stamp = SystemSchedule::Stamp;
  if (due.stamp == std::exchange(stamp_, due.stamp) || due.stamp == Stamp::good) return;
  const std::string line =
      due.stamp == Stamp::missing
          ? "this stream has no time stamps of the system clock: it is shown as it comes, not in step"
          : fmt::format(
                "the sender's clock is {:+.1f} s from this machine's: the stream is shown as it comes, not in "
                "step; synchronise both clocks (texcast doctor)",
                in_seconds(frame.available - schedule_.wall_at(frame.arrived)));
  news_ = lines_.take(line, frame.arrived);
  if (news_) log_warning("{}", *news_);
}

}  // namespace texcast::stream
