// answer_limit.h — how much of a stream each receiver of a relay may have again: a part of what passes, and not more
// than a part of a frame at once. So neither forged NACKs nor a congested network cause a flood. No I/O.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace texcast::transport {

// Not thread-safe. Remembers at most kMostReceivers.
class AnswerLimit {
 public:
  static constexpr size_t kMostReceivers = 1 << 14;  // others get nothing until one is forgotten

  // Each receiver may have `part` of the stream's bytes again; at once that part of the largest frame, or `at_once`
  // bytes if that is more.
  AnswerLimit(double part, size_t at_once) : part_(part), at_once_(static_cast<double>(at_once)) {}

  void passed(size_t bytes) { granted_ += part_ * static_cast<double>(bytes); }  // to all receivers
  void note_frame(size_t bytes) { largest_ = std::max(largest_, static_cast<double>(bytes)); }
  void forget_frames() { largest_ = 0; }
  void forget(uint32_t receiver) { spent_.erase(receiver); }

  // True if the receiver may have so many bytes now; they are charged.
  bool spend(uint32_t receiver, size_t bytes) {
    if (spent_.size() >= kMostReceivers && !spent_.contains(receiver)) return false;
    const double least = granted_ - std::max(at_once_, part_ * largest_);
    double& spent = spent_.try_emplace(receiver, least).first->second;
    spent = std::max(spent, least);
    if (spent + static_cast<double>(bytes) > granted_) return false;
    spent += static_cast<double>(bytes);
    return true;
  }

 private:
  double part_, at_once_;
  double largest_ = 0;
  double granted_ = 0;                          // bytes that a receiver could have had again since the beginning
  std::unordered_map<uint32_t, double> spent_;  // the same, by receiver: what it has had or missed
};

}  // namespace texcast::transport
