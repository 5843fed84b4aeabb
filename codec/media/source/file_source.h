// file_source.h — a FrameSource over DemuxedInput: start, loop, a steady rate, one format from first to last.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "base/frame_times.h"
#include "media/frame_source.h"

namespace texcast::media {

std::unique_ptr<FrameSource> open_file_source(const SourceSettings& settings);

// Which frames go out, and when, if a clip of any rate is to have a steady one. No clock and no frames: times are
// arguments. Not thread-safe.
//
// Output frame n is due at n / fps. A frame that is shown in [pts, end) fills every n whose time, rounded to the
// nearest n, lies there: none (it is dropped), one, or several (it is repeated).
class RateKeeper {
 public:
  explicit RateKeeper(double fps) : fps_(fps) {}
  // Whether the frame that ends at `end` has to go out (once more).
  bool due_before(nanoseconds end) const {
    return next_ < std::llround(static_cast<double>(end.count()) * fps_ * 1e-9);
  }
  // The time it goes out with.
  nanoseconds take() { return time_of(next_++); }

 private:
  nanoseconds time_of(int64_t n) const { return nanoseconds(std::llround(static_cast<double>(n) * 1e9 / fps_)); }
  double fps_;
  int64_t next_ = 0;
};

}  // namespace texcast::media
