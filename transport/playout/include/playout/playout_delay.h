// playout_delay.h — how long frames must be delayed so that few of them are late. An estimator without a clock.
//
// It keeps a histogram of how long frames were held up, behind frames that nothing held up. The histogram forgets
// exponentially, by frame, and faster while it has seen few. Its quantile at 1 - kLateRate is the delay that is needed.
//
//   weight |#                          The frames of one event (a stall, after which everything that waited arrives at
//          |##  #                      once; a busy moment; an outlier) count as less than kLateRate together, at the
//          |####### # ##      #        largest of them. So one event alone is never a reason to wait. A second one is,
//          +------------------------   if it comes before the first is forgotten.
//                      held up by
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe. Allocates nothing.
class PlayoutDelay {
 public:
  static constexpr double kLateRate = 0.02;                             // of the frames
  static constexpr nanoseconds kMost = std::chrono::milliseconds(200);  // longer ones count as this

  // A frame arrived at `arrived`, which never falls, and was held up by `held_up`; negative: by nothing.
  void add(SteadyTime arrived, nanoseconds held_up);
  // All but kLateRate of the frames were held up by this or less; within a quarter of a millisecond, rounded up.
  nanoseconds needed() const { return needed_; }
  // The frames that nothing holds up now take longer by `by`, which is not negative: earlier ones were held up by less.
  void path_is_longer(nanoseconds by);
  void restart();  // forgets everything

 private:
  // Consecutive frames. It ends with a frame that was held up by half of the largest or less, and not by less than the
  // frame before it: what had piled up has arrived.
  struct Event {
    SteadyTime begun{};
    nanoseconds most{}, last{};
    double weight = 0;  // in the histogram, at `most`
  };
  static constexpr nanoseconds kBucket = std::chrono::microseconds(250);
  static constexpr size_t kBuckets = static_cast<size_t>(kMost / kBucket) + 1;

  static size_t bucket_of(nanoseconds held_up);
  double part_to_forget(SteadyTime arrived) const;
  void forget(double part);
  void count(SteadyTime arrived, nanoseconds held_up, double weight);
  nanoseconds quantile() const;

  std::array<float, kBuckets> weights_{};  // bucket n: up to n * kBucket; the sum is at most 1, the rest is unknown
  uint64_t frames_ = 0;
  SteadyTime last_{};
  Event event_{};
  nanoseconds longer_{};  // of path_is_longer(), less than a bucket
  nanoseconds needed_{};
};

}  // namespace texcast::stream
