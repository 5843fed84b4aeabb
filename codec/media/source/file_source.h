// file_source.h — a FrameSource over DemuxedInput: start, loop, a steady rate, and the same format throughout.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "media/frame_source.h"
#include "texcast/frame_times.h"

namespace texcast::media {

// Opens everything but "test" and screens. Throws as open_source() does.
std::unique_ptr<FrameSource> open_file_source(const SourceSettings& settings);

// Converts a clip of any rate to a steady rate: decides which frames are output, and when. It has no clock and handles
// only the frames' times. Not thread-safe.
//
// Output frame n is due at n / fps. An input frame that is displayed from `pts` to `end` becomes every output frame
// that is due in that time (rounded to the nearest n): none (it is dropped), one, or several (it is repeated).
class RateKeeper {
 public:
  explicit RateKeeper(double fps) : fps_(fps) {}
  // Whether the input frame that is displayed until `end` must be output, or output once more.
  bool due_before(nanoseconds end) const {
    return next_ < std::llround(static_cast<double>(end.count()) * fps_ * 1e-9);
  }
  // The time stamp of this output frame; advances to the next one.
  nanoseconds take() { return time_of(next_++); }

 private:
  nanoseconds time_of(int64_t n) const { return nanoseconds(std::llround(static_cast<double>(n) * 1e9 / fps_)); }
  double fps_;
  int64_t next_ = 0;
};

}  // namespace texcast::media
