// sinc_interpolator.h — samples between samples: what resamples by any ratio near 1, which may change all the time.
//
// A windowed sinc (Kaiser, 90 dB) of 48 taps in 512 phases, linear between these. At a ratio of 1 and phase 0 samples
// come out unchanged.
#pragma once

#include <cstddef>
#include <vector>

namespace texcast::media {

// Unchanging once made: threads may share it.
class SincInterpolator {
 public:
  static constexpr size_t kTaps = 48;
  static constexpr size_t kBefore = kTaps / 2 - 1;  // of them are samples before the place, or at it

  // `band`: of the input's frequencies, what passes, 0..1; less than 1 where the output has a lower rate.
  explicit SincInterpolator(double band = 1);

  // The value `fraction` (0..1) of a sample behind `window[kBefore * stride]`; `window` has kTaps samples, `stride`
  // apart.
  float at(const float* window, size_t stride, double fraction) const;

 private:
  std::vector<float> table_;  // kPhases + 1 rows of kTaps
};

}  // namespace texcast::media
