// replay_window.h — which of the latest counters have occurred: a ring with a bit for each counter, which advances with
// the highest (as in RFC 6479: whole words are cleared, nothing is shifted).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace texcast::transport {

// All zeros is an empty window.
class ReplayWindow {
 public:
  static constexpr uint64_t kWords = 128;
  // Counters this far below the highest, or further, are refused. It is one word less than the ring, because the
  // highest counter's word is only partly used.
  static constexpr uint64_t kReach = (kWords - 1) * 64;

  // True if the counter is new; it is marked as used then.
  bool accept(uint64_t counter) {
    if (!any_ || counter > highest_)
      move_on(counter);
    else if (highest_ - counter >= kReach)
      return false;
    uint64_t& word = bits_[counter / 64 % kWords];
    const uint64_t bit = uint64_t{1} << counter % 64;
    if (word & bit) return false;
    word |= bit;
    return true;
  }

 private:
  void move_on(uint64_t counter) {
    const uint64_t from = any_ ? highest_ / 64 : 0;
    const uint64_t fresh = any_ ? std::min(counter / 64 - from, kWords) : 0;
    for (uint64_t i = 1; i <= fresh; ++i) bits_[(from + i) % kWords] = 0;
    highest_ = counter;
    any_ = true;
  }

  uint64_t highest_ = 0;
  bool any_ = false;
  std::array<uint64_t, kWords> bits_{};
};

}  // namespace texcast::transport
