#include "bc7_measure.h"

#include <algorithm>

#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {
namespace {

int error_of(const Channels& texel, const Ends& ends, int weight) {
  int sum = 0;
  for (const size_t c : kChannels) {
    const int off = texel[c] - bc7_blend(ends.low[c], ends.high[c], weight);
    sum += off * off;
  }
  return sum;
}

}  // namespace

int index_of(const Channels& texel, const Ends& ends, int index_bits) {
  int length = 0, along = 0;
  for (const size_t c : kChannels) {
    const int d = ends.high[c] - ends.low[c];
    length += d * d;
    along += d * (texel[c] - ends.low[c]);
  }
  const auto last = static_cast<float>((1 << index_bits) - 1);
  const float scale = last * reciprocal(static_cast<float>(std::max(length, 1)));
  return nearest(std::min(std::max(static_cast<float>(along) * scale, 0.0f), last));
}

int Plane::error(size_t subset, const Ends& ends) const {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i) {
    if (subsets[i] != static_cast<int>(subset)) continue;
    const int index = index_of(texels[i], ends, precision.index_bits);
    sum += error_of(texels[i], ends, bc7_weight(index, precision.index_bits));
  }
  return sum;
}

bool Plane::keep_better(size_t subset, const Ends& ends, Fitted& best) const {
  const int off = error(subset, ends);
  if (off >= best.errors[subset]) return false;
  best.errors[subset] = off;
  best.ends[subset] = ends;
  return true;
}

std::array<int, 16> Plane::indices(const std::array<Ends, 3>& ends) const {
  std::array<int, 16> indices{};
  for (size_t i = 0; i < 16; ++i)
    indices[i] = index_of(texels[i], ends[static_cast<size_t>(subsets[i])], precision.index_bits);
  return indices;
}

}  // namespace texcast::ref::bc7
