#include "transport/sealed_feedback.h"

#include <algorithm>
#include <utility>

namespace texcast::transport {

void SealedFeedback::clear() { waiting_.clear(); }

void SealedFeedback::add(uint32_t receiver, Bytes datagram) {
  ++received_;
  if (datagram.size() > kLargest) return;
  auto at = std::ranges::find(waiting_, receiver, &Waiting::receiver);
  if (at == waiting_.end()) {
    if (waiting_.size() == kMostReceivers) return;
    waiting_.push_back({.receiver = receiver});
    at = waiting_.end() - 1;
  }
  if (at->datagrams.size() == kOfAReceiver) at->datagrams.pop_front();
  at->datagrams.emplace_back(datagram.begin(), datagram.end());
}

std::optional<Bytes> SealedFeedback::next(SteadyTime now) {
  if (waiting_.empty()) return std::nullopt;
  if (now >= turn_ends_) {
    turn_ends_ = now + kTurn;
    in_turn_ = 0;
  }
  if (in_turn_ == kInATurn) return std::nullopt;
  ++in_turn_;
  ++passed_on_;
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  leaving_ = std::move(first.datagrams.front());
  first.datagrams.pop_front();
  if (!first.datagrams.empty()) waiting_.push_back(std::move(first));
  return leaving_;
}

std::optional<SteadyTime> SealedFeedback::next_deadline() const {
  if (waiting_.empty()) return std::nullopt;
  return in_turn_ < kInATurn ? SteadyTime{} : turn_ends_;
}

}  // namespace texcast::transport
