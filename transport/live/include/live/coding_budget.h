// coding_budget.h — how long the tiles of a frame may be coded: not much longer than what they save lets them leave
// sooner.
//
// A plain frame is spread over a part of the frame time, so that a byte less is some time less. Where coding takes
// longer than that (a film on a slow processor), tiles go plain; where it takes a fraction of it (a desktop), all are
// coded. No clock: whoever measures tells.
#pragma once

#include <algorithm>

namespace texcast::stream {

class CodingBudget {
 public:
  // Of a plain frame that leaves in `sending_seconds`, as one of so many bytes every `frame_seconds`.
  CodingBudget(double frame_seconds, double sending_seconds, double frame_bytes)
      : frame_seconds_(frame_seconds), byte_seconds_(sending_seconds / std::max(frame_bytes, 1.0)) {}

  // Of a frame, tiles that have `raw_bytes` took `seconds` to code, and are `saved_bytes` smaller for it.
  void learn(double seconds, double raw_bytes, double saved_bytes) {
    if (raw_bytes <= 0 || seconds < kTooShortToTell * frame_seconds_) return;
    spent_ += (seconds - spent_) * kNewest;
    plain_ += (raw_bytes - plain_) * kNewest;
    saved_ += (saved_bytes - saved_) * kNewest;
  }
  // For the next frame: less where less than half comes back.
  double seconds() const { return frame_seconds_ * std::max(kMost * std::min(worth() / kLeastWorth, 1.0), kLeast); }
  // Whether to code much of a picture at all. Now and then it is tried again, as what is shown may be another thing.
  bool is_worth_it() { return worth() >= kLeastWorth || ++tries_ % kTryEvery == 0; }

  static constexpr double kMost = 0.35, kLeast = 1.0 / 16;  // of the frame time
  static constexpr double kLeastWorth = 0.5;
  static constexpr double kNearlyAll = 0.8;  // of the bytes: of what scrolls or is dragged, not of films
  static constexpr unsigned kTryEvery = 16;  // frames

 private:
  // Of the time that is spent, what comes back; where hardly any bytes are left, that is worth any time.
  double worth() const {
    if (spent_ == 0 || saved_ >= kNearlyAll * plain_) return 1.0;
    return std::min(saved_ * byte_seconds_ / spent_, 1.0);
  }

  static constexpr double kTooShortToTell = 1.0 / 64;
  static constexpr double kNewest = 1.0 / 4;  // a film that ends is forgotten within ten frames

  const double frame_seconds_, byte_seconds_;
  double spent_ = 0;              // seconds a frame, of late
  double plain_ = 0, saved_ = 0;  // bytes
  unsigned tries_ = 0;
};

}  // namespace texcast::stream
