// least_cost.h — the choice that costs least.
#pragma once

#include <algorithm>
#include <limits>

namespace texcast::compact {

// Finds the cheapest choice, and among equally cheap ones that with the smaller number. Choice is an enumeration of at
// most 16 values. Branchless, as the outcome of the comparisons is hard to predict.
template <typename Choice>
class LeastCost {
 public:
  void offer(bool is_possible, Choice choice, int cost) {
    least_ = std::min(least_, is_possible ? cost << 4 | static_cast<int>(choice) : kNone);
  }
  bool any() const { return least_ != kNone; }
  // If there is any.
  Choice choice() const { return static_cast<Choice>(least_ & 15); }
  int cost() const { return least_ >> 4; }

 private:
  static constexpr int kNone = std::numeric_limits<int>::max();
  int least_ = kNone;
};

}  // namespace texcast::compact
