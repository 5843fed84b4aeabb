// rate_follower.h — how much faster or slower samples are to be read so that two clocks stay together: a loop that
// follows the difference of two crystals and hears nothing of the jitter of its measurements. Pure arithmetic.
#pragma once

#include <algorithm>

namespace texcast::media {

// Not thread-safe.
class RateFollower {
 public:
  // By so much speed changes at most: half a percent is a twelfth of a semitone.
  static constexpr double kMost = 0.005;

  // The samples that are read now are `behind` seconds later than they should be (negative: ahead), `elapsed` seconds
  // after the last call. Gives what is to be added to a speed of 1.
  double follow(double behind, double elapsed) {
    if (!begun_) smooth_ = behind;
    begun_ = true;
    smooth_ += (behind - smooth_) * std::min(1.0, elapsed / kSmoothing);
    drift_ = std::clamp(drift_ + smooth_ * elapsed * kDriftGain, -kMostDrift, kMostDrift);
    return std::clamp(drift_ + smooth_ * kGain, -kMost, kMost);
  }
  // The error was taken away by a jump; what is known of the clocks stays.
  void jumped() { begun_ = false; }
  void forget() { *this = {}; }
  double drift() const { return drift_; }    // of the clocks, as a part of 1
  double behind() const { return smooth_; }  // seconds

 private:
  static constexpr double kSmoothing = 0.5;                // seconds
  static constexpr double kGain = 0.25;                    // of an error, a second: gone in 4 s
  static constexpr double kDriftGain = kGain * kGain / 4;  // no overshoot
  static constexpr double kMostDrift = 0.001;  // crystals are within 100 ppm, clocks that are set turn by 500
  bool begun_ = false;
  double smooth_ = 0, drift_ = 0;
};

}  // namespace texcast::media
