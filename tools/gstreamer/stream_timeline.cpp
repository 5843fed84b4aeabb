#include "stream_timeline.h"

#include <algorithm>
#include <chrono>

namespace texcast::gstreamer {
namespace {

constexpr nanoseconds kWindow = std::chrono::seconds(5);
constexpr nanoseconds kJump = std::chrono::seconds(1);  // larger differences are another time line
constexpr int64_t kSlewPart = 500;                      // the offset grows by a 500th of the time: 2 ms a second

}  // namespace

nanoseconds StreamTimeline::place(nanoseconds pts, nanoseconds now, bool new_stream) {
  const nanoseconds offset = now - pts;
  if (new_stream || !window_ || offset > offset_ + kJump || offset < offset_ - kJump)
    restart(offset, now);
  else
    follow(offset, now);
  last_now_ = now;
  nanoseconds time = pts + offset_;
  if (last_) time = std::max(time, *last_ + nanoseconds(1));
  last_ = time;
  return time;
}

void StreamTimeline::restart(nanoseconds offset, nanoseconds now) {
  window_ = {.begin = now, .least = offset};
  least_before_ = offset;
  offset_ = offset;
}

void StreamTimeline::follow(nanoseconds offset, nanoseconds now) {
  if (now - window_->begin >= kWindow) {
    least_before_ = window_->least;
    window_ = {.begin = now, .least = offset};
  }
  window_->least = std::min(window_->least, offset);
  const nanoseconds least = std::min(least_before_, window_->least);
  const nanoseconds slew = std::max(now - last_now_, nanoseconds(0)) / kSlewPart;
  offset_ = least < offset_ ? least : std::min(least, offset_ + slew);
}

}  // namespace texcast::gstreamer
