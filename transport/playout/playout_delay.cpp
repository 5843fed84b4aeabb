#include "playout/playout_delay.h"

#include <algorithm>

namespace texcast::stream {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// The time constant of forgetting is the shorter one of the two. 2 % of fewer frames than this cannot be counted.
constexpr double kFrames = 96;
constexpr nanoseconds kTime = 3s;  // screens send few frames while nothing changes
// At frame n the histogram remembers the latest of n frames divided by this. So m slow frames at the beginning count
// until frame 2.7 m (then their weight is 1/2.7^4 = kLateRate).
constexpr double kPartAtStart = 4;
constexpr double kMostOfEvent = 0.9 * PlayoutDelay::kLateRate;
// Frames that are held up for longer than this are no event: the network or the sender has become slower.
constexpr nanoseconds kEvent = 150ms;

}  // namespace

size_t PlayoutDelay::bucket_of(nanoseconds held_up) {
  return static_cast<size_t>((std::clamp(held_up, nanoseconds{}, kMost) + kBucket - nanoseconds(1)) / kBucket);
}

double PlayoutDelay::part_to_forget(SteadyTime arrived) const {
  if (frames_ == 0) return 1;
  const double by_time = in_seconds(arrived - last_) / in_seconds(kTime);
  const double at_start = kPartAtStart / static_cast<double>(frames_ + 1);
  return std::min(1.0, std::max({1 / kFrames, by_time, at_start}));
}

void PlayoutDelay::forget(double part) {
  for (float& weight : weights_) weight *= static_cast<float>(1 - part);
  event_.weight *= 1 - part;
}

void PlayoutDelay::add(SteadyTime arrived, nanoseconds held_up) {
  const double part = part_to_forget(arrived);
  forget(part);
  count(arrived, held_up, part);
  ++frames_;
  last_ = arrived;
  needed_ = quantile();
}

void PlayoutDelay::count(SteadyTime arrived, nanoseconds held_up, double weight) {
  const bool is_over = 2 * held_up <= event_.most && held_up >= event_.last;
  if (is_over || arrived - event_.begun > kEvent) event_ = {.begun = arrived, .most = held_up};
  event_.last = held_up;
  if (held_up > event_.most) {
    weights_[bucket_of(event_.most)] -= static_cast<float>(event_.weight);
    weights_[bucket_of(held_up)] += static_cast<float>(event_.weight);
    event_.most = held_up;
  }
  weight = std::min(weight, kMostOfEvent - event_.weight);
  weights_[bucket_of(event_.most)] += static_cast<float>(weight);
  event_.weight += weight;
}

nanoseconds PlayoutDelay::quantile() const {
  double above = 0;
  for (size_t n = kBuckets - 1; n > 0; --n) {
    above += static_cast<double>(weights_[n]);
    if (above > kLateRate) return static_cast<int64_t>(n) * kBucket;
  }
  return {};
}

void PlayoutDelay::path_is_longer(nanoseconds by) {
  longer_ += by;
  const size_t shift = std::min(static_cast<size_t>(longer_ / kBucket), kBuckets - 1);
  longer_ %= kBucket;
  if (shift == 0) return;
  for (size_t n = 0; n < shift; ++n) weights_[shift] += weights_[n];
  std::shift_left(weights_.begin(), weights_.end(), static_cast<std::ptrdiff_t>(shift));
  std::fill(weights_.end() - static_cast<std::ptrdiff_t>(shift), weights_.end(), 0.0F);
  event_ = {};  // its frames have moved
  needed_ = quantile();
}

void PlayoutDelay::restart() { *this = {}; }

}  // namespace texcast::stream
