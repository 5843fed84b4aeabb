// sound_timeline.h — which piece of a file's sound is due when, in sync with the picture: through loops, seeks and
// delays of the picture. No threads, no clock.
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
  // `piece`: samples in a piece. `rate`: samples per second.
  SoundTimeline(int rate, uint32_t piece) : rate_(rate), piece_(piece) {}

  // A frame of the picture: its time stamp, its place in the input, and when it was due.
  void on_frame(nanoseconds pts, nanoseconds place, WallTime available);

  // When the next piece is to be sent; nullopt before the first frame. It is kBehind later than the piece's time, so
  // that a frame that changes the place is known before its sound is read.
  static constexpr nanoseconds kBehind = std::chrono::milliseconds(10);
  std::optional<WallTime> due() const;

  struct Part {
    uint32_t samples = 0;
    std::optional<nanoseconds> seek{};  // where to read; nullopt: where the previous part ended
  };
  struct Piece {
    uint64_t position = 0;  // of the first sample; jumps by the delays of the picture
    WallTime captured{};
    std::span<const Part> parts{};  // valid until the next call of take()
  };
  Piece take();

 private:
  struct Segment {
    int64_t first = 0;    // sample of the output
    nanoseconds pts{};    // of its first frame
    nanoseconds place{};  // of the same frame
  };
  int64_t sample_at(nanoseconds time) const;
  nanoseconds time_of(int64_t sample) const { return nanoseconds(sample * 1'000'000'000 / rate_); }

  const int rate_;
  const uint32_t piece_;
  std::optional<WallTime> base_;  // time of pts 0
  std::deque<Segment> segments_;  // the first is being read
  bool sought_ = false;           // to the beginning of the first
  nanoseconds offset_{};          // place - pts of the newest
  int64_t next_ = 0;              // sample of the output
  int64_t late_ = 0;              // sum of the picture's delays, in samples
  std::vector<Part> parts_;
};

}  // namespace texcast::stream
