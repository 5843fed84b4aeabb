#include "bc7_fit.h"

#include <algorithm>

#include "bc7_ends.h"
#include "bc7_moments.h"
#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {
namespace {

constexpr int kAxisSteps = 4;

float held(float value) { return std::min(std::max(value, 0.0f), 255.0f); }

// The outermost texels along the principal axis.
Ends ends_on_axis(const Plane& plane, size_t subset, const Moments& m) {
  const Axis axis(m, kAxisSteps);
  const Vector& v = axis.direction;
  const float share = reciprocal(static_cast<float>(m.count));
  Vector mean{};
  for (const size_t c : kChannels) mean[c] = static_cast<float>(m.sum[c]) * share;
  float least = 3e38f, most = -3e38f;
  for (size_t i = 0; i < 16; ++i) {
    if (plane.subsets[i] != static_cast<int>(subset)) continue;
    Vector texel{};
    for (const size_t c : kChannels) texel[c] = static_cast<float>(plane.texels[i][c]);
    const float along = dot(v, texel);
    least = std::min(least, along);
    most = std::max(most, along);
  }
  const float middle = dot(v, mean), scale = reciprocal(std::max(dot(v, v), kTiny));
  Vector low{}, high{};
  for (const size_t c : kChannels) {
    low[c] = held(mean[c] + v[c] * ((least - middle) * scale));
    high[c] = held(mean[c] + v[c] * ((most - middle) * scale));
  }
  return round_ends(low, high, plane.precision, plane.texels[0]);
}

// Least squares for the indices that `ends` give, assumed to be evenly spaced; false if they are all the same.
bool fit_ends(const Plane& plane, size_t subset, const Moments& m, Ends& ends) {
  const int bits = plane.precision.index_bits;
  int k = 0, kk = 0;
  Channels kx{};
  for (size_t i = 0; i < 16; ++i) {
    if (plane.subsets[i] != static_cast<int>(subset)) continue;
    const int index = index_of(plane.texels[i], ends, bits);
    k += index;
    kk += index * index;
    for (const size_t c : kChannels) kx[c] += index * plane.texels[i][c];
  }
  const int determinant = m.count * kk - k * k;
  if (determinant == 0) return false;
  const float inverse = reciprocal(static_cast<float>(determinant));
  const auto last = static_cast<float>((1 << bits) - 1);
  Vector low{}, high{};
  for (const size_t c : kChannels) {
    const float first = static_cast<float>(kk * m.sum[c] - k * kx[c]) * inverse;
    const float rise = static_cast<float>(m.count * kx[c] - k * m.sum[c]) * inverse;
    low[c] = held(first);
    high[c] = held(first + rise * last);
  }
  ends = round_ends(low, high, plane.precision, plane.texels[0]);
  return true;
}

}  // namespace

Fitted fit(const Plane& plane, int fits) {
  Fitted best;
  for (size_t s = 0; s < plane.count(); ++s) {
    const Moments m(plane.texels, plane.subsets, static_cast<int>(s));
    Ends ends = ends_on_axis(plane, s, m);
    plane.keep_better(s, ends, best);
    for (int n = 0; n < fits && fit_ends(plane, s, m, ends); ++n) plane.keep_better(s, ends, best);
  }
  return best;
}

}  // namespace texcast::ref::bc7
