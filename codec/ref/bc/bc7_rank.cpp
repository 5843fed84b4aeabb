#include "bc7_rank.h"

#include <algorithm>

#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {
namespace {

constexpr int kEstimateSteps = 1;

// The residual of a subset's texels beside their line, plus that of quantisation along it by indices of so many bits.
float estimate(const Moments& m, int index_bits) {
  const Axis axis(m, kEstimateSteps);
  const Vector& v = axis.direction;
  const float along = dot(v, axis.times(v)) * reciprocal(std::max(dot(v, v), kTiny));
  const auto last = static_cast<float>((1 << index_bits) - 1);
  const float left = (1.0f - along) + along * reciprocal(last * last);
  return axis.trace * left * reciprocal(static_cast<float>(m.count));
}

}  // namespace

std::vector<int> likely_partitions(const Texels16& texels, const Bc7Mode& mode, int count) {
  std::vector<uint32_t> keys;
  std::vector<int> candidates(1u << mode.partition_bits);
  std::ranges::generate(candidates, [n = 0]() mutable { return n++; });
  for (const int partition : candidates) {
    const Subsets of = subsets_of(mode.subsets, partition);
    float sum = 0;
    for (int s = 0; s < mode.subsets; ++s) sum += estimate(Moments(texels, of, s), mode.index_bits);
    // Non-negative floats are ordered as integers; the lowest bits are replaced by the number.
    keys.push_back((std::bit_cast<uint32_t>(std::max(sum, 0.0f)) & ~63u) | static_cast<uint32_t>(partition));
  }
  std::ranges::sort(keys);
  std::vector<int> partitions;
  for (int n = 0; n < count; ++n) partitions.push_back(static_cast<int>(keys[static_cast<size_t>(n)] & 63));
  return partitions;
}

}  // namespace texcast::ref::bc7
