#include "live/decoding_budget.h"

#include <algorithm>

namespace texcast::stream {

void DecodingBudget::begin() {
  trusted_ = false;
  left_ = kAtFirst;
  filled_.reset();
}

void DecodingBudget::trust() {
  if (trusted_) return;
  trusted_ = true;
  left_ += kWithTrust;
}

void DecodingBudget::received(size_t bytes, SteadyTime now) {
  left_ += bytes * (trusted_ ? kPerByteTrusted : kPerByte);
  if (trusted_) {
    constexpr double kLongest = 60;
    const double seconds = filled_ ? std::clamp(in_seconds(now - *filled_), 0.0, kLongest) : 0;
    left_ += static_cast<size_t>(seconds * static_cast<double>(kPerSecond));
    filled_ = std::max(now, filled_.value_or(now));
  }
  left_ = std::min(left_, most());
}

}  // namespace texcast::stream
