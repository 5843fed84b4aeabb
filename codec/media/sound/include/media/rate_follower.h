// rate_follower.h — the resampling ratio that keeps two clocks together: a control loop that follows the difference of
// two crystals and ignores the jitter of its measurements. Pure arithmetic.
#pragma once

#include <algorithm>

namespace texcast::media {

// Not thread-safe.
class RateFollower {
 public:
  // The largest change of speed: half a percent is a twelfth of a semitone.
  static constexpr double kMost = 0.005;

  // The samples that are read now are `behind` seconds later than they should be (negative: ahead), `elapsed` seconds
  // after the previous call. Returns the value to be added to a speed of 1.
  double follow(double behind, double elapsed) {
    if (!begun_) smooth_ = behind;
    begun_ = true;
    smooth_ += (behind - smooth_) * std::min(1.0, elapsed / kSmoothing);
    drift_ = std::clamp(drift_ + smooth_ * elapsed * kDriftGain, -kMostDrift, kMostDrift);
    return std::clamp(drift_ + smooth_ * kGain, -kMost, kMost);
  }
  // The error was removed by a jump; the estimated drift is kept.
  void jumped() { begun_ = false; }
  void forget() { *this = {}; }
  double drift() const { return drift_; }    // of the clocks, as a fraction of 1
  double behind() const { return smooth_; }  // seconds

 private:
  static constexpr double kSmoothing = 0.5;                // seconds
  static constexpr double kGain = 0.25;                    // of an error, per second: corrected in 4 s
  static constexpr double kDriftGain = kGain * kGain / 4;  // no overshoot
  static constexpr double kMostDrift = 0.001;  // crystals are within 100 ppm, clocks that are being set within 500
  bool begun_ = false;
  double smooth_ = 0, drift_ = 0;
};

}  // namespace texcast::media
