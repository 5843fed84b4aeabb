// refresh_budget.h — limits the bytes that loss-driven intra refresh (repairs) may use. With each frame time the budget
// grows by a share of the bytes that a frame uses without repairs, and by a share of a raw frame. Unused bytes are
// kept, up to one raw frame. After repairs that exceed the budget there are none until it is above zero again.
#pragma once

#include <algorithm>
#include <cstddef>

namespace texcast::compact {

// In bytes.
struct RefreshCost {
  double repairs = 0;  // of the latest frame, counted as in IntraRefreshCounts::repair_bytes
  double usual = 0;    // recent average of a frame without its repairs
};

class RefreshBudget {
 public:
  static constexpr double kShare = 0.5;  // of the bytes that the stream uses without repairs

  // `raw_bytes` are the bytes of a raw frame, with which the budget begins. `share_of_raw` is the share of a raw
  // frame by which it grows with each frame time.
  RefreshBudget(size_t raw_bytes, double share_of_raw)
      : raw_bytes_(static_cast<double>(raw_bytes)), share_of_raw_(share_of_raw), left_(raw_bytes_) {}

  bool is_spent() const { return left_ <= 0; }
  void spend(double bytes) { left_ -= bytes; }
  // Call it for each coded frame, with the frame times since the previous one.
  void pass(double usual_bytes, double frame_times) {
    left_ = std::min(raw_bytes_, left_ + kShare * usual_bytes + share_of_raw_ * raw_bytes_ * frame_times);
  }

 private:
  double raw_bytes_, share_of_raw_, left_;
};

}  // namespace texcast::compact
