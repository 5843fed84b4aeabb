// sinc_interpolator.h — interpolates between samples, for resampling by any ratio near 1, which may vary continuously.
//
// A windowed sinc (Kaiser, 90 dB) of 48 taps in 512 phases, linear between these. At a ratio of 1 and phase 0 samples
// are unchanged.
#pragma once

#include <cstddef>
#include <vector>

namespace texcast::media {

// Immutable after construction: threads may share it.
class SincInterpolator {
 public:
  static constexpr size_t kTaps = 48;
  static constexpr size_t kBefore = kTaps / 2 - 1;  // number of taps before or at the interpolated place

  // `band`: the passband as a fraction of the input's frequencies, 0..1; less than 1 if the output has a lower rate.
  explicit SincInterpolator(double band = 1);

  // The value at `fraction` (0..1) of a sample after `window[kBefore * stride]`; `window` has kTaps samples, `stride`
  // apart.
  float at(const float* window, size_t stride, double fraction) const;

 private:
  std::vector<float> table_;  // kPhases + 1 rows of kTaps
};

}  // namespace texcast::media
