#include "base/latency.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace texcast {

void LatencyWindow::add(std::chrono::nanoseconds duration) {
  ring_[next_] = duration;
  next_ = (next_ + 1) % kCapacity;
  count_ = std::min(count_ + 1, kCapacity);
}

std::chrono::nanoseconds LatencyWindow::percentile(double fraction, size_t newest) const {
  const size_t count = std::min(count_, newest);
  if (count == 0) return {};
  std::vector<std::chrono::nanoseconds> sorted(count);
  for (size_t i = 0; i < count; ++i) sorted[i] = ring_[(next_ + kCapacity - 1 - i) % kCapacity];
  const double rank = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(count));
  const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + index, sorted.end());
  return sorted[static_cast<size_t>(index)];
}

}  // namespace texcast
