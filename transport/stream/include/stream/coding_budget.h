// coding_budget.h — how long the tiles of a frame in a lossless coded stream may be coded: not much longer than the
// time that the saved bytes would have taken to send.
//
// The packets of a raw frame are paced over a part of the frame time, so that each byte saved saves time. If coding
// takes longer than that (a film on a slow processor), tiles are sent raw; if it takes a fraction of it (a desktop),
// all are coded. This class has no clock: the caller measures.
#pragma once

#include <algorithm>

namespace texcast::stream {

class CodingBudget {
 public:
  // A raw frame has `frame_bytes`, is sent within `sending_seconds`, and there is one every `frame_seconds`.
  CodingBudget(double frame_seconds, double sending_seconds, double frame_bytes)
      : frame_seconds_(frame_seconds), byte_seconds_(sending_seconds / std::max(frame_bytes, 1.0)) {}

  // In the last frame, coding tiles of `raw_bytes` took `seconds` and saved `saved_bytes`.
  void learn(double seconds, double raw_bytes, double saved_bytes) {
    if (raw_bytes <= 0 || seconds < kTooShortToTell * frame_seconds_) return;
    spent_ += (seconds - spent_) * kNewest;
    plain_ += (raw_bytes - plain_) * kNewest;
    saved_ += (saved_bytes - saved_) * kNewest;
  }
  // The time for the next frame: it shrinks when less than half of the time spent is saved.
  double seconds() const { return frame_seconds_ * std::max(kMost * std::min(worth() / kLeastWorth, 1.0), kLeast); }
  // Whether to code a frame of which much changed at all. Every kTryEvery frames one is tried, as the content may have
  // changed.
  bool is_worth_it() { return worth() >= kLeastWorth || ++tries_ % kTryEvery == 0; }

  static constexpr double kMost = 0.35, kLeast = 1.0 / 16;  // of the frame time
  static constexpr double kLeastWorth = 0.5;
  static constexpr double kNearlyAll = 0.8;  // of the bytes: scrolling and dragging save as much, films do not
  static constexpr unsigned kTryEvery = 16;  // frames

 private:
  // The part of the coding time that is saved in sending. If hardly any bytes are left, coding is worth any time.
  double worth() const {
    if (spent_ == 0 || saved_ >= kNearlyAll * plain_) return 1.0;
    return std::min(saved_ * byte_seconds_ / spent_, 1.0);
  }

  static constexpr double kTooShortToTell = 1.0 / 64;
  static constexpr double kNewest = 1.0 / 4;  // weight in the averages: a film is forgotten ten frames after its end

  const double frame_seconds_, byte_seconds_;
  double spent_ = 0;              // seconds per frame, moving average
  double plain_ = 0, saved_ = 0;  // bytes per frame, moving averages
  unsigned tries_ = 0;
};

}  // namespace texcast::stream
