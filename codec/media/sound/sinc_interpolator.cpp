#include "media/sinc_interpolator.h"

#include <algorithm>
#include <cmath>

namespace texcast::media {
namespace {

constexpr size_t kPhases = 512;
constexpr double kBeta = 9;  // of Kaiser's window: 90 dB
constexpr double kHalfTurn = 3.14159265358979323846;

double sinc(double x) { return std::abs(x) < 1e-12 ? 1 : std::sin(kHalfTurn * x) / (kHalfTurn * x); }

double kaiser(double x) {  // -1..1
  return std::abs(x) >= 1 ? 0 : std::cyl_bessel_i(0.0, kBeta * std::sqrt(1 - x * x)) / std::cyl_bessel_i(0.0, kBeta);
}

}  // namespace

SincInterpolator::SincInterpolator(double band) : table_((kPhases + 1) * kTaps) {
  band = std::clamp(band, 0.05, 1.0);
  for (size_t phase = 0; phase <= kPhases; ++phase) {
    double sum = 0;
    float* const row = &table_[phase * kTaps];
    for (size_t i = 0; i < kTaps; ++i) {
      const double x = static_cast<double>(i) - static_cast<double>(kBefore) -
                       static_cast<double>(phase) / static_cast<double>(kPhases);
      const double value = sinc(x * band) * kaiser(x / (kTaps / 2.0));
      row[i] = static_cast<float>(value);
      sum += value;
    }
    for (size_t i = 0; i < kTaps; ++i) row[i] = static_cast<float>(row[i] / sum);  // preserves constants
  }
}

float SincInterpolator::at(const float* window, size_t stride, double fraction) const {
  const double place = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kPhases);
  const auto phase = std::min(static_cast<size_t>(place), kPhases - 1);
  const auto between = static_cast<float>(place - static_cast<double>(phase));
  const float* const row = &table_[phase * kTaps];
  float first = 0, second = 0;
  for (size_t i = 0; i < kTaps; ++i) {
    first += window[i * stride] * row[i];
    second += window[i * stride] * row[kTaps + i];
  }
  return first + (second - first) * between;
}

}  // namespace texcast::media
