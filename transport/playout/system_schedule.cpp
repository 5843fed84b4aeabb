#include "playout/system_schedule.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kUnmoved =
    std::chrono::microseconds(10);  // readings differ by less; slewing at 500 ppm adds up to this in 20 ms
constexpr nanoseconds kClockStep = std::chrono::milliseconds(1);

}  // namespace

nanoseconds SystemSchedule::follow(const ClockReading& now) {
  const nanoseconds offset = now.wall.time_since_epoch() - now.steady.time_since_epoch();
  const nanoseconds moved = follows_ ? offset_ - offset : nanoseconds::zero();
  if (follows_ && std::chrono::abs(moved) < kUnmoved) return nanoseconds::zero();
  if (std::chrono::abs(moved) > kClockStep) ++steps_;
  offset_ = offset;
  follows_ = true;
  return moved;
}

SystemSchedule::Due SystemSchedule::due(WallTime stamp, SteadyTime arrived) const {
  if (stamp == WallTime{}) return {arrived, {}, Stamp::missing};
  const WallTime wall = stamp + delay_;
  const SteadyTime time = steady_at(wall);
  if (std::chrono::abs(time - arrived) > kOtherClock) return {arrived, {}, Stamp::other_clock};
  return {time, wall, Stamp::good};
}

}  // namespace texcast::stream
