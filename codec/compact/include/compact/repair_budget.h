// repair_budget.h — the bytes that repairs may take. In the long run they are a part of what the stream takes without
// them, and a part of a frame in plain with each frame time. What repairs do not take is kept for later, up to a frame
// in plain; what they take too much is paid back before there are others. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

namespace texcast::compact {

// In bytes.
struct RepairCost {
  double repairs = 0;  // of the latest frame, as RepairCounts::repair_bytes has them
  double usual = 0;    // of a frame without repairs, of late
};

class RepairBudget {
 public:
  static constexpr double kShare = 0.5;  // of what the stream takes

  // A whole frame in plain is there at first. `share_of_plain`: of such a frame, with each frame time.
  RepairBudget(size_t plain_bytes, double share_of_plain)
      : plain_bytes_(static_cast<double>(plain_bytes)), share_of_plain_(share_of_plain), left_(plain_bytes_) {}

  bool is_spent() const { return left_ <= 0; }
  void spend(double bytes) { left_ -= bytes; }
  // A frame was coded, which stands for so many frame times.
  void pass(double usual_bytes, double frame_times) {
    left_ = std::min(plain_bytes_, left_ + kShare * usual_bytes + share_of_plain_ * plain_bytes_ * frame_times);
  }

 private:
  double plain_bytes_, share_of_plain_, left_;
};

}  // namespace texcast::compact
