// rate_buffer.h — the leaky bucket (VBV) of rate control. Frames and other packets fill it, and it drains at the rate
// of the stream. Its fill level is the delay of the last byte of a frame on a line with this rate.
#pragma once

#include <algorithm>
#include <cstddef>

namespace texcast::compact {

// Bytes are those on the line. Not thread-safe.
class RateBuffer {
 public:
  // The capacity is `frames` frame times, at least 1.
  RateBuffer(double bits_per_s, double fps, double frames) : bits_per_s_(bits_per_s), fps_(fps), frames_(frames) {}
  void set_rate(double bits_per_s) { bits_per_s_ = bits_per_s; }
  double bits_per_s() const { return bits_per_s_; }

  // A frame begins, so many frame times after the previous one.
  void begin(double frame_times) {
    fill_ = std::max(0.0, fill_ - frame_times * frame_bytes());
    frame_times_ = std::clamp(frame_times, 1.0, frames_);
    most_bytes_ = static_cast<size_t>(std::max(0.0, capacity() - fill_));
  }
  void add(double bytes) { fill_ += bytes; }

  double frame_bytes() const { return bits_per_s_ / 8 / fps_; }
  double capacity() const { return frames_ * frame_bytes(); }
  double fill() const { return fill_; }
  // The most bytes of the current frame: the space that was left when it began.
  size_t most_bytes() const { return most_bytes_; }
  // The bytes that drain in the time since the previous frame, at least one frame time and at most the capacity.
  double drained_bytes() const { return frame_bytes() * frame_times_; }

 private:
  double bits_per_s_, fps_, frames_;
  double fill_ = 0;
  double frame_times_ = 1;  // since the previous frame, at most frames_
  size_t most_bytes_ = 0;
};

}  // namespace texcast::compact
