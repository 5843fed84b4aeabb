#include "stream/clip_schedule.h"

#include <algorithm>

namespace texcast::stream {

nanoseconds ClipSchedule::at(SteadyTime time) const { return clock_.wall_at(time) - timing_.begin - origin_; }

std::optional<nanoseconds> ClipSchedule::seek(nanoseconds position, std::optional<nanoseconds> next,
                                              std::optional<nanoseconds> shown) {
  const nanoseconds elapsed = origin_ + position;
  const bool is_behind = next && position - *next > kFar && elapsed - sought_ > kFar;  // it cannot read fast enough
  const bool was_set_back = shown && *shown - position > kFar;
  if (begun_ && !is_behind && !was_set_back) return std::nullopt;
  begun_ = true;
  sought_ = elapsed;
  const nanoseconds from = std::max(elapsed, nanoseconds::zero());
  origin_ = timing_.lap ? from / *timing_.lap * *timing_.lap : nanoseconds::zero();
  return from - origin_;
}

}  // namespace texcast::stream
