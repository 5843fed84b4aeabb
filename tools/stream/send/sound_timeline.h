// sound_timeline.h — which piece of a file's sound is due when, so that it goes along with the picture: through loops,
// jumps and where the picture is late. Pure arithmetic.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe.
class SoundTimeline {
 public:
  // Pieces of `piece` samples, `rate` a second.
  SoundTimeline(int rate, uint32_t piece) : rate_(rate), piece_(piece) {}

  // A frame of the picture: its time stamp, where it is in the input, and when it was due.
  void on_frame(nanoseconds pts, nanoseconds place, WallTime available);

  // When the next piece is to be sent; none before the first frame. A little behind its time, so that a frame that
  // changes the place is known before the sound that goes with it is read.
  static constexpr nanoseconds kBehind = std::chrono::milliseconds(10);
  std::optional<WallTime> due() const;

  struct Part {
    uint32_t samples = 0;
    std::optional<nanoseconds> seek{};  // read from here on; none: where the one before has ended
  };
  struct Piece {
    uint64_t position = 0;  // of the first sample; jumps by what the picture was late
    WallTime captured{};
    std::span<const Part> parts{};  // valid until the next call of take()
  };
  Piece take();

 private:
  struct Segment {
    int64_t first = 0;    // sample of the output
    nanoseconds pts{};    // of the frame with which it begins
    nanoseconds place{};  // of that
  };
  int64_t sample_at(nanoseconds time) const;
  nanoseconds time_of(int64_t sample) const { return nanoseconds(sample * 1'000'000'000 / rate_); }

  const int rate_;
  const uint32_t piece_;
  std::optional<WallTime> base_;  // of pts 0
  std::deque<Segment> segments_;  // the first is being read
  bool sought_ = false;           // its beginning was
  nanoseconds offset_{};          // place - pts of the newest
  int64_t next_ = 0;              // sample of the output
  int64_t late_ = 0;              // samples that the picture was late, all together
  std::vector<Part> parts_;
};

}  // namespace texcast::stream
