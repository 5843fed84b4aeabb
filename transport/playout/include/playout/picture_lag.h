// picture_lag.h — how much later than at the sender the picture is seen, so that sound is heard at the same time. Time
// is an argument.
//
//   lag = shown at, on our clock  -  available at, on the sender's
//
// Sound is heard that much after it was captured. Both times are on the same two clocks, so the clocks' offset need not
// be known.
#pragma once

#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe. Allocates nothing.
class PictureLag {
 public:
  // A frame that was available at `available` (sender's clock) was shown at `shown`.
  void on_picture(WallTime available, SteadyTime shown);
  // The average of the latest frames; nothing if there was no frame for two seconds.
  std::optional<nanoseconds> at(SteadyTime now) const;

 private:
  std::optional<nanoseconds> lag_;
  SteadyTime shown_{};  // when the last one was shown
  int pictures_ = 0;    // whose lags are averaged
  int off_ = 0;         // in a row that are far from the average
};

}  // namespace texcast::stream
