#include "media/pcm_concealer.h"

#include <algorithm>
#include <cmath>

namespace texcast::media {
namespace {
size_t samples_of(int rate, double ms) { return static_cast<size_t>(std::lround(rate * ms / 1000)); }
}  // namespace

PcmConcealer::PcmConcealer(int rate)
    : least_(samples_of(rate, 2.5)),
      most_(samples_of(rate, 15)),
      fade_(samples_of(rate, 2.5)),
      loud_(samples_of(rate, 10)),
      silent_(samples_of(rate, 60)),
      history_(2 * most_) {
  period_.reserve(most_);
}

void PcmConcealer::came(std::span<float> samples) {
  if (!period_.empty()) {
    const size_t fade = std::min(fade_, samples.size());
    for (size_t i = 0; i < fade; ++i) {
      const float part = static_cast<float>(i + 1) / static_cast<float>(fade + 1);
      samples[i] = samples[i] * part + repeated() * (1 - part);
    }
    period_.clear();
    concealed_ = 0;
  }
  const size_t count = std::min(samples.size(), history_.size());
  std::copy(history_.begin() + static_cast<std::ptrdiff_t>(count), history_.end(), history_.begin());
  std::copy(samples.end() - static_cast<std::ptrdiff_t>(count), samples.end(),
            history_.end() - static_cast<std::ptrdiff_t>(count));
}

void PcmConcealer::conceal(std::span<float> out) {
  if (period_.empty()) find_period();
  for (float& sample : out) sample = repeated();
}

// Finds the lag at which the last 2.5 ms are most similar to the samples one period before.
void PcmConcealer::find_period() {
  const size_t end = history_.size(), window = most_ - least_ / 2;
  size_t best = most_;
  double most_alike = 0;
  for (size_t lag = least_; lag <= most_; ++lag) {
    double product = 0, energy = 1e-9;
    for (size_t i = 0; i < window; i += 2) {
      const double now = history_[end - 1 - i], then = history_[end - 1 - i - lag];
      product += now * then;
      energy += then * then;
    }
    const double alike = product > 0 ? product * product / energy : 0;
    if (alike <= most_alike) continue;
    most_alike = alike;
    best = lag;
  }
  period_.assign(history_.end() - static_cast<std::ptrdiff_t>(best), history_.end());
  phase_ = concealed_ = 0;
}

float PcmConcealer::repeated() {
  float gain = 1;
  if (concealed_ >= silent_)
    gain = 0;
  else if (concealed_ > loud_)
    gain = static_cast<float>(silent_ - concealed_) / static_cast<float>(silent_ - loud_);
  ++concealed_;
  const float value = period_[phase_];
  phase_ = phase_ + 1 < period_.size() ? phase_ + 1 : 0;
  return value * gain;
}

}  // namespace texcast::media
