#include "bc7_moments.h"

#include <algorithm>

#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {

Moments::Moments(const Texels16& texels, const Subsets& subsets, int subset) {
  for (size_t i = 0; i < 16; ++i) {
    if (subsets[i] != subset) continue;
    ++count;
    for (const size_t c : kChannels) {
      sum[c] += texels[i][c];
      for (const size_t d : kChannels) products[c][d] += texels[i][c] * texels[i][d];
    }
  }
}

Axis::Axis(const Moments& m, int steps) {
  std::array<Channels, 4> covariance{};
  for (const size_t c : kChannels)
    for (const size_t d : kChannels) covariance[c][d] = m.count * m.products[c][d] - m.sum[c] * m.sum[d];
  size_t widest = 0;
  for (const size_t c : kChannels) {
    trace += static_cast<float>(covariance[c][c]);
    if (covariance[c][c] > covariance[widest][widest]) widest = c;
  }
  const float scale = reciprocal(std::max(trace, 1.0f));
  for (const size_t c : kChannels)
    for (const size_t d : kChannels) matrix[c][d] = static_cast<float>(covariance[c][d]) * scale;
  direction = matrix[widest];
  for (int step = 0; step < steps; ++step) direction = times(direction);
}

}  // namespace texcast::ref::bc7
