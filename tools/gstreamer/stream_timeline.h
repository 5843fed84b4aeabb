// stream_timeline.h — the presentation times of a sender on the clock of a receiver.
#pragma once

#include <optional>

#include "texcast/frame_times.h"

namespace texcast::gstreamer {

// The sender's and the receiver's clocks run apart, and packets are delayed by varying times. The offset between the
// two follows the least delay of the last seconds, so that frames keep the distances that they had at the sender. Not
// thread-safe.
class StreamTimeline {
 public:
  // The time on the receiver's clock of the frame with this `pts`, which arrived at `now`. It is `now` or earlier for
  // frames of a steady stream, and rises from frame to frame. `new_stream`: it belongs to another sender than before.
  nanoseconds place(nanoseconds pts, nanoseconds now, bool new_stream);

  // The same for something else on the sender's time line, such as sound. Nothing before the first frame.
  std::optional<nanoseconds> at(nanoseconds pts) const { return window_ ? std::optional(pts + offset_) : std::nullopt; }

 private:
  void restart(nanoseconds offset, nanoseconds now);
  void follow(nanoseconds offset, nanoseconds now);

  struct Window {
    nanoseconds begin{};
    nanoseconds least{};  // offset
  };
  std::optional<Window> window_{};  // the present one
  nanoseconds least_before_{};      // in the previous window
  nanoseconds offset_{};            // receiver's time - pts
  nanoseconds last_now_{};
  std::optional<nanoseconds> last_{};
};

}  // namespace texcast::gstreamer
