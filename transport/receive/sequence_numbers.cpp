#include "sequence_numbers.h"

#include <algorithm>

#include "transport/packet.h"

namespace texcast::transport {
int frames_between(uint32_t from, uint32_t to) {
  constexpr int kSpare = 32 - kBufferIdBits;
  return static_cast<int32_t>((to - from) << kSpare) >> kSpare;
}

void SequenceTracker::start_at(uint64_t number) {
  window_.reset();
  window_.set(number % kWindow);
  started_ = true;
  first_ = highest_ = last_ = number;
  settled_ = number - 1;
  jump_.reset();
}

void SequenceTracker::restart() {
  started_ = false;
  jump_.reset();
}

void SequenceTracker::advance_to(uint64_t number) {
  if (number - settled_ > kWindow / 2) settle(number - kWindow / 2);
  for (uint64_t n = highest_ + 1; n < number; ++n) window_.reset(n % kWindow);
  window_.set(number % kWindow);
  highest_ = number;
}

SequenceTracker::Arrival SequenceTracker::arrived(uint16_t sequence) {
  if (!started_) {
    // Two wraps above the previous run, so that numbers never repeat and never become negative.
    start_at(((highest_ >> 16) + 2) << 16 | sequence);
    return Arrival::newest;
  }
  const int distance = static_cast<int16_t>(sequence - static_cast<uint16_t>(highest_));
  if (distance > kMaxJump || distance < -static_cast<int>(kWindow / 2)) {
    if (jump_ != sequence) {
      jump_ = static_cast<uint16_t>(sequence + 1);
      return Arrival::implausible;
    }
    settle(highest_);
    start_at(((highest_ >> 16) + 2) << 16 | sequence);
    return Arrival::newest;
  }
  jump_.reset();
  const uint64_t number = highest_ + static_cast<uint64_t>(static_cast<int64_t>(distance));
  last_ = number;
  if (number > highest_) {
    advance_to(number);
    return Arrival::newest;
  }
  if (seen(number)) return Arrival::seen;
  window_.set(number % kWindow);
  if (number > first_ && number <= settled_ && lost_ > 0) --lost_;
  return Arrival::reordered;
}

void SequenceTracker::settle(uint64_t up_to) {
  if (!started_) return;
  up_to = std::min(up_to, highest_);
  for (uint64_t n = settled_ + 1; n <= up_to; ++n)
    if (!seen(n)) ++lost_;
  settled_ = std::max(settled_, up_to);
}

FrameOrder::Place FrameOrder::begin_run(uint32_t id) {
  started_ = true;
  jump_.reset();
  ++run_;
  newest_id_ = id;
  newest_order_ += 2 * kMaxJump;  // room for frames of the run before the first one that arrived
  return {newest_order_, run_};
}

std::optional<FrameOrder::Place> FrameOrder::place(uint32_t id, bool repeated) {
  if (!started_) return begin_run(id);
  const int ahead = frames_between(newest_id_, id);
  if (ahead > kMaxJump || ahead < -kMaxJump) {
    const int from_jump = jump_ ? frames_between(*jump_, id) : -1;
    if (repeated) return std::nullopt;
    if (from_jump < 0 || from_jump > 4) {
      jump_ = id;
      return std::nullopt;
    }
    if (ahead < 0) return begin_run(id);
  }
  jump_.reset();
  const uint64_t order = newest_order_ + static_cast<uint64_t>(static_cast<int64_t>(ahead));
  if (ahead > 0) {
    newest_id_ = id;
    newest_order_ = order;
  }
  return Place{order, run_};
}

}  // namespace texcast::transport
