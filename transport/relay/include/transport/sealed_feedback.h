// sealed_feedback.h — feedback of receivers that a relay without the key cannot read: it goes on to the sender as it
// is, but no more of it than the sender reads. No I/O; time is an argument.
//
// In each turn (kTurn) at most kInATurn datagrams leave, one of each receiver before a second one of any. A receiver's
// oldest ones are dropped: receivers repeat what still matters.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"

namespace texcast::transport {

// Not thread-safe. Holds at most kMostReceivers * kOfAReceiver datagrams of at most kLargest bytes.
class SealedFeedback {
 public:
  static constexpr nanoseconds kTurn = std::chrono::milliseconds(10);
  static constexpr size_t kInATurn = 8;  // a sender reads so many of one address before a frame
  static constexpr size_t kMostReceivers = 64;
  static constexpr size_t kOfAReceiver = 2;
  static constexpr size_t kLargest = 2048;

  void add(uint32_t receiver, Bytes datagram);
  // The next one that may leave now; valid until the next call of any of these.
  std::optional<Bytes> next(SteadyTime now);
  std::optional<SteadyTime> next_deadline() const;
  void clear();

  uint64_t received() const { return received_; }
  uint64_t passed_on() const { return passed_on_; }

 private:
  struct Waiting {
    uint32_t receiver = 0;
    std::deque<std::vector<std::byte>> datagrams{};
  };
  std::deque<Waiting> waiting_;  // in the order in which they are served
  std::vector<std::byte> leaving_;
  SteadyTime turn_ends_{};
  size_t in_turn_ = 0;
  uint64_t received_ = 0, passed_on_ = 0;
};

}  // namespace texcast::transport
